package compare

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// BenchmarkOutput compares an output of two bytes and one of a mebibyte that is
// right, each in every way.
func BenchmarkOutput(b *testing.B) {
	for name, text := range map[string]string{"tiny": "4\n", "1 MiB": strings.Repeat("1.50 2 three\n", (1<<20)/13)} {
		for _, match := range []glovebox.Match{glovebox.MatchTrimmed, glovebox.MatchTolerant} {
			b.Run(name+"/"+string(match), func(b *testing.B) {
				c := glovebox.Case{Stdout: text + "\n", Match: match} // an empty line more is no difference
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					if diff := Output(c, text); diff != "" {
						b.Fatal(diff)
					}
				}
			})
		}
	}
}
