package audit

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
)

func TestTail(t *testing.T) {
	dir, key := t.TempDir(), signerOf("a")
	makeLog(t, dir, key, []int{700})
	for _, n := range []int{-1, 0, 1, 7, 300, 701, 5000} {
		want := min(max(n, 0), 701)
		got, index := 0, int64(701-want)
		for r, err := range Tail(dir, n) {
			if err != nil || r.Index != index {
				t.Fatalf("tail %d: entry %d, want %d, %v", n, r.Index, index, err)
			}
			index++
			got++
		}
		if got != want {
			t.Errorf("tail %d has %d", n, got)
		}
	}
}

func TestSearchAndExport(t *testing.T) {
	dir, key := t.TempDir(), signerOf("a")
	l := open(t, dir, key)
	for _, tenant := range []string{"acme", "acme", "other"} {
		job := &glovebox.Job{Tenant: tenant}
		for _, status := range []glovebox.Status{glovebox.StatusPass, glovebox.StatusDenied, glovebox.StatusApprovalRequired} {
			if _, err := l.Append(t.Context(), Execution(job, &glovebox.Observation{Status: status}, Caller{Actor: "<ci>"})); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tc := range []struct {
		filter Filter
		want   int
	}{
		{Filter{}, 10},
		{Filter{Kind: KindDecision}, 6},
		{Filter{Tenant: "acme"}, 6},
		{Filter{Tenant: "acme", Status: "pass"}, 2},
		{Filter{Job: (&glovebox.Job{Tenant: "other"}).Digest()}, 3},
		{Filter{Since: time.Now().Add(time.Hour)}, 0},
		{Filter{Until: time.Now().Add(-time.Hour)}, 0},
		{Filter{Tenant: "nobody"}, 0},
	} {
		n := 0
		for _, err := range Search(dir, tc.filter) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != tc.want {
			t.Errorf("%+v: %d, want %d", tc.filter, n, tc.want)
		}
	}
	var lines bytes.Buffer
	if err := Export(&lines, dir, FormatJSONL, Filter{}); err != nil || lines.String() != readFolder(t, dir)[logFile] {
		t.Errorf("the export is not the log: %v", err)
	}
	var events bytes.Buffer
	if err := Export(&events, dir, FormatOCSF, Filter{}); err != nil {
		t.Fatal(err)
	}
	severities := map[float64]int{}
	for line := range strings.Lines(events.String()) {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		for _, required := range []string{"activity_id", "category_uid", "class_uid", "type_uid", "severity_id", "time", "metadata", "actor", "api", "src_endpoint"} {
			if e[required] == nil {
				t.Errorf("%s is missing in %s", required, line)
			}
		}
		if e["type_uid"] != e["class_uid"].(float64)*100+e["activity_id"].(float64) {
			t.Errorf("type_uid of %s", line)
		}
		severities[e["severity_id"].(float64)]++
	}
	if severities[3] != 3 || severities[1] != 7 {
		t.Errorf("severities %v", severities)
	}
	if err := Export(&events, dir, "xml", Filter{}); err == nil {
		t.Error("no error for another format")
	}
}

func TestReadersStopAtDamage(t *testing.T) {
	dir, key := t.TempDir(), signerOf("a")
	makeLog(t, dir, key, []int{5})
	change(t, dir, logFile, func(b []byte) []byte { return append(b, strings.Repeat("x", 2*maxLine)+"\n"...) })
	n, failed := 0, false
	for _, err := range Search(dir, Filter{}) {
		n++
		failed = err != nil
	}
	if n != 7 || !failed {
		t.Errorf("%d records, error %v", n, failed)
	}
}
