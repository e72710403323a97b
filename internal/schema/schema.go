// Package schema makes the JSON Schemas of Glovebox's output, for tests that
// compare the published schemas, in docs/schema, with the types and with real
// output.
package schema

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/gloveboxhq/glovebox"
)

// Schema is a published schema.
type Schema struct{ resolved *jsonschema.Resolved }

// Of is the schema of a type. The test fails if the published file differs;
// with UPDATE=1 in the environment Of writes the file. words are types of text
// whose values are a closed set, beside those of package glovebox.
func Of[T any](t testing.TB, file, title string, words map[reflect.Type][]string) *Schema {
	t.Helper()
	types := map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[glovebox.Status](): enum(glovebox.Statuses)}
	for of, values := range words {
		types[of] = enum(values)
	}
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: types})
	if err != nil {
		t.Fatal(err)
	}
	open(s)
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", title
	made, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	made = append(made, '\n')
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if published, err := os.ReadFile(file); err != nil || !bytes.Equal(published, made) {
		t.Errorf("%s is not what the type says (%v): UPDATE=1 writes it", file, err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Schema{resolved}
}

// Check is an error where a value does not fit the schema as JSON.
func (s *Schema) Check(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var read any
	if err := json.Unmarshal(b, &read); err != nil {
		return err
	}
	return s.resolved.Validate(read)
}

func enum[S ~string](values []S) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

// open lets objects have fields that a later version adds.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Properties) > 0 {
		s.AdditionalProperties = nil
	}
	open(s.AdditionalProperties)
	open(s.Items)
	for _, p := range s.Properties {
		open(p)
	}
}
