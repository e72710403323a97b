package receipt

import (
	"encoding/json"
	"testing"

	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// TestStatementIsInToto reads a receipt's payload with in-toto's own types.
func TestStatementIsInToto(t *testing.T) {
	_, payload, err := open(testEnvelope(t, newKey(1)))
	if err != nil {
		t.Fatal(err)
	}
	var s intoto.Statement
	if err := protojson.Unmarshal(payload, &s); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
}

// TestBundle checks the fields of the sigstore bundle.
func TestBundle(t *testing.T) {
	k := newKey(1)
	bundle, err := Bundle(testEnvelope(t, k))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		MediaType            string
		VerificationMaterial struct{ PublicKey struct{ Hint string } }
		DSSEEnvelope         struct{ Signatures []struct{ KeyID, Sig string } }
	}
	if err := json.Unmarshal(bundle, &got); err != nil {
		t.Fatal(err)
	}
	if got.MediaType != bundleType || got.VerificationMaterial.PublicKey.Hint != k.Public().ID() ||
		len(got.DSSEEnvelope.Signatures) != 1 || got.DSSEEnvelope.Signatures[0].KeyID != "" || got.DSSEEnvelope.Signatures[0].Sig == "" {
		t.Errorf("bundle %s", bundle)
	}
	if _, err := Bundle([]byte("{}")); err == nil {
		t.Error("an empty envelope gave a bundle")
	}
}
