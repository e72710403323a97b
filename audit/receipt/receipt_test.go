package receipt

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/keys"
)

// key is a Signer with a key that a byte makes.
type key struct {
	private      ed25519.PrivateKey
	since, until time.Time
}

func newKey(seed byte) *key {
	return &key{private: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))}
}

func (k *key) Public() keys.Public {
	return keys.Public{Key: k.private.Public().(ed25519.PublicKey), Since: k.since, Until: k.until}
}

func (k *key) Sign(_ context.Context, message []byte) ([]byte, error) {
	return ed25519.Sign(k.private, message), nil
}

func testJob() glovebox.Job {
	return glovebox.Job{
		Program: &glovebox.Program{Language: "python", Main: "main.py", Files: []glovebox.File{{Path: "main.py", Data: []byte("print(1)")}}},
		Tests:   []glovebox.File{{Path: "test_main.py", Data: []byte("assert True")}},
		Env:     map[string]string{"MODE": "fast"}, Stdin: []byte("in"),
	}
}

func testObservation() *glovebox.Observation {
	code := 0
	return &glovebox.Observation{ID: "run_1", Status: glovebox.StatusPass, ExitCode: &code, Stdout: "1\n", Tier: glovebox.TierGVisor,
		Policy: &glovebox.Policy{Name: "p", Hash: "h"}, Isolation: []glovebox.Control{{Name: "network", Enforced: true, How: "no device"}},
		Artifacts: []glovebox.Artifact{{Name: "a.txt", SHA256: strings.Repeat("a", 64), Size: 3}}}
}

func testStatement(t testing.TB) Statement {
	t.Helper()
	s, err := New(testJob(), nil, testObservation(), Facts{Glovebox: "v0", Toolchain: map[string]string{"python": "3.12"}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func testEnvelope(t testing.TB, k *key) []byte {
	t.Helper()
	e, err := Sign(t.Context(), k, testStatement(t))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// seal signs any payload under any type.
func seal(t testing.TB, k *key, payloadType, payload string) []byte {
	t.Helper()
	sig := ed25519.Sign(k.private, dsse.PAE(payloadType, []byte(payload)))
	e, err := json.Marshal(dsse.Envelope{PayloadType: payloadType, Payload: base64.StdEncoding.EncodeToString([]byte(payload)),
		Signatures: []dsse.Signature{{Sig: base64.StdEncoding.EncodeToString(sig)}}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestRoundTrip(t *testing.T) {
	k := newKey(1)
	got, err := Verify(append(testEnvelope(t, k), '\n'), []keys.Public{newKey(2).Public(), k.Public()})
	if err != nil {
		t.Fatal(err)
	}
	if got.Predicate.Issued.IsZero() {
		t.Error("Issued is not set")
	}
	got.Predicate.Issued = time.Time{}
	if want := testStatement(t); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestEveryFlippedByte(t *testing.T) {
	k := newKey(1)
	envelope := testEnvelope(t, k)
	want, err := Verify(envelope, []keys.Public{k.Public()})
	if err != nil {
		t.Fatal(err)
	}
	for i := range envelope {
		for _, mask := range []byte{1, 0x20, 0x80} {
			changed := slices.Clone(envelope)
			changed[i] ^= mask
			if got, err := Verify(changed, []keys.Public{k.Public()}); err == nil && !reflect.DeepEqual(got, want) {
				t.Fatalf("byte %d ^ %#x gives another statement", i, mask)
			}
		}
	}
}

func TestTampering(t *testing.T) {
	k := newKey(1)
	good := string(testEnvelope(t, k))
	_, raw, err := open([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	payload := string(raw)
	other := strings.Replace(payload, `"status":"pass"`, `"status":"timeout"`, 1)
	for name, envelope := range map[string]string{
		"payload swapped":       strings.Replace(good, base64.StdEncoding.EncodeToString(raw), base64.StdEncoding.EncodeToString([]byte(other)), 1),
		"another key":           string(testEnvelope(t, newKey(2))),
		"payload type":          string(seal(t, k, "text/plain", payload)),
		"payload type unsigned": strings.Replace(good, PayloadType, "text/plain", 1),
		"extra field outside":   strings.Replace(good, "{", `{"x":1,`, 1),
		"extra field inside":    string(seal(t, k, PayloadType, strings.Replace(payload, "{", `{"x":1,`, 1))),
		"repeated field":        string(seal(t, k, PayloadType, strings.Replace(payload, `"status":"pass"`, `"status":"timeout","status":"pass"`, 1))),
		"repeated outside":      strings.Replace(good, "{", `{"payload":"",`, 1),
		"field in capitals":     string(seal(t, k, PayloadType, strings.Replace(payload, `"status"`, `"STATUS"`, 1))),
		"white space":           string(seal(t, k, PayloadType, payload+" ")),
		"base64 form":           strings.Replace(good, base64.StdEncoding.EncodeToString(raw), base64.RawStdEncoding.EncodeToString(raw)+"\\n", 1),
		"trailing object":       good + "{}",
		"no signature":          good[:strings.Index(good, `"signatures"`)] + `"signatures":[]}`,
		"other statement type":  string(seal(t, k, PayloadType, strings.Replace(payload, StatementType, StatementType+"2", 1))),
		"other predicate":       string(seal(t, k, PayloadType, strings.Replace(payload, PredicateType, PredicateType+"2", 1))),
		"other subject":         string(seal(t, k, PayloadType, strings.Replace(payload, programName, "x", 1))),
		"nested":                strings.Repeat("[", 100000),
		"nested payload":        string(seal(t, k, PayloadType, strings.Repeat(`{"subject":`, 20000))),
		"huge":                  strings.Repeat(" ", maxBytes+1),
		"empty":                 "", "null": "null",
	} {
		if _, err := Verify([]byte(envelope), []keys.Public{k.Public()}); err == nil {
			t.Errorf("%s: verified", name)
		}
	}
	if _, err := Verify([]byte(good), nil); err == nil {
		t.Error("verified without a key")
	}
}

func TestTwoSignatures(t *testing.T) {
	k := newKey(1)
	var e dsse.Envelope
	if err := json.Unmarshal(testEnvelope(t, k), &e); err != nil {
		t.Fatal(err)
	}
	e.Signatures = append([]dsse.Signature{{KeyID: k.Public().ID(), Sig: base64.StdEncoding.EncodeToString(make([]byte, 64))}}, e.Signatures...)
	envelope, _ := json.Marshal(e)
	if _, err := Verify(envelope, []keys.Public{k.Public()}); err != nil {
		t.Errorf("a good signature beside a bad one: %v", err)
	}
	e.Signatures = slices.Repeat(e.Signatures, maxSignatures)
	envelope, _ = json.Marshal(e)
	if _, err := Verify(envelope, []keys.Public{k.Public()}); err == nil {
		t.Error("too many signatures verified")
	}
}

func TestKeySpan(t *testing.T) {
	k := newKey(1)
	envelope := testEnvelope(t, k)
	for name, p := range map[string]keys.Public{
		"lapsed":  {Key: k.Public().Key, Until: time.Now().Add(-time.Hour)},
		"not yet": {Key: k.Public().Key, Since: time.Now().Add(time.Hour)},
	} {
		if _, err := Verify(envelope, []keys.Public{p}); err == nil {
			t.Errorf("%s: verified", name)
		}
	}
}

// TestCanary plants a text in each string of a Job and an Observation. The receipt may
// hold the text only where a name is meant to be shown.
func TestCanary(t *testing.T) {
	const canary = "c4nary"
	job, obs := testJob(), testObservation()
	plant(reflect.ValueOf(&job).Elem(), canary, 0)
	plant(reflect.ValueOf(obs).Elem(), canary, 0)
	job.Command = nil
	s, err := New(job, nil, obs, Facts{})
	if err != nil {
		t.Fatal(err)
	}
	leaves := map[string]string{}
	flatten("", s, leaves)
	got := map[string]bool{}
	for path, value := range leaves {
		if strings.Contains(path+value, canary) {
			got[strings.Join(strings.FieldsFunc(path, func(r rune) bool { return r == '"' || r == '[' }), "|")] = true
		}
	}
	shown := []string{"subject", "inputs.language", "inputs.files", "inputs.tests", "inputs.inputs", "inputs.env", "under.policy", "under.tier", "under.controls", "under.image",
		"result.status", "result.phase", "result.signal", "result.limit", "result.tests.proof", "result.artifacts", "context.run", "context.audit"}
	for path := range got {
		path = strings.TrimPrefix(strings.TrimPrefix(path, "."), "predicate.")
		if !slices.ContainsFunc(shown, func(p string) bool { return strings.HasPrefix(path, p) }) {
			t.Errorf("the canary is at %s", path)
		}
	}
	if len(got) == 0 {
		t.Error("the canary was not planted")
	}
}

func plant(v reflect.Value, canary string, depth int) {
	if depth > 8 || v.Type() == reflect.TypeFor[time.Time]() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(canary)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		plant(v.Elem(), canary, depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			plant(v.Field(i), canary, depth+1)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(canary))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		plant(v.Index(0), canary, depth+1)
	case reflect.Map:
		elem := reflect.New(v.Type().Elem()).Elem()
		plant(elem, canary, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(canary).Convert(v.Type().Key()), elem)
	}
}

type runner func(glovebox.Job) (*glovebox.Observation, error)

func (r runner) Run(_ context.Context, j glovebox.Job) (*glovebox.Observation, error) { return r(j) }

func TestReplay(t *testing.T) {
	old := testStatement(t)
	facts := Facts{Toolchain: map[string]string{"python": "3.12"}, Kernel: "other"}
	same := runner(func(glovebox.Job) (*glovebox.Observation, error) { return testObservation(), nil })
	r, err := Replay(t.Context(), same, old, testJob(), nil, facts)
	if err != nil || len(r.Differences) != 0 {
		t.Errorf("same run: %v, %v", r.Differences, err)
	}
	changed := runner(func(glovebox.Job) (*glovebox.Observation, error) {
		o := testObservation()
		o.Stdout, o.Status, o.Tier = "2\n", glovebox.StatusTimeout, glovebox.TierProcess
		return o, nil
	})
	r, err = Replay(t.Context(), changed, old, testJob(), nil, facts)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, d := range r.Differences {
		paths = append(paths, fmt.Sprintf("%s %s %d", d.Group, d.Path, len(d.Causes)))
	}
	if want := []string{"inputs under.tier 0", "result result.status 0", "result result.stdout.sha256 6"}; !slices.Equal(paths, want) {
		t.Errorf("got %q, want %q", paths, want)
	}
	never := runner(func(glovebox.Job) (*glovebox.Observation, error) { t.Error("a changed job ran"); return nil, nil })
	for want, change := range map[string]func(*glovebox.Job){
		"main.py":      func(j *glovebox.Job) { j.Program.Files[0].Data[0] ^= 1 },
		"test_main.py": func(j *glovebox.Job) { j.Tests[0].Data[0] ^= 1 },
		"env.MODE":     func(j *glovebox.Job) { j.Env["MODE"] = "slow" },
		"stdin":        func(j *glovebox.Job) { j.Stdin = nil },
		"job":          func(j *glovebox.Job) { j.Limits.Memory = 1 },
	} {
		job := testJob()
		change(&job)
		if _, err := Replay(t.Context(), never, old, job, nil, facts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
}

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		before, after string
		want          []Cause
	}{
		{"x", "x", nil},
		{"at 2026-01-02 10:00:00", "at 2026-01-02 10:00:01", []Cause{CauseTime}},
		{"1767222000.123", "1767222001.5", []Cause{CauseTime}},
		{"<object at 0x7f0011223344>", "<object at 0x7f0011aa3344>", []Cause{CauseAddresses}},
		{"pid 12", "pid 13", []Cause{CausePID}},
		{"0.8444218515250481", "0.7579544029403025", []Cause{CauseEntropy}},
		{"a\nb", "b\na", []Cause{CauseParallelism}},
		{"red", "blue", nil},
	} {
		if got := Classify(c.before, c.after); !slices.Equal(got, c.want) {
			t.Errorf("Classify(%q, %q) = %v, want %v", c.before, c.after, got, c.want)
		}
	}
}

// TestOpenSSL verifies a receipt's signature with another implementation.
func TestOpenSSL(t *testing.T) {
	version, err := exec.Command("openssl", "version").Output()
	if err != nil || !strings.HasPrefix(string(version), "OpenSSL 3.") {
		t.Skipf("needs OpenSSL 3: %q, %v", version, err)
	}
	k, dir := newKey(1), t.TempDir()
	e, payload, err := open(testEnvelope(t, k))
	if err != nil {
		t.Fatal(err)
	}
	sig, _ := decode(e.Signatures[0].Sig)
	message := dsse.PAE(PayloadType, payload)
	verify := func(message []byte) ([]byte, error) {
		for name, data := range map[string][]byte{"pub.pem": k.Public().PEM(), "sig": sig, "pae": message} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "pub.pem", "-rawin", "-in", "pae", "-sigfile", "sig")
		cmd.Dir = dir
		return cmd.CombinedOutput()
	}
	if out, err := verify(message); err != nil {
		t.Errorf("openssl refuses: %v: %s", err, out)
	}
	message[len(message)-1] ^= 1
	if out, err := verify(message); err == nil {
		t.Errorf("openssl accepts a changed message: %s", out)
	}
}

func FuzzVerify(f *testing.F) {
	k := newKey(1)
	envelope := testEnvelope(f, k)
	want, err := Verify(envelope, []keys.Public{k.Public()})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(envelope)
	f.Add([]byte(`{"payload":"","payloadType":"` + PayloadType + `","signatures":[{"sig":""}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, err := Verify(data, []keys.Public{k.Public()}); err == nil && !reflect.DeepEqual(got.Predicate.Inputs, want.Predicate.Inputs) {
			t.Errorf("forged: %s", data)
		}
	})
}
