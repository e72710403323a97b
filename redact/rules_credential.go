package redact

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// credentialRules are passwords at their places in protocols and tools: URLs,
// headers, command lines, connection strings.
func credentialRules() []*rule {
	pair := func(user, quoted string) string {
		return `(?i:user(?:name)?)[ \t]*=[ \t]*` + user + `\s*[,;]?\s*(?:(?:#|//)[^\n\r]*[\n\r]\s*)*\w{0,30}(?i:password|passwd|pass|pwd)[ \t]*=[ \t]*` + quoted
	}
	return []*rule{
		{id: "url-password", weak: true, must: '@', keys: []string{"://"}, re: `://[^\s/?#@:"'<>\[\]]{0,100}:([^\s/?#"'<>\[]{1,200})@[a-zA-Z0-9._%\[*-]`, not: placeholder},
		{id: "url-password", weak: true, must: '@', keys: []string{"://"}, re: `://([a-zA-Z0-9_-]{20,200})@`, bits: 3.5, not: noDigit},
		{id: "authorization-header", weak: true, keys: []string{"authorization"}, span: 2048, bits: 2.5, tail: base64s.swallow, not: realm,
			re: `(?i)authorization["']?(?:\s*[:=]\s*["'\x60]?|["'\s,]{1,5}["'\x60]?)\s*(?:basic|bearer|token|api-?token|api-?key|ssws|bot|jwt|digest)\s+([a-z0-9._~+/=-]{6,})(?:[^a-z0-9._~+/=@$<{*(-]|$)`},
		{id: "authorization-header", weak: true, keys: []string{"authorization"}, left: letters, span: 2048, bits: 3, not: noDigit,
			re: `(?i)authorization["']?\s*[:=]\s*["'\x60]?([a-z0-9._~+/=@-]{8,})(?:[^a-z0-9._~+/=@$<{*(-]|$)`},
		{id: "api-key-header", weak: true, keys: []string{"apikey:", "api-key:", "api-token:", "token:"}, left: newClass("0-9A-Za-z_"), bits: 2.8, not: noDigit,
			re: `(?i)[a-z-]*:\s*([a-z0-9._~+/=-]{8,})["']`},
		{id: "curl-password", weak: true, need: ' ', keys: []string{"curl"}, lines: true, span: 512, find: findCurl, not: weak},
		{id: "netrc-password", keys: []string{"machine "}, lines: true, re: `machine\s+\S+\s+login\s+\S+\s+password\s+(\S+)`, not: placeholder},
		{id: "password-pair", weak: true, keys: before("=", "user", "username"), lines: true, re: pair(`["'][a-zA-Z0-9.@_+-]{3,30}["'](?:\s*(?:#|//)[^\n\r]*)?`, `["']([^"'\n]{5,30})["']`), not: placeholder},
		{id: "password-pair", weak: true, keys: before("=", "user", "username"), lines: true, re: pair(`[a-zA-Z][a-zA-Z0-9._+@-]{2,40}`, `([^\s$@{<"'][^\s"']{4,29})(?:\s|$)`), not: expression},
		{id: "connection-string", keys: before("=", "user", "user id", "userid", "uid"), not: placeholder,
			re: `(?i)(?:user|user id|userid|uid)\s*=\s*([^\s;=]{1,100})\s*;[^=\n]{0,20}(?:password|pwd)\s*=\s*([^\t ;"']{3,100})\s*(?:[;"']|$)`},
		{id: "connection-string", need: ';', keys: []string{"password =", "password=", "pwd="}, not: placeholder,
			re: `(?i)(?:password|pwd)\s?=\s*([^\t ;"'$&,(){}<]{3,100});\s*[a-z _]{3,30}=`},
		{id: "dotnet-password", need: '(', keys: []string{"networkcredential", "directoryentry"}, lines: true, not: placeholder,
			re: `(?i)(?:networkcredential|directoryentry)\s*\(\s*(?:"[^"\n]{3,100}"\s*,\s*){1,2}"([^"\n]{3,50})"`},
		{id: "dotnet-password", keys: []string{"<add key"}, not: dotnetPlaceholder, bits: 1,
			re: `(?i)<add\s+key\s*=\s*"[^\n"]{0,20}(?:pass|secret|token|connectionstring)[^\n"]{0,20}"\s+value\s*=\s*"([^\n"]{4,200})"`},
		{id: "stated-password", keys: []string{"password is", "password for"}, not: placeholder,
			re: `(?i)password (?:for (?:the )?user(?:name)? (?:'[^'\n]{2,24}'|"[^"\n]{2,24}") )?is (?:'([^'\n\s][^'\n]{3,60})'|"([^"\n\s][^"\n]{3,60})")`},
		{id: "compared-password", need: '=', keys: []string{"secret", "pass", "password", "challenge"}, left: word, not: placeholder,
			re: `(?i)(?:secret|pass|password|challenge)\s*(?:===?|!==?)\s*(?:"([^"\n]{4,60})"|'([^'\n]{4,60})')`},
		{id: "psexec-password", keys: []string{"psexec"}, re: `(?i)psexec.{0,100}? -u\s*\S+\s+-p\s*(\S+)`},
		{id: "vmware-password", keys: []string{"connect-viserver"}, re: `(?i)connect-viserver.{0,50}? -user\s+\S{3,60}\s+.{0,50}?-password\s+(\S{3,60})`},
		{id: "phpmailer-password", keys: []string{"->password"}, re: `(?i)->password\s*=\s*'([^'\n]{5,60})'`, not: placeholder},
		{id: "env-password", weak: true, after: noEnvPassword, keys: []string{"_pass=", "_password=", "_passwd=", "_pwd="}, re: `(?i)_[a-z]+=["']?([^\s"'$<>(){}\[\],;]{5,100})(?:[\s"';]|$)`, not: reference},
		{id: "jwt-secret", keys: []string{"jwtsecret:", "jwt:"}, lines: true, re: `(?i)(?:jwt:\s+secret:|jwtsecret:)\s+(?:"([^"\n]{6,200})"|'([^'\n]{6,200})')`, not: placeholder},
		{id: "django-secret-key", keys: []string{"secret_key"}, re: `(?i)secret_key\s*=\s*r?["']([^"'\n]{20,100})["']`, bits: 3, not: placeholder},
	}
}

// before returns words with the operator that must follow them. The words alone are
// too common to be keys.
func before(operator string, words ...string) []string {
	var keys []string
	for _, w := range words {
		keys = append(keys, w+operator, w+" "+operator, w+"  ", w+"\t")
	}
	return keys
}

// curlUser matches curl's argument of a name and a password.
var curlUser = lazyre.New(`^(?:-u|--user)[ =]*(?:["']?[^\s:"'<]*["']?:["']?([^\s"']{6,})|"([^\s:"'<]{6,}):")`)

// findCurl finds the password in a curl command line, which may continue after a
// backslash.
func findCurl(w []byte, key int, spans []span) []span {
	for i, tries := key, 0; tries < 3; i++ {
		n := bytes.Index(w[i:], []byte("-u"))
		if n < 0 {
			break
		}
		i += n
		option := i
		if w[i-1] == '-' {
			option--
		}
		if w[option-1] != ' ' && w[option-1] != '\t' {
			continue
		}
		tries++
		if m := curlUser().FindSubmatchIndex(w[option:]); m != nil {
			return append(spans, span{start: option + max(m[2], m[4]), end: option + max(m[3], m[5])})
		}
	}
	return spans
}

// placeholder recognises a stand-in for a secret, in a template or in prose.
func placeholder(b []byte) bool {
	if len(b) == 0 || bytes.IndexByte([]byte("$<{[%("), b[0]) >= 0 || repeated(b) {
		return true
	}
	folded := fold(b)
	for _, part := range []string{"${", "{{", "#{", "...", "***", "<your", "&lt;"} {
		if bytes.Contains(folded, []byte(part)) {
			return true
		}
	}
	return vendorExample(b)
}

// realm recognises a placeholder, and the challenge of a server: Basic realm="x".
func realm(b []byte) bool { return placeholder(b) || bytes.HasPrefix(b, []byte("realm=")) }

// weak recognises a placeholder or a plain word.
func weak(b []byte) bool {
	b = bytes.Trim(b, `"'`)
	if len(b) > 1 && b[0] == '{' && b[1] != '{' {
		b = b[1:]
	}
	return placeholder(b) || plain(b)
}

// expression recognises a placeholder, or text resembling code.
func expression(b []byte) bool {
	return bytes.ContainsAny(b, "(){}[]<>$") || placeholder(b) || bytes.HasPrefix(b, []byte("env.")) ||
		bytes.HasPrefix(b, []byte("self.")) || bytes.HasPrefix(b, []byte("process.")) || bytes.HasPrefix(b, []byte("os.")) || nonWord(b)
}

// noEnvPassword is noPass for a key that includes the underscore before the word.
func noEnvPassword(before, key []byte) bool {
	return bytes.EqualFold(key[:5], []byte("_pass")) && key[5] == '=' && noPass(append(bytes.Clone(before), '_'), key[1:])
}

// reference recognises an expression, or the password of another variable.
func reference(b []byte) bool {
	return expression(b) || bytes.HasPrefix(b, []byte("&quot")) || bytes.HasSuffix(fold(b), []byte("password")) && bytes.IndexByte(b, '.') >= 0
}

// dotnetPlaceholder is placeholder for the values of .NET configurations, where
// variables are written as %NAME%.
func dotnetPlaceholder(b []byte) bool {
	return placeholder(b) || len(b) < 5 || b[0] == '%' && b[len(b)-1] == '%'
}

// plain reports whether b consists of letters of one case.
func plain(b []byte) bool {
	for _, c := range b {
		if c < 'a' || c > 'z' {
			return bytes.Equal(b, bytes.ToUpper(b)) && !bytes.ContainsAny(b, "0123456789")
		}
	}
	return true
}

// repeated reports whether b is mostly one repeated byte, such as xxxxxxxx or
// ********.
func repeated(b []byte) bool {
	var count [256]int
	most := 0
	for _, c := range b {
		count[lower(c)]++
		most = max(most, count[lower(c)])
	}
	return len(b) > 3 && most*10 >= len(b)*8
}

func noDigit(b []byte) bool { return !bytes.ContainsAny(b, "0123456789") }

func noDigitOrRepeat(b []byte) bool {
	return noDigit(b) && entropy(b) > 1 && entropy(b) < 3.5
}

// nonWord recognises words that code and schemas use in place of a password.
func nonWord(b []byte) bool {
	_, found := slices.BinarySearch(words, string(fold(bytes.TrimRight(b, ",;"))))
	return found
}

var words = []string{
	"boolean", "bytes", "changeme", "default", "disabled", "empty", "enabled", "example", "failed", "false", "getpass", "hidden",
	"input", "integer", "invalid", "missing", "nil", "none", "null", "number", "object", "optional", "passed", "passwd", "password",
	"password_hash", "placeholder", "redacted", "required", "sample", "secret", "skipped", "string", "text", "token", "true", "undefined",
	"username", "valid", "value",
}

// vendorExample recognises a key printed in a vendor's documentation.
func vendorExample(b []byte) bool {
	return bytes.HasSuffix(b, []byte("EXAMPLE"))
}

// published recognises a Google API key that is made up, or is part of public
// documentation or of Google's own programs, by the first bytes of its SHA-256.
func published(b []byte) bool {
	if sequence(b) {
		return true
	}
	sum := sha256.Sum256(b)
	_, found := slices.BinarySearch(publishedKeys, binary.BigEndian.Uint64(sum[:8]))
	return found
}
