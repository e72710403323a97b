package audit

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// Kind is the type of an entry. A reader must expect kinds that are not named here.
type Kind string

// The kinds.
const (
	// KindDecision is a Job that admission refused or that waits for an approval.
	KindDecision Kind = "decision"
	// KindExecution is a Job that ran.
	KindExecution Kind = "execution"
	// KindApproval is a request for an approval, its answer, its use or its lapse.
	KindApproval Kind = "approval"
	// KindPolicy is the activation of a policy.
	KindPolicy Kind = "policy"
	// KindKey names the key that signs from here on; see [KeyChange].
	KindKey Kind = "key"
	// KindRecovery says what a crash left behind; see [Recovery].
	KindRecovery Kind = "recovery"
	// KindEgress is a connection out of a box.
	KindEgress Kind = "egress"
	// KindSecret is the use of a secret.
	KindSecret Kind = "secret"
)

// Entry is what a caller appends. Data becomes a JSON object of at most 512 KiB.
type Entry struct {
	Kind Kind
	Data any
}

// Record is an entry as the log holds it.
type Record struct {
	// Index counts from 0.
	Index int64 `json:"index"`
	// Prev is the leaf hash of the record before, in hexadecimal; zeros for the first.
	Prev string `json:"prev"`
	// ID is 32 random hexadecimal digits.
	ID string `json:"id"`
	// Time is never before the time of the record before.
	Time time.Time `json:"time"`
	// BackMS is how far the clock was behind the record before, in milliseconds; Time is
	// the time of the record before then.
	BackMS int64 `json:"back_ms,omitempty"`
	// Head is the SHA-256 of the signed head of all records before, in hexadecimal,
	// where the log has one of that size.
	Head string          `json:"head,omitempty"`
	Kind Kind            `json:"kind"`
	Data json.RawMessage `json:"data"`
}

// Bounds of a line and of what a caller adds.
const (
	maxLine = 1 << 20
	maxData = 512 << 10
)

// timeForm has a fixed width, so that the order of texts is the order of times.
const timeForm = "2006-01-02T15:04:05.000000000Z"

// encode returns e's data, or says why it cannot be in the log.
func (e Entry) encode() ([]byte, error) {
	if !e.Kind.valid() {
		return nil, fmt.Errorf("audit: kind %q: want 1 to 32 of a-z and _", e.Kind)
	}
	data, err := json.Marshal(e.Data)
	if err != nil {
		return nil, fmt.Errorf("audit: %s entry: %w", e.Kind, err)
	}
	if len(data) == 0 || data[0] != '{' {
		return nil, fmt.Errorf("audit: %s entry: data is no JSON object", e.Kind)
	}
	if len(data) > maxData {
		return nil, fmt.Errorf("audit: %s entry: data has %d bytes: at most %d", e.Kind, len(data), maxData)
	}
	return data, nil
}

func (k Kind) valid() bool {
	for i := range len(k) {
		if c := k[i]; c != '_' && (c < 'a' || c > 'z') {
			return false
		}
	}
	return len(k) > 0 && len(k) <= 32
}

// appendLine appends the line of r without a newline: the leaf.
func (r *Record) appendLine(b []byte) []byte {
	b = append(b, `{"index":`...)
	b = strconv.AppendInt(b, r.Index, 10)
	b = append(b, `,"prev":"`...)
	b = append(b, r.Prev...)
	b = append(b, `","id":"`...)
	b = append(b, r.ID...)
	b = append(b, `","time":"`...)
	b = r.Time.UTC().AppendFormat(b, timeForm)
	b = append(b, '"')
	if r.BackMS > 0 {
		b = append(b, `,"back_ms":`...)
		b = strconv.AppendInt(b, r.BackMS, 10)
	}
	if r.Head != "" {
		b = append(b, `,"head":"`...)
		b = append(b, r.Head...)
		b = append(b, '"')
	}
	b = append(b, `,"kind":"`...)
	b = append(b, r.Kind...)
	b = append(b, `","data":`...)
	b = append(b, r.Data...)
	return append(b, '}')
}

// ParseRecord reads a line of the log, without its newline. Only the form that the log
// writes is accepted; Data is a part of line.
func ParseRecord(line []byte) (Record, error) {
	r, err := parseEnvelope(line)
	if err == nil && !json.Valid(r.Data) {
		return Record{}, errors.New("not a line of an audit log: data is no JSON object")
	}
	return r, err
}

// parseEnvelope reads a line, and of its data only the braces: a verifier has its hash.
func parseEnvelope(line []byte) (Record, error) {
	var r Record
	p := parser{rest: line}
	p.expect(`{"index":`)
	r.Index = p.number()
	p.expect(`,"prev":"`)
	r.Prev = p.hex(64)
	p.expect(`","id":"`)
	r.ID = p.hex(32)
	p.expect(`","time":"`)
	r.Time = p.time()
	p.expect(`"`)
	if p.has(`,"back_ms":`) {
		if r.BackMS = p.number(); r.BackMS == 0 {
			p.fail("back_ms is 0")
		}
	}
	if p.has(`,"head":"`) {
		r.Head = p.hex(64)
		p.expect(`"`)
	}
	p.expect(`,"kind":"`)
	kind, _, _ := bytes.Cut(p.rest, []byte(`"`))
	if r.Kind = Kind(kind[:min(len(kind), 33)]); !r.Kind.valid() {
		p.fail("kind is not 1 to 32 of a-z and _")
	}
	p.expect(string(r.Kind))
	p.expect(`","data":`)
	if p.err != nil {
		return Record{}, p.err
	}
	n := len(p.rest) - 1
	if n < 2 || p.rest[0] != '{' || p.rest[n-1] != '}' || p.rest[n] != '}' {
		p.fail("data is no JSON object")
		return Record{}, p.err
	}
	r.Data = p.rest[:n:n]
	return r, nil
}

// parser reads a line from the left; the first error stays.
type parser struct {
	rest []byte
	err  error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("not a line of an audit log: "+format, args...)
		p.rest = nil
	}
}

func (p *parser) has(text string) bool {
	if len(p.rest) < len(text) || string(p.rest[:len(text)]) != text {
		return false
	}
	p.rest = p.rest[len(text):]
	return true
}

func (p *parser) expect(text string) {
	if !p.has(text) {
		p.fail("want %q", text)
	}
}

func (p *parser) number() int64 {
	n := 0
	for n < len(p.rest) && n < 19 && '0' <= p.rest[n] && p.rest[n] <= '9' {
		n++
	}
	text := string(p.rest[:n])
	v, err := parseSize(text)
	if err != nil {
		p.fail("%v", err)
		return 0
	}
	p.rest = p.rest[n:]
	return v
}

// parseSize reads a decimal without sign and leading zeros.
func parseSize(text string) (int64, error) {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < 0 || text != strconv.FormatInt(v, 10) {
		return 0, errors.New("want a decimal number without leading zeros")
	}
	return v, nil
}

func (p *parser) hex(n int) string {
	for i := range n {
		if i >= len(p.rest) || (p.rest[i] < '0' || p.rest[i] > '9') && (p.rest[i] < 'a' || p.rest[i] > 'f') {
			p.fail("want %d lower-case hexadecimal digits", n)
			return ""
		}
	}
	text := string(p.rest[:n])
	p.rest = p.rest[n:]
	return text
}

func (p *parser) time() time.Time {
	n := min(len(p.rest), len(timeForm))
	text := string(p.rest[:n])
	t, err := time.Parse(timeForm, text)
	if err != nil || t.Format(timeForm) != text {
		p.fail("time is not in the form %s", timeForm)
		return time.Time{}
	}
	p.rest = p.rest[n:]
	return t
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func hexHash(h tlog.Hash) string { return hex.EncodeToString(h[:]) }
