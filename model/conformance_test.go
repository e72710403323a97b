package model_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/model"
	"github.com/gloveboxhq/glovebox/model/modeltest"
)

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
	for _, provider := range []string{model.ProviderOpenAI, model.ProviderAnthropic} {
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
