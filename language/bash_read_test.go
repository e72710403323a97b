package language

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// FuzzBashRead: whatever the tests are, reading them ends, and the guards leave
// what they are put around as it was.
func FuzzBashRead(f *testing.F) {
	for _, s := range []string{
		"[[ $(f) -eq 5 ]]\n", "(( x[$(f)] += y ))\n", "a=($(f)); echo ${a[x]:y:z}\n", "case x in $(f)*) ;; esac\n",
		"@test \"x\" {\n  run f\n}\n", "f <<EOF | grep \"$(f)\"\n$(f)\nEOF\n", "declare -i x=$(f)\nlet y=x\n", "for ((;;)); do :; done\n", "x\n() $f y\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"t.sh", "t.bats"} {
			r := newBashReader(program("bash", "main.sh", ":\n"), nil, nil, "")
			got := r.readAll([]glovebox.File{{Path: name, Data: []byte(text)}})
			plain := func(s string) string {
				return strings.NewReplacer("GLOVEBOX_FED=1 ", "", `"`, "", " .)", "", "$(glovebox.is ", "").Replace(s)
			}
			if r.together == "" && len(plain(string(got[0].Data))) < len(plain(text)) {
				t.Errorf("%q became %q", text, got[0].Data)
			}
		}
	})
}
