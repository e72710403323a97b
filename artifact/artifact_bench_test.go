package artifact

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/gloveboxhq/glovebox"
)

// BenchmarkCollect is the price of what a run leaves: nothing but the program
// that was staged, a small file, many.
func BenchmarkCollect(b *testing.B) {
	program := glovebox.File{Path: "main.py", Data: []byte("print(2 + 2)\n")}
	staged := fstest.MapFS{program.Path: {Data: program.Data}}
	one := fstest.MapFS{program.Path: {Data: program.Data}, "out.csv": {Data: []byte("a,b\n1,2\n")}}
	many := fstest.MapFS{}
	for i := range 100 {
		many[fmt.Sprintf("out/%d.csv", i)] = &fstest.MapFile{Data: make([]byte, 64<<10)}
	}
	for name, fsys := range map[string]fstest.MapFS{"nothing": staged, "one": one, "6 MiB": many} {
		b.Run(name, func(b *testing.B) {
			s := NewMemory(32 << 20)
			defer s.Close()
			b.ReportAllocs()
			for b.Loop() {
				m, err := Collect(b.Context(), fsys, Staged(program), Limits{}, Guard{}, s)
				if err != nil {
					b.Fatal(err)
				}
				for _, a := range m.Artifacts {
					if err := s.Delete(a.ID); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
