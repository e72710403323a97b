package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// ours are the texts of an Observation that only Glovebox writes, by path.
// Whoever adds a field must say here that no program can put a secret into it,
// or redact it.
var ours = []string{
	".ID", ".Status", ".Phase", ".NextAction", ".Signal", ".Limit", ".Evidence.Source", ".Tests.Proof", ".Tests.Cases.Proof", ".Tests.Cases.Status",
	".Denials.Rule", ".Denials.Where", ".Findings.Rule", ".Findings.Severity", ".Redactions.Rule", ".Redactions.Stream", ".Artifacts.ID", ".Artifacts.MIME", ".Artifacts.SHA256", ".Artifacts.Secrets",
	".Extraction.Format", ".Language", ".Tier", ".Isolation.Name", ".Policy.Name", ".Policy.Hash", ".Image", ".Session", ".TraceID", ".Receipt",
	".Approval.ID", ".Approval.Job", ".Approval.Policy", ".Approval.Asked.Rule", ".Approval.Asked.Where", ".Audit.ID", ".Audit.Checkpoint",
}

// fill puts s into every string of v, one element into every slice.
func fill(v reflect.Value, s string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), s)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), s)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type() == reflect.TypeFor[time.Time]() {
				return
			}
			fill(v.Field(i), s)
		}
	}
}

// texts calls f with the path of every string of v.
func texts(v reflect.Value, path string, f func(path, text string)) {
	switch v.Kind() {
	case reflect.String:
		f(path, v.String())
	case reflect.Pointer:
		if !v.IsNil() {
			texts(v.Elem(), path, f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			texts(v.Index(i), path, f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			texts(v.Field(i), path+"."+v.Type().Field(i).Name, f)
		}
	}
}

func TestObservation(t *testing.T) {
	const secret, found = "hV7-qq02/Zz1", "k3Jd82mXq0PzL7vB4nTs"
	o := &glovebox.Observation{}
	fill(reflect.ValueOf(o).Elem(), "x "+secret+" y")
	r := New(Config{Secrets: map[string]string{"A": secret}})
	r.Observation(o)
	texts(reflect.ValueOf(o), "", func(path, text string) {
		switch mine := slices.Contains(ours, path); {
		case strings.HasPrefix(path, ".Redactions"):
		case mine && text != "x "+secret+" y":
			t.Errorf("%s became %q", path, text)
		case !mine && text != "x [redacted:secret:A] y":
			t.Errorf("%s is %q: redact it, or name it in ours", path, text)
		}
	})
	n := 0
	for _, c := range o.Redactions {
		n += c.Count
	}
	if n < 20 {
		t.Errorf("only %d redactions are counted: %v", n, o.Redactions)
	}
	once, _ := json.Marshal(o)
	r.Observation(o)
	if twice, _ := json.Marshal(o); string(once) != string(twice) {
		t.Errorf("redacting again changes\n%s to\n%s", once, twice)
	}
	late := &glovebox.Observation{Stdout: "bare " + found, Tests: &glovebox.TestReport{Reason: "api_key='" + found + "'"}, Feedback: found,
		Stderr: base64.StdEncoding.EncodeToString([]byte(found)), Message: "got '" + found[:9] + "... 9 more characters", Hints: []string{hex.EncodeToString([]byte(found))}}
	New(Config{}).Observation(late)
	if all, _ := json.Marshal(late); leaves(string(all), found) != "" && len(leaves(string(all), found)) > 3 || len(late.Stderr) > 40 || len(late.Hints[0]) > 30 {
		t.Errorf("what a later text gives away stays in an earlier: %s", all)
	}
	New(Config{}).Observation(&glovebox.Observation{}) // nothing to do, nothing to break
}
