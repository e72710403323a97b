package redact

import (
	"bytes"
	"testing"
)

// nearly are lines as programs print them that hold nearly a secret each.
const nearly = `config: password = None, token = "", api_key=${API_KEY}
commit 3f786850e387550fdab836ed7e6dc881de23001b by user@example.org
request id 123e4567-e89b-12d3-a456-426614174000 authorization: none
https://user@example.org:8080/path?token=&key=value
ghp_tooShort sk-none AKIA_NOT_ONE xoxb-1-2 eyJhbGciOi
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
def check(password: str, secret: bytes) -> bool: return password == secret
-----BEGIN CERTIFICATE-----
`

// BenchmarkNear is the price of output that is dense with them, beside lines of
// a log that has none.
func BenchmarkNear(b *testing.B) {
	for name, text := range map[string][]byte{
		"near secrets": bytes.Repeat([]byte(nearly), (1<<20)/len(nearly)),
		"log lines":    bytes.Repeat([]byte("2026-11-20T10:00:00Z INFO request GET /index.html 200 12ms\n"), (1<<20)/59),
		"addresses":    bytes.Repeat([]byte("fetched http://localhost:8080/api/items?page=3 with 200\n"), (1<<20)/56),
		"numbers":      bytes.Repeat([]byte("0.25 1.5 3.75 1048576 -1 1e9 42\n"), (1<<20)/32),
	} {
		for kind, secrets := range map[string]map[string]string{"rules": nil, "named": {"A": "hV7-qq02/Zz1", "B": "another long secret value"}} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				start := cpu()
				r := New(Config{Secrets: secrets})
				for b.Loop() {
					r.Bytes("stdout", text)
				}
				b.ReportMetric(float64(len(text))*float64(b.N)/1e6/(cpu()-start).Seconds(), "MB/cpu-s")
			})
		}
	}
}
