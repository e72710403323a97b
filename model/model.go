// Package model talks to language models. The seam is [Model], one method; a
// provider is one file with an implementation. Retries, token counts and
// scripted models for tests are separate: a provider only speaks its wire
// format.
package model

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Model answers conversations. It must be safe for concurrent use.
//
// Complete sends r and returns the whole reply. The function stream, which may
// be nil, is called with each piece of the text as it comes, from one
// goroutine, and never after Complete has returned. A cancelled ctx ends the
// request at once and is returned as the error; all other errors are an
// [*Error]. Complete does not retry: see [Retry].
type Model interface {
	Complete(ctx context.Context, r Request, stream func(text string)) (*Reply, error)
}

// Request is a conversation that waits for its next message.
type Request struct {
	// System is the text for the model before the conversation.
	System string `json:"system,omitempty"`
	// Messages alternate and end with one of the user's.
	Messages []Message `json:"messages"`
	// MaxTokens is the most tokens of the reply; 0 means [DefaultMaxTokens].
	MaxTokens int `json:"max_tokens,omitempty"`
	// Temperature is the provider's own where it is nil.
	Temperature *float64 `json:"temperature,omitempty"`
}

// DefaultMaxTokens is the most tokens of a reply where the request sets no
// limit.
const DefaultMaxTokens = 8192

// Role is the speaker.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one message of a conversation.
type Message struct {
	Role Role   `json:"role"`
	Text string `json:"text"`
}

// Reply is what a model answered.
type Reply struct {
	Text   string `json:"text"`
	Finish Finish `json:"finish"`
	Usage  Usage  `json:"usage"`
	// Model is the provider's own name for the model, possibly empty.
	Model string `json:"model,omitempty"`
}

// Finish is why a reply ended.
type Finish string

// The ends of a reply.
const (
	// FinishStop: the model was done.
	FinishStop Finish = "stop"
	// FinishLength: the reply reached MaxTokens, or the end of the context.
	FinishLength Finish = "length"
	// FinishRefused: the provider or the model refused to answer.
	FinishRefused Finish = "refused"
)

// Usage is how many tokens were read and written.
type Usage struct {
	Input  int64 `json:"input_tokens"`
	Output int64 `json:"output_tokens"`
	// Estimated: the provider did not say, we counted.
	Estimated bool `json:"estimated,omitempty"`
}

// Add returns the sum.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.Estimated || v.Estimated}
}

// Total is the tokens of both directions.
func (u Usage) Total() int64 { return u.Input + u.Output }

// Kind classifies the failure of a request. It is append-only.
type Kind string

// The kinds of errors.
const (
	// KindAuth: the key is missing, wrong or not allowed to.
	KindAuth Kind = "auth"
	// KindRequest: the provider refuses the request: an unknown model, too long
	// a context. A retry is of no use.
	KindRequest Kind = "request"
	// KindRateLimit: too many requests (429).
	KindRateLimit Kind = "rate_limit"
	// KindServer: the provider failed (5xx) or is overloaded.
	KindServer Kind = "server"
	// KindNetwork: no answer came, or it broke off.
	KindNetwork Kind = "network"
	// KindMalformed: the answer is unreadable.
	KindMalformed Kind = "malformed"
)

// Error is a request that failed.
type Error struct {
	Provider string
	Kind     Kind
	// Status is the HTTP status, 0 where there was none.
	Status int
	// RetryAfter is how long the provider asks to wait; 0 where it does not.
	RetryAfter time.Duration
	Err        error
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%s: %s (HTTP %d): %v", e.Provider, e.Kind, e.Status, e.Err)
	}
	return fmt.Sprintf("%s: %s: %v", e.Provider, e.Kind, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether the same request may succeed later.
func (e *Error) Temporary() bool {
	switch e.Kind {
	case KindRateLimit, KindServer, KindNetwork, KindMalformed:
		return true
	}
	return false
}

// KindOf returns the kind of an error of this package, else "".
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}
