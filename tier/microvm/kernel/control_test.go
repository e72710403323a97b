package kernel

import (
	"reflect"
	"strings"
	"testing"
)

func TestReadParagraphs(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []map[string]string
		err  string
	}{
		{"", nil, ""},
		{"A: 1\nb-C:  2 \n\n\n \nD:\n x\n\ty: z\n", []map[string]string{{"a": "1", "b-c": "2"}, {"d": "\nx\ny: z"}}, ""},
		{"A: 1\r\n\r\nB: 2\r\n", []map[string]string{{"a": "1"}, {"b": "2"}}, ""},
		{"A: 1\nA: 2\n", nil, "twice"},
		{"A: 1\na: 2\n", nil, "twice"},
		{" x\n", nil, "belongs to no field"},
		{"A: 1\n\n x\n", []map[string]string{{"a": "1"}}, "belongs to no field"},
		{"no field\n", nil, "no field"},
		{": x\n", nil, "no field"},
		{"A: " + strings.Repeat("x", maxLine), nil, "too long"},
		{"A: 1\n" + strings.Repeat(" "+strings.Repeat("x", maxLine-2)+"\n", 17), nil, "too long"},
	} {
		var got []map[string]string
		err := readParagraphs(strings.NewReader(tt.text), func(f map[string]string) error {
			got = append(got, f)
			return nil
		})
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%.40q: %v, want %v", tt.text, got, tt.want)
		}
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%.40q: error %v, want %q", tt.text, err, tt.err)
		}
	}
}

func FuzzReadParagraphs(f *testing.F) {
	f.Add("Package: linux-image-1-cloud-amd64\nSHA256:\n aa 1 x\n\nPackage: b\n")
	f.Fuzz(func(t *testing.T, text string) {
		_ = readParagraphs(strings.NewReader(text), func(fields map[string]string) error {
			for name := range fields {
				if name != strings.ToLower(name) || strings.ContainsAny(name, ":\n") {
					t.Errorf("a field %q", name)
				}
			}
			listed(fields["sha256"], "x")
			return nil
		})
	})
}
