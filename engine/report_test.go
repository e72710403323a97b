package engine

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/classify"
	"github.com/gloveboxhq/glovebox/redact"
)

// TestReport has what harnesses, and programs that pose as one, say of tests.
func TestReport(t *testing.T) {
	const (
		out, judged, in = glovebox.ProofOutOfProcess, glovebox.ProofCandidateJudged, glovebox.ProofInProcess
		nonce           = "s3cret"
	)
	for _, c := range []struct {
		name   string
		exam   glovebox.Proof
		nonce  string
		events []string
		status glovebox.Status
		proof  glovebox.Proof // of the run
		cases  []glovebox.Proof
	}{
		{"the exam's own proof", out, "", []string{
			`{"type":"case","case":{"name":"a","status":"passed"}}`,
			`{"type":"done","total":1,"passed":1}`}, "pass", out, []glovebox.Proof{out}},
		{"the weakest that decided", out, "", []string{
			`{"type":"case","case":{"name":"a","status":"passed"}}`,
			`{"type":"case","case":{"name":"b","status":"passed","proof":"candidate_judged"}}`,
			`{"type":"done","total":2,"passed":2}`}, "pass", judged, []glovebox.Proof{out, judged}},
		{"what failed decides nothing", out, "", []string{
			`{"type":"case","case":{"name":"a","status":"failed","proof":"candidate_judged"}}`,
			`{"type":"done","total":1,"failed":1}`}, "test_failed", out, []glovebox.Proof{""}},
		{"never more than the exam's", in, nonce, []string{
			`{"type":"case","case":{"name":"a","status":"passed","proof":"out_of_process"}}`,
			`{"type":"done","total":1,"passed":1,"nonce":"s3cret"}`}, "pass", in, []glovebox.Proof{in}},
		{"a proof that there is not", out, "", []string{
			`{"type":"case","case":{"name":"a","status":"passed","proof":"holy"}}`,
			`{"type":"done","total":1,"passed":1}`}, "pass", out, []glovebox.Proof{out}},
		{"unrunnable", out, "", []string{
			`{"type":"unrunnable","reason":"the tests need lodash, which is not here","missing":["lodash"]}`}, "tests_unrunnable", "", nil},
		{"unrunnable without the nonce", in, nonce, []string{
			`{"type":"unrunnable","reason":"it is Tuesday"}`}, "test_failed", in, nil},
		{"broken tests are no more than that", in, nonce, []string{
			`{"type":"broken","reason":"the tests do not parse"}`}, "test_failed", in, nil},
		{"another form behind a case", out, "", []string{
			`{"type":"case","case":{"name":"a","status":"failed"}}`,
			`{"type":"fallback","reason":"enough"}`,
			`{"type":"done","total":1,"failed":1}`}, "test_failed", out, []glovebox.Proof{""}},
		{"unrunnable with the nonce", in, nonce, []string{
			`{"type":"unrunnable","reason":"the tests need RSpec, which is not here","nonce":"s3cret"}`}, "tests_unrunnable", "", nil},
		{"unrunnable behind a case", out, "", []string{
			`{"type":"case","case":{"name":"a","status":"failed"}}`,
			`{"type":"unrunnable","reason":"enough"}`,
			`{"type":"done","total":1,"failed":1}`}, "test_failed", out, []glovebox.Proof{""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := newReport(maxEvents)
			if err != nil {
				t.Fatal(err)
			}
			defer p.close()
			w := p.w
			if _, err := io.WriteString(w, strings.Join(c.events, "\n")+"\n"); err != nil {
				t.Fatal(err)
			}
			p.start()
			r := &run{program: &glovebox.Program{Main: "main.py"}, redact: redact.New(redact.Config{})}
			facts := classify.Facts{Tests: &glovebox.TestReport{Proof: c.exam}, Program: glovebox.Outcome{Cause: glovebox.CauseExit, Started: true}}
			r.read(p, &facts, c.nonce)
			v := classify.Classify(facts)
			if v.Status != c.status || facts.Tests.Proof != c.proof {
				t.Errorf("%s (%s), proof %s; want %s, proof %s", v.Status, v.Message, facts.Tests.Proof, c.status, c.proof)
			}
			var cases []glovebox.Proof
			for _, x := range facts.Tests.Cases {
				cases = append(cases, x.Proof)
			}
			if !slices.Equal(cases, c.cases) {
				t.Errorf("proofs of the cases %q, want %q", cases, c.cases)
			}
		})
	}
}
