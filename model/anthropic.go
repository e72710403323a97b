package model

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

// messages is the format of Anthropic's messages.
type messages struct {
	client anthropic.Client
	model  string
}

func newAnthropic(c Config, e *endpoint) *messages {
	options := []option.RequestOption{
		// Keys, profiles and custom headers that lie in the environment must
		// not go to another host; nor prompts to whoever collects traces.
		option.WithoutEnvironmentDefaults(),
		option.WithoutOpenTelemetry(),
		// The library's paths begin with the version.
		option.WithBaseURL(strings.TrimSuffix(strings.TrimRight(c.BaseURL, "/"), "/v1") + "/"),
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
	return &messages{anthropic.NewClient(options...), c.Model}
}

func (m *messages) send(ctx context.Context, r Request, stream bool) (*http.Response, error) {
	params := anthropic.MessageNewParams{Model: m.model, MaxTokens: int64(r.MaxTokens)}
	if r.System != "" {
		params.System = []anthropic.TextBlockParam{{Text: r.System}}
	}
	for _, msg := range r.Messages {
		block := anthropic.NewTextBlock(msg.Text)
		if msg.Role == Assistant {
			params.Messages = append(params.Messages, anthropic.NewAssistantMessage(block))
		} else {
			params.Messages = append(params.Messages, anthropic.NewUserMessage(block))
		}
	}
	if r.Temperature != nil {
		params.Temperature = anthropic.Float(*r.Temperature)
	}
	var options []option.RequestOption
	if stream {
		options = append(options, option.WithJSONSet("stream", true))
	}
	var res *http.Response
	err := m.client.Post(ctx, "v1/messages", params, &res, options...)
	return res, err
}

func (m *messages) whole(body []byte, a *answer) error {
	var msg anthropic.Message
	if err := json.Unmarshal(body, &msg); err != nil {
		return malformed("the answer is no message: %w", err)
	}
	if msg.Type != "message" {
		if err := inBand(body); err != nil {
			return err
		}
		return malformed("the answer is no message")
	}
	a.model = msg.Model
	a.usage.Input = input(msg.Usage.InputTokens, msg.Usage.CacheCreationInputTokens, msg.Usage.CacheReadInputTokens)
	a.usage.Output = msg.Usage.OutputTokens
	for _, block := range msg.Content {
		// Others, such as thinking, are no part of the reply.
		if block.Type == "text" {
			a.some = true
			if err := a.add(block.Text); err != nil {
				return err
			}
		}
	}
	a.stop(msg.StopReason)
	return nil
}

func (m *messages) event(data []byte, a *answer) error {
	var e anthropic.MessageStreamEventUnion
	if err := json.Unmarshal(data, &e); err != nil {
		return malformed("an event of the stream cannot be read: %w", err)
	}
	switch e.Type {
	case "message_start":
		a.model = e.Message.Model
		u := e.Message.Usage
		a.usage.Input = input(u.InputTokens, u.CacheCreationInputTokens, u.CacheReadInputTokens)
	case "content_block_start":
		if e.ContentBlock.Type == "text" {
			a.some = true
			return a.add(e.ContentBlock.Text)
		}
	case "content_block_delta":
		if e.Delta.Type == "text_delta" {
			a.some = true
			return a.add(e.Delta.Text)
		}
	case "message_delta":
		// These counts are of the whole message until now.
		u := e.Usage
		if n := input(u.InputTokens, u.CacheCreationInputTokens, u.CacheReadInputTokens); n > 0 {
			a.usage.Input = n
		}
		a.usage.Output = u.OutputTokens
		a.stop(e.Delta.StopReason)
	case "message_stop":
		a.done = true
	case "error":
		return readFault(data)
	}
	return nil
}

// input is all that was read, from the cache or not.
func input(counts ...int64) int64 {
	var n int64
	for _, c := range counts {
		n += c
	}
	return n
}

// stop takes a stop reason. A message that has one is whole, if without a
// text: refused, or ended at its limit while it thought.
func (a *answer) stop(reason anthropic.StopReason) {
	if reason == "" {
		return
	}
	a.some = true
	switch reason {
	case anthropic.StopReasonMaxTokens, anthropic.StopReasonModelContextWindowExceeded:
		a.finish = FinishLength
	case anthropic.StopReasonRefusal:
		a.finish = FinishRefused
	default:
		a.finish = FinishStop
	}
}
