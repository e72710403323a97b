package agent

import (
	"testing"

	"github.com/gloveboxhq/glovebox"
)

func TestNormal(t *testing.T) {
	tests := []struct{ name, a, b string }{
		{"addresses", "<Foo object at 0x7f3a2b1c9d10>", "<Foo object at 0x55d0aa10>"},
		{"paths", "cannot open /tmp/abc123/x.txt", "cannot open /home/u/work/x.txt"},
		{"windows paths", `cannot open C:\Users\a\x.txt`, `cannot open D:\tmp\b\x.txt`},
		{"durations", "took 12.5 ms", "took 3 ms"},
		{"seconds", "after 2 seconds", "after 10.25 seconds"},
		{"time of day", "at 10:11:12.5 it failed", "at 23:59:59 it failed"},
		{"dates", "2026-11-20T10:11:12Z boom", "2024-01-02 03:04:05 boom"},
		{"lines", "File main.py, line 10", "File main.py, line 99"},
		{"places", "main.go:10:4: undefined: x", "main.go:99:1: undefined: x"},
		{"processes", "pid 1234 died", "pid 5 died"},
		{"goroutines", "goroutine 17 [running]", "goroutine 1 [running]"},
		{"ids", "run 9f1c2d3e-1111-2222-3333-444455556666", "run 00000000-1111-2222-3333-aaaabbbbcccc"},
		{"hashes", "commit 4e7680fabc12", "commit 9f7cd8f00123"},
		{"white space", "a  b\n\tc", "a b c"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if a, b := Normal(test.a), Normal(test.b); a != b {
				t.Errorf("%q and %q differ", a, b)
			}
		})
	}
	differ := []struct{ name, a, b string }{
		{"values", "expected 3, got 4", "expected 3, got 5"},
		{"large numbers", "got 123456789", "got 987654321"},
		{"names", "undefined: foo", "undefined: bar"},
		{"keys", `{"a":1}`, `{"a":2}`},
		{"words of hex letters", "deadbeef", "facefeed"},
		{"floats", "1e5", "2e5"},
	}
	for _, test := range differ {
		t.Run(test.name, func(t *testing.T) {
			if a, b := Normal(test.a), Normal(test.b); a == b {
				t.Errorf("both are %q", a)
			}
		})
	}
}

func TestSignature(t *testing.T) {
	failed := func(cases ...glovebox.TestCase) *glovebox.Observation {
		return &glovebox.Observation{Status: glovebox.StatusTestFailed, Tests: &glovebox.TestReport{Cases: cases}}
	}
	raised := func(kind, message string) *glovebox.Observation {
		return &glovebox.Observation{Status: glovebox.StatusRuntimeError, Failure: &glovebox.Failure{Type: kind, Message: message}}
	}
	a := glovebox.TestCase{Name: "a", Status: "failed", Actual: "3"}
	b := glovebox.TestCase{Name: "b", Status: "failed", Actual: "3"}
	passed := glovebox.TestCase{Name: "c", Status: "passed"}
	tests := []struct {
		name string
		x, y *glovebox.Observation
		same bool
	}{
		{"the same test", failed(a), failed(a), true},
		{"in another order", failed(a, b), failed(b, a), true},
		{"what passed does not matter", failed(a), failed(a, passed), true},
		{"another test", failed(a), failed(b), false},
		{"another value", failed(a), failed(glovebox.TestCase{Name: "a", Status: "failed", Actual: "4"}), false},
		{"another address", raised("E", "at 0x1234abcd"), raised("E", "at 0xffff1234"), true},
		{"another type", raised("E", "m"), raised("F", "m"), false},
		{"another status", raised("E", "m"), failed(a), false},
		{"another limit", &glovebox.Observation{Status: glovebox.StatusTimeout, Limit: glovebox.LimitWall},
			&glovebox.Observation{Status: glovebox.StatusTimeout, Limit: glovebox.LimitCPU}, false},
		{"timings and streams do not matter", &glovebox.Observation{Status: glovebox.StatusTimeout, Stdout: "1"},
			&glovebox.Observation{Status: glovebox.StatusTimeout, Stdout: "2", Timings: glovebox.Timings{Total: 5}}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if x, y := Signature(test.x), Signature(test.y); (x == y) != test.same {
				t.Errorf("the signatures are %s and %s", x, y)
			}
		})
	}
	if s := Signature(&glovebox.Observation{Status: glovebox.StatusPass}); s != "" {
		t.Errorf("a pass has the signature %q", s)
	}
}
