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

// clock is a Sleep that only writes down.
type clock []time.Duration

func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	*c = append(*c, d)
	return ctx.Err()
}

func TestRetry(t *testing.T) {
	overloaded := modeltest.Answer{Status: 529}
	limited := func(after string) modeltest.Answer {
		return modeltest.Answer{Status: 429, Header: http.Header{"Retry-After": {after}}}
	}
	good := modeltest.Answer{Text: "good"}
	broken := modeltest.Answer{Text: "half of it", Fault: modeltest.BrokenOff}
	p := model.Policy{Attempts: 3, Base: time.Second, Max: 3 * time.Second, Total: time.Minute}

	for _, c := range []struct {
		name    string
		policy  model.Policy
		answers []modeltest.Answer
		kind    model.Kind // of the error, "" for a reply
		calls   int
		asked   []time.Duration // by the provider, before each further attempt
	}{
		{"at once", p, []modeltest.Answer{good}, "", 1, nil},
		{"after errors", p, []modeltest.Answer{overloaded, broken, good}, "", 3, []time.Duration{0, 0}},
		{"never", p, []modeltest.Answer{overloaded, overloaded, overloaded, good}, model.KindServer, 3, []time.Duration{0, 0}},
		{"no use", p, []modeltest.Answer{{Status: 401}, good}, model.KindAuth, 1, nil},
		{"asked to wait", p, []modeltest.Answer{limited("20"), good}, "", 2, []time.Duration{20 * time.Second}},
		{"asked to wait too long", p, []modeltest.Answer{limited("90"), good}, model.KindRateLimit, 1, nil},
		{"asked to wait for years", p, []modeltest.Answer{limited("1e300"), good}, model.KindRateLimit, 1, nil},
		{"all waits together too long", p, []modeltest.Answer{limited("40"), limited("40"), good}, model.KindRateLimit, 2, []time.Duration{40 * time.Second}},
		{"the default", model.Policy{}, []modeltest.Answer{broken, broken, broken, broken, good}, "", 5, []time.Duration{0, 0, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Answers(c.answers...))
			var waits clock
			var told []time.Duration
			c.policy.Sleep = waits.sleep
			c.policy.Notify = func(attempt int, err error, wait time.Duration) {
				if told = append(told, wait); attempt != len(told) || err == nil {
					t.Errorf("told of attempt %d as the %dth, error %v", attempt, len(told), err)
				}
			}
			reply, err := model.Retry(s.Model(t, model.ProviderAnthropic), c.policy).Complete(context.Background(), request, nil)
			if got := model.KindOf(err); got != c.kind || err == nil && reply.Text != "good" {
				t.Fatalf("%+v, error %v", reply, err)
			}
			if got := len(s.Calls()); got != c.calls {
				t.Errorf("%d calls, want %d", got, c.calls)
			}
			if len(waits) != len(c.asked) || len(told) != len(waits) {
				t.Fatalf("waits %v, told %v, want %d", waits, told, len(c.asked))
			}
			for i, asked := range c.asked {
				// The backoff doubles from Base and ends at Max.
				most := asked + []time.Duration{1, 2, 4, 8}[i]*time.Second
				if c.policy.Max > 0 {
					most = min(most, asked+c.policy.Max)
				}
				if waits[i] < asked || waits[i] > most || told[i] != waits[i] {
					t.Errorf("wait %d is %v, told %v: must be between %v and %v", i, waits[i], told[i], asked, most)
				}
			}
		})
	}
}

// TestRetryTellsTheStream: what a broken attempt streamed is followed by
// Restarted, and nothing is where nothing had been streamed.
func TestRetryTellsTheStream(t *testing.T) {
	for _, provider := range providers {
		s := modeltest.New(t, modeltest.Answers(
			modeltest.Answer{Status: 503},
			modeltest.Answer{Text: "first half", Fault: modeltest.BrokenOff},
			modeltest.Answer{Text: "second"},
		))
		var waits clock
		var shown strings.Builder
		m := model.Retry(s.Model(t, provider), model.Policy{Sleep: waits.sleep})
		reply, err := m.Complete(context.Background(), request, func(p string) { shown.WriteString(p) })
		if err != nil || reply.Text != "second" {
			t.Fatalf("%s: %+v, error %v", provider, reply, err)
		}
		before, after, ok := strings.Cut(shown.String(), model.Restarted)
		if !ok || after != "second" || before == "" || !strings.HasPrefix("first half", before) {
			t.Errorf("%s: shown %q", provider, shown.String())
		}
	}
}

func TestRetryEndsWithItsContext(t *testing.T) {
	s := modeltest.New(t, modeltest.Always(modeltest.Answer{Status: 500}))
	ctx, cancel := context.WithCancel(context.Background())
	m := model.Retry(s.Model(t, model.ProviderOpenAI), model.Policy{
		// The clock itself, which the cancel must end: the wait is for hours.
		Base: 1000 * time.Hour, Max: 1000 * time.Hour, Total: 2000 * time.Hour,
		Notify: func(int, error, time.Duration) { cancel() },
	})
	_, err := m.Complete(ctx, request, nil)
	if !errors.Is(err, context.Canceled) || len(s.Calls()) != 1 {
		t.Errorf("error %v after %d calls", err, len(s.Calls()))
	}
}
