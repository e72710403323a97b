package model

import (
	"context"
	"net/http"
	"net/url"
)

// messages is the format of Anthropic's messages:
// https://docs.anthropic.com/en/api/messages.
type messages struct {
	*endpoint
	model string
}

// version is the API's only version so far.
const version = "2023-06-01"

func newAnthropic(c Config, base *url.URL) *client {
	header := http.Header{"Anthropic-Version": {version}}
	if c.Key != "" {
		header.Set("X-Api-Key", c.Key)
	}
	e := newEndpoint(c, base, "v1", header)
	return &client{e, &messages{e, c.Model}}
}

func (m *messages) send(ctx context.Context, r Request, stream bool) (*http.Response, error) {
	return m.post(ctx, "messages", struct {
		Model       string   `json:"model"`
		MaxTokens   int      `json:"max_tokens"`
		System      string   `json:"system,omitempty"`
		Messages    []turn   `json:"messages"`
		Temperature *float64 `json:"temperature,omitempty"`
		Stream      bool     `json:"stream,omitempty"`
	}{m.model, r.MaxTokens, r.System, turns(r), r.Temperature, stream})
}

// message is a whole answer, or the head of one.
type message struct {
	Type       string  `json:"type"`
	Model      string  `json:"model"`
	Content    []block `json:"content"`
	StopReason string  `json:"stop_reason"`
	Usage      spent   `json:"usage"`
}

// block is a part of a message, or a piece of a part. Only text blocks belong
// to the reply; thinking does not.
type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type spent struct {
	New     int64 `json:"input_tokens"`
	Written int64 `json:"cache_creation_input_tokens"`
	Read    int64 `json:"cache_read_input_tokens"`
	Output  int64 `json:"output_tokens"`
}

// input is the number of tokens read, from the cache or not.
func (s spent) input() int64 { return s.New + s.Written + s.Read }

func (m *messages) whole(body []byte, a *answer) error {
	var msg message
	if err := decode(body, &msg); err != nil {
		return malformed("the answer is no message: %w", err)
	}
	if msg.Type != "message" {
		if err := inBand(body); err != nil {
			return err
		}
		return malformed("the answer is no message")
	}
	a.model = msg.Model
	a.usage = Usage{Input: msg.Usage.input(), Output: msg.Usage.Output}
	for _, block := range msg.Content {
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
	var e struct {
		Type    string  `json:"type"`
		Message message `json:"message"`
		Block   block   `json:"content_block"`
		Delta   struct {
			block
			StopReason string `json:"stop_reason"`
		} `json:"delta"`
		Usage spent `json:"usage"`
	}
	if err := decode(data, &e); err != nil {
		return malformed("an event of the stream cannot be read: %w", err)
	}
	switch e.Type {
	case "message_start":
		a.model = e.Message.Model
		a.usage.Input = e.Message.Usage.input()
	case "content_block_start":
		if e.Block.Type == "text" {
			a.some = true
			return a.add(e.Block.Text)
		}
	case "content_block_delta":
		if e.Delta.Type == "text_delta" {
			a.some = true
			return a.add(e.Delta.Text)
		}
	case "message_delta":
		// These counts are of the whole message until now.
		if n := e.Usage.input(); n > 0 {
			a.usage.Input = n
		}
		a.usage.Output = e.Usage.Output
		a.stop(e.Delta.StopReason)
	case "message_stop":
		a.done = true
	case "error":
		return readFault(data)
	}
	return nil
}

// stop takes a stop reason. A message with a stop reason is whole, even without
// a text: refused, or ended at its limit during thinking.
func (a *answer) stop(reason string) {
	if reason == "" {
		return
	}
	a.some = true
	switch reason {
	case "max_tokens", "model_context_window_exceeded":
		a.finish = FinishLength
	case "refusal":
		a.finish = FinishRefused
	default:
		a.finish = FinishStop
	}
}
