package wire

import (
	"reflect"
	"strings"
	"testing"
)

// BenchmarkDecode reads results of about 10 MB.
func BenchmarkDecode(b *testing.B) {
	texts := make([]string, 100_000)
	for i := range texts {
		texts[i] = strings.Repeat("x", 100)
	}
	for name, v := range map[string]any{"bytes": make([]byte, 10<<20), "numbers": make([]float64, 10<<17), "texts": texts, "any": []any{texts}} {
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
