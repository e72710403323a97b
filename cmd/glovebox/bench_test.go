//go:build linux

package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/bench"
	"github.com/gloveboxhq/glovebox/internal/leftover"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// TestGoJudge: what is asked of a server is what its API takes, and an answer is
// believed only where the program printed what it should.
func TestGoJudge(t *testing.T) {
	for name, test := range map[string]struct{ answer, want string }{
		"accepted":   {`[{"status":"Accepted","exitStatus":0,"time":9,"files":{"stderr":"","stdout":"1\n"}}]`, ""},
		"other text": {`[{"status":"Accepted","files":{"stdout":"2\n"}}]`, `it printed "2\n"`},
		"failed":     {`[{"status":"Nonzero Exit Status","exitStatus":1,"files":{"stderr":"no such file"}}]`, "no such file"},
		"its own":    {`[{"status":"Internal Error","error":"cannot fork"}]`, "cannot fork"},
		"none":       {`[]`, "did not answer"},
		"no JSON":    {`<html>`, "its answer"},
		"refused":    {"", "400 Bad Request"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var ask struct {
					Cmd []struct {
						Args     []string
						CPULimit int64 `json:"cpuLimit"`
						Files    []map[string]any
					} `json:"cmd"`
				}
				if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || r.URL.Path != "/run" || r.Method != http.MethodPost {
					t.Errorf("%s %s: %v", r.Method, r.URL, err)
				}
				if len(ask.Cmd) != 1 || !slices.Equal(ask.Cmd[0].Args, []string{"python3", "x"}) || ask.Cmd[0].CPULimit == 0 || len(ask.Cmd[0].Files) != 3 {
					t.Errorf("asked %+v", ask)
				}
				if test.answer == "" {
					w.WriteHeader(http.StatusBadRequest)
				}
				io.WriteString(w, test.answer)
			}))
			defer server.Close()
			c, err := goJudge(server.URL+"/", []string{"python3", "x"})
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Do(t.Context())
			if got := said(err); test.want == "" && err != nil || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestForks: a warmed interpreter forks for each program, one that failed
// included, and ends with the field.
func TestForks(t *testing.T) {
	exe, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	before := leftover.Look(t, leftover.Options{})
	k, err := startForker(exe)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ program, want, failed string }{
		{"print(1)", "1\n", ""},
		{"x = 1\nprint(__name__)", "__main__\n", ""},
		{"raise SystemExit(3)", "", "it failed"},
		{"this is no program", "", "it failed"},
		{"print('x' * 5000)", "", "it printed 5001 bytes"},
	} {
		out, err := k.run(test.program)
		if string(out) != test.want || said(err) != test.failed {
			t.Errorf("%s: %q, %v", test.program, out, err)
		}
	}
	if err := k.stop(); err != nil {
		t.Error(err)
	}
	before.Same(t)
}

// TestSourceOf: the interpreter of a box is followed to the host's file.
func TestSourceOf(t *testing.T) {
	root := rootfs.Plan{Entries: []rootfs.Entry{
		{Path: "/usr/bin/python3", Link: "python3.11"},
		{Path: "/usr/bin/python", Link: "/usr/bin/python3"},
		{Path: "/usr/bin/python3.11", Source: "/host/python3.11"},
		{Path: "/loop", Link: "loop"},
	}}
	for name, want := range map[string]string{
		"/usr/bin/python": "/host/python3.11", "/usr/bin/python3.11": "/host/python3.11", "/loop": "", "/gone": "",
	} {
		if got := sourceOf(root, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// TestFamily: a child is of the family while it lives, and has memory.
func TestFamily(t *testing.T) {
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Skip(err)
	}
	find := func(pid int) *relative {
		all := family()
		if i := slices.IndexFunc(all, func(r relative) bool { return r.pid == pid }); i >= 0 {
			return &all[i]
		}
		return nil
	}
	for _, pid := range []int{os.Getpid(), child.Process.Pid} {
		if r := find(pid); r == nil || r.memory() == 0 {
			t.Errorf("%d: %+v", pid, r)
		}
	}
	child.Process.Kill()
	child.Wait()
	if r := find(child.Process.Pid); r != nil {
		t.Errorf("%+v is still of the family", *r)
	}
}

// TestRatioKeys: the keys that others read are made, or it is said why not.
func TestRatioKeys(t *testing.T) {
	f := field{missing: map[string]string{runscDo: "it is not here", "gvisor warm": "not yet"}}
	f.tiers = []tier.Tier{named{"gvisor"}, named{"process"}}
	_, how := bench.Ratios(nil, f.ratios(), nil, f.missing)
	for _, key := range []string{
		"gvisor_warm_paced", "gvisor_warm_closed", "gvisor_warm_p95", "gvisor_cold", "gvisor_cold_bare", "gvisor_warm_proven_paced",
		"process_warm_paced", "process_warm_closed", "process_cold_paced", "process_cold_closed", "throughput_c4",
		"batch_gvisor", "batch_gvisor_proven", "batch_process_proven",
	} {
		if !strings.HasPrefix(how[key], "absent: ") {
			t.Errorf("%s: %q", key, how[key])
		}
	}
	if want := "absent: gvisor warm was not timed: not yet"; how["gvisor_warm_paced"] != want {
		t.Errorf("%q", how["gvisor_warm_paced"])
	}
}

// TestBenchPrint: people see each figure, and what there is none of.
func TestBenchPrint(t *testing.T) {
	half := 0.5
	r := benchReport{
		Host:   benchHost{Version: "glovebox 1", System: "linux/amd64", Processors: 2, Interpreter: "python"},
		Ratios: map[string]float64{"process_warm_paced": 0.125},
		Memory: map[string]int64{"process warm": 3 << 20}, Boxes: map[string]float64{"process warm": 300},
		Figures: []bench.Figure{
			{Name: "bare", Mode: bench.Paced, Clients: 1, Runs: 7, Min: 9, P50: 10, P95: 12, Rate: 28, Ratio: 1, RateRatio: 1},
			{Name: "process warm", Mode: bench.Paced, Clients: 1, Runs: 7, Min: 1, P50: 1.25, P95: 2, Rate: 38, Ratio: 0.125, RateRatio: 1.36, Warm: &half},
			{Name: "process warm", Mode: bench.Closed, Clients: 4, Runs: 2, Error: "after 2 requests: it broke"},
		},
		Contestants: map[string]string{"bare": "no box"}, Missing: map[string]string{"nsjail": "nsjail is not on PATH"},
	}
	var b strings.Builder
	if err := r.print(&b); err != nil {
		t.Fatal(err)
	}
	said := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		"paced, clients: 1 contestant", "bare 9.00 10.00 12.00 1.00 28.0 1.00 7", "process warm 1.00 1.25 2.00 0.12 38.0 1.36 7 50 %",
		"closed, clients: 4 contestant", "process warm failed 2", "process_warm_paced 0.125", "process warm 300.0", "process warm 3 MiB",
		"bare: no box", "nsjail: left out: nsjail is not on PATH",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("there is no %q in:\n%s", want, b.String())
		}
	}
}

// named is a tier that has a name and no more.
type named struct{ name glovebox.TierName }

func (n named) Name() glovebox.TierName                         { return n.name }
func (named) Probe(context.Context) tier.Report                 { return tier.Report{} }
func (named) Open(context.Context, tier.Spec) (tier.Box, error) { return nil, io.EOF }
