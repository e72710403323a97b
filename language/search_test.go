package language

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/corpus"
)

// The searcher looks for forged passes. It takes right programs with their
// tests, makes each wrong by a lie, on each route by which a program answers its
// tests, and asserts that no wrong program passes with the proof of the right
// one, and that none brings about a weaker proof.
//
// GLOVEBOX_SEARCH is how many combinations of program and lie are tried in all
// languages together; GLOVEBOX_SEARCH_SEED makes a search one that was made
// before.

// A lie makes a wrong program of a right one.
type lie struct {
	// name says how the program lies, such as "an object that equals everything".
	name string
	// route is where it lies: "return", "attribute", "exception", "step",
	// "print", "argument", "name", "end" or "worker" (the driver in the
	// candidate's process is rewritten).
	route string
	// tell returns the program that lies where the right one answers by one of
	// the names, or "" where this lie does not fit.
	tell func(program string, names []string) string
}

// A subject is a right program with its tests.
type subject struct {
	name, program string
	// file and tests are the test file.
	file, tests string
	// entry is the function that the tests take as an argument, if they do.
	entry string
	// names are the functions and classes of the program that the tests use.
	names []string
}

// A search is what the searcher knows of one language.
type search struct {
	lang *Language
	// lies must not pass.
	lies []lie
	// plain are lies that tell wrong plain values: constants, None, the
	// arguments given back, a value of a counter. Tests that one of them passes
	// are blind, and their subject is left out.
	plain []lie
	// own are subjects beside those of the corpora: tests with objects,
	// exceptions, iterations, output, tolerances.
	own []subject
	// replies is the suffix of the corpus of real replies, and test the name of
	// their test file.
	replies, test string
	// adapt makes a test file of the corpus's tests; nil leaves them.
	adapt func(tests string) string
	// prepare is called ahead of a search; nil does nothing.
	prepare func(t *testing.T)
	// defines finds the names of top-level functions and classes; group 1.
	defines *regexp.Regexp
}

// searches are registered by the file search_<language>_test.go.
var searches []*search

// TestSearch tries a sample, or as many as GLOVEBOX_SEARCH says.
func TestSearch(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes; -short leaves it out")
	}
	total := 20 * len(searches)
	if n, err := strconv.Atoi(os.Getenv("GLOVEBOX_SEARCH")); err == nil {
		total = n
	}
	seed, err := strconv.ParseUint(os.Getenv("GLOVEBOX_SEARCH_SEED"), 10, 64)
	if err != nil {
		seed = 1
	}
	t.Logf("GLOVEBOX_SEARCH=%d GLOVEBOX_SEARCH_SEED=%d", total, seed)
	for i, s := range searches {
		t.Run(s.lang.Name, func(t *testing.T) {
			rigTool(t, s.lang)
			s.run(t, rand.New(rand.NewPCG(seed, uint64(i))), total/len(searches))
		})
	}
}

// run tries n combinations.
func (s *search) run(t *testing.T, r *rand.Rand, n int) {
	if s.prepare != nil {
		s.prepare(t)
	}
	subjects := slices.Concat(s.own, s.corpus(t))
	r.Shuffle(len(subjects), func(i, j int) { subjects[i], subjects[j] = subjects[j], subjects[i] })
	// Subjects with objects are few, and have most of the ways to lie.
	slices.SortStableFunc(subjects, func(a, b subject) int {
		return cmp.Compare(b2i(s.isOwn(b)), b2i(s.isOwn(a)))
	})
	var (
		mu      sync.Mutex
		tried   int
		blind   int
		table   = map[string]map[string]int{}
		slots   = make(chan bool, runtime.NumCPU())
		all     sync.WaitGroup
		enough  = func() bool { mu.Lock(); defer mu.Unlock(); return tried >= n }
		perOwn  = len(s.lies)
		perRow  = max(8, len(s.lies)/4)
		counted = func(route, what string) {
			mu.Lock()
			defer mu.Unlock()
			tried++
			if table[route] == nil {
				table[route] = map[string]int{}
			}
			table[route][what]++
		}
	)
	for _, sub := range subjects {
		if enough() {
			break
		}
		lies := slices.Clone(s.lies)
		r.Shuffle(len(lies), func(i, j int) { lies[i], lies[j] = lies[j], lies[i] })
		if !s.isOwn(sub) {
			lies = lies[:min(perRow, len(lies))]
		} else {
			lies = lies[:min(perOwn, len(lies))]
		}
		slots <- true
		all.Go(func() {
			defer func() { <-slots }()
			honest := s.sit(t, sub, sub.program)
			if !honest.pass {
				if s.isOwn(sub) {
					t.Errorf("%s: the right program does not pass: %s\n%s%s", sub.name, honest.why, honest.harness.stderr, honest.candidate.stderr)
				}
				return
			}
			for _, l := range s.plain {
				if p := l.tell(sub.program, sub.names); p != "" && s.sit(t, sub, p).pass {
					if s.isOwn(sub) {
						t.Errorf("%s: the tests are blind: they pass %s", sub.name, l.name)
					}
					mu.Lock()
					blind++
					mu.Unlock()
					return
				}
			}
			for _, l := range lies {
				if enough() {
					return
				}
				program := l.tell(sub.program, sub.names)
				if program == "" || program == sub.program {
					continue
				}
				v := s.sit(t, sub, program)
				switch {
				case v.pass && v.worth() == glovebox.ProofOutOfProcess:
					counted(l.route, "forged")
					t.Errorf("%s: forged by %s (%s)\n%s", sub.name, l.name, l.route, program)
				case v.proof != honest.proof:
					counted(l.route, "lowered")
					t.Errorf("%s: %s (%s) brings the proof from %s to %s\n%s", sub.name, l.name, l.route, honest.proof, v.proof, program)
				case v.pass && !v.worth().Meets(honest.worth()):
					counted(l.route, "lowered")
					t.Errorf("%s: %s (%s) passes with the proof %s, the right program with %s\n%s", sub.name, l.name, l.route, v.worth(), honest.worth(), program)
				case v.pass:
					counted(l.route, "passed with "+string(v.worth()))
				default:
					counted(l.route, "refused")
				}
			}
		})
	}
	all.Wait()
	t.Logf("%s: %d lies, %d subjects of our own; %d combinations, %d subjects with blind tests", s.lang.Name, len(s.lies), len(s.own), tried, blind)
	for _, route := range slices.Sorted(maps.Keys(table)) {
		t.Logf("%s: %-10s %v", s.lang.Name, route, table[route])
	}
}

func (s *search) isOwn(sub subject) bool { return !strings.HasPrefix(sub.name, "corpus/") }

func (s *search) sit(t *testing.T, sub subject, program string) rigVerdict {
	return rigExam(t, s.lang, &glovebox.Program{Language: s.lang.Name, Main: s.lang.Main, Files: []glovebox.File{{Path: s.lang.Main, Data: []byte(program)}}},
		Tests{Files: []glovebox.File{{Path: sub.file, Data: []byte(sub.tests)}}, Entry: sub.entry})
}

// worth is the weakest proof of the cases that passed.
func (v *rigVerdict) worth() glovebox.Proof {
	worth := v.proof
	events := v.harness.events
	if worth == glovebox.ProofInProcess {
		events = v.candidate.events
	}
	for _, e := range events {
		if e.Type == "case" && e.Case != nil && e.Case.Status == "passed" && e.Case.Proof != glovebox.ProofNone {
			worth = worth.Weaker(e.Case.Proof)
		}
	}
	return worth
}

var searchFence = regexp.MustCompile("(?ms)^[ \t]*```[^\n]*\n(.*?)(?:^[ \t]*```|\\z)")

// corpus makes subjects of the real replies: those that pass are right.
func (s *search) corpus(t testing.TB) []subject {
	if s.replies == "" || !corpusThere() {
		return nil
	}
	var found []subject
	for i, row := range corpus.Rows[struct {
		Name  string `json:"name"`
		Tests string `json:"tests"`
		Test  string `json:"test"`
		Entry string `json:"entry_point"`
		Text  string `json:"gpt_solution"`
	}](t, "replies/humaneval-"+s.replies+".jsonl.gz") {
		code := row.Text
		if m := searchFence.FindStringSubmatch(code); m != nil {
			code = m[1]
		}
		tests := row.Tests + row.Test
		if s.adapt != nil {
			tests = s.adapt(tests)
		}
		sub := subject{name: fmt.Sprintf("corpus/%d/%s", i, row.Name), program: code, file: s.test, tests: tests, entry: row.Entry}
		for _, m := range s.defines.FindAllStringSubmatch(code, -1) {
			if m[1] == row.Entry || strings.Contains(tests, m[1]) {
				sub.names = append(sub.names, m[1])
			}
		}
		if len(sub.names) > 0 {
			found = append(found, sub)
		}
	}
	return found
}

// corpusThere reports whether the machine has the corpora.
func corpusThere() bool {
	if os.Getenv("GLOVEBOX_CORPORA") != "" {
		return true
	}
	_, err := os.Stat("../../shared/corpora")
	return err == nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
