package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// format is a provider's wire format. The errors of an implementation are
// sorted and cleaned by [endpoint.fail].
type format interface {
	// send posts r and returns the response, whose body the caller closes. The
	// server decides whether to stream.
	send(ctx context.Context, r Request, stream bool) (*http.Response, error)
	// whole reads an answer that is not streamed.
	whole(body []byte, a *answer) error
	// event reads one event of a stream.
	event(data []byte, a *answer) error
}

// turn is a message in the shape common to all formats.
type turn struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func turns(r Request) []turn {
	var l []turn
	for _, m := range r.Messages {
		l = append(l, turn{string(m.Role), m.Text})
	}
	return l
}

// decode reads JSON of a provider into v. A field of an unexpected type stays
// empty: answers grow.
func decode(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) && other.Field != "" {
		return nil
	}
	return err
}

// client is the Model of an endpoint.
type client struct {
	*endpoint
	format
}

func (c *client) Complete(ctx context.Context, r Request, stream func(string)) (*Reply, error) {
	if err := r.check(); err != nil {
		return nil, &Error{Provider: c.provider, Kind: KindRequest, Err: err}
	}
	if r.MaxTokens == 0 {
		r.MaxTokens = DefaultMaxTokens
	}
	bounded, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	a := &answer{stream: stream}
	if err := c.exchange(bounded, r, a); err != nil {
		return nil, c.fail(ctx, err)
	}
	return a.reply(r), nil
}

// exchange sends r and reads its answer.
func (c *client) exchange(ctx context.Context, r Request, a *answer) error {
	res, err := c.send(ctx, r, a.stream != nil)
	if err != nil {
		return err
	}
	// Closing a body before its end closes its connection.
	defer res.Body.Close()
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind == "text/event-stream" {
		return c.readStream(res.Body, a)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if err := c.whole(body, a); err != nil {
		return err
	}
	return a.check()
}

func (c *client) readStream(body io.Reader, a *answer) error {
	for data, err := range events(body) {
		if err != nil {
			return err
		}
		if err := c.event(data, a); err != nil {
			return err
		}
		if a.done {
			break
		}
	}
	if !a.done && a.finish == "" {
		return &Error{Kind: KindNetwork, Err: errors.New("the stream broke off")}
	}
	return a.check()
}

// check rejects requests that the providers would refuse in their own words.
func (r Request) check() error {
	if len(r.Messages) == 0 || r.Messages[len(r.Messages)-1].Role != User {
		return errors.New("the last message of a request must be the user's")
	}
	for i, m := range r.Messages {
		if m.Role != User && m.Role != Assistant {
			return fmt.Errorf("message %d: role %q is unknown", i, m.Role)
		}
	}
	return nil
}

// answer is a reply during reading.
type answer struct {
	text   strings.Builder
	stream func(string)
	finish Finish
	usage  Usage
	model  string
	// some: there was a message, if an empty one.
	some bool
	// done: the provider said that this is all.
	done bool
}

// add appends a piece of the text.
func (a *answer) add(text string) error {
	if text == "" {
		return nil
	}
	if a.text.Len()+len(text) > maxText {
		return malformed("the reply is longer than %d MiB", maxText>>20)
	}
	a.text.WriteString(text)
	if a.stream != nil {
		a.stream(text)
	}
	return nil
}

func (a *answer) check() error {
	if !a.some {
		return malformed("there is no message in the answer")
	}
	return nil
}

// reply ends the answer to r.
func (a *answer) reply(r Request) *Reply {
	out := &Reply{Text: a.text.String(), Finish: a.finish, Usage: a.usage, Model: a.model}
	if out.Finish == "" {
		out.Finish = FinishStop
	}
	if out.Usage.Input <= 0 || out.Usage.Output <= 0 && out.Text != "" {
		out.Usage = Usage{Input: int64(CountRequest(r)), Output: int64(Count(out.Text)), Estimated: true}
	}
	return out
}
