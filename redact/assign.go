package redact

import (
	"bytes"
	"slices"
)

// assignmentRules find values that are assigned to a telling name and look like
// nothing but a secret.
func assignmentRules() []*rule {
	return []*rule{
		{id: "generic-password", weak: true, find: findPassword, after: noPassword,
			keys: []string{"password", "passwd", "passphrase", "pwd", "passwort", "contraseña", "_pw"}},
		{id: "generic-password", weak: true, keys: assignedTo("pass"), after: noPass,
			find: func(w []byte, _ int, spans []span) []span { return findPassword(w, len("pass"), spans) }},
		{id: "generic-password", weak: true, exact: true, left: word, keys: []string{"PASS=", "PASS ="},
			find: func(w []byte, _ int, spans []span) []span { return findPassword(w, len("PASS"), spans) }},
		{id: "generic-secret", weak: true, find: findSecret, after: public, span: 640,
			keys: []string{"secret", "token", "api_key", "apikey", "api-key", "api key", "access_key", "accesskey", "access-key", "private_key", "private-key",
				"privatekey", "private key", "secret key", "auth_key", "authkey", "user_auth", "credential", "creds", "encryption_key", "signing_key", "license_key", "account_key", "master_key"}},
		{id: "generic-key", weak: true, keys: assignedTo("key"), find: findKey, after: openKey},
	}
}

// assignedTo returns word with each text that may follow a name in an assignment.
// The word alone is too common to be a key.
func assignedTo(word string) []string {
	var keys []string
	for _, next := range []string{"=", ":", `"`, "'", `\`, "]", " =", " :", "  ", "\t", "1", "2", "`"} {
		keys = append(keys, word+next)
	}
	return keys
}

// assigned reads an assignment after its name, such as `" : "` or ` => '`, and
// returns the start of the value and the quote before the value, or 0 for a bare
// value. Without an assignment, at is -1.
func assigned(w []byte, i int) (at int, quote byte) {
	closers := 0
	for i < len(w) && closers < 4 && bytes.IndexByte([]byte(" \t'\"]`)\\"), w[i]) >= 0 {
		if w[i] != ' ' && w[i] != '\t' {
			closers++
		}
		i++
	}
	op := i
	for i < len(w) && i-op < 4 && bytes.IndexByte([]byte("=:?>|,"), w[i]) >= 0 {
		i++
	}
	if i == op {
		return -1, 0
	}
	for i < len(w) && (w[i] == ' ' || w[i] == '\t') {
		i++
	}
	if w[op] == ':' && op+1 < len(w) && w[op+1] != '=' {
		i += typeLen(w[i:])
	}
	for i < len(w) && bytes.IndexByte([]byte("'\"`\\"), w[i]) >= 0 {
		if w[i] != '\\' {
			quote = w[i]
		}
		i++
	}
	return i, quote
}

// typeLen returns the length of a type and an operator before a quoted value, as in
// `password: String = "…"`, or 0.
func typeLen(w []byte) int {
	w = w[:min(len(w), 48)]
	i := 0
	for i < len(w) && (word[w[i]] || bytes.IndexByte([]byte(".[]?|<> *&:"), w[i]) >= 0) {
		i++
	}
	name := bytes.TrimSpace(w[:i])
	if len(name) == 0 || digits[name[0]] || i == len(w) || w[i] != '=' {
		return 0
	}
	for i++; i < len(w) && w[i] == ' '; i++ {
	}
	if i == len(w) || w[i] != '"' && w[i] != '\'' && w[i] != '`' {
		return 0
	}
	return i
}

// fallback returns the text after `") or ` and similar operators: the value used if
// a variable is not set. Without such an operator, fallback returns nil.
func fallback(w []byte) []byte {
	rest := bytes.TrimLeft(w, `'"])`)
	if len(w)-len(rest) > 4 {
		return nil
	}
	for _, op := range [...]string{" or ", " || ", " ?? "} {
		if bytes.HasPrefix(rest, []byte(op)) {
			return rest[len(op):]
		}
	}
	return nil
}

// steps are words before a pass that is not a password, sorted.
var steps = []string{
	"all", "backward", "band", "by", "did", "each", "fast", "final", "first", "forward", "full", "high", "last", "low", "mini", "multi", "n",
	"next", "num", "one", "opt", "per", "post", "pre", "proxy", "render", "second", "single", "slow", "test", "tests", "third", "total", "two",
}

// noPass recognises, by the text before the key, a pass that is a step, a test or a
// part of another word: PASS: TestX and compass: N45 are not about passwords.
func noPass(before, key []byte) bool {
	if len(before) > 0 {
		last := before[len(before)-1]
		if digits[last] || letters[last] && (key[0] != 'P' || key[1] == 'A') {
			return true
		}
		if last != '_' && key[0] == 'P' && key[1] == 'A' {
			return true
		}
	} else if key[1] == 'A' {
		return true
	}
	before = bytes.TrimRight(before, "_-. ")
	n := len(before)
	for n > 0 && letters[before[n-1]] {
		n--
	}
	if _, found := slices.BinarySearch(steps, string(fold(before[n:]))); found {
		return true
	}
	return noPassword(before, key)
}

// noPassword recognises, by the text before the key, a password that is a package's
// name.
func noPassword(before, _ []byte) bool {
	return bytes.HasSuffix(before, []byte("parse-")) || bytes.HasSuffix(before, []byte("/"))
}

// versioned reports whether v is a version as written by package managers.
func versioned(v []byte) bool {
	for _, p := range []string{"npm:", "file:", "git+", "workspace:", "link:", "github:", "https:", "http:"} {
		if bytes.HasPrefix(v, []byte(p)) {
			return true
		}
	}
	v = bytes.TrimLeft(v, "^~<>=v")
	n := digits.run(v)
	return n > 0 && n < len(v) && v[n] == '.' && n+1 < len(v) && (digits[v[n+1]] || v[n+1] == 'x')
}

// findPassword finds the value of a password: in quotes, nearly anything; bare, a
// value with a digit.
func findPassword(w []byte, key int, spans []span) []span {
	i := key
	for i < len(w) && (digits[w[i]] || w[i] == '_') {
		i++
	}
	if rest := fallback(w[i:]); len(rest) > 0 && (rest[0] == '"' || rest[0] == '\'') {
		at := len(w) - len(rest) + 1
		if n := bytes.IndexByte(w[at:], rest[0]); n >= 5 && n <= 100 && !noDigit(w[at:at+n]) && !nonWord(w[at:at+n]) && !placeholder(w[at:at+n]) {
			return append(spans, span{start: at, end: at + n})
		}
		return spans
	}
	at, quote := assigned(w, i)
	if at < 0 || at >= len(w) || bytes.ContainsAny(w[i:at], "|,)") || bytes.HasPrefix(w[at:], []byte("0x")) {
		return spans
	}
	end := at
	for end < len(w) && w[end] > ' ' && w[end] < 0x7f && bytes.IndexByte([]byte(`'"(){}<>\;`+"`"), w[end]) < 0 && (quote != 0 || w[end] != ',' && w[end] != '&') {
		end++
	}
	v := w[at:end]
	if len(v) < 5 || len(v) > 100 || bytes.IndexByte([]byte("$<%@.,+&/#-[|=:"), v[0]) >= 0 || quote == 0 && noDigit(v) || placeholder(v) || nonWord(v) || versioned(v) {
		return spans
	}
	if quote != 0 {
		if end >= len(w) || w[end] != quote && w[end] != '\\' || bytes.ContainsAny(v, "/+") && !random(v) {
			return spans
		}
		return append(spans, span{start: at, end: end})
	}
	if len(v) < 6 || expression(v) || bytes.IndexByte(v, '=') >= 0 && !random(v) || end < len(w) && bytes.IndexByte([]byte("(<{"), w[end]) >= 0 || bytes.IndexByte(v, '.') >= 0 && !random(v) {
		return spans
	}
	if !bytes.ContainsAny(fold(v), "abcdefghijklmnopqrstuvwxyz") {
		return spans
	}
	return append(spans, span{start: at, end: end})
}

var secretBytes = newClass("0-9A-Za-z_.=+/~-")

// findSecret finds the value of a token or key: a long run with a random look.
func findSecret(w []byte, key int, spans []span) []span {
	i := key
	for i < len(w) && dotted[w[i]] && i-key < 24 {
		i++
	}
	if about(w[key:i]) {
		return spans
	}
	at, quote := assigned(w, i)
	if at < 0 || at >= len(w) {
		return spans
	}
	v := w[at : at+secretBytes.run(w[at:])]
	end := at + len(v)
	if len(v) < 10 || len(v) > 400 || !random(v) || expression(v) || quote == 0 && (wordy(v) || member(v)) || versioned(v) {
		return spans
	}
	if end < len(w) {
		if c := w[end]; quote != 0 && c != quote && c != '\\' || bytes.IndexByte([]byte("([{$:<@"), c) >= 0 {
			return spans
		}
	}
	return append(spans, span{start: at, end: end})
}

// openNames are words before a key that is not secret, or is the name of an object.
var openNames = [...]string{"cache", "primary", "foreign", "sort", "partition", "public", "pub", "idempotency", "idempotent", "dedup", "deduplication", "group", "object", "s3",
	"row", "index", "lookup", "hash", "route", "routing", "sticky", "registry", "message", "dict", "map", "unique", "etag", "integrity", "checksum", "digest", "node",
	"react", "data", "range", "record", "shard", "event", "item", "doc", "document", "build", "restore", "save", "file", "path", "image", "blob", "trace", "metric", "label", "tag",
	"host", "known", "ssh", "rsa", "dsa", "ecdsa", "ed25519", "verify", "verification", "site", "content", "join", "merge", "order", "entity", "config", "setting", "feature", "flag",
	"session", "user", "request", "correlation", "transaction", "block", "state", "snapshot", "layer", "lock", "bucket", "fingerprint", "answer", "not", "mon", "tur", "don", "hot", "short"}

// openKey recognises, by the text before the key, a public key, and a key that
// belongs to nothing. FERNET_KEY, acme-key and acmeKey do belong to something.
func openKey(before, key []byte) bool {
	if len(before) == 0 {
		return true
	}
	last := before[len(before)-1]
	upper := 'A' <= last && last <= 'Z'
	if last != '_' && last != '-' && (!letters[last] || key[0] != 'K' || upper != (key[1] == 'E')) {
		return true
	}
	before = bytes.TrimRight(fold(before), "_-. ")
	for _, n := range openNames {
		if bytes.HasSuffix(before, []byte(n)) {
			return true
		}
	}
	return false
}

// findKey finds the value of a named key. The value must look more random than the
// value of a token, and must not look like an identifier.
func findKey(w []byte, _ int, spans []span) []span {
	key := len("key")
	i := key
	for i < len(w) && (digits[w[i]] || w[i] == '_') && i-key < 4 {
		i++
	}
	at, quote := assigned(w, i)
	if at < 0 || at >= len(w) || bytes.IndexByte(w[i:at], ',') >= 0 {
		return spans
	}
	if prefix := []byte("base64:"); bytes.HasPrefix(w[at:], prefix) {
		at += len(prefix)
	}
	v := w[at : at+secretBytes.run(w[at:])]
	end := at + len(v)
	if len(v) < 16 || len(v) > 160 || !random(v) || expression(v) || wordy(v) || member(v) || versioned(v) || identifier(v) {
		return spans
	}
	if end < len(w) {
		if c := w[end]; quote != 0 && c != quote && c != '\\' || bytes.IndexByte([]byte("([{$:<@"), c) >= 0 {
			return spans
		}
	}
	return append(spans, span{start: at, end: end})
}

// identifier recognises a UUID, and a hash prefixed with the name of its algorithm.
func identifier(v []byte) bool {
	if len(v) == 36 && v[8] == '-' && v[13] == '-' && v[18] == '-' && v[23] == '-' {
		return true
	}
	for _, p := range []string{"sha1-", "sha256-", "sha384-", "sha512-", "h1:", "sha256."} {
		if bytes.HasPrefix(v, []byte(p)) {
			return true
		}
	}
	return bytes.IndexByte(v, '/') >= 0 && bytes.IndexByte(v, '.') >= 0
}

// wordy reports whether most of v is joined words, as in names of types and
// functions: PKCS7PrivateKeyTypes.
func wordy(v []byte) bool {
	named := 0
	for i := 0; i < len(v); {
		n := 0
		if 'A' <= v[i] && v[i] <= 'Z' {
			n = 1
		}
		for i+n < len(v) && 'a' <= v[i+n] && v[i+n] <= 'z' {
			n++
		}
		if n >= 4 {
			named += n
		}
		i += max(n, 1)
	}
	return named*10 >= len(v)*6
}

// member recognises the access to a member in code: exports2.TOKEN,
// win32api.OpenKey.
func member(v []byte) bool {
	parts := bytes.Split(v, []byte("."))
	if len(parts) < 2 {
		return false
	}
	spelled := false
	for _, p := range parts {
		if len(p) == 0 || !letters[p[0]] && p[0] != '_' || !word.all(p) {
			return false
		}
		spelled = spelled || len(p) >= 3 && letters.all(bytes.ReplaceAll(p, []byte("_"), nil))
	}
	return spelled && len(v) < 48
}

// public reports whether the text before a token marks the token as public.
func public(before, _ []byte) bool {
	before = bytes.TrimRight(fold(before), "_-. ")
	return bytes.HasSuffix(before, []byte("public")) || bytes.HasSuffix(before, []byte("csrf")) || bytes.HasSuffix(before, []byte("xsrf"))
}

// about reports whether the rest of a name describes a property of the secret, such
// as its length or its location, instead of the secret itself.
func about(rest []byte) bool {
	rest = bytes.TrimRight(fold(rest), "0123456789s_.-")
	for _, end := range []string{"id", "name", "url", "uri", "file", "path", "type", "length", "len", "size", "hash", "host", "field", "header",
		"version", "prefix", "variable", "count", "limit", "algorithm", "issuer", "endpoint", "user", "provider", "manager", "ref", "arn"} {
		if bytes.HasSuffix(rest, []byte(end)) {
			return true
		}
	}
	return false
}

// sequence reports whether v contains the alphabet or the digits in order, like
// made-up values.
func sequence(v []byte) bool {
	v = fold(v)
	for _, s := range []string{"abcdefg", "0123456789", "1234567890", "1234-1234", "a1b2c3d4", "d4c3b2a1"} {
		if bytes.Contains(v, []byte(s)) {
			return true
		}
	}
	return false
}

// random reports whether v looks randomly generated: v contains a digit and a
// letter, has high entropy, and lacks the shapes of names, versions and paths.
func random(v []byte) bool {
	letters := 0
	for _, c := range v {
		if c|0x20 >= 'a' && c|0x20 <= 'z' {
			letters++
		}
	}
	if noDigit(v) || letters == 0 || sequence(v) {
		return false
	}
	least := 3.5
	if hexDigits.all(bytes.ReplaceAll(v, []byte("-"), nil)) && len(v) >= 20 {
		least = 3
	}
	if entropy(v) < least {
		return false
	}
	// Words joined by separators, perhaps with numbers, are names.
	parts := bytes.FieldsFunc(v, func(r rune) bool { return r == '.' || r == '-' || r == '_' || r == '/' || r == '=' })
	named := 0
	for _, p := range parts {
		if noDigit(p) && (plain(p) || plain(p[1:])) || digits.all(p) || len(p) <= 3 {
			named += len(p)
		}
	}
	return len(parts) < 2 || named*2 < len(v)
}
