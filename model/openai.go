package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
)

// openAI is the format of chat completions, at OpenAI or at one of the many
// compatible servers: https://platform.openai.com/docs/api-reference/chat.
type openAI struct {
	*endpoint
	model string
	// dialect holds the known abilities of the server.
	dialect atomic.Value
}

// dialect is how a server departs from the format.
type dialect struct {
	// newLimit: the limit is max_completion_tokens. OpenAI's newer models
	// require this name, and older models accept it; servers of further vendors
	// know max_tokens.
	newLimit bool
	// noOptions: the server lacks stream_options, and so reports no usage.
	noOptions bool
	// noStream: it does not stream.
	noStream bool
}

func newOpenAI(c Config, base *url.URL) *client {
	header := http.Header{}
	if c.Key != "" {
		header.Set("Authorization", "Bearer "+c.Key)
	}
	e := newEndpoint(c, base, "", header)
	o := &openAI{endpoint: e, model: c.Model}
	o.dialect.Store(dialect{newLimit: isOwn(c.Provider, base)})
	return &client{e, o}
}

// send tries the dialect found before. If a server refuses a part by name, send
// tries again without the part, once for each part.
func (o *openAI) send(ctx context.Context, r Request, stream bool) (*http.Response, error) {
	d := o.dialect.Load().(dialect)
	var swapped bool
	var first error
	for {
		res, err := o.ask(ctx, r, stream, d)
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
			// The first error is about the original request.
			return nil, first
		}
	}
}

// names reports whether a fault is about one of these parameters.
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

// completion is a request for a chat completion.
type completion struct {
	Model       string   `json:"model"`
	Messages    []turn   `json:"messages"`
	MaxTokens   int      `json:"max_tokens,omitempty"`
	NewLimit    int      `json:"max_completion_tokens,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	Stream      bool     `json:"stream,omitempty"`
	Options     *options `json:"stream_options,omitempty"`
}

type options struct {
	IncludeUsage bool `json:"include_usage"`
}

func (o *openAI) ask(ctx context.Context, r Request, stream bool, d dialect) (*http.Response, error) {
	c := completion{Model: o.model, Temperature: r.Temperature, Stream: stream && !d.noStream}
	if r.System != "" {
		c.Messages = append(c.Messages, turn{"system", r.System})
	}
	c.Messages = append(c.Messages, turns(r)...)
	if d.newLimit {
		c.NewLimit = r.MaxTokens
	} else {
		c.MaxTokens = r.MaxTokens
	}
	if c.Stream && !d.noOptions {
		c.Options = &options{IncludeUsage: true}
	}
	return o.post(ctx, "chat/completions", c)
}

// completed is a chat completion, or a piece of one.
type completed struct {
	Model   string `json:"model"`
	Choices []struct {
		Message said   `json:"message"`
		Delta   said   `json:"delta"`
		Finish  string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Input  int64 `json:"prompt_tokens"`
		Output int64 `json:"completion_tokens"`
	} `json:"usage"`
}

type said struct {
	Content string `json:"content"`
	Refusal string `json:"refusal"`
}

func (o *openAI) whole(body []byte, a *answer) error {
	var c completed
	if err := decode(body, &c); err != nil {
		return malformed("the answer is no chat completion: %w", err)
	}
	a.count(c)
	if len(c.Choices) == 0 {
		return inBand(body)
	}
	return a.take(c.Choices[0].Finish, c.Choices[0].Message)
}

func (o *openAI) event(data []byte, a *answer) error {
	if bytes.HasPrefix(data, []byte("[DONE]")) {
		a.done = true
		return nil
	}
	var c completed
	if err := decode(data, &c); err != nil {
		return malformed("an event of the stream is no chat completion: %w", err)
	}
	a.count(c)
	if len(c.Choices) == 0 {
		// The event of the usage has no choices either.
		return inBand(data)
	}
	return a.take(c.Choices[0].Finish, c.Choices[0].Delta)
}

// take adds a choice, or a piece of one.
func (a *answer) take(finish string, s said) error {
	a.some = true
	a.end(finish)
	if s.Refusal != "" {
		a.finish = FinishRefused
		return a.add(s.Refusal)
	}
	return a.add(s.Content)
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

func (a *answer) count(c completed) {
	if c.Model != "" {
		a.model = c.Model
	}
	if c.Usage.Input > 0 || c.Usage.Output > 0 {
		a.usage = Usage{Input: c.Usage.Input, Output: c.Usage.Output}
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
