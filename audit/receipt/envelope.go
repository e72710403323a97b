package receipt

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/gloveboxhq/glovebox/internal/keys"
)

// PayloadType is the type of the payload of an envelope.
const PayloadType = "application/vnd.in-toto+json"

// Bounds of an envelope.
const (
	maxBytes      = 1 << 20
	maxSignatures = 16
)

// Sign returns the DSSE envelope of a statement, as one line of JSON. The statement's
// Issued is set to the present time. The envelope is verified before Sign returns.
func Sign(ctx context.Context, signer keys.Signer, s Statement) ([]byte, error) {
	s.Predicate.Issued = time.Now().UTC().Truncate(time.Second)
	payload, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("receipt: %w", err)
	}
	signature, err := signer.Sign(ctx, dsse.PAE(PayloadType, payload))
	if err != nil {
		return nil, fmt.Errorf("receipt: signing failed: %w", err)
	}
	public := signer.Public()
	envelope, err := json.Marshal(dsse.Envelope{
		PayloadType: PayloadType,
		Payload:     base64.StdEncoding.EncodeToString(payload),
		Signatures:  []dsse.Signature{{KeyID: public.ID(), Sig: base64.StdEncoding.EncodeToString(signature)}},
	})
	if err != nil {
		return nil, fmt.Errorf("receipt: %w", err)
	}
	if _, err := Verify(envelope, []keys.Public{public}); err != nil {
		return nil, fmt.Errorf("the new receipt does not verify: %w", err)
	}
	return envelope, nil
}

// Verify returns the statement of an envelope that at least one of the trusted keys
// signed while the key was in use. Key ids in the envelope are ignored. The envelope and
// the statement must be in the form in which [Sign] writes them, byte for byte: unknown,
// repeated or reordered fields and other forms of base64 are errors. A newline at the end
// is allowed.
func Verify(envelope []byte, trusted []keys.Public) (Statement, error) {
	e, payload, err := open(envelope)
	if err != nil {
		return Statement{}, err
	}
	message := dsse.PAE(PayloadType, payload)
	var signers []keys.Public
	for _, s := range e.Signatures {
		signature, err := decode(s.Sig)
		if err != nil {
			return Statement{}, fmt.Errorf("receipt: a signature is %w", err)
		}
		for _, key := range trusted {
			if key.Verify(message, signature) {
				signers = append(signers, key)
			}
		}
	}
	if len(signers) == 0 {
		return Statement{}, fmt.Errorf("receipt: no signature is by one of the %d trusted keys: the receipt was changed, or another key signed it", len(trusted))
	}
	var s Statement
	if err := strict("statement", payload, &s); err != nil {
		return Statement{}, err
	}
	if err := s.check(); err != nil {
		return Statement{}, err
	}
	issued := s.Predicate.Issued
	for _, key := range signers {
		if !issued.Before(key.Since) && (key.Until.IsZero() || !issued.After(key.Until)) {
			return s, nil
		}
	}
	return Statement{}, fmt.Errorf("receipt: key %s signed at %s, when the key was not in use", signers[0].ID(), issued.Format(time.RFC3339))
}

// open reads an envelope and its payload. Nothing is verified yet.
func open(envelope []byte) (dsse.Envelope, []byte, error) {
	var e dsse.Envelope
	if len(envelope) > maxBytes {
		return e, nil, fmt.Errorf("receipt: the envelope has %d bytes: at most %d", len(envelope), maxBytes)
	}
	if err := strict("envelope", bytes.TrimSuffix(envelope, []byte("\n")), &e); err != nil {
		return e, nil, err
	}
	if e.PayloadType != PayloadType {
		return e, nil, fmt.Errorf("receipt: payloadType is %.80q: want %q", e.PayloadType, PayloadType)
	}
	if n := len(e.Signatures); n == 0 || n > maxSignatures {
		return e, nil, fmt.Errorf("receipt: the envelope has %d signatures: want 1 to %d", n, maxSignatures)
	}
	payload, err := decode(e.Payload)
	if err != nil {
		return e, nil, fmt.Errorf("receipt: the payload is %w", err)
	}
	return e, payload, nil
}

// check reports the first part of a statement that is of another type or version.
func (s Statement) check() error {
	switch {
	case s.Type != StatementType:
		return fmt.Errorf("receipt: _type is %.80q: want %q", s.Type, StatementType)
	case s.PredicateType != PredicateType:
		return fmt.Errorf("receipt: predicateType is %.80q: this version reads %q", s.PredicateType, PredicateType)
	case len(s.Subject) != len(s.Predicate.Inputs.Files)+1 || s.Subject[0].Name != programName:
		return errors.New("receipt: the subjects are not the program and its files")
	}
	for i, subject := range s.Subject {
		want := s.Predicate.Inputs.Program
		if i > 0 {
			want = s.Predicate.Inputs.Files[i-1].SHA256
		}
		if len(subject.Digest) != 1 || subject.Digest["sha256"] != want {
			return fmt.Errorf("receipt: the digest of subject %.80q is not the one in the predicate", subject.Name)
		}
	}
	return nil
}

// decode decodes base64 in its canonical form.
func decode(text string) ([]byte, error) {
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || base64.StdEncoding.EncodeToString(data) != text {
		return nil, errors.New("not canonical base64")
	}
	return data, nil
}

// strict decodes JSON that is exactly what encoding gives, so that no other reader can
// understand the bytes in another way.
func strict[T any](what string, data []byte, v *T) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("receipt: the %s cannot be read: %w", what, err)
	}
	again, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("receipt: the %s cannot be read: %w", what, err)
	}
	if !bytes.Equal(again, data) {
		n := 0
		for n < min(len(again), len(data)) && again[n] == data[n] {
			n++
		}
		return fmt.Errorf("receipt: the %s is not in canonical form from byte %d (a repeated, reordered or unusual field)", what, n)
	}
	return nil
}
