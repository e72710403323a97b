package glovebox_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// TestObservationIsDocumented: docs/observation.md names each status, proof and limit,
// and each field of what is printed as JSON.
func TestObservationIsDocumented(t *testing.T) {
	page, err := os.ReadFile("docs/observation.md")
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, s := range glovebox.Statuses {
		words = append(words, string(s))
	}
	for _, p := range glovebox.Proofs {
		words = append(words, string(p))
	}
	seen := map[reflect.Type]bool{}
	var fields func(reflect.Type)
	fields = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || seen[of] {
			return
		}
		seen[of] = true
		for i := range of.NumField() {
			f := of.Field(i)
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
				words = append(words, name)
				fields(f.Type)
			}
		}
	}
	fields(reflect.TypeFor[glovebox.Observation]())
	for _, w := range words {
		if !strings.Contains(string(page), "`"+w+"`") {
			t.Errorf("docs/observation.md does not have `%s`", w)
		}
	}
}
