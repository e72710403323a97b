package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gloveboxhq/glovebox"
)

// caseLine is a line of a cases file. Values may be strings, lists of lines,
// or numbers.
type caseLine struct {
	Name      string         `json:"name"`
	Stdin     text           `json:"stdin"`
	Stdout    *text          `json:"stdout"`
	Input     text           `json:"input"`
	Output    *text          `json:"output"`
	Args      []string       `json:"args"`
	Match     glovebox.Match `json:"match"`
	Tolerance float64        `json:"tolerance"`
}

// text is a string, in one of the forms that people write it in.
type text string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *text) UnmarshalJSON(b []byte) error {
	var s string
	var list []text
	switch {
	case bytes.Equal(b, []byte("null")):
	case json.Unmarshal(b, &s) == nil:
		*t = text(s)
	case json.Unmarshal(b, &list) == nil:
		for _, l := range list {
			*t += l + "\n"
		}
	case len(b) > 0 && b[0] == '{':
		return fmt.Errorf("an object cannot be an input or output")
	default:
		*t = text(b)
	}
	return nil
}

// readCases reads a cases file: a JSON object a line, or one JSON list of them.
func readCases(name string, b []byte) ([]glovebox.Case, error) {
	var list []caseLine
	if trimmed := bytes.TrimSpace(b); len(trimmed) > 0 && trimmed[0] == '[' {
		if err := json.Unmarshal(trimmed, &list); err != nil {
			return nil, usagef("%s: %v", name, err)
		}
	} else {
		n := 0
		for line := range strings.Lines(string(b)) {
			n++
			if strings.TrimSpace(line) == "" {
				continue
			}
			var c caseLine
			if err := json.Unmarshal([]byte(line), &c); err != nil {
				return nil, usagef("%s:%d: %v", name, n, err)
			}
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil, usagef("%s has no case", name)
	}
	cases := make([]glovebox.Case, len(list))
	for i, c := range list {
		out := c.Stdout
		if out == nil {
			out = c.Output
		}
		if out == nil {
			return nil, usagef("%s: case %d has neither stdout nor output", name, i+1)
		}
		in := c.Stdin
		if in == "" {
			in = c.Input
		}
		cases[i] = glovebox.Case{
			Name: c.Name, Stdin: string(in), Stdout: string(*out), Args: c.Args, Match: c.Match, Tolerance: c.Tolerance,
		}
	}
	return cases, nil
}
