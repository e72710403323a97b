package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// logs write a line of what tools print and lock files hold, without a secret
// in it. The values are random, so that no line is the last one's.
var logs = map[string]func(b *bytes.Buffer, g *gen){
	"go test -v": func(b *bytes.Buffer, g *gen) {
		n := g.camel()
		fmt.Fprintf(b, "=== RUN   Test%s%d\n=== RUN   Test%[1]s%[2]d/%[3]s_%[4]d\n--- PASS: Test%[1]s%[2]d (0.%02[5]ds)\n    --- PASS: Test%[1]s%[2]d/%[3]s_%[4]d (0.00s)\nPASS\nok  \texample.com/%[3]s/v%[6]d\t%.3[7]fs\n",
			n, g.IntN(100), g.word(), g.IntN(64), g.IntN(99), 2+g.IntN(9), g.Float64())
	},
	"pytest": func(b *bytes.Buffer, g *gen) {
		fmt.Fprintf(b, "tests/test_%s.py::Test%s::test_%s_%d[%s-%d] PASSED [ %d%%]\nE       assert '%s' == '%s'\nE         - %s\n", g.word(), g.camel(), g.word(), g.IntN(99), g.word(), g.IntN(999), g.IntN(100), g.hex(32), g.hex(32), g.uuid())
	},
	"npm": func(b *bytes.Buffer, g *gen) {
		fmt.Fprintf(b, "npm http fetch GET 200 https://registry.npmjs.org/%s-pass/-/%[1]s-pass-%[2]d.%[3]d.%[4]d.tgz %[5]dms (cache miss)\nnpm warn deprecated %[6]s@%[7]d.%[8]d.%[9]d: use @%[1]s/token-%[10]d instead\n├── minipass@%[11]d.%[12]d.%[13]d\n└─┬ parse-passwd@1.0.%[14]d\n",
			g.word(), g.IntN(9), g.IntN(20), g.IntN(20), g.IntN(2000), g.word(), g.IntN(9), g.IntN(9), g.IntN(9), g.IntN(9), g.IntN(9), g.IntN(9), g.IntN(9), g.IntN(9))
	},
	"package-lock.json": func(b *bytes.Buffer, g *gen) {
		n := g.word() + []string{"-pass", "-token", "-key", "-secret", "pass", ""}[g.IntN(6)]
		fmt.Fprintf(b, "    \"node_modules/%s\": {\n      \"version\": \"%d.%d.%d\",\n      \"resolved\": \"https://registry.npmjs.org/%[1]s/-/%[1]s-%[2]d.%[3]d.%[4]d.tgz\",\n      \"integrity\": \"sha512-%[5]s\",\n      \"dependencies\": { \"mini%[1]s\": \"^%[2]d.%[3]d.%[4]d\", \"fs-minipass\": \"^3.0.%[3]d\" }\n    },\n",
			n, g.IntN(20), g.IntN(20), g.IntN(20), g.base64(64))
	},
	"yarn.lock": func(b *bytes.Buffer, g *gen) {
		fmt.Fprintf(b, "\"@%s/%s-token@npm:^%d.%d.0\":\n  version: %[3]d.%[4]d.0\n  resolution: \"@%[1]s/%[2]s-token@npm:%[3]d.%[4]d.0\"\n  checksum: 10c0/%s\n  languageName: node\n", g.word(), g.word(), g.IntN(9), g.IntN(9), g.hex(128))
	},
	"pnpm-lock.yaml": func(b *bytes.Buffer, g *gen) {
		fmt.Fprintf(b, "  /%s-key@%d.%d.%d:\n    resolution: {integrity: sha512-%s}\n    engines: {node: '>=%d'}\n    dependencies:\n      minipass: %d.%d.%d\n      parse-passwd: 1.0.%d\n", g.word(), g.IntN(9), g.IntN(9), g.IntN(9), g.base64(64), g.IntN(20), g.IntN(9), g.IntN(9), g.IntN(9), g.IntN(9))
	},
	"cargo": func(b *bytes.Buffer, g *gen) {
		fmt.Fprintf(b, "   Compiling %s-token v%d.%d.%d\n     Running `rustc --crate-name %s --edition=2021 -C metadata=%s -C extra-filename=-%s --out-dir target/debug/deps`\ntest %s::tests::key_%d ... ok\n", g.word(), g.IntN(9), g.IntN(9), g.IntN(9), g.word(), g.hex(16), g.hex(16), g.word(), g.IntN(99))
	},
	"Cargo.lock": func(b *bytes.Buffer, g *gen) {
		fmt.Fprintf(b, "[[package]]\nname = \"%s-keyring\"\nversion = \"%d.%d.%d\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"%s\"\n\n", g.word(), g.IntN(9), g.IntN(9), g.IntN(9), g.hex(64))
	},
	"poetry.lock": func(b *bytes.Buffer, g *gen) {
		fmt.Fprintf(b, "    {file = \"%s_token-%d.%d.%d-py3-none-any.whl\", hash = \"sha256:%s\"},\n    {url = \"https://files.pythonhosted.org/packages/%s/%s/%s/x.tar.gz\", hash = \"sha256:%s\", size = %d},\n", g.word(), g.IntN(9), g.IntN(9), g.IntN(9), g.hex(64), g.hex(2), g.hex(2), g.hex(60), g.hex(64), g.IntN(1e6))
	},
	"go.sum": func(b *bytes.Buffer, g *gen) {
		fmt.Fprintf(b, "github.com/%s/%s-key v%d.%d.%d h1:%s\ngithub.com/%[1]s/%[2]s-key v0.0.0-20%02[7]d1122190501-%[8]s/go.mod h1:%[9]s\n", g.word(), g.word(), g.IntN(9), g.IntN(9), g.IntN(9), g.base64(32), 10+g.IntN(16), g.hex(12), g.base64(32))
	},
	"UUIDs": func(b *bytes.Buffer, g *gen) {
		fmt.Fprintf(b, "%s,%s,%s,%d\n", g.uuid(), strings.ToUpper(g.uuid()), g.word(), g.IntN(1e9))
	},
	"hashes": func(b *bytes.Buffer, g *gen) {
		fmt.Fprintf(b, "%s  %s.tar.gz\n%s\t%s\tsha256:%s\n%s\n", g.hex(32), g.word(), g.hex(40), g.hex(64), g.hex(64), g.hex(128))
	},
	"base64": func(b *bytes.Buffer, g *gen) { fmt.Fprintf(b, "%s\n", g.base64(57)) },
	"JSON records": func(b *bytes.Buffer, g *gen) {
		fmt.Fprintf(b, "{\"id\":\"%s\",\"idempotency_key\":\"%s\",\"cache_key\":\"%s\",\"user\":\"%s\",\"etag\":\"\\\"%s\\\"\",\"tokens\":%d,\"token_count\":%d,\"primary_key\":\"%s\",\"pass\":true,\"s3_key\":\"%s/%s.parquet\"}\n", g.uuid(), g.hex(32), g.hex(64), g.word(), g.hex(32), g.IntN(9999), g.IntN(9999), g.uuid(), g.hex(8), g.uuid())
	},
	"git log": func(b *bytes.Buffer, g *gen) {
		fmt.Fprintf(b, "commit %s\nAuthor: %s <%s@example.com>\nindex %s..%s 100644\n\n    %s: pass the token to %s (#%d)\n", g.hex(40), g.camel(), g.word(), g.hex(11), g.hex(11), g.word(), g.camel(), g.IntN(9999))
	},
	"docker": func(b *bytes.Buffer, g *gen) {
		fmt.Fprintf(b, "#%d %d.%03d Get:%d http://deb.debian.org/debian trixie/main amd64 lib%s-key%d [%d kB]\n#%[1]d sha256:%[8]s %[9]d.%[10]dMB / %[11]d.%[12]dMB\n", g.IntN(40), g.IntN(99), g.IntN(999), g.IntN(99), g.word(), g.IntN(9), g.IntN(999), g.hex(64), g.IntN(99), g.IntN(9), g.IntN(99), g.IntN(9))
	},
	"training": func(b *bytes.Buffer, g *gen) {
		fmt.Fprintf(b, "epoch %d pass %d/%d: loss=%.6f tokens=%d tok/s=%d lr=%.3e key_dim=%d passes=%dof%d first_pass=epoch%d\n", g.IntN(99), g.IntN(9), g.IntN(99), g.Float64(), g.IntN(1e6), g.IntN(1e6), g.Float64(), g.IntN(512), g.IntN(9), g.IntN(99), g.IntN(99))
	},
}

// gen makes what stands in the lines.
type gen struct{ *rand.Rand }

var logWords = strings.Fields("alpha auth buffer cache client config core data event file graph hash http index json key lexer log math node parser pass path query regex router schema secret server session socket stream string token tree type user util value vector view web xml yaml zone")

func (g *gen) word() string { return logWords[g.IntN(len(logWords))] }

func (g *gen) camel() string {
	s := ""
	for range 1 + g.IntN(3) {
		w := g.word()
		s += strings.ToUpper(w[:1]) + w[1:]
	}
	return s
}

func (g *gen) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}

func (g *gen) hex(n int) string { return hex.EncodeToString(g.bytes((n + 1) / 2))[:n] }

func (g *gen) base64(n int) string { return base64.StdEncoding.EncodeToString(g.bytes(n)) }

func (g *gen) uuid() string {
	h := g.hex(32)
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
}

// TestNoFalseAlarms: nothing is redacted in 51 MB of logs, lock files and
// tables. GLOVEBOX_LOGS names a directory of real ones, which are looked at too.
func TestNoFalseAlarms(t *testing.T) {
	size := 3 << 20
	if testing.Short() {
		size = 100 << 10
	}
	for name, line := range logs {
		g := &gen{rand.New(rand.NewPCG(5, uint64(len(name))))}
		var b bytes.Buffer
		for b.Len() < size {
			line(&b, g)
		}
		if n := alarms(t, name, b.Bytes()); n > 0 {
			t.Errorf("%s: %d false alarms", name, n)
		}
	}
	dir := os.Getenv("GLOVEBOX_LOGS")
	if dir == "" {
		return
	}
	total, bytes := 0, 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		bytes += len(text)
		total += alarms(t, path, text)
		return nil
	})
	if t.Logf("%s: %d redactions in %d MB", dir, total, bytes>>20); err != nil {
		t.Error(err)
	}
}

// alarms redacts a text and shows some of what was redacted.
func alarms(t *testing.T, name string, text []byte) int {
	r := New(Config{})
	out := r.Bytes(name, text)
	n := 0
	for _, c := range r.Counts() {
		n += c.Count
	}
	shown := 0
	lines, clean := bytes.SplitAfter(text, []byte("\n")), bytes.SplitAfter(out, []byte("\n"))
	for i := 0; n > 0 && len(lines) == len(clean) && i < len(lines) && shown < 4; i++ {
		if !bytes.Equal(lines[i], clean[i]) {
			t.Logf("%s: %.300q became %.300q", name, lines[i], clean[i])
			shown++
		}
	}
	return n
}
