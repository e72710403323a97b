package language

import (
	"slices"
	"strings"
	"testing"
)

func TestNodeText(t *testing.T) {
	for _, c := range []struct{ src, code, imports string }{
		{"// eval(\nf(1) /* eval( */ + 2", "\nf(1)   + 2", ""},
		{"a = 'eval(' + \"x\\\"y\" + `t ${eval(`n`)} u`", `a = "" + "" + ""+eval("")+""`, ""},
		{"if (a) /['\"`]/.test(b); c = d / e / f; (g) / h", `if (a) "".test(b); c = d / e / f; (g) / h`, ""},
		{"const x = require('lodash'); import y from 'y'; import 'z'; import('w'); obj.require('no'); s = \"require('no')\"", "", "lodash y z w"},
		{"return /re/g.exec(x); y = [1] / 2; /start/", `return "".exec(x); y = [1] / 2; ""`, ""},
	} {
		got := readNodeText([]byte(c.src))
		if c.code != "" && got.Code != c.code || !slices.Equal(got.Imports, strings.Fields(c.imports)) {
			t.Errorf("%s\n%q %q", c.src, got.Code, got.Imports)
		}
	}
	if got := readNodeText([]byte("try { require('a') } catch { require('b') }")); !got.Optional["a"] || got.Optional["b"] {
		t.Errorf("%v", got.Optional)
	}
}
