package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/observe"
)

// madeUp is a value that looks like a secret and opens nothing.
func madeUp(n int) string {
	const set = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	r := rand.New(rand.NewPCG(11, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = set[r.IntN(len(set))]
	}
	return string(b)
}

// leftOf returns the longest run of secret that stands in text. A run of digits alone is
// none: text is full of offsets and durations.
func leftOf(text, secret string) string {
	longest := ""
	for i := range secret {
		for n := len(longest) + 1; i+n <= len(secret) && strings.Contains(text, secret[i:i+n]); n++ {
			if run := secret[i : i+n]; strings.Trim(run, "0123456789") != "" {
				longest = run
			}
		}
	}
	return longest
}

// TestNamedSecretNowhere: programs, tests and replies put a named secret
// wherever a value can appear. No run of its bytes is left in the observation,
// the feedback, the events, or the artifacts and their names, shortened or not.
func TestNamedSecretNowhere(t *testing.T) {
	secret := madeUp(64)
	python := func(code string) *glovebox.Program {
		p := python("import os, sys\nS = os.environ['S']\n" + code)
		p.Main, p.Files[0].Path = "solution.py", "solution.py"
		return p
	}
	node := func(code string) *glovebox.Program {
		return program(language.JavaScript, "solution.js", "const S = process.env.S;\n"+code)
	}
	for _, c := range []struct {
		name string
		lang *language.Language
		job  glovebox.Job
	}{
		{"streams", language.Python, glovebox.Job{Program: python("print(S); print(S, file=sys.stderr); print(repr(S)[:30] + '...'); print('x', S[:12] + '…' + S[50:])")}},
		{"reprlib", language.Python, glovebox.Job{Program: python("import reprlib, textwrap\nprint(reprlib.repr(S)); print(textwrap.shorten('a ' * 60 + S, 200)); print([S] * 20)")}},
		{"colours and prefixes", language.Python, glovebox.Job{Program: python("print('\\x1b[32m' + S + '\\x1b[0m'); print('E   ' + S); print(S[:20] + '\\x1b[1m' + S[20:]); print(S[:9] + '\\x01' + S[9:])")}},
		{"an error", language.Python, glovebox.Job{Program: python("raise ValueError('bad key ' + S)")}},
		{"a type of error", language.Python, glovebox.Job{Program: python("raise type('E' + S, (Exception,), {})('x')")}},
		{"an exit message", language.Python, glovebox.Job{Program: python("sys.exit(S)")}},
		{"a module that is missing", language.Python, glovebox.Job{Program: python("__import__(S)")}},
		{"artifacts", language.Python, glovebox.Job{Program: python("os.makedirs('d' + S); open('d' + S + '/' + S + '.txt', 'w').write(S); open('a.json', 'w').write('{\"k\": \"' + S + '\"}'); os.symlink('/etc/' + S, 'to-' + S); os.makedirs('/'.join([S] * 9))")}},
		{"a long stream", language.Python, glovebox.Job{Program: python("for i in range(20000): print('row', S)")}},
		{"output where it is cut", language.Python, glovebox.Job{Cases: []glovebox.Case{{Stdout: "4"}}, Program: python("print('x' * 1000 + S + 'y' * 5000)")}},
		{"a case's words", language.Python, glovebox.Job{Cases: []glovebox.Case{{Name: "case " + secret, Stdin: secret, Stdout: secret}}, Program: python("print(input()[:40])")}},
		{"names of tests", language.Python, glovebox.Job{Program: python("def f(s): return 1"), Tests: files("test_it.py",
			"import pytest\nfrom solution import f\nS = "+fmt.Sprintf("%q", secret)+"\n@pytest.mark.parametrize('s', [S, [S], S * 3])\ndef test_p(s):\n    assert f(s) == s\n")}},
		{"values of asserts", language.Python, glovebox.Job{Program: python("def f(s): return S * 60"), Tests: files("test_it.py",
			"from solution import f\ndef test_a():\n    assert f(1) == 'a'\ndef test_b():\n    assert f(1) == 'a', f(2)\ndef test_c():\n    raise ValueError(f(1))\n")}},
		{"a value at each place of a cut", language.Python, glovebox.Job{Program: python("def f(n): return 'x' * n + S + 'y' * 4000"), Tests: files("test_it.py",
			"from solution import f\nimport unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        for n in (930, 950, 970, 990, 998):\n            with self.subTest(n=f(n)): self.assertEqual(f(n), '')\n")}},
		{"a call that ends the process", language.Python, glovebox.Job{Program: python("def h(s): os._exit(3)"), Tests: files("test_it.py",
			"from solution import h\nS = "+fmt.Sprintf("%q", secret)+"\ndef test_h():\n    h(S)\n")}},
		{"a call in JavaScript", language.JavaScript, glovebox.Job{Program: node("exports.f = (s) => process.exit(3);"), Tests: files("test_it.js",
			"const { f } = require('./solution.js');\ntest('it "+secret+"', () => { f("+fmt.Sprintf("%q", secret)+"); });\n")}},
		{"an assert in JavaScript", language.JavaScript, glovebox.Job{Program: node("exports.f = () => S.repeat(90); console.log([S.repeat(200), Buffer.from(S)]);"), Tests: files("test_it.js",
			"const { f } = require('./solution.js');\nconst assert = require('assert');\ntest('it', () => { assert.strictEqual(f(), 'x'); });\n")}},
		{"a reply", language.Python, glovebox.Job{Reply: glovebox.Reply("Run `" + secret + ".py`:\n\n```python " + secret + ".py\nprint(1\n```\n\n```" + secret + "\nx\n```\n")}},
		{"a syntax error", language.Python, glovebox.Job{Program: program(language.Python, secret+".py", "x = '"+secret+"' (")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := open(t)
			need(t, e, c.lang)
			job := c.job
			job.Tier, job.Env, job.Secrets = glovebox.TierProcess, map[string]string{"S": secret}, map[string]string{"S": secret}
			var events strings.Builder
			o, err := e.Watch(context.Background(), job, engine.Watcher{Hold: true, Event: func(v engine.Event) {
				b, _ := json.Marshal(v)
				events.Write(append(b, '\n'))
			}})
			if err != nil {
				t.Fatal(err)
			}
			all, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			texts := map[string]string{"the observation": string(all), "its feedback": observe.Feedback(o, job.Limits), "the events": events.String()}
			for _, a := range o.Artifacts {
				f, err := e.Artifacts().Open(a.ID)
				if err != nil {
					t.Fatal(err)
				}
				b, _ := io.ReadAll(f)
				f.Close()
				texts["the artifact "+a.Name] = string(b)
			}
			for where, text := range texts {
				if left := leftOf(text, secret); len(left) >= 4 {
					i := strings.Index(text, left)
					t.Errorf("%q is left in %s: %.300s", left, where, text[max(0, i-100):])
				}
			}
			if len(o.Redactions) == 0 {
				t.Errorf("nothing was redacted: %s", all)
			}
		})
	}
}

// TestSecretsInBinaries: what cannot be redacted is named, or withheld.
func TestSecretsInBinaries(t *testing.T) {
	e := open(t)
	need(t, e, language.Python)
	secret := madeUp(40)
	job := glovebox.Job{Tier: glovebox.TierProcess, Env: map[string]string{"S": secret}, Secrets: map[string]string{"KEY": secret}, Program: python(
		"import gzip, io, os, pickle, tarfile, zipfile\nS = os.environ['S']\n" +
			"pickle.dump({'key': S}, open('a.pkl', 'wb'))\n" +
			"z = zipfile.ZipFile('b.zip', 'w', zipfile.ZIP_DEFLATED); z.writestr('a.txt', 'x' * 999 + S); z.close()\n" +
			"t = tarfile.open('c.tgz', 'w:gz'); i = tarfile.TarInfo('a'); i.size = len(S); t.addfile(i, io.BytesIO(S.encode())); t.close()\n" +
			"open('d.bin', 'wb').write(b'\\x00\\xff\\x01' + S.encode('utf-16'))\n" +
			"open('e.bin', 'wb').write(b'\\x00\\xff\\x01nothing')\n" +
			"open('f.txt', 'w').write(S)\n")}
	o := do(t, e, job)
	if len(o.Artifacts) != 6 {
		t.Fatalf("%s: artifacts %+v, refused %+v", o.Status, o.Artifacts, o.Refused)
	}
	for _, a := range o.Artifacts {
		if binary := a.Name < "e"; binary != slices.Equal(a.Secrets, []string{"secret:KEY"}) || a.Unscanned {
			t.Errorf("%+v", a)
		}
	}
	job.Withhold = true
	if o = do(t, e, job); len(o.Artifacts) != 2 || len(o.Refused) != 4 || o.Status != glovebox.StatusPass {
		t.Errorf("with Withhold: artifacts %+v, refused %+v", o.Artifacts, o.Refused)
	}
}
