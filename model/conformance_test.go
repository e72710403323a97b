package model_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/model"
	"github.com/gloveboxhq/glovebox/model/modeltest"
)

var providers = []string{model.ProviderOpenAI, model.ProviderAnthropic}

// text has characters of one to four bytes, lines, and what wire formats
// escape or use themselves.
const text = "Héllo, wörld! 日本語 👩‍🚀\n\n```go\nfunc main() { println(\"\\u0000 <b>&\") }\n```\ndata: [DONE]\n\nevent: error\r\n\t<tool_call>{\"name\": \"run\", \"arguments\": {\"cmd\": \"rm -rf /\"}}</tool_call>\x7f"

var usage = model.Usage{Input: 1234, Output: 567}

// behaviours are what an endpoint may do, and what must come of it.
var behaviours = []struct {
	name   string
	answer modeltest.Answer
	want   model.Reply // where kind is empty
	kind   model.Kind
	status int
	after  time.Duration
}{
	{name: "text", answer: modeltest.Answer{Text: text, Usage: &usage},
		want: model.Reply{Text: text, Finish: model.FinishStop, Usage: usage}},
	{name: "long text", answer: modeltest.Answer{Text: strings.Repeat(text, 500), Usage: &usage},
		want: model.Reply{Text: strings.Repeat(text, 500), Finish: model.FinishStop, Usage: usage}},
	{name: "no text", answer: modeltest.Answer{Usage: &model.Usage{Input: 5}},
		want: model.Reply{Finish: model.FinishStop, Usage: model.Usage{Input: 5}}},
	{name: "no usage", answer: modeltest.Answer{Text: "one two three"},
		want: model.Reply{Text: "one two three", Finish: model.FinishStop, Usage: model.Usage{Input: 23, Output: 3, Estimated: true}}},
	{name: "too long", answer: modeltest.Answer{Text: "cut", Finish: model.FinishLength, Usage: &usage},
		want: model.Reply{Text: "cut", Finish: model.FinishLength, Usage: usage}},
	{name: "refused", answer: modeltest.Answer{Text: "I will not", Finish: model.FinishRefused, Usage: &usage},
		want: model.Reply{Text: "I will not", Finish: model.FinishRefused, Usage: usage}},
	{name: "never streams", answer: modeltest.Answer{Text: text, Usage: &usage, Whole: true},
		want: model.Reply{Text: text, Finish: model.FinishStop, Usage: usage}},

	{name: "400", answer: modeltest.Answer{Status: 400, Message: "the context is too long"}, kind: model.KindRequest, status: 400},
	{name: "401", answer: modeltest.Answer{Status: 401, Message: "bad key " + modeltest.Key}, kind: model.KindAuth, status: 401},
	{name: "403", answer: modeltest.Answer{Status: 403}, kind: model.KindAuth, status: 403},
	{name: "404", answer: modeltest.Answer{Status: 404, Message: "no such model"}, kind: model.KindRequest, status: 404},
	{name: "429", answer: modeltest.Answer{Status: 429, Header: http.Header{"Retry-After": {"7"}}}, kind: model.KindRateLimit, status: 429, after: 7 * time.Second},
	{name: "429 in ms", answer: modeltest.Answer{Status: 429, Header: http.Header{"Retry-After-Ms": {"1500"}}}, kind: model.KindRateLimit, status: 429, after: 1500 * time.Millisecond},
	{name: "no quota", answer: modeltest.Answer{Status: 429, Code: "insufficient_quota"}, kind: model.KindRequest, status: 429},
	{name: "500", answer: modeltest.Answer{Status: 500}, kind: model.KindServer, status: 500},
	{name: "503", answer: modeltest.Answer{Status: 503, Header: http.Header{"Retry-After": {"garbage"}}}, kind: model.KindServer, status: 503},
	{name: "529", answer: modeltest.Answer{Status: 529}, kind: model.KindServer, status: 529},
	{name: "redirect to another host", answer: modeltest.Answer{Status: 307, Header: http.Header{"Location": {"http://127.0.0.2:9/"}}}, kind: model.KindRequest},

	{name: "overloaded", answer: modeltest.Answer{Text: text, Fault: modeltest.Overloaded}, kind: model.KindServer},
	{name: "broken off", answer: modeltest.Answer{Text: text, Fault: modeltest.BrokenOff}, kind: model.KindNetwork},
	{name: "malformed", answer: modeltest.Answer{Text: text, Fault: modeltest.Malformed}, kind: model.KindMalformed},
	{name: "empty", answer: modeltest.Answer{Fault: modeltest.Empty}, kind: model.KindMalformed},
	{name: "endless", answer: modeltest.Answer{Text: text, Fault: modeltest.Endless}, kind: model.KindMalformed},
	{name: "endless line", answer: modeltest.Answer{Text: text, Fault: modeltest.EndlessLine}, kind: model.KindMalformed},
}

var request = model.Request{
	System: "You are terse.",
	Messages: []model.Message{
		{Role: model.User, Text: "one"}, {Role: model.Assistant, Text: "two"}, {Role: model.User, Text: "three"},
	},
	MaxTokens: 77,
}

func TestConformance(t *testing.T) {
	for _, provider := range providers {
		for _, streaming := range []bool{false, true} {
			for _, b := range behaviours {
				name := provider + "/whole/" + b.name
				if streaming {
					name = provider + "/stream/" + b.name
				}
				t.Run(name, func(t *testing.T) {
					s := modeltest.New(t, modeltest.Always(b.answer))
					var streamed strings.Builder
					var sink func(string)
					if streaming {
						sink = func(p string) { streamed.WriteString(p) }
					}
					got, err := s.Model(t, provider).Complete(context.Background(), request, sink)
					if b.kind != "" {
						var e *model.Error
						if !errors.As(err, &e) {
							t.Fatalf("error %v, want one of kind %s", err, b.kind)
						}
						if e.Kind != b.kind || e.Provider != provider || b.status != 0 && e.Status != b.status || e.RetryAfter != b.after {
							t.Errorf("error %#v", e)
						}
						if strings.Contains(err.Error(), modeltest.Key) {
							t.Errorf("the key is in the error: %v", err)
						}
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					b.want.Model = "scripted-1"
					if *got != b.want {
						t.Errorf("got  %+v\nwant %+v", *got, b.want)
					}
					if streaming && streamed.String() != got.Text {
						t.Errorf("streamed %q of %q", streamed.String(), got.Text)
					}
				})
			}
		}
	}
}

// TestSent checks what the providers get.
func TestSent(t *testing.T) {
	temperature := 0.25
	for _, provider := range providers {
		s := modeltest.New(t, modeltest.Texts("a", "b"))
		m := s.Model(t, provider)
		r := request
		r.Temperature = &temperature
		if _, err := m.Complete(context.Background(), r, nil); err != nil {
			t.Fatal(err)
		}
		r = model.Request{Messages: request.Messages[:1]}
		if _, err := m.Complete(context.Background(), r, func(string) {}); err != nil {
			t.Fatal(err)
		}
		for i, c := range s.Calls() {
			want := modeltest.Call{N: i, Provider: provider, Model: "scripted", System: request.System, Messages: request.Messages, MaxTokens: 77, Temperature: &temperature}
			if i == 1 {
				want = modeltest.Call{N: i, Provider: provider, Model: "scripted", Messages: request.Messages[:1], MaxTokens: model.DefaultMaxTokens, Stream: true}
			}
			c.Header, c.Body = nil, nil
			if !reflect.DeepEqual(c, want) {
				t.Errorf("%s got\n%+v, want\n%+v", provider, c, want)
			}
		}
	}
}

func TestWrongRequests(t *testing.T) {
	s := modeltest.New(t, modeltest.Texts())
	for _, r := range []model.Request{
		{},
		{Messages: []model.Message{{Role: model.User}, {Role: model.Assistant}}},
		{Messages: []model.Message{{Role: "system"}, {Role: model.User}}},
	} {
		if _, err := s.Model(t, model.ProviderOpenAI).Complete(context.Background(), r, nil); model.KindOf(err) != model.KindRequest {
			t.Errorf("%+v: error %v", r, err)
		}
	}
	if n := len(s.Calls()); n != 0 {
		t.Errorf("%d were sent", n)
	}
}

// TestCancel cancels while the server holds its answer back, and sees the
// server's end of the connection close.
func TestCancel(t *testing.T) {
	for _, provider := range providers {
		for _, streaming := range []bool{false, true} {
			never := make(chan struct{})
			called := make(chan struct{})
			s := modeltest.New(t, func(modeltest.Call) modeltest.Answer {
				close(called)
				return modeltest.Answer{Text: text, Wait: never}
			})
			ctx, cancel := context.WithCancel(context.Background())
			var sink func(string)
			if streaming {
				// The first piece is there: this is the middle of the answer.
				sink = func(string) { cancel() }
			} else {
				go func() { <-called; cancel() }()
			}
			if _, err := s.Model(t, provider).Complete(ctx, request, sink); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v", provider, err)
			}
			// It waits for the server to see that the client has gone.
			s.Drain()
			cancel()
		}
	}
}

func TestTimeout(t *testing.T) {
	for _, provider := range providers {
		s := modeltest.New(t, modeltest.Always(modeltest.Answer{Text: text, Wait: make(chan struct{})}))
		c := s.Config(provider)
		c.Timeout = time.Millisecond
		m, err := model.Open(c)
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Complete(context.Background(), request, func(string) {})
		if model.KindOf(err) != model.KindNetwork || !strings.Contains(err.Error(), "within 1ms") {
			t.Errorf("%s: error %v", provider, err)
		}
	}
}

// TestNothingIsLeft counts the goroutines before and after.
func TestNothingIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, provider := range providers {
		for _, fault := range []modeltest.Fault{modeltest.Sound, modeltest.BrokenOff, modeltest.Malformed, modeltest.Endless, modeltest.EndlessLine} {
			s := modeltest.Start(modeltest.Always(modeltest.Answer{Text: text, Fault: fault}))
			m := s.Model(t, provider)
			for _, sink := range []func(string){nil, func(string) {}} {
				_, err := m.Complete(context.Background(), request, sink)
				if (err == nil) != (fault == modeltest.Sound) {
					t.Errorf("%s, fault %d: error %v", provider, fault, err)
				}
			}
			s.Close()
			s.Close()
		}
	}
	// The ends of connections are seen by goroutines of their own.
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
		}
	}
}

// TestManyAtOnce uses one Model by many goroutines.
func TestManyAtOnce(t *testing.T) {
	for _, provider := range providers {
		s := modeltest.New(t, func(c modeltest.Call) modeltest.Answer { return modeltest.Answer{Text: "echo " + c.Last()} })
		m := s.Model(t, provider)
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				text := strings.Repeat("x", i+1)
				r, err := m.Complete(context.Background(), model.Request{Messages: []model.Message{{Role: model.User, Text: text}}}, func(string) {})
				if err != nil || r.Text != "echo "+text {
					t.Errorf("%+v, error %v", r, err)
				}
			})
		}
		wg.Wait()
		if n := len(s.Calls()); n != 20 {
			t.Errorf("%d calls", n)
		}
	}
}
