package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/audit/receipt"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/internal/corpus"
)

// replay runs a job twice and returns what a receipt of the second says other than one
// of the first.
func replay(t *testing.T, e *engine.Engine, job glovebox.Job) ([]receipt.Difference, *glovebox.Observation) {
	t.Helper()
	first := do(t, e, job)
	statement, err := receipt.New(job, nil, first, receipt.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := receipt.Replay(t.Context(), e, statement, job, nil, receipt.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	return again.Differences, first
}

// replayTiers are those that a replay is tried in.
var replayTiers = []glovebox.TierName{glovebox.TierProcess, glovebox.TierGVisor}

// TestReplaySame: a program that rests on nothing but its input comes out the same, down
// to each test and the digests of its output.
func TestReplaySame(t *testing.T) {
	e := long(t)
	type row struct {
		TaskID   string `json:"task_id"`
		Prompt   string `json:"prompt"`
		Entry    string `json:"entry_point"`
		Solution string `json:"canonical_solution"`
		Test     string `json:"test"`
	}
	rows := corpus.Rows[row](t, "humaneval/HumanEval.jsonl.gz")
	for _, tier := range replayTiers {
		t.Run(string(tier), func(t *testing.T) {
			if o := do(t, e, glovebox.Job{Tier: tier, Program: python("")}); o.Status == glovebox.StatusSandboxError {
				t.Skip(o.Message)
			}
			each(rows, func(r row) {
				differ, o := replay(t, e, glovebox.Job{
					Program: python(r.Prompt + r.Solution), Entry: r.Entry, Tier: tier, Limits: patient,
					Tests: []glovebox.File{{Path: "test_humaneval.py", Data: []byte(r.Test)}},
				})
				if o.Status != glovebox.StatusPass || len(differ) > 0 {
					t.Errorf("%s: %s, and again: %v", r.TaskID, o.Status, differ)
				}
			})
		})
	}
}

// TestReplayDiffers: an output that rests on something else is named, with the possible
// causes; nothing else is.
func TestReplayDiffers(t *testing.T) {
	e := open(t)
	for _, tt := range []struct {
		code  string
		cause receipt.Cause
	}{
		{"import time; print(time.time_ns())", receipt.CauseTime},
		{"import os; print(os.getpid(), os.urandom(8))", receipt.CausePID},
		{"import random; print(random.random())", receipt.CauseEntropy},
		{"import os; print(os.urandom(8).hex())", receipt.CauseEntropy},
		{"print([object() for _ in range(9)], id(object()), hash('a'))", receipt.CauseAddresses},
	} {
		for _, tier := range replayTiers {
			t.Run(string(tier)+"/"+string(tt.cause), func(t *testing.T) {
				differ, o := replay(t, e, glovebox.Job{Program: python(tt.code), Tier: tier, Limits: patient})
				if o.Status == glovebox.StatusSandboxError {
					t.Skip(o.Message)
				}
				if o.Status != glovebox.StatusPass || len(differ) == 0 {
					t.Fatalf("%s: %s, and again: %v", o.Status, o.Stderr, differ)
				}
				for _, d := range differ {
					if !strings.HasPrefix(d.Path, "result.stdout") || !slices.Contains(d.Causes, tt.cause) {
						t.Errorf("%+v", d)
					}
				}
			})
		}
	}
}
