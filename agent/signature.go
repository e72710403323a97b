package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// Signature names a failure by its reason: two runs with the same reason have
// the same Signature. Details that vary between runs (addresses, paths, times,
// numbers of lines and processes) are taken out. A pass has none.
func Signature(o *glovebox.Observation) string {
	if o.Status == glovebox.StatusPass {
		return ""
	}
	h := sha256.New()
	say := func(parts ...string) {
		for _, p := range parts {
			fmt.Fprintf(h, "%d:%s\n", len(p), p)
		}
	}
	say(string(o.Status), string(o.Phase), string(o.Limit), o.Signal)
	if s := o.Syntax; s != nil {
		say("syntax", Normal(s.Message))
	}
	if f := o.Failure; f != nil {
		say("failure", f.Type, Normal(f.Message))
	}
	if t := o.Tests; t != nil {
		say("tests", Normal(t.Reason))
		var failed []string
		for _, c := range t.Cases {
			if c.Status != "passed" {
				failed = append(failed, strings.Join([]string{c.Name, c.Status, Normal(c.Message), Normal(c.Actual)}, "\x00"))
			}
		}
		slices.Sort(failed)
		say(failed...)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// volatile lists the details that vary between equal runs, and their
// replacements, in the order of the search.
var volatile = []struct {
	find func() *regexp.Regexp
	put  string
}{
	{lazyre.New(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?([.,]\d+)?(Z|[+-]\d\d:?\d\d)?`), "TIME"},
	{lazyre.New(`\b\d\d:\d\d:\d\d([.,]\d+)?\b`), "TIME"},
	{lazyre.New(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "ID"},
	{lazyre.New(`(?i)\b0x[0-9a-f]{3,}\b`), "ADDRESS"},
	{lazyre.New(`(?:[A-Za-z]:)?(?:[/\\][\w.@+~-]+){2,}[/\\]?`), "PATH"},
	{lazyre.New(`(?i)\b\d+(\.\d+)?\s?(ns|µs|us|ms|s|sec|secs|seconds?|minutes?)\b`), "DURATION"},
	{lazyre.New(`(?i)\b(line|lines|pid|process|thread|goroutine|port|column|col)([ =:#-]+)\d+`), "$1$2N"},
	{lazyre.New(`(\.\w{1,5}|PATH):\d+(:\d+)?\b`), "$1:N"},
	{lazyre.New(`\s+`), " "},
}

// maxNormal bounds the text that is read of one message, in bytes.
const maxNormal = 4 << 10

// Normal returns a message without details that vary between runs.
func Normal(s string) string {
	if len(s) > maxNormal {
		s = s[:maxNormal/2] + s[len(s)-maxNormal/2:]
	}
	for _, v := range volatile {
		s = v.find().ReplaceAllString(s, v.put)
	}
	s = hexWord().ReplaceAllStringFunc(s, func(w string) string {
		if strings.ContainsAny(w, "0123456789") && strings.ContainsAny(w, "abcdefABCDEF") {
			return "HEX"
		}
		return w // a number, or a word
	})
	return strings.TrimSpace(s)
}

// hexWord is a possible hash or identifier.
var hexWord = lazyre.New(`(?i)\b[0-9a-f]{8,}\b`)
