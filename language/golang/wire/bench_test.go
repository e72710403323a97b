package wire

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

type benchNode struct {
	Name string
	Next *benchNode
}

// BenchmarkDecode reads results of about 10 MB.
func BenchmarkDecode(b *testing.B) {
	texts := make([]string, 100_000)
	for i := range texts {
		texts[i] = strings.Repeat("x", 100)
	}
	numbers, counts, nested := make([]int, 3_500_000), map[string]int{}, [][][]int{}
	var chain *benchNode
	for i := range numbers {
		numbers[i] = i
	}
	for i := range 700_000 {
		counts[strconv.Itoa(i)+"-key-key"] = i
	}
	for i := range 2000 {
		nested = append(nested, [][]int{numbers[i : i+500], numbers[i : i+1000], {}})
	}
	for range 500_000 {
		chain = &benchNode{Name: "0123456789", Next: chain}
	}
	Register("benchNode", reflect.TypeFor[benchNode](), "Name", "Next")
	shapes := map[string]any{
		"bytes": make([]byte, 10<<20), "floats": make([]float64, 10<<17), "numbers": numbers, "texts": texts, "any": []any{texts},
		"a map": counts, "nested": nested, "one text": strings.Repeat("x", 10<<20), "a chain": chain,
	}
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		v := shapes[name]
		e := &encoder{}
		if err := e.values([]reflect.Value{reflect.ValueOf(v)}); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(e.buf)))
			for b.Loop() {
				got := reflect.New(reflect.TypeOf(v)).Elem()
				d := &decoder{buf: e.buf}
				if err := decode(func() { d.values([]reflect.Value{got}) }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
