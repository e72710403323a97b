package language

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

var perlReturn = regexp.MustCompile(`(?m)^(\s*)return\b[^;]*;`)

// TestTrackPerl has the exercises of a track: GLOVEBOX_TRACK_PERL is the folder
// with an exercise in each folder, as exercism/perl5 has them in
// exercises/practice. The example, the stub and a mutant are tried, as a module
// beside the tests and as a repository, and compared with perl itself.
func TestTrackPerl(t *testing.T) {
	dir := os.Getenv("GLOVEBOX_TRACK_PERL")
	if dir == "" {
		t.Skip("GLOVEBOX_TRACK_PERL is not set")
	}
	tc, tree := rigTool(t, Perl)
	exercises, _ := filepath.Glob(filepath.Join(dir, "*", "t", "*.t"))
	agree, wrong, apart, passes := 0, 0, 0, 0
	for _, file := range exercises {
		root := filepath.Dir(filepath.Dir(file))
		tests, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		right, _ := filepath.Glob(filepath.Join(root, ".meta", "solutions", "lib", "*.pm"))
		stub, _ := filepath.Glob(filepath.Join(root, "lib", "*.pm"))
		if len(right) != 1 || len(stub) != 1 {
			continue
		}
		example, _ := os.ReadFile(right[0])
		start, _ := os.ReadFile(stub[0])
		module, script := filepath.Base(right[0]), filepath.Base(file)
		mutant := perlReturn.ReplaceAllString(string(example), "${1}return 7;")
		for name, text := range map[string]string{"example": string(example), "stub": string(start), "mutant": mutant} {
			ctx, cancel := context.WithTimeout(context.Background(), rigWall)
			direct := rigStart(t, ctx, tc, tree, Step{Args: []string{tc.Exe, "-Ilib", "-I" + perlHome + "lib", "t/" + script}},
				[]glovebox.File{{Path: "lib/" + module, Data: []byte(text)}, {Path: "t/" + script, Data: tests}}, [3]*os.File{})()
			cancel()
			want := direct.exit == 0
			for form, p := range map[string]*glovebox.Program{
				"module": {Language: "perl", Main: module, Files: []glovebox.File{{Path: module, Data: []byte(text)}}},
				"tree":   {Language: "perl", Files: []glovebox.File{{Path: "lib/" + module, Data: []byte(text)}}},
			} {
				v := rigExam(t, Perl, p, Tests{Files: []glovebox.File{{Path: "t/" + script, Data: tests}}})
				passed := v.pass || onlySkipped(v)
				if passed != want {
					wrong++
					report := v.harness.report + v.candidate.report
					t.Errorf("%s %s %s: perl says %t, the exam %t: %s\n%s", script, name, form, want, passed, v.why, report[max(0, len(report)-600):]+strings.Join(strings.Split(v.harness.stderr+v.candidate.stderr, "\n"), " | "))
					continue
				}
				agree++
				if passed && form == "module" {
					passes++
					if v.worth() == glovebox.ProofOutOfProcess {
						apart++
					}
				}
			}
		}
	}
	t.Logf("%d agree, %d do not; of %d passes of modules %d are out of process", agree, wrong, passes, apart)
}
