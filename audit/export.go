package audit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Format is a form of [Export].
type Format string

// The formats.
const (
	// FormatJSONL is a line for each record, as in the log: the leaf's bytes.
	FormatJSONL Format = "jsonl"
	// FormatOCSF is an event of OCSF 1.3 in JSON on each line: API Activity (6003).
	FormatOCSF Format = "ocsf"
)

// Export writes the records that filter selects.
func Export(w io.Writer, dir string, format Format, filter Filter) error {
	var form func(Record) ([]byte, error)
	switch format {
	case FormatJSONL:
		form = func(r Record) ([]byte, error) { return r.appendLine(nil), nil }
	case FormatOCSF:
		form = func(r Record) ([]byte, error) { return json.Marshal(ocsf(r)) }
	default:
		return fmt.Errorf("audit: format %q: want %s or %s", format, FormatJSONL, FormatOCSF)
	}
	out := bufio.NewWriter(w)
	for r, err := range Search(dir, filter) {
		if err != nil {
			return err
		}
		line, err := form(r)
		if err != nil {
			return fmt.Errorf("audit: entry %d: %w", r.Index, err)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("audit: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

// The numbers of OCSF 1.3.
const (
	ocsfVersion     = "1.3.0"
	ocsfApplication = 6    // category Application Activity
	ocsfAPIActivity = 6003 // class API Activity
	activityCreate  = 1
	activityOther   = 99
	statusSuccess   = 1
	statusFailure   = 2
	statusOther     = 99
)

type ocsfEvent struct {
	ActivityID  int          `json:"activity_id"`
	CategoryUID int          `json:"category_uid"`
	ClassUID    int          `json:"class_uid"`
	TypeUID     int          `json:"type_uid"`
	SeverityID  int          `json:"severity_id"`
	Time        int64        `json:"time"`
	Metadata    ocsfMetadata `json:"metadata"`
	Actor       ocsfActor    `json:"actor"`
	API         ocsfAPI      `json:"api"`
	SrcEndpoint ocsfEndpoint `json:"src_endpoint"`
	StatusID    int          `json:"status_id,omitempty"`
	Status      string       `json:"status,omitempty"`
	// Unmapped is the whole record.
	Unmapped Record `json:"unmapped"`
}

type ocsfMetadata struct {
	Version      string      `json:"version"`
	Product      ocsfProduct `json:"product"`
	UID          string      `json:"uid"`
	Sequence     int64       `json:"sequence"`
	OriginalTime string      `json:"original_time"`
	TenantUID    string      `json:"tenant_uid,omitempty"`
}

type ocsfProduct struct {
	Name       string `json:"name"`
	VendorName string `json:"vendor_name"`
}

type ocsfActor struct {
	AppName string    `json:"app_name"`
	User    *ocsfUser `json:"user,omitempty"`
}

type ocsfUser struct {
	Name string `json:"name"`
}

type ocsfAPI struct {
	Operation string      `json:"operation"`
	Service   ocsfService `json:"service"`
}

type ocsfService struct {
	Name string `json:"name"`
}

type ocsfEndpoint struct {
	Name string `json:"name"`
}

// ocsf maps a record. A run that the policy refused is of severity 3 (medium), all else
// of 1 (informational).
func ocsf(r Record) ocsfEvent {
	var d struct{ Tenant, Actor, Status, Admission string }
	_ = json.Unmarshal(r.Data, &d) // other kinds have other fields
	e := ocsfEvent{
		ActivityID: activityOther, CategoryUID: ocsfApplication, ClassUID: ocsfAPIActivity, SeverityID: 1,
		Time: r.Time.UnixMilli(),
		Metadata: ocsfMetadata{
			Version: ocsfVersion, Product: ocsfProduct{"Glovebox", "Glovebox"},
			UID: r.ID, Sequence: r.Index, OriginalTime: r.Time.Format(time.RFC3339Nano), TenantUID: d.Tenant,
		},
		Actor:       ocsfActor{AppName: "glovebox"},
		API:         ocsfAPI{Operation: string(r.Kind), Service: ocsfService{"glovebox"}},
		SrcEndpoint: ocsfEndpoint{"glovebox"},
		Unmapped:    r,
	}
	if d.Actor != "" {
		e.Actor.User = &ocsfUser{d.Actor}
	}
	switch r.Kind {
	case KindExecution, KindDecision:
		e.ActivityID = activityCreate
		e.Status, e.StatusID = d.Status, statusFailure
		switch {
		case d.Status == "pass":
			e.StatusID = statusSuccess
		case d.Admission == "ask":
			e.StatusID = statusOther
		case d.Admission == "denied":
			e.SeverityID = 3
		}
	}
	e.TypeUID = e.ClassUID*100 + e.ActivityID
	return e
}
