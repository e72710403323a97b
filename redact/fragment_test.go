package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// noise returns n random bytes of set.
func noise(r *rand.Rand, set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[r.IntN(len(set))]
	}
	return string(b)
}

const (
	lowerSet  = "abcdefghijklmnopqrstuvwxyz"
	upperSet  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digitSet  = "0123456789"
	alnumSet  = lowerSet + upperSet + digitSet
	hexSet    = digitSet + "abcdef"
	base64Set = alnumSet + "-_"
)

// leaves returns the longest run of secret that stands in text.
func leaves(text, secret string) string {
	longest := ""
	for i := range secret {
		for n := len(longest) + 1; i+n <= len(secret) && strings.Contains(text, secret[i:i+n]); n++ {
			longest = secret[i : i+n]
		}
	}
	return longest
}

// TestParts: of a value that was shortened before redaction saw it, nothing
// is left beside the cut.
func TestParts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 5))
	value := noise(rnd, alnumSet, 64)
	quoted := noise(rnd, alnumSet, 12) + `"'` + noise(rnd, alnumSet, 20) + `\` + noise(rnd, alnumSet, 20)
	for name, text := range map[string]string{
		"bounded repr of Python":   "test_p['" + value[:19] + " … " + value[45:] + "']",
		"two reprs":                "'" + value[:20] + "' … '" + value[44:] + "'",
		"a message":                "the program's process ended during h('" + value[:30] + " … " + value[34:] + "')",
		"inspect of JavaScript":    "The last call was f('" + value[:60] + "'... 4 more characters)",
		"reprlib":                  "got '" + value[:12] + "..." + value[51:] + "'",
		"of an escaped value":      `x "` + strings.ReplaceAll(quoted, `"`, `\"`)[:30] + `..." y`,
		"the end of a text":        "error: " + value[:17],
		"the end of a whole cut":   "error: " + value[:9] + " ...",
		"the middle twice":         "… " + value[10:20] + " … " + value[30:40] + " …",
		"a cut of Glovebox":        "error: " + value[:31] + "\n[… 20 bytes left out …]\n" + value[51:] + "!",
		"five bytes":               "head " + value[:5] + "… tail",
		"a cut within the padding": strings.Repeat("a ", 30) + value[:23] + " … " + value[50:] + " end",
	} {
		secret := value
		if name == "of an escaped value" {
			secret = quoted
		}
		r := New(Config{Secrets: map[string]string{"A": secret}})
		out := r.String("tests", text)
		if left := leaves(out, secret); len(left) >= leastPart || !strings.Contains(out, "[redacted:secret:A]") {
			t.Errorf("%s: %q became %q: %q is left", name, text, out, left)
		}
		for _, size := range []int{1, 3, 8} {
			if cut := stream(t, r, text, func() int { return size }); cut != out {
				t.Errorf("%s in pieces of %d: %q, want %q", name, size, cut, out)
			}
		}
		if again := r.String("tests", out); again != out {
			t.Errorf("%s: again %q, was %q", name, again, out)
		}
	}
	r := New(Config{Secrets: map[string]string{"A": value, "B": "correct horse battery staple"}})
	for _, text := range []string{"Loading...", "a … b", "x[1..2], ...args", "...", "……", "and so on...\n", "hor"} {
		if out := r.String("stdout", text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}

// TestEscapes: terminal colours before, in and around a secret hide nothing.
func TestEscapes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	token, value := "ghp"+"_"+noise(rnd, alnumSet, 36), noise(rnd, alnumSet, 32)
	for _, esc := range []string{"\x1b", `\x1b`, `\u001b`, `\033`} {
		for name, text := range map[string]string{
			"before":             esc + "[32m" + token + esc + "[0m\n",
			"erased line":        esc + "[K" + token + "\n",
			"moved":              esc + "[2K" + esc + "[1G" + token,
			"glued":              "word" + esc + "[1m" + token + esc + "[0m",
			"in":                 "grep: " + esc + "[01;31m" + esc + "[K" + token[:4] + esc + "[m" + esc + "[K" + token[4:] + "\n",
			"numbers in":         "x " + esc + "[0m" + token[:12] + esc + "[1;36m" + token[12:20] + esc + "[0m" + token[20:] + " y",
			"structlog":          esc + "[36mapi_key" + esc + "[0m=" + esc + "[35m" + value + esc + "[0m",
			"jq":                 esc + `[34;1m"api_key"` + esc + "[0m" + esc + "[1;39m:" + esc + "[0m " + esc + `[0;32m"` + value + `"` + esc + "[0m",
			"first in the value": "api_key = '" + esc + "[35m" + value + esc + "[0m'",
		} {
			if out := New(Config{}).String("stdout", text); strings.Contains(out, token[8:]) || strings.Contains(out, value) || len(leaves(out, token)) > 12 {
				t.Errorf("%s: %q became %q", name, text, out)
			} else {
				for _, size := range []int{1, 2, 5, 9} {
					if cut := stream(t, New(Config{}), text, func() int { return size }); cut != out {
						t.Errorf("%s in pieces of %d: %q, want %q", name, size, cut, out)
					}
				}
				if again := New(Config{}).String("stdout", out); again != out {
					t.Errorf("%s: again %q, was %q", name, again, out)
				}
			}
		}
	}
	for _, text := range []string{"\x1b[31mred\x1b[0m", "\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\", "\x1b", "\x1b[", `\x1`, "\x1b[12", "a\x1b[0"} {
		if out := New(Config{}).String("stdout", text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}

// TestSecondCopy: a value that a rule found is removed where it stands bare,
// in the whole of a text and in other texts of the run.
func TestSecondCopy(t *testing.T) {
	value := noise(rand.New(rand.NewPCG(1, 8)), alnumSet, 24)
	text := fmt.Sprintf("first %s\napi_key = '%s'\nthen %s, \x1b[32m%s\x1b[0m\n", value, value, value, value)
	r := New(Config{})
	if out := r.String("stdout", text); strings.Contains(out, value) {
		t.Errorf("%q became %q", text, out)
	}
	if out := r.String("stderr", "bare: "+value); strings.Contains(out, value) {
		t.Errorf("in another text: %q", out)
	}
	want := stream(t, New(Config{}), text, func() int { return len(text) })
	if n := strings.Count(want, value); n != 1 { // what came before has left
		t.Errorf("as a stream: %q", want)
	}
	for _, size := range []int{1, 5, 24, 60} {
		if cut := stream(t, New(Config{}), text, func() int { return size }); cut != want {
			t.Errorf("in pieces of %d: %q, want %q", size, cut, want)
		}
	}
	for _, common := range []string{"password = 'postgres'\npostgres is up", "pwd: '12345678'\n12345678 lines", "password = 'production'\nin production"} {
		if out := New(Config{}).String("stdout", common); !strings.HasSuffix(out, common[strings.IndexByte(common, '\n'):]) {
			t.Errorf("%q became %q", common, out)
		}
	}
}

// TestKeysInLogs: a private key is found whatever a log puts before its lines
// or instead of their ends.
func TestKeysInLogs(t *testing.T) {
	key := strings.TrimSpace(pemKey(12))
	for name, prefix := range map[string]string{
		"pytest": "E       ", "docker build": "#6 0.245 ", "time": "2026-11-22T19:05:01.123456789Z stdout F ", "compose": "web-1  | ",
		"logging": "INFO:root:", "line numbers": "12 | ", "many blanks": strings.Repeat(" ", 60), "log4j": "2026-11-22 19:05:01,123 [main] DEBUG com.example.Main - ",
	} {
		text := "before\n" + prefix + strings.ReplaceAll(key, "\n", "\n"+prefix) + "\n" + prefix + "after, and more\n"
		keyGone(t, name, text, key)
	}
	for name, end := range map[string]string{
		"URL": "%0A", "HTML": "<br>", "HTML and line": "<br/>\n", "JSON log": `\n","stream":"stdout","time":"2026-11-22T19:05:01.123456789Z"}` + "\n" + `{"log":"`,
		"JSON in JSON": `\\n`, "a list": `",` + "\n  " + `"`, "coloured": "\x1b[0m\n\x1b[31m",
	} {
		keyGone(t, name, "before\n"+strings.ReplaceAll(key, "\n", end)+"\nafter, and more\n", key)
	}
}

func keyGone(t *testing.T, name, text, key string) {
	t.Helper()
	out := New(Config{}).String("stdout", text)
	for _, line := range strings.Split(key, "\n") {
		if strings.Contains(out, line) {
			t.Errorf("%s: %.300q is left", name, out)
			return
		}
	}
	if !strings.HasPrefix(out, "before\n") || !strings.HasSuffix(out, "after, and more\n") {
		t.Errorf("%s: more than the key is gone: %.300q", name, out)
	}
	for _, size := range []int{1, 100, 777} {
		if cut := stream(t, New(Config{}), text, func() int { return size }); cut != out {
			t.Errorf("%s in pieces of %d: %.300q, want %.300q", name, size, cut, out)
		}
	}
	if again := New(Config{}).String("stdout", out); again != out {
		t.Errorf("%s: again %q, was %q", name, again, out)
	}
}
