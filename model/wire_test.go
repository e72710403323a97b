package model

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// TestAnswers reads answers that servers are seen to send, beside those of the
// scripted server.
func TestAnswers(t *testing.T) {
	oai, ant := &openAI{}, &messages{}
	for _, c := range []struct {
		name   string
		read   func([]byte, *answer) error
		text   string // several events are separated by blank lines
		want   string
		finish Finish
		usage  Usage
		kind   Kind
	}{
		{name: "refusal", read: oai.whole, text: `{"choices":[{"message":{"content":null,"refusal":"I can't"},"finish_reason":"stop"}]}`, want: "I can't", finish: FinishRefused},
		{name: "streamed refusal", read: oai.event, text: `{"choices":[{"delta":{"refusal":"I "}}]}` + "\n\n" + `{"choices":[{"delta":{"refusal":"can't"}}]}` + "\n\n" + `{"choices":[{"delta":{},"finish_reason":"stop"}]}`, want: "I can't", finish: FinishRefused},
		{name: "a tool's call", read: oai.whole, text: `{"choices":[{"message":{"content":"let me","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`, want: "let me", finish: FinishStop},
		{name: "usage in each event", read: oai.event, text: `{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}` + "\n\n" + `{"choices":[{"delta":{"content":"b"}}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, want: "ab", usage: Usage{Input: 3, Output: 2}},
		{name: "no usage in an event", read: oai.event, text: `{"choices":[{"delta":{"content":"a"}}],"usage":null}`, want: "a"},
		{name: "a filter's event", read: oai.event, text: `{"choices":[],"prompt_filter_results":[{"prompt_index":0}]}` + "\n\n" + `{"choices":[{"delta":{"content":"a"}}]}`, want: "a"},
		{name: "error with status 200", read: oai.whole, text: `{"error":{"message":"no slots","type":"server_error"}}`, kind: KindServer},
		{name: "error text with status 200", read: oai.whole, text: `{"error":"out of memory"}`, kind: KindServer},
		{name: "status in an error with status 200", read: oai.event, text: `{"error":{"message":"slow","code":429},"choices":[]}`, kind: KindRateLimit},
		{name: "our fault, in the stream", read: oai.event, text: `{"error":{"message":"bad","type":"invalid_request_error"}}`, kind: KindRequest},
		{name: "a list", read: oai.whole, text: `[]`, kind: KindMalformed},
		{name: "a page", read: oai.whole, text: `<html>`, kind: KindMalformed},
		{name: "deep", read: oai.event, text: strings.Repeat("[", 1<<20), kind: KindMalformed},

		{name: "thinking", read: ant.whole, text: `{"type":"message","content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"text","text":"a"},{"type":"text","text":"b"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"cache_read_input_tokens":10,"cache_creation_input_tokens":100,"output_tokens":2}}`, want: "ab", finish: FinishStop, usage: Usage{Input: 111, Output: 2}},
		{name: "full context", read: ant.whole, text: `{"type":"message","content":[],"stop_reason":"model_context_window_exceeded"}`, finish: FinishLength},
		{name: "streamed thinking", read: ant.event, text: `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}` + "\n\n" + `{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"a"}}` + "\n\n" + `{"type":"message_delta","delta":{"stop_reason":"stop_sequence"},"usage":{"input_tokens":7,"output_tokens":2}}`, want: "a", finish: FinishStop, usage: Usage{Input: 7, Output: 2}},
		{name: "an event of the future", read: ant.event, text: `{"type":"news","delta":[1]}`},
		{name: "rate limit in the stream", read: ant.event, text: `{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`, kind: KindRateLimit},
		{name: "an error with status 200", read: ant.whole, text: `{"type":"error","error":{"type":"overloaded_error","message":"x"}}`, kind: KindServer},
		{name: "not a message", read: ant.whole, text: `{"type":"completion"}`, kind: KindMalformed},
	} {
		a := &answer{}
		var err error
		for part := range strings.SplitSeq(c.text, "\n\n") {
			if err = c.read([]byte(part), a); err != nil {
				break
			}
		}
		if err != nil {
			err = (&endpoint{}).fail(context.Background(), err)
		}
		if KindOf(err) != c.kind || a.text.String() != c.want || a.finish != c.finish || c.kind == "" && a.usage != c.usage {
			t.Errorf("%s: %q %q %+v, error %v", c.name, a.text.String(), a.finish, a.usage, err)
		}
	}
}

func TestEvents(t *testing.T) {
	for _, c := range []struct{ name, text, want, err string }{
		{"one", "data: a\n\n", "a", ""},
		{"two", "event: x\ndata: a\n\ndata: b\n\n", "a|b", ""},
		{"windows", "data: a\r\n\r\ndata:b\r\n\r\n", "a|b", ""},
		{"lines", "data: a\ndata: b\n\n", "a\nb", ""},
		{"comments, ids and blanks", ": hi\n\n\n\nid: 1\nretry: 5\n\ndata: a\n\n", "a", ""},
		{"no end", "data: a\n\ndata: b", "a|b", ""},
		{"a colon", "data: a: b\n\n", "a: b", ""},
		{"long line", "data: a\n\ndata: " + strings.Repeat("x", maxLine) + "\n\n", "a", "a line of the stream is longer"},
		{"long event", strings.Repeat("data: "+strings.Repeat("x", 1<<16)+"\n", 17), "", "an event of the stream is longer"},
	} {
		var got []string
		var failed error
		for data, err := range events(iotest.OneByteReader(strings.NewReader(c.text))) {
			if err != nil {
				failed = err
				break
			}
			got = append(got, string(data))
		}
		if s := strings.Join(got, "|"); s != c.want || (failed != nil) != (c.err != "") || failed != nil && !strings.Contains(failed.Error(), c.err) {
			t.Errorf("%s: %.80q, error %v", c.name, s, failed)
		}
	}
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte("event: x\ndata: {\"a\": 1}\n\ndata: b\r\n\r\n: c\n\ndata"))
	f.Fuzz(func(t *testing.T, b []byte) {
		total := 0
		for data, err := range events(bytes.NewReader(b)) {
			if err != nil {
				return
			}
			if total += len(data); total > len(b) {
				t.Fatalf("%d bytes of data out of %d", total, len(b))
			}
		}
	})
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		kind   Kind
		text   string
	}{
		{400, `{"error":{"message":"bad","type":"invalid_request_error","param":null,"code":null}}`, KindRequest, "bad"},
		{400, `{"error":"bad"}`, KindRequest, "bad"},
		{404, `{"detail":"Not Found"}`, KindRequest, "Not Found"},
		{422, `{"detail":[{"loc":["body","x"]}]}`, KindRequest, `[{"loc":["body","x"]}]`},
		{400, `{"object":"error","message":"bad","code":40303}`, KindRequest, "bad"},
		{400, `{"error":{"message":"bad","code":400}}`, KindRequest, "bad"},
		{429, `{"error":{"message":"pay","type":"insufficient_quota","code":"insufficient_quota"}}`, KindRequest, "pay"},
		{429, `slow`, KindRateLimit, "slow"},
		{408, ``, KindNetwork, "it gave no reason"},
		{409, ``, KindServer, "it gave no reason"},
		{502, "<html>\n<h1>Bad\x1b[31m \x00Gateway</h1>", KindServer, "<html> <h1>Bad [31m Gateway</h1>"},
		{301, ``, KindRequest, "it gave no reason"},
		{500, "your key is sk-0123456789!", KindServer, "your key is [secret]!"},
		{500, strings.Repeat("é", 1000), KindServer, strings.Repeat("é", 300) + " …"},
		{500, "\xff\xfe", KindServer, "\uFFFD"},
	} {
		f := readFault([]byte(c.body))
		f.status = c.status
		var e *Error
		if !errors.As((&endpoint{secrets: []string{"sk-0123456789"}}).fail(context.Background(), f), &e) {
			t.Fatalf("%d %q: no error", c.status, c.body)
		}
		if e.Kind != c.kind || e.Status != c.status || e.Err.Error() != c.text {
			t.Errorf("%d %q: %s, %q", c.status, c.body, e.Kind, e.Err)
		}
	}
}

func FuzzFault(f *testing.F) {
	f.Add([]byte(`{"error":{"message":"bad","type":"x","param":"p","code":1}}`))
	f.Add([]byte("sk-012\x003456789"))
	f.Fuzz(func(t *testing.T, body []byte) {
		e := &endpoint{secrets: []string{"sk-0123456789"}}
		text := e.fail(context.Background(), readFault(body)).Error()
		if len(text) > maxMessage+100 || strings.ContainsAny(text, "\n\x1b\x00") || strings.Contains(text, "sk-0123456789") {
			t.Errorf("%q", text)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "", 0},
		{"Retry-After", "5", 5 * time.Second},
		{"Retry-After", "0.5", 500 * time.Millisecond},
		{"Retry-After", "-5", 0},
		{"Retry-After", "soon", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "Inf", maxRetryAfter},
		{"Retry-After", "99999999999999999999", maxRetryAfter},
		{"Retry-After", "Fri, 02 Jan 2026 03:04:35 GMT", 30 * time.Second},
		{"Retry-After", "Fri, 02 Jan 2026 03:04:00 GMT", 0},
		{"Retry-After", "Fri, 02 Jan 2099 03:04:00 GMT", maxRetryAfter},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
	} {
		if got := retryAfter(http.Header{c.name: {c.value}}, now); got != c.want {
			t.Errorf("%s: %s is %v, want %v", c.name, c.value, got, c.want)
		}
	}
}

func TestReplyIsBounded(t *testing.T) {
	a := &answer{}
	piece := strings.Repeat("x", 1<<20)
	var err error
	for range 1 + maxText>>20 {
		if err = a.add(piece); err != nil {
			break
		}
	}
	if KindOf(err) != KindMalformed || a.text.Len() != maxText {
		t.Errorf("%d bytes, error %v", a.text.Len(), err)
	}
}
