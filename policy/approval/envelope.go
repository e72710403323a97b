package approval

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/gloveboxhq/glovebox/internal/keys"
)

// The types of what is signed. A signature is valid for one type only.
const (
	stateType = "application/vnd.glovebox.approvals+json"
	grantType = "application/vnd.glovebox.grant+json"
)

// seal returns the signed JSON of v as a DSSE envelope.
func seal(ctx context.Context, signer keys.Signer, payloadType string, v any) ([]byte, error) {
	payload, err := encode(v)
	if err != nil {
		return nil, err
	}
	message := dsse.PAE(payloadType, payload)
	signature, err := signer.Sign(ctx, message)
	if err != nil {
		return nil, fmt.Errorf("signing failed: %w", err)
	}
	public := signer.Public()
	if !public.Verify(message, signature) {
		return nil, fmt.Errorf("signing failed: the signature is not by key %s", public.ID())
	}
	return encode(dsse.Envelope{
		PayloadType: payloadType,
		Payload:     base64.StdEncoding.EncodeToString(payload),
		Signatures:  []dsse.Signature{{KeyID: public.ID(), Sig: base64.StdEncoding.EncodeToString(signature)}},
	})
}

// unseal reads an envelope that seal wrote into v, and returns the key that signed.
// Nothing of the payload is parsed before its signature is verified.
func unseal(data []byte, payloadType string, trusted []keys.Public, v any) (keys.Public, error) {
	var none keys.Public
	var e dsse.Envelope
	if err := decode(data, &e); err != nil {
		return none, fmt.Errorf("damaged: %w", err)
	}
	if e.PayloadType != payloadType || len(e.Signatures) != 1 {
		return none, fmt.Errorf("the type is %.80q with %d signatures: want %q with one", e.PayloadType, len(e.Signatures), payloadType)
	}
	payload, err := base64.StdEncoding.Strict().DecodeString(e.Payload)
	if err != nil {
		return none, fmt.Errorf("damaged payload: %w", err)
	}
	signature, err := base64.StdEncoding.Strict().DecodeString(e.Signatures[0].Sig)
	if err != nil {
		return none, fmt.Errorf("damaged signature: %w", err)
	}
	message := dsse.PAE(payloadType, payload)
	for _, key := range trusted {
		if key.ID() == e.Signatures[0].KeyID && key.Verify(message, signature) {
			return key, decode(payload, v)
		}
	}
	return none, fmt.Errorf("none of the %d trusted keys signed this: the file was changed, or another key signed it", len(trusted))
}

// encode is JSON in one line.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// decode reads what encode wrote, byte for byte: other spellings of the same value,
// unknown fields and repeated ones are errors.
func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	again, err := encode(v)
	if err != nil {
		return err
	}
	if !bytes.Equal(again, data) {
		return fmt.Errorf("the JSON is not in the form in which it was written")
	}
	return nil
}
