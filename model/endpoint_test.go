package model_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/model"
	"github.com/gloveboxhq/glovebox/model/modeltest"
)

// TestRedirects: another host, or another port of the same, sees nothing of a
// request; on one host a request may move.
func TestRedirects(t *testing.T) {
	for _, provider := range providers {
		other := modeltest.New(t, modeltest.Texts("from elsewhere"))
		path := map[string]string{model.ProviderOpenAI: "/v1/chat/completions", model.ProviderAnthropic: "/v1/messages"}[provider]
		to := func(where string) modeltest.Answer {
			return modeltest.Answer{Status: http.StatusTemporaryRedirect, Header: http.Header{"Location": {where + path}}}
		}
		for _, c := range []struct {
			name  string
			first modeltest.Answer
			want  string
		}{
			{"elsewhere", to(other.URL), "must not see the key"},
			{"here", to(""), ""},
			{"nowhere", modeltest.Answer{Status: http.StatusTemporaryRedirect}, "HTTP 307"},
		} {
			s := modeltest.New(t, modeltest.Answers(c.first, modeltest.Answer{Text: "fine"}))
			_, err := s.Model(t, provider).Complete(context.Background(), request, nil)
			if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: error %v, want one with %q", provider, c.name, err, c.want)
			}
		}
		again := modeltest.New(t, modeltest.Always(to("")))
		if _, err := again.Model(t, provider).Complete(context.Background(), request, nil); model.KindOf(err) != model.KindRequest || len(again.Calls()) > 5 {
			t.Errorf("%s: error %v after %d calls", provider, err, len(again.Calls()))
		}
		if n := len(other.Calls()); n != 0 {
			t.Errorf("%s: the other host was called %d times", provider, n)
		}
	}
}

// TestMissingKeyIsNamed: a server may want a key where none is known here.
func TestMissingKeyIsNamed(t *testing.T) {
	for _, provider := range providers {
		s := modeltest.New(t, modeltest.Always(modeltest.Answer{Status: 401, Message: "who are you?"}))
		c := s.Config(provider)
		c.Key = ""
		m, err := model.Open(c)
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Complete(context.Background(), request, nil)
		if model.KindOf(err) != model.KindAuth || !strings.Contains(err.Error(), "who are you? (no key was sent: set GLOVEBOX_MODEL_KEY)") {
			t.Errorf("%s: error %v", provider, err)
		}
	}
}

// TestNobodyListens: the error is one that a retry may cure.
func TestNobodyListens(t *testing.T) {
	for _, provider := range providers {
		s := modeltest.Start(modeltest.Texts())
		c := s.Config(provider)
		s.Close()
		m, err := model.Open(c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = m.Complete(context.Background(), request, nil); model.KindOf(err) != model.KindNetwork || strings.Contains(err.Error(), modeltest.Key) {
			t.Errorf("%s: error %v", provider, err)
		}
	}
}
