package receipt

import (
	"encoding/json"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
)

// bundleType is the media type of a sigstore bundle.
const bundleType = "application/vnd.dev.sigstore.bundle.v0.3+json"

// Bundle returns an envelope in the form of a sigstore bundle v0.3, whose verification
// material is a hint at the public key. The signature has no key ID there: sigstore's
// verifiers refuse IDs that they did not compute. Nothing is verified.
func Bundle(envelope []byte) ([]byte, error) {
	e, _, err := open(envelope)
	if err != nil {
		return nil, err
	}
	id := e.Signatures[0].KeyID
	e.Signatures[0].KeyID = ""
	type publicKey struct {
		Hint string `json:"hint"`
	}
	type material struct {
		PublicKey publicKey `json:"publicKey"`
	}
	return json.Marshal(struct {
		MediaType string        `json:"mediaType"`
		Material  material      `json:"verificationMaterial"`
		Envelope  dsse.Envelope `json:"dsseEnvelope"`
	}{bundleType, material{publicKey{id}}, e})
}
