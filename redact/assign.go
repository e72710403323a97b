package redact

import "bytes"

// assignmentRules are values that are assigned to something with a telling
// name, and do not look like anything else.
func assignmentRules() []*rule {
	return []*rule{
		{id: "generic-password", weak: true, find: findPassword,
			keys: []string{"password", "passwd", "passphrase", "pwd", "_pass", "pass"}},
		{id: "generic-secret", weak: true, find: findSecret, after: public,
			keys: []string{"secret", "token", "api_key", "apikey", "api-key", "api key", "access_key", "accesskey", "access-key", "private_key", "private-key",
				"auth_key", "authkey", "user_auth", "credential", "creds", "encryption_key", "signing_key", "license_key", "account_key", "master_key"}},
	}
}

// assigned reads an assignment after its name, such as `" : "` or ` => '`, and
// returns where the value starts and the quote before it, or 0.
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
	for i < len(w) && bytes.IndexByte([]byte("'\"`\\"), w[i]) >= 0 {
		if w[i] != '\\' {
			quote = w[i]
		}
		i++
	}
	return i, quote
}

// findPassword finds the value of a password: in quotes, nearly anything; bare,
// something with a digit in it.
func findPassword(w []byte, key int, spans []span) []span {
	i := key
	for i < len(w) && (digits[w[i]] || w[i] == '_') {
		i++
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
	if len(v) < 5 || len(v) > 100 || bytes.IndexByte([]byte("$<%@.,+&/#-[|=:"), v[0]) >= 0 || quote == 0 && noDigit(v) || placeholder(v) || nonWord(v) {
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

// findSecret finds the value of a token or key: a long run that looks random.
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
	if len(v) < 10 || len(v) > 160 || !random(v) || expression(v) {
		return spans
	}
	if end < len(w) {
		if c := w[end]; quote != 0 && c != quote && c != '\\' || bytes.IndexByte([]byte("([{$:<@"), c) >= 0 {
			return spans
		}
	}
	return append(spans, span{start: at, end: end})
}

// public tells whether before makes a token one that everybody may see.
func public(before []byte) bool {
	before = bytes.TrimRight(fold(before), "_-. ")
	return bytes.HasSuffix(before, []byte("public")) || bytes.HasSuffix(before, []byte("csrf")) || bytes.HasSuffix(before, []byte("xsrf"))
}

// about tells whether the rest of a name says that the value is not the secret
// but something about it, such as its length or where it is.
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

// sequence tells whether v has the alphabet or the digits in their order, as
// made-up values have.
func sequence(v []byte) bool {
	v = fold(v)
	for _, s := range []string{"abcdefg", "0123456789", "1234567890", "1234-1234"} {
		if bytes.Contains(v, []byte(s)) {
			return true
		}
	}
	return false
}

// random tells whether v looks drawn by lot rather than written by a person: a
// digit and a letter in it, much entropy, and none of the shapes of names,
// versions and paths.
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
	if hexDigits.all(bytes.ReplaceAll(v, []byte("-"), nil)) && len(v) >= 32 {
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
