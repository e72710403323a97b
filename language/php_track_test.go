package language

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// TestPHPTrack compares verdicts with PHPUnit's own, for the exercises of a
// public track: GLOVEBOX_PHP_TRACK is its exercises/practice folder. Each
// exercise is tried with its example, its stub and two mutants of the example.
func TestPHPTrack(t *testing.T) {
	track := os.Getenv("GLOVEBOX_PHP_TRACK")
	if track == "" {
		t.Skip("GLOVEBOX_PHP_TRACK names no folder of exercises")
	}
	if _, err := exec.LookPath("phpunit"); err != nil {
		t.Skip("PHPUnit is not installed: apt-get install phpunit")
	}
	dirs, _ := filepath.Glob(filepath.Join(track, "*"))
	agree, all := 0, 0
	proofs := map[glovebox.Proof]int{}
	begin := time.Now()
	for _, dir := range dirs {
		if time.Since(begin) > 7*time.Minute {
			break
		}
		example, err := os.ReadFile(filepath.Join(dir, ".meta/example.php"))
		found, _ := filepath.Glob(filepath.Join(dir, "*Test.php"))
		if err != nil || len(found) != 1 {
			continue
		}
		tests, _ := os.ReadFile(found[0])
		if _, ten := readPHP([][]byte{tests}).unitNeeds(); ten {
			t.Logf("%s: PHPUnit 9 does not know its attributes", filepath.Base(dir))
			continue
		}
		test := filepath.Base(found[0])
		file := strings.TrimSuffix(test, "Test.php") + ".php"
		stub, _ := os.ReadFile(filepath.Join(dir, file))
		variants := map[string]string{"example": string(example), "stub": string(stub)}
		for name, pair := range map[string][2]string{"mutant of a sign": {" + ", " - "}, "mutant of a return": {"return ", "return !"}} {
			if m := strings.Replace(string(example), pair[0], pair[1], 1); m != string(example) {
				variants[name] = m
			}
		}
		for name, program := range variants {
			start := time.Now()
			direct := phpDirect(t, test, string(tests), file, program)
			v := rigExam(t, PHP, &glovebox.Program{Language: "php", Main: file, Files: []glovebox.File{{Path: file, Data: []byte(program)}}},
				Tests{Files: []glovebox.File{{Path: test, Data: tests}}})
			if d := time.Since(start); d > 5*time.Second {
				t.Logf("%s, %s took %s", filepath.Base(dir), name, d)
			}
			all++
			// A test that skips itself is no pass of the rig, and one of PHPUnit.
			skips := !slices.ContainsFunc(v.harness.events, func(e Event) bool {
				return e.Case != nil && e.Case.Status != "passed" && e.Case.Status != "skipped" || e.Type == "broken"
			})
			if v.pass == direct || skips && direct {
				agree++
			} else {
				t.Logf("%s, %s: direct %t, here %t, %s: %.300s", filepath.Base(dir), name, direct, v.pass, v.proof, v.why)
			}
			if v.pass && !direct {
				t.Errorf("%s, %s: a false pass", filepath.Base(dir), name)
			}
			if v.pass {
				proofs[v.worth()]++
			}
		}
	}
	t.Logf("%d of %d agree; passes by proof: %v", agree, all, proofs)
}

// phpDirect reports whether PHPUnit passes a program.
func phpDirect(t *testing.T, test, tests, file, program string) bool {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{test: tests, file: program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp",
		"--bind", dir, "/mnt", "--chdir", "/mnt", "phpunit", "--no-configuration", "--do-not-cache-result", test)
	out, err := cmd.CombinedOutput()
	return err == nil && strings.Contains(string(out), "OK")
}
