// Package modeltest is a model for tests: a server on the loopback interface
// that speaks the wire formats of both providers and answers by a script.
//
//	s := modeltest.New(t, modeltest.Texts("first reply", "second reply"))
//	m := s.Model(t, model.ProviderOpenAI)
//	…
//	for _, call := range s.Calls() { … }
package modeltest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/model"
)

// Key is the key in [Server.Config].
const Key = "test-key-0123456789"

// Call is one request as the server understood it.
type Call struct {
	// N counts the calls from 0 in the order of arrival.
	N int
	// Provider is the wire format of the request.
	Provider    string
	Model       string
	System      string
	Messages    []model.Message
	MaxTokens   int
	Temperature *float64
	// Stream: the request asks for a stream.
	Stream bool
	Header http.Header
	// Body is the request as received, JSON.
	Body []byte
}

// Last is the text of the last message.
func (c Call) Last() string {
	if len(c.Messages) == 0 {
		return ""
	}
	return c.Messages[len(c.Messages)-1].Text
}

// Text is the model's whole input: the system's text and all messages.
func (c Call) Text() string {
	var b strings.Builder
	b.WriteString(c.System)
	for _, m := range c.Messages {
		b.WriteString("\n" + m.Text)
	}
	return b.String()
}

// Answer is what the server sends back. The zero Answer is an empty text.
type Answer struct {
	// Text is streamed in pieces of odd sizes where the call asks for a
	// stream; lines, events and UTF-8 sequences are split on the wire.
	Text string
	// Finish is why the text ends; empty means [model.FinishStop].
	Finish model.Finish
	// Usage is sent unless nil.
	Usage *model.Usage
	// Whole answers without a stream even if a stream is requested.
	Whole bool

	// Status, unless 0, is an HTTP error.
	Status int
	// Message, Param and Code are those of the error.
	Message, Param, Code string
	// Header is sent beside our own: Retry-After, Location.
	Header http.Header

	// Wait, until closed, holds a stream after the first piece of its text, and
	// any other answer as a whole. The end of the client or the server also
	// ends the wait.
	Wait <-chan struct{}
	// Fault makes the answer go wrong.
	Fault Fault
}

// Fault is a way for an answer to go wrong.
type Fault int

// The faults.
const (
	// Sound is no fault.
	Sound Fault = iota
	// BrokenOff: the connection is cut in the middle of the text.
	BrokenOff
	// CutShort: the answer ends in the middle as if whole.
	CutShort
	// Malformed: the middle of the answer is no JSON.
	Malformed
	// Empty: an answer with no choice and no content in it.
	Empty
	// Overloaded: the provider fails in the middle, with an error in the format
	// of its stream. Without a stream it is the status 529.
	Overloaded
	// Endless: the text has no end.
	Endless
	// EndlessLine: the text is one line of the wire without an end.
	EndlessLine
)

// Script answers calls. It is called by one goroutine at a time.
type Script func(Call) Answer

// Answers is a script of one answer for each call, in turn. A call after the
// last is refused with status 400, which clients do not retry.
func Answers(answers ...Answer) Script {
	return func(c Call) Answer {
		if c.N < len(answers) {
			return answers[c.N]
		}
		return Answer{Status: http.StatusBadRequest, Message: fmt.Sprintf("the script has %d answers: this is call %d", len(answers), c.N+1)}
	}
}

// Texts is the script of these texts in turn; see [Answers].
func Texts(texts ...string) Script {
	answers := make([]Answer, len(texts))
	for i, t := range texts {
		answers[i].Text = t
	}
	return Answers(answers...)
}

// Always is the script that gives the same answer to every call.
func Always(a Answer) Script { return func(Call) Answer { return a } }

// Server is a scripted model server.
type Server struct {
	// URL is the address of the server, without a path.
	URL string

	http   *httptest.Server
	script Script
	closed chan struct{}
	once   sync.Once
	active sync.WaitGroup

	mu    sync.Mutex
	calls []Call
}

// New starts a server that is closed at the end of the test.
func New(t testing.TB, script Script) *Server {
	s := Start(script)
	t.Cleanup(s.Close)
	return s
}

// Start starts a server. Close it.
func Start(script Script) *Server {
	s := &Server{script: script, closed: make(chan struct{})}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL
	return s
}

// Close ends the server, including delayed answers. It can be called many
// times.
func (s *Server) Close() {
	s.once.Do(func() {
		close(s.closed)
		s.http.CloseClientConnections()
		s.http.Close()
	})
}

// Drain waits until no answer is in progress: each has ended, or its client has
// hung up.
func (s *Server) Drain() { s.active.Wait() }

// Calls are the calls until now, in the order of arrival.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// BaseURL is the base URL for a client of this provider.
func (s *Server) BaseURL(provider string) string {
	if provider == model.ProviderOpenAI {
		return s.URL + "/v1"
	}
	return s.URL
}

// Config is the way to the server in a provider's wire format.
func (s *Server) Config(provider string) model.Config {
	return model.Config{Provider: provider, BaseURL: s.BaseURL(provider), Key: Key, Model: "scripted"}
}

// Model opens the server's Config.
func (s *Server) Model(t testing.TB, provider string) model.Model {
	t.Helper()
	m, err := model.Open(s.Config(provider))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
