package policy

import _ "embed"

//go:embed init.yaml
var starter []byte

// Init returns a commented file to start from. The file loads and has no faults.
func Init() []byte { return append([]byte(nil), starter...) }
