package image

// Policy says which images may be used. Nothing is allowed that it does not
// name.
type Policy struct {
	// Allow are the images that may be used, each
	//
	//   - a digest, "sha256:…", of a manifest or an index;
	//   - or a pattern of a name, "docker.io/library/python" or
	//     "ghcr.io/acme/**:1.*": "*" is any text within one element of the
	//     path or the tag, "**" is any number of elements, and without a tag
	//     all tags are meant. A short name is one of docker.io. It means
	//     images that were pulled from there;
	//   - or such a pattern after "import:", for images that were imported or
	//     built here: what an archive calls itself proves nothing.
	Allow []string
	// Pin gives, by such a pattern of a name, the only digest that an image of
	// this name may have.
	Pin map[string]string
	// Keys are public keys, PEM, ECDSA on P-256 or Ed25519, one of which must
	// have signed the image. Empty asks for no signature.
	Keys [][]byte
}
