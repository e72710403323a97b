package model_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/model"
	"github.com/gloveboxhq/glovebox/model/modeltest"
)

// keys are the names of a request's fields that servers differ about.
func keys(t *testing.T, c modeltest.Call) string {
	t.Helper()
	var body map[string]json.RawMessage
	if err := json.Unmarshal(c.Body, &body); err != nil {
		t.Fatal(err)
	}
	var l []string
	for _, k := range []string{"max_tokens", "max_completion_tokens", "stream", "stream_options"} {
		if _, ok := body[k]; ok {
			l = append(l, k)
		}
	}
	return strings.Join(l, " ")
}

// TestDialects: a server that refuses a parameter by name is asked again
// without it, and is not offered it in the next request.
func TestDialects(t *testing.T) {
	const all = "max_tokens stream stream_options"
	for _, c := range []struct {
		name    string
		refuse  modeltest.Answer // where a request has the parameter
		param   string
		calls   []string // of two requests
		refused bool
	}{
		{"fine", modeltest.Answer{}, "-", []string{all, all}, false},
		{"new limit", modeltest.Answer{Status: 400, Param: "max_tokens", Code: "unsupported_parameter",
			Message: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."},
			"max_tokens", []string{all, "max_completion_tokens stream stream_options", "max_completion_tokens stream stream_options"}, false},
		{"new limit by its message", modeltest.Answer{Status: 422, Message: `unknown field "max_tokens"`},
			"max_tokens", []string{all, "max_completion_tokens stream stream_options", "max_completion_tokens stream stream_options"}, false},
		{"no usage", modeltest.Answer{Status: 400, Message: "stream_options: Extra inputs are not permitted"},
			"stream_options", []string{all, "max_tokens stream", "max_tokens stream"}, false},
		{"no stream", modeltest.Answer{Status: 400, Message: "this model does not support stream=true", Param: "stream"},
			"stream", []string{all, "max_tokens", "max_tokens"}, false},
		{"neither limit", modeltest.Answer{Status: 400, Message: "max_tokens is too large"},
			"max", []string{all, "max_completion_tokens stream stream_options", all, "max_completion_tokens stream stream_options"}, true},
		{"another parameter", modeltest.Answer{Status: 400, Param: "model", Message: "no such model"},
			"max_tokens", []string{all, all}, true},
		{"another status", modeltest.Answer{Status: 500, Param: "max_tokens"},
			"max_tokens", []string{all, all}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := modeltest.New(t, func(call modeltest.Call) modeltest.Answer {
				has := strings.Fields(keys(t, call))
				if slices.Contains(has, c.param) || c.param == "max" {
					return c.refuse
				}
				return modeltest.Answer{Text: "fine"}
			})
			m := s.Model(t, model.ProviderOpenAI)
			for range 2 {
				r, err := m.Complete(context.Background(), request, func(string) {})
				if c.refused != (err != nil) {
					t.Fatalf("%+v, error %v", r, err)
				}
				if c.refused && !strings.Contains(err.Error(), c.refuse.Message) {
					t.Errorf("error %v is not the first one", err)
				}
			}
			var got []string
			for _, call := range s.Calls() {
				got = append(got, keys(t, call))
			}
			if !slices.Equal(got, c.calls) {
				t.Errorf("calls %q, want %q", got, c.calls)
			}
		})
	}
}
