package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestFalseAlarms: what looks like an assignment of a secret and is none.
func TestFalseAlarms(t *testing.T) {
	for _, text := range []string{
		"--- PASS: TestParseInt64 (0.00s)\n", "    --- PASS: TestX/utf8_case_2 (0.01s)\n", "PASS: test_utf8\n", "PASS: test_utf8_decode_3 (tests.T9)\n",
		`"minipass": "^7.1.2",`, `"fs-minipass": "^3.0.3"`, `parse-passwd: "npm:^1.0.0"`, `"parse-passwd": "^1.0.0"`, `"node_modules/minipass": "7.1.2"`,
		"bypass: rule42x\n", "compass: N45E12\n", "first_pass=epoch12\n", "num_pass=12of15\n", "tests_pass: 12/15ok\n",
		`"AWS::Foo::EndpointAuthorization": "e72bd1a9c04f5e6b8a7d3c2f1e0b9a8d"`, "private_key: PKCS7PrivateKeyTypes,\n", ":type tokens: antlr4.X\n", "proxy_pass = proxy_pass.to_str\n",
		"this._password=s._password\n", "Authorization: Basic realm=\"x\"\n", `"idempotency_key": "a3d8f0c1e2b4a5968778695a4b3c2d1e"`,
		`cache_key: 5d41402abc4b2a76b9719d911017c592`, `"key": "5d41402abc4b2a76b9719d911017c592"`, "primary_key = 8f14e45f-ceea-467f-a0e6-1d2f3c4b5a69\n",
		`"acme_key": "8f14e45f-ceea-467f-a0e6-1d2f3c4b5a69"`, "monkey: 5d41402abc4b2a76b9719d911017c592\n", "cache-key: node-cache-Linux-x64-npm-5d41402abc4b2a76b9719d911017c592\n",
		"registry_key = HKEY_LOCAL_MACHINE/Software/Foo2\n", "sort_key=created_at_2024_desc\n", "integrity sha512-Kx9Fw0Q2Zm1p5T7uY3v8bH6nJ4cL2eR1sA0dG9iO8xM7==\n",
		`key="sk-learn-estimator"`, "ssh_key: ecdsa-sha2-nistp256\n", "KeyError: 'api_key2'\n", "def f(password: str = None):\n", `password: Optional[str] = ""` + "\n",
		"| id | name |\n| 123456789012345 | x |\n", "cookie: theme=dark; lang=en\n", "Set-Cookie: theme=dark; Path=/; HttpOnly\n",
		`password = <span class="hljs-string">x</span>`, "TOKEN = exports2.STRICT_TOKEN\n", "RegEnumKey = win32api.RegEnumKey\n", `pass: "passed",`, "X_PASSWORD=&quot;password&quot; \\\n",
		"git log --token-count 12345678\n", "usage: x [--password PASSWORD] [--token TOKEN]\n", "<token>identifier</token>\n"[:7] + "\n",
	} {
		if out := New(Config{}).String("stdout", text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}

// TestPlacesOfPasswords: where languages, tools and formats put a password.
func TestPlacesOfPasswords(t *testing.T) {
	const secret = "Tr0ub4dor-x9"
	for _, text := range []string{
		`val password: String = "` + secret + `"`, `def f(passwd: str = "` + secret + `"):`, `os.environ.get("PASSWORD") or "` + secret + `"`,
		`process.env.PASSWORD || "` + secret + `"`[0:], "mysql --password " + secret + " -u root", "gpg --passphrase " + secret + " --decrypt", "<password>" + secret + "</password>",
		`let password: &str = "` + secret + `";`, `password: Option<String> = "` + secret + `"`, `dbPass = "` + secret + `"`, "DB_PASS=" + secret, `{"auth": {"pass": "` + secret + `"}}`,
		"db.internal:5432:app:admin:" + secret + "\n", `string password = "` + secret + `";`,
	} {
		if out := New(Config{}).String("stdout", text); len(leaves(out, secret)) > 4 {
			t.Errorf("%q became %q", text, out)
		}
	}
}

// TestPlacesOfSecrets: where tools and protocols put a secret that has neither
// a prefix nor a name of its own.
func TestPlacesOfSecrets(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	for name, form := range map[string]string{
		".npmrc":             "//registry.example.com/:_auth=%s\n",
		".npmrc token":       "//registry.example.com/:_authToken=%s\n",
		"Docker":             `{"auths": {"registry.example.com": {"auth": "%s"}}}`,
		"Docker, escaped":    `{\"auths\": {\"registry.example.com\": {\"auth\": \"%s\"}}}`,
		"Set-Cookie":         "< Set-Cookie: sessionid=%s; Path=/; HttpOnly\n",
		"Cookie":             "> Cookie: theme=dark; connect.sid=s%%3A%s; lang=en\n",
		"requests' headers":  "{'Cookie': 'auth_token=%s'}",
		"PHP":                "GET /x?PHPSESSID=%s HTTP/1.1\n",
		"pgpass":             "db.internal:5432:app:admin:%s\n",
		"option":             "deploy --token %s --force\n",
		"option, quoted":     `deploy --api-key "%s"` + "\n",
		"XML":                "<settings><password>%s</password></settings>\n",
		"FileZilla":          `<Pass encoding="base64">%s</Pass>`,
		"stated":             "Error: invalid token '%s'\n",
		"provided":           "Incorrect API key provided: %s. You can find\n",
		"Discord's webhook":  "https://discord.com/api/webhooks/1234567890123456789/%s" + noise(r, alnumSet, 36) + "\n",
		"Mattermost":         "https://chat.example.com/hooks/9xuqwrwgstrb3mzrxb83nb357a%.0s\n",
		"RPC":                "https://mainnet.infura.io/v3/%s\n",
		"environment's else": `key = os.environ.get("API_PASSWORD") or "%s"`,
	} {
		value := noise(r, alnumSet, 32) + "7"
		text := fmt.Sprintf(form, value)
		if out := New(Config{}).String("stdout", text); strings.Contains(out, value[8:]) || out == text {
			t.Errorf("%s: %q became %q", name, text, out)
		}
	}
}
