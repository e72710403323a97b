package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// openAI is the format of chat completions, at OpenAI or at one of the many
// servers that speak it.
type openAI struct {
	chat  openai.ChatCompletionService
	model string
	// dialect is what the server was found to understand.
	dialect atomic.Value
}

// dialect is how a server departs from the format.
type dialect struct {
	// newLimit: the limit is max_completion_tokens. OpenAI's newer models want
	// it, and its older ones take it; the other servers know max_tokens.
	newLimit bool
	// noOptions: it knows no stream_options, so there is no usage.
	noOptions bool
	// noStream: it does not stream.
	noStream bool
}

func newOpenAI(c Config, e *endpoint, own bool) *openAI {
	// The service, unlike the library's client, reads no environment: a key
	// that lies there must not go to another host.
	options := []option.RequestOption{
		option.WithBaseURL(c.BaseURL),
		option.WithHTTPClient(e.http),
		option.WithMaxRetries(0),
		option.WithMiddleware(e.guard),
	}
	if c.Key != "" {
		options = append(options, option.WithAPIKey(c.Key))
	}
	for name, value := range c.Headers {
		options = append(options, option.WithHeader(name, value))
	}
	o := &openAI{chat: openai.NewChatCompletionService(options...), model: c.Model}
	o.dialect.Store(dialect{newLimit: own})
	return o
}

// send tries the dialect that was found before. A server that refuses a part
// of it by name is asked again without it, once for each part.
func (o *openAI) send(ctx context.Context, r Request, stream bool) (*http.Response, error) {
	d := o.dialect.Load().(dialect)
	var swapped bool
	var first error
	for {
		res, err := o.post(ctx, r, stream, d)
		if err == nil {
			o.dialect.Store(d)
			return res, nil
		}
		if first == nil {
			first = err
		}
		var f *fault
		if !errors.As(err, &f) || f.status != http.StatusBadRequest && f.status != http.StatusUnprocessableEntity {
			return nil, err
		}
		switch {
		case stream && !d.noStream && !d.noOptions && f.names("stream_options", "include_usage"):
			d.noOptions = true
		case stream && !d.noStream && f.names("stream"):
			d.noStream = true
		case !swapped && f.names("max_tokens", "max_completion_tokens"):
			swapped, d.newLimit = true, !d.newLimit
		default:
			// The first is about what was asked for.
			return nil, first
		}
	}
}

// names tells whether a fault is about one of these parameters.
func (f *fault) names(params ...string) bool {
	for _, word := range append(strings.FieldsFunc(f.message, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z')
	}), f.param) {
		for _, p := range params {
			if word == p {
				return true
			}
		}
	}
	return false
}

func (o *openAI) post(ctx context.Context, r Request, stream bool, d dialect) (*http.Response, error) {
	params := openai.ChatCompletionNewParams{Model: o.model}
	if r.System != "" {
		params.Messages = append(params.Messages, openai.SystemMessage(r.System))
	}
	for _, m := range r.Messages {
		if m.Role == Assistant {
			params.Messages = append(params.Messages, openai.AssistantMessage(m.Text))
		} else {
			params.Messages = append(params.Messages, openai.UserMessage(m.Text))
		}
	}
	if d.newLimit {
		params.MaxCompletionTokens = openai.Int(int64(r.MaxTokens))
	} else {
		params.MaxTokens = openai.Int(int64(r.MaxTokens))
	}
	if r.Temperature != nil {
		params.Temperature = openai.Float(*r.Temperature)
	}
	var res *http.Response
	options := []option.RequestOption{option.WithResponseBodyInto(&res)}
	if stream && !d.noStream {
		options = append(options, option.WithJSONSet("stream", true))
		if !d.noOptions {
			params.StreamOptions.IncludeUsage = openai.Bool(true)
		}
	}
	_, err := o.chat.New(ctx, params, options...)
	return res, err
}

func (o *openAI) whole(body []byte, a *answer) error {
	var c openai.ChatCompletion
	if err := json.Unmarshal(body, &c); err != nil {
		return malformed("the answer is no chat completion: %w", err)
	}
	a.count(c.Model, c.Usage)
	if len(c.Choices) == 0 {
		return inBand(body)
	}
	choice := c.Choices[0]
	return a.take(choice.FinishReason, choice.Message.Refusal, choice.Message.Content)
}

func (o *openAI) event(data []byte, a *answer) error {
	if bytes.HasPrefix(data, []byte("[DONE]")) {
		a.done = true
		return nil
	}
	var c openai.ChatCompletionChunk
	if err := json.Unmarshal(data, &c); err != nil {
		return malformed("an event of the stream is no chat completion: %w", err)
	}
	a.count(c.Model, c.Usage)
	if len(c.Choices) == 0 {
		// The event of the usage has no choices either.
		return inBand(data)
	}
	choice := c.Choices[0]
	return a.take(choice.FinishReason, choice.Delta.Refusal, choice.Delta.Content)
}

// take takes what a choice, or a piece of one, says.
func (a *answer) take(finish, refusal, content string) error {
	a.some = true
	a.end(finish)
	if refusal != "" {
		a.finish = FinishRefused
		return a.add(refusal)
	}
	return a.add(content)
}

// inBand returns the error that some servers send with the status 200.
func inBand(body []byte) error {
	var c struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &c) == nil && len(c.Error) > 0 && string(c.Error) != "null" {
		return readFault(body)
	}
	return nil
}

func (a *answer) count(model string, u openai.CompletionUsage) {
	if model != "" {
		a.model = model
	}
	if u.PromptTokens > 0 || u.CompletionTokens > 0 {
		a.usage = Usage{Input: u.PromptTokens, Output: u.CompletionTokens}
	}
}

// end takes a finish reason. A refusal stays one.
func (a *answer) end(reason string) {
	switch {
	case reason == "" || a.finish == FinishRefused:
	case reason == "length":
		a.finish = FinishLength
	case reason == "content_filter":
		a.finish = FinishRefused
	default:
		a.finish = FinishStop
	}
}
