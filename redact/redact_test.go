package redact

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/gloveboxhq/glovebox"
)

// planted are secrets of several rules, each with what must not be left. They
// are put together here so that no scanner of this source takes them for real.
var planted = []struct{ rule, text, secret string }{
	{"github-pat", "token ghp_" + "XIxB7KMNdAr3zqWtQqhE94qglHqOzn1D1stg done", "XIxB7KMNdAr3zqWtQqhE94qglHqOzn1D1stg"},
	{"aws-access-key", "id AKIA" + "Q3EGSZ7XKJTWPLNB.", "Q3EGSZ7XKJTWPLNB"},
	{"url-password", "postgres://app:" + "tr0ub4dor@db.internal:5432/x", "tr0ub4dor"},
	{"generic-password", `{"password": "` + `correct-horse9"}`, "correct-horse9"},
	{"generic-secret", "export APP_SECRET=" + "k3Jd82mXq0PzL7vB4nTs", "k3Jd82mXq0PzL7vB4nTs"},
	{"jwt", "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U", "dozjgNryP4J3jVmNHl0w5N"},
	{"authorization-header", "Authorization: Basic " + "QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "QWxhZGRpbjpvcGVuIHNlc2FtZQ"},
	{"telegram-token", "bot 4839574813:" + "AAFD39kkdpWt3ywyRZergyOLMaJhac61qcx", "AAFD39kkdpWt3ywyRZergyOLMaJhac61qcx"},
	{"azure-devops-token", "x 6RtqHqPc66Y6DYbkydbrrFJTYnRoA7r40ts7LWS2SkINSFsRABxhJQQJ99BFACAAAAALGcqj" + "AAASAZDO3eqU y", "LWS2SkINSFsRABxhJQQ"},
	{"private-key", pemKey(40), pemKey(40)[80:120]},
	{"aws-secret-key", "AKIA" + "Q3EGSZ7XKJTWPLNB\nsecret: " + "0qk+o7XctJMmG6ydO8537c9/TofLJU1K0PiVBXSg\n", "0qk+o7XctJMmG6ydO8537c9"},
}

// pemKey is a private key in PEM of n lines of noise.
func pemKey(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 48*n)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	body := base64.StdEncoding.EncodeToString(noise)
	var b strings.Builder
	b.WriteString("-----BEGIN RSA PRIVATE" + " KEY-----\n")
	for line := range slices.Chunk([]byte(body), 64) {
		b.Write(line)
		b.WriteByte('\n')
	}
	b.WriteString("-----END RSA PRIVATE" + " KEY-----\n")
	return b.String()
}

// stream redacts text as a stream cut into pieces of the sizes that next says.
func stream(t testing.TB, r *Redactor, text string, next func() int) string {
	t.Helper()
	var out bytes.Buffer
	w := r.Writer("stdout", &out)
	for text != "" {
		n := min(max(1, next()), len(text))
		if _, err := io.WriteString(w, text[:n]); err != nil {
			t.Fatal(err)
		}
		text = text[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestRules(t *testing.T) {
	for _, p := range planted {
		r := New(Config{})
		out := r.String("stdout", p.text)
		if strings.Contains(out, p.secret) || !strings.Contains(out, "[redacted:"+p.rule+"]") {
			t.Errorf("%s: %q became %q", p.rule, p.text, out)
		}
		if again := r.String("stdout", out); again != out {
			t.Errorf("%s: redacting %q again gives %q", p.rule, out, again)
		}
		for i := range len(p.text) {
			at := i
			cut := stream(t, r, p.text, func() int { n := at; at = len(p.text); return max(n, 1) })
			if cut != out {
				t.Fatalf("%s cut at %d: %q, want %q", p.rule, i, cut, out)
			}
		}
	}
}

// TestPassThrough: what is no secret passes byte for byte.
func TestPassThrough(t *testing.T) {
	r := New(Config{Secrets: map[string]string{"KEY": "Zq81-kkfP2-0xA"}})
	for _, text := range []string{
		"", "\n", "plain\r\ntext\n", "\xff\xfe\x00 invalid \xc3( utf-8\n", "\x1b[31mred\x1b[0m\n", "tests passed: 12, failed: 0\n",
		"password: ", "password=None", "def login(user, password=None):\n    return password == user.password\n", "Password required\n",
		"token = next(tokens)\n", "secret_key = os.environ['SECRET_KEY']\n", "api_key: str = field(default='')\n", "commit 43fc912ef59a83054ea7f6706df4d53a7dea4d80\n",
		"https://example.com:8080/path?q=1@2\n", "mailto:someone@example.com\n", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
		"5d41402abc4b2a76b9719d911017c592  file\n", "[redacted:github-pat] and [redacted:secret:KEY]\n", "tokenize(words)\nsecretary: Ann\n",
		"task-1234567890abcdef\nasia, sk-learn, hf_hub\n",
		"assert candidate('password') == '5f4dcc3b5aa765d61d8327deb882cf99'\n", "__all__ = ['getpass', 'GetPassWarning']\n", "user=None, password=None, x\n", "PASS = 0x7447\n",
	} {
		if out := r.String("stdout", text); out != text {
			t.Errorf("%q became %q", text, out)
		}
		if out := stream(t, r, text, func() int { return 1 }); out != text {
			t.Errorf("as a stream %q became %q", text, out)
		}
	}
	if c := r.Counts(); len(c) != 0 {
		t.Errorf("counted %v", c)
	}
}

// TestNamed: a value that the caller names is found in every form that the
// documentation promises.
func TestNamed(t *testing.T) {
	const secret = `pa55 "word"/é+<x>&\end`
	r := New(Config{Secrets: map[string]string{"DB PASS": secret, "tiny": "abc", "pin": "8361"}})
	if got := r.Skipped(); !slices.Equal(got, []string{"tiny"}) {
		t.Errorf("Skipped() = %q", got)
	}
	var hexes []string
	for _, c := range []byte(secret) {
		hexes = append(hexes, hex.EncodeToString([]byte{c}))
	}
	reversed := []byte(secret)
	slices.Reverse(reversed)
	forms := map[string]string{
		"plain":            secret,
		"quoted":           strconv.Quote(secret),
		"ascii":            strconv.QuoteToASCII(secret),
		"json":             `pa55 \"word\"/\u00e9+<x>&\\end`,
		"json for html":    `pa55 \"word\"/é+\u003cx\u003e\u0026\\end`,
		"html":             html.EscapeString(secret),
		"query":            url.QueryEscape(secret),
		"path":             url.PathEscape(secret),
		"lower query":      strings.ToLower(url.QueryEscape(secret)),
		"hex":              strings.Join(hexes, ""),
		"upper hex":        strings.ToUpper(strings.Join(hexes, "")),
		"hexdump":          strings.Join(hexes, " "),
		"colon hex":        strings.Join(hexes, ":"),
		"escaped hex":      `\x` + strings.Join(hexes, `\x`),
		"0x hex":           "0x" + strings.Join(hexes, ", 0x"),
		"percent":          "%" + strings.Join(hexes, "%"),
		"html of Python":   `pa55 &quot;word&quot;/é+&lt;x&gt;&amp;\end`,
		"html, no quotes":  `pa55 "word"/é+&lt;x&gt;&amp;\end`,
		"html by number":   perRune(secret, "&#%d;"),
		"html by digit":    perRune(secret, "&#x%X;"),
		"ascii of Python":  `'pa55 "word"/\xe9+<x>&\\end'`,
		"repr of bytes":    `b'pa55 "word"/\xc3\xa9+<x>&\\end'`,
		"decimal lines":    strings.ReplaceAll(strings.Trim(fmt.Sprint([]byte(secret)), "[]"), " ", "\n"),
		"hex lines":        strings.Join(hexes, "\n"),
		"UTF-16":           utf16le(secret),
		"Go's %#v":         fmt.Sprintf("%#v", []byte(secret)),
		"runes reversed":   reverse(secret),
		"base32":           base32.StdEncoding.EncodeToString([]byte(secret)),
		"bytes":            strings.Trim(fmt.Sprint([]byte(secret)), "[]"),
		"list of bytes":    strings.ReplaceAll(strings.Trim(fmt.Sprint([]byte(secret)), "[]"), " ", ", "),
		"reversed":         string(reversed),
		"spaced":           strings.Join(strings.Split(secret, ""), " "),
		"list":             `['` + strings.Join(strings.Split(secret, ""), `', '`) + `']`,
		"lines":            strings.Join(strings.Split(secret, ""), "\r\n"),
		"coloured":         strings.Join(strings.Split(secret, ""), "\x1b[1;31m"),
		"after an escape":  "\x1b" + secret,
		"after a sequence": "\x1b[" + secret,
		"wide":             strings.Join(strings.Split(secret, ""), "\x00"),
	}
	for i, pre := range []string{"", "a", "ab"} {
		forms[fmt.Sprint("base64 ", i)] = base64.StdEncoding.EncodeToString([]byte(pre + secret + "tail"))
		forms[fmt.Sprint("url base64 ", i)] = base64.RawURLEncoding.EncodeToString([]byte(pre + secret))
	}
	const marker = "[redacted:secret:DB_PASS]"
	for name, form := range forms {
		text := "before " + form + " after\n"
		out := r.String("stdout", text)
		if !strings.Contains(out, marker) || !strings.HasPrefix(out, "before ") || !strings.HasSuffix(out, " after\n") {
			t.Errorf("%s: %q became %q", name, text, out)
		}
		for _, size := range []int{1, 7, 16} {
			if cut := stream(t, r, text, func() int { return size }); cut != out {
				t.Errorf("%s in pieces of %d: %q, want %q", name, size, cut, out)
			}
		}
		if again := r.String("stdout", out); again != out {
			t.Errorf("%s: redacting %q again gives %q", name, out, again)
		}
	}
	if out := r.String("stdout", "pin 8361, not 8 361 or 83610"); out != "pin [redacted:secret:pin], not 8 361 or [redacted:secret:pin]0" {
		t.Errorf("a short secret: %q", out)
	}
	if out := r.String("stdout", `cut: pa55 "word"/é`); strings.Contains(out, "pa55") {
		t.Errorf("a secret that the end of the stream cuts: %q", out)
	}
}

// perRune writes each character of s by a verb.
func perRune(s, verb string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, verb, r)
	}
	return b.String()
}

func utf16le(s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

func reverse(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

// TestNamedLong: secrets of many lines are found line by line, and secrets
// longer than MaxSecret whole.
func TestNamedLong(t *testing.T) {
	key := strings.ReplaceAll(pemKey(12), "RSA PRIVATE KEY", "TOP THING")
	noise := strings.ReplaceAll(pemKey(400), "\n", "")[40:]
	r := New(Config{Secrets: map[string]string{"key": key, "noise": noise}})
	line := strings.Split(key, "\n")[5]
	for _, text := range []string{"line: " + line + "\n", base64.StdEncoding.EncodeToString([]byte("xy" + line)), key, noise, noise[:MaxSecret]} {
		out := r.String("stdout", text)
		if !strings.Contains(out, "[redacted:secret:") || strings.Contains(out, line[:32]) || len(out) > 200 {
			t.Errorf("%.60q became %.300q", text, out)
		}
		if cut := stream(t, r, text, func() int { return 1000 }); cut != out {
			t.Errorf("as a stream %.60q became %.300q", text, cut)
		}
	}
}

// TestLongKey: a private key of any length is swallowed to its end.
func TestLongKey(t *testing.T) {
	text := "a\n" + pemKey(3000) + "b\n"
	for name, form := range map[string]string{"plain": text, "json": strings.ReplaceAll(text, "\n", `\n`), "crlf": strings.ReplaceAll(text, "\n", "\r\n")} {
		r := New(Config{})
		want := strings.ReplaceAll("a\n[redacted:private-key]\nb\n", "\n", form[1:strings.IndexByte(form, '-')])
		if out := r.String("stdout", form); out != want {
			t.Errorf("%s: %.200q, want %q", name, out, want)
		}
		if out := stream(t, r, form, func() int { return 999 }); out != want {
			t.Errorf("%s, as a stream: %.200q, want %q", name, out, want)
		}
	}
}

func TestCounts(t *testing.T) {
	r := New(Config{Secrets: map[string]string{"A": "one-secret-value"}})
	r.String("stderr", "one-secret-value one-secret-value")
	r.Bytes("stdout", []byte(planted[0].text))
	stream(t, r, planted[0].text+"\n"+planted[1].text, func() int { return 5 })
	want := []glovebox.Redaction{
		{Rule: "secret:A", Stream: "stderr", Count: 2},
		{Rule: "aws-access-key", Stream: "stdout", Count: 1},
		{Rule: "github-pat", Stream: "stdout", Count: 2},
	}
	if got := r.Counts(); !slices.Equal(got, want) {
		t.Errorf("Counts() = %v, want %v", got, want)
	}
}

// TestLive: what is no candidate is not kept back.
func TestLive(t *testing.T) {
	var out bytes.Buffer
	w := New(Config{Secrets: map[string]string{"A": "one-secret-value"}}).Writer("stdout", &out)
	for _, step := range []struct{ in, want string }{
		{"line\n", "line\n"},
		{"> ", "line\n> "},
		{"password: ", "line\n> "},
		{"x\n", "line\n> password: x\n"},
	} {
		io.WriteString(w, step.in)
		if out.String() != step.want {
			t.Errorf("after %q: %q, want %q", step.in, out.String(), step.want)
		}
	}
	w.Close()
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriterErrors(t *testing.T) {
	w := New(Config{}).Writer("stdout", failing{})
	if _, err := w.Write([]byte("text \n")); err != io.ErrShortWrite {
		t.Errorf("Write: %v", err)
	}
	if err := w.Close(); err != io.ErrShortWrite {
		t.Errorf("Close: %v", err)
	}
	if _, err := w.Write([]byte("more")); err != io.ErrClosedPipe {
		t.Errorf("Write after Close: %v", err)
	}
}
