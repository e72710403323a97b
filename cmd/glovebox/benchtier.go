package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/bench"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/tier"
)

// The programs that tiers run, as replies of a model, and the tests of one. The
// tests call, so they are proven out of process.
const (
	replyPython     = "This prints one:\n\n```python\n" + pythonLine + "\n```\n\nIt is as short as can be.\n"
	replyJavaScript = "This prints one:\n\n```javascript\nconsole.log(1)\n```\n\nIt is as short as can be.\n"

	candidatePython = "def add(a, b):\n    return a + b\n"
	replyTested     = "Here is the function:\n\n```python\n" + candidatePython + "```\n\nIt takes numbers and strings.\n"
	testsPython     = "assert add(1, 2) == 3\nassert add(-1, 1) == 0\nassert add('a', 'b') == 'ab'\n"

	replyTestedJavaScript = "Here is the function:\n\n```javascript\nfunction add(a, b) { return a + b }\nmodule.exports = { add }\n```\n"
	testsJavaScript       = "const assert = require('node:assert')\nassert.equal(add(1, 2), 3)\nassert.equal(add('a', 'b'), 'ab')\n"
)

// way is how a tier comes by its boxes.
type way string

const (
	cold way = "cold" // made for the run
	warm way = "warm" // kept ready
	// Kept ready, too; a run waits for one that is being made, as it is with glovebox
	// eval: who has many programs waits for nothing but their end.
	batch way = "batch"
)

// contestantName is a tier's name in the figures.
func contestantName(t tier.Tier, by way, proven bool) string {
	name := string(t.Name()) + " " + string(by)
	if proven {
		name += " proven"
	}
	return name
}

// enter adds an engine's tiers: each runs a program, and one that is tested.
func (f *field) enter(ctx context.Context, stderr io.Writer, e *engine.Engine, by way) error {
	for _, t := range f.tiers {
		if by != cold && !standsBy(t) {
			for _, proven := range []bool{false, true} {
				f.missing[contestantName(t, by, proven)] = "no box of this tier is kept warm"
			}
			continue
		}
		plain, tested := tierContestant(e, t, by, false), tierContestant(e, t, by, true)
		f.single[plain.Name] = true
		if err := f.tried(ctx, stderr, plain); err != nil {
			return err
		}
		if why, ok := f.missing[plain.Name]; ok { // and so it would be of this one
			f.missing[tested.Name] = why
			continue
		}
		if err := f.tried(ctx, stderr, tested); err != nil {
			return err
		}
	}
	return nil
}

// standsBy tells whether boxes of a tier can be kept warm.
func standsBy(t tier.Tier) bool {
	d, ok := t.(tier.Described)
	return ok && d.Traits().Standby
}

// tierContestant times whole runs in a tier.
func tierContestant(e *engine.Engine, t tier.Tier, by way, proven bool) bench.Contestant {
	job := glovebox.Job{Tier: t.Name(), Reply: replyPython, Limits: glovebox.Limits{Wall: time.Minute}, Tenant: "bench"}
	does := "a reply in Markdown to an observation in this process: extracted, checked, run in a box of its own, classified, redacted"
	_, modules := t.(tier.Modules)
	if modules {
		job.Reply = replyJavaScript
	}
	if proven {
		job.Reply, job.Tests = replyTested, []glovebox.File{{Path: "test_add.py", Data: []byte(testsPython)}}
		job.RequireProof = glovebox.ProofOutOfProcess
		does = "a reply in Markdown to an observation in this process: extracted, checked, tested by tests in a box of their own, classified, redacted"
		if modules {
			job.Reply, job.Tests = replyTestedJavaScript, []glovebox.File{{Path: "add.test.js", Data: []byte(testsJavaScript)}}
		}
	}
	var only bench.Mode
	switch by {
	case cold:
		does += "; nothing is made before the request, and the box is destroyed before the answer"
	case warm:
		does += "; boxes are kept warm, each for one run, and destroyed after the answer"
	case batch:
		does += "; boxes are kept warm, each for one run, and a run waits for one that is being made; in gVisor programs of a batch take turns in sandboxes, in new namespaces each"
		job.Batch = rand.Text()
		only = bench.Sustained
	}
	return bench.Contestant{
		Name: contestantName(t, by, proven), How: does, Warm: by != cold, Only: only,
		Do: func(ctx context.Context) (bool, error) {
			o, err := e.Run(ctx, job)
			if err != nil {
				return false, err
			}
			return o.Warm, asExpected(o, proven)
		},
	}
}

// asExpected tells why an observation is not the one that was to come.
func asExpected(o *glovebox.Observation, proven bool) error {
	switch {
	case o.Status != glovebox.StatusPass:
		return fmt.Errorf("%s: %s", o.Status, o.Message)
	case proven && (o.Tests == nil || o.Tests.Proof != glovebox.ProofOutOfProcess || !o.Tests.Complete):
		return errors.New("its pass is not proven out of process")
	case !proven:
		return errPrinted([]byte(o.Stdout))
	}
	return nil
}

// ratios are those of the tiers. The keys are part of the command's interface.
func (f *field) ratios() []bench.Ratio {
	side := func(name string, m bench.Mode, clients int, what bench.Metric) bench.Side {
		return bench.Side{Name: name, Mode: m, Clients: clients, Metric: what}
	}
	var list []bench.Ratio
	add := func(key string, of, over bench.Side) { list = append(list, bench.Ratio{Key: key, Of: of, Over: over}) }
	for _, t := range f.tiers {
		for _, by := range []way{cold, warm} {
			for _, proven := range []bool{false, true} {
				name := contestantName(t, by, proven)
				key := strings.ReplaceAll(name, " ", "_")
				for _, mode := range []bench.Mode{bench.Paced, bench.Closed} {
					bare := side("bare", mode, 1, bench.P50)
					add(key+"_"+string(mode), side(name, mode, 1, bench.P50), bare)
					p95 := key + "_p95"
					if mode == bench.Closed {
						p95 = key + "_closed_p95"
					}
					add(p95, side(name, mode, 1, bench.P95), bare)
				}
			}
		}
		// A batch is of one caller, who waits for nothing but its end; so is
		// the reference of a proven one.
		best := f.timed(t, batch, false)
		add("batch_"+string(t.Name()), side(best, bench.Sustained, workers(), bench.Rate), side("bare", bench.Sustained, workers(), bench.Rate))
		best = f.timed(t, batch, true)
		add("batch_"+string(t.Name())+"_proven", side(best, bench.Sustained, workers(), bench.Rate), side("fork proven", bench.Sustained, workers(), bench.Rate))

		best = f.timed(t, warm, false)
		key := "throughput_c4_" + string(t.Name())
		if t.Name() == glovebox.TierProcess {
			key = "throughput_c4"
		}
		add(key, side(best, bench.Sustained, peak, bench.Rate), side("bare", bench.Sustained, peak, bench.Rate))
		if t.Name() == glovebox.TierGVisor {
			name := contestantName(t, cold, false)
			add("gvisor_cold", side(name, bench.Paced, 1, bench.P50), side(runscDo, bench.Paced, 1, bench.P50))
			add("gvisor_cold_bare", side(name, bench.Paced, 1, bench.P50), side("bare", bench.Paced, 1, bench.P50))
		}
	}
	return list
}

// timed is a tier's contestant by a way, or its cold one where that is all there is.
func (f *field) timed(t tier.Tier, by way, proven bool) string {
	name := contestantName(t, by, proven)
	if _, missing := f.missing[name]; missing {
		return contestantName(t, cold, proven)
	}
	return name
}
