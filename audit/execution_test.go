package audit

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// operators are the fields that hold names of the operator's or of ours, which are in an
// entry as they are where they are plain names.
var operators = []string{
	"Job.Tenant", "Observation.ID", "Observation.Policy.Name", "Observation.Denials.Rule",
	"Observation.Approval.ID", "Observation.Redactions.Rule", "Observation.Findings.Rule", "Observation.Isolation.Name",
}

// plant sets each string under v to a canary that names its path.
func plant(v reflect.Value, path, canary string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(canary + strings.ReplaceAll(path, ".", ""))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		plant(v.Elem(), path, canary)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			plant(v.Field(i), path+"."+v.Type().Field(i).Name, canary)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(canary + path))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			plant(v.Index(i), path, canary)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		plant(key, path, canary)
		plant(value, path, canary)
		v.SetMapIndex(key, value)
	}
}

func entryOf(t *testing.T, canary string) string {
	t.Helper()
	var job glovebox.Job
	var o glovebox.Observation
	plant(reflect.ValueOf(&job).Elem(), "Job", canary)
	plant(reflect.ValueOf(&o).Elem(), "Observation", canary)
	data, err := Execution(&job, &o, Caller{Actor: "operator", Grant: "g1"}).encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestNoTextIsInAnEntry plants a canary in every string of a Job and its Observation.
func TestNoTextIsInAnEntry(t *testing.T) {
	for _, canary := range []string{"canary", "CANARY", "canary ", "canary\n\"", "SIGCANARY", "sha256:canary", "canary\u202e"} {
		text := entryOf(t, canary)
		for _, path := range operators {
			if name := canary + strings.ReplaceAll(path, ".", ""); plain().MatchString(name) {
				if !strings.Contains(text, `"`+name+`"`) {
					t.Errorf("%q: the name of %s is missing", canary, path)
				}
				text = strings.ReplaceAll(text, `"`+name+`"`, "")
			}
		}
		if i := strings.Index(strings.ToLower(text), "canary"); i >= 0 {
			t.Errorf("%q is in the entry: …%.80s", canary, text[max(0, i-40):])
		}
	}
}

func TestExecution(t *testing.T) {
	code := 0
	job := &glovebox.Job{Reply: "print(1)", Tenant: "acme", Image: "python@sha256:" + strings.Repeat("a", 64)}
	o := &glovebox.Observation{
		Status: glovebox.StatusPass, Phase: glovebox.PhaseTest, ExitCode: &code, Tier: glovebox.TierGVisor, Language: "python",
		Policy:     &glovebox.Policy{Name: "p", Hash: strings.Repeat("b", 64)},
		Redactions: []glovebox.Redaction{{Rule: "aws", Stream: "stdout", Count: 2}, {Rule: "aws", Stream: "stderr", Count: 1}},
		Isolation:  []glovebox.Control{{Name: "seccomp", Enforced: true}}, Stdout: "1\n",
	}
	for _, tc := range []struct {
		status    glovebox.Status
		kind      Kind
		admission string
	}{
		{glovebox.StatusPass, KindExecution, "admitted"},
		{glovebox.StatusDenied, KindDecision, "denied"},
		{glovebox.StatusApprovalRequired, KindDecision, "ask"},
	} {
		o.Status = tc.status
		e := Execution(job, o, Caller{Actor: "ci"})
		r := e.Data.(Run)
		if e.Kind != tc.kind || r.Admission != tc.admission || r.Status != string(tc.status) {
			t.Errorf("%s: %s %+v", tc.status, e.Kind, r)
		}
		if r.Job != job.Digest() || r.Tenant != "acme" || r.Actor != "ci" || r.PolicyHash != o.Policy.Hash ||
			r.Image != "sha256:"+strings.Repeat("a", 64) || r.Digests["stdout"] != hashOf("1\n") || r.Tier != "gvisor" ||
			len(r.Redactions) != 1 || r.Redactions[0].Count != 3 || r.Limits.Wall != glovebox.DefaultLimits.Wall {
			t.Errorf("%+v", r)
		}
	}
}

// TestALongObservationFits: however much is in an observation, the entry can be written.
func TestALongObservationFits(t *testing.T) {
	o := &glovebox.Observation{Status: glovebox.StatusPass}
	long := strings.Repeat("x", 128)
	for range 5000 {
		o.Denials = append(o.Denials, glovebox.Denial{Rule: long, Asked: long})
		o.Evidence = append(o.Evidence, glovebox.Evidence{Source: "kernel", Fact: long})
		o.Artifacts = append(o.Artifacts, glovebox.Artifact{Name: long, SHA256: long})
		o.Isolation = append(o.Isolation, glovebox.Control{Name: long})
		o.Redactions = append(o.Redactions, glovebox.Redaction{Rule: long + string(rune('a'+len(o.Redactions)%2600)), Count: 1})
		o.Findings = append(o.Findings, glovebox.Finding{Rule: long + string(rune('a'+len(o.Findings)%2600))})
	}
	data, err := Execution(&glovebox.Job{}, o, Caller{}).encode()
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(data) {
		t.Error("no JSON")
	}
}
