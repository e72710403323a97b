package redact

import "bytes"

// recentRules are recently introduced secrets, above all of model providers and
// related services, and some secrets missing from public rule sets.
func recentRules() []*rule {
	const uuid = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`
	lowerHex := newClass("0-9a-f")
	base64std := newClass("0-9A-Za-z+/=")
	strict := func(r *rule) *rule {
		r.not = notMixed
		return r
	}
	digit := func(r *rule) *rule {
		r.not = noDigit
		return r
	}
	return []*rule{
		// Models.
		token("anthropic-token", "sk-ant-oat", dashed, 60, 200),
		token("anthropic-token", "sk-ant-ort", dashed, 60, 200),
		token("anthropic-token", "sk-ant-sid", dashed, 60, 200),
		token("openai-session", "sess-", alnum, 40, 40),
		digit(token("provider-key", "sk-", alnum, 32, 64).least(3)), // DeepSeek, DashScope, Moonshot, Stability
		token("helicone-key", "sk-helicone-", dashed, 20, 60),
		strict(token("litellm-key", "sk-", dashed, 22, 22).least(3.4)),
		{id: "langfuse-secret", keys: []string{"sk-lf-"}, exact: true, left: alnum, re: `sk-lf-` + uuid},
		token("elevenlabs-key", "sk_", lowerHex, 48, 48).least(3),
		digit(token("fireworks-key", "fw_", alnum, 20, 40).least(3)),
		digit(token("tavily-key", "tvly-", dashed, 30, 80)),
		token("cursor-key", "key_", lowerHex, 64, 64).least(3),
		token("runway-key", "key_", lowerHex, 128, 128).least(3),
		token("retell-key", "key_", lowerHex, 28, 28).least(3),
		token("coderabbit-key", "cr-", lowerHex, 58, 58).least(3),
		token("coze-token", "pat_", alnum, 60, 70),
		token("friendli-token", "flp_", alnum, 44, 56),
		{id: "azure-openai-key", keys: []string{"JQQJ99"}, exact: true, back: 52, prior: alnum, left: alnum, re: `([a-zA-Z0-9]{52}JQQJ99[A-Za-z0-9]{26})(?:[^a-zA-Z0-9]|$)`,
			not: func(b []byte) bool { return bytes.Contains(b, []byte("AZDO")) }}, // keys with AZDO have a separate rule
		strict(token("voyage-key", "pa-", dashed, 43, 43).least(4)),
		token("llamacloud-key", "llx-", alnum, 40, 60),
		token("mem0-key", "m0-", alnum, 38, 44).least(3.5),
		{id: "brave-key", keys: []string{"BSA"}, exact: true, left: base64s, bits: 3.5, not: notMixed, re: `(BSA[\w-]{28})(?:[^\w+/=-]|$)`},
		token("nvidia-key", "nvapi-", dashed, 40, 90),
		token("cerebras-key", "csk-", alnum, 40, 60),
		token("xai-key", "xai-", dashed, 70, 120),
		// Boxes and clouds.
		token("e2b-key", "e2b_", lowerHex, 40, 40),
		token("daytona-key", "dtn_", alnum, 40, 80),
		digit(token("browserbase-key", "bb_live_", dashed, 20, 40)),
		digit(token("trigger-key", "tr_dev_", alnum, 16, 40)),
		digit(token("trigger-key", "tr_prod_", alnum, 16, 40)),
		token("inngest-key", "signkey-", dashed, 40, 90),
		token("cloudflare-token", "cfut_", alnum, 40, 60),
		token("cloudflare-token", "cfat_", alnum, 40, 60),
		token("cloudflare-token", "cfk_", alnum, 36, 60),
		token("netlify-token", "nfp_", dashed, 36, 46),
		token("netlify-token", "nfc_", dashed, 36, 46),
		digit(token("supabase-secret", "sb_secret_", dashed, 20, 60)),
		token("tailscale-key", "tskey-", dashed, 20, 90),
		token("github-app-token", "ghs_", dotted, 60, 0),
		token("gitlab-runner-token", "glrtr-", dotted, 20, 60),
		{id: "heroku-key", keys: []string{"HRKU-"}, exact: true, left: alnum, re: `HRKU-` + uuid},
		{id: "convex-key", keys: []string{"prod:", "dev:", "preview:"}, must: '|', left: alnum, bits: 4, re: `(?:prod|dev|preview):[a-z0-9:-]{3,60}\|([A-Za-z0-9+/=]{40,200})`},
		{id: "google-refresh-token", keys: []string{"1//0"}, exact: true, left: alnum, bits: 3.5, re: `(1//0[\w-]{40,200})(?:[^\w-]|$)`},
		{id: "dropbox-token", keys: []string{"sl.u."}, exact: true, left: alnum, span: 2048, tail: dashed.swallow, re: `sl\.u\.[\w-]{100,}`},
		token("aws-session-token", "IQoJb3JpZ2lu", base64std, 100, 0),
		{id: "astra-token", keys: []string{"AstraCS:"}, exact: true, left: alnum, re: `AstraCS:[A-Za-z0-9]{20,40}:[0-9a-f]{64}`},
		{id: "launchdarkly-key", keys: []string{"sdk-", "api-"}, exact: true, left: alnum, re: `(?:sdk|api)-` + uuid},
		{id: "hubspot-key", keys: []string{"pat-na", "pat-eu", "pat-ap"}, exact: true, left: alnum, re: `pat-[a-z]{2}\d-` + uuid},
		token("mailgun-key", "key-", lowerHex, 32, 32).least(3),
		{id: "mailchimp-key", keys: []string{"-us"}, exact: true, back: 32, prior: hexDigits, left: alnum, bits: 3, re: `([0-9a-f]{32}-us[0-9]{1,2})(?:[^a-z0-9]|$)`},
		{id: "rpc-url", keys: []string{".infura.io/", ".alchemyapi.io/", ".alchemy.com/", ".quiknode.pro/"}, bits: 3, not: noDigit, re: `(?i)\.[a-z]+\.[a-z]+/(?:v\d/|ws/v\d/)?([\w-]{30,64})(?:[^\w-]|$)`},
		{id: "mattermost-webhook", keys: []string{"/hooks/"}, bits: 3, not: noDigit, re: `/hooks/([a-z0-9]{26})(?:[^a-z0-9]|$)`},
		{id: "maxmind-key", keys: []string{"_mmk"}, exact: true, back: 36, prior: word, left: alnum, re: `([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)(?:[^a-zA-Z0-9]|$)`},
		// Work and money.
		{id: "zoho-token", keys: []string{"1000."}, exact: true, left: alnum, re: `(1000\.[0-9a-f]{32}\.[0-9a-f]{32})(?:[^0-9a-f]|$)`},
		token("contentful-token", "CFPAT-", dashed, 40, 48),
		token("scale-key", "live_", lowerHex, 32, 32).least(3),
		token("nylas-key", "nyk_", alnum, 40, 80),
		token("fleetbase-key", "flb_live_", alnum, 16, 40).least(3),
		{id: "riot-key", keys: []string{"RGAPI-"}, exact: true, left: alnum, re: `RGAPI-` + uuid},
		token("atlassian-token", "ATCTT3xFf", base64s, 100, 250),
		token("atlassian-token", "ATATT3xFf", base64s, 100, 250),
		token("posthog-key", "phs_", alnum, 40, 60),
		token("webhook-secret", "whsec_", base64std, 24, 80),
		token("linear-token", "lin_oauth_", lowerHex, 64, 64),
		token("figma-token", "figu_", dashed, 36, 50),
		token("shopify-token", "shpat_", alnum, 32, 64),
		token("shopify-token", "shpua_", alnum, 32, 64),
		token("shopify-token", "shpca_", alnum, 32, 64),
		token("shopify-token", "shppa_", alnum, 32, 64),
		token("shopify-token", "shpss_", alnum, 32, 64),
		{id: "resend-key", keys: []string{"re_"}, exact: true, left: alnum, bits: 3, not: noDigit, re: `(re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24})(?:[^A-Za-z0-9_]|$)`},
		{id: "airtable-token", keys: []string{"pat"}, exact: true, left: alnum, find: findAirtable},
		{id: "asana-token", keys: []string{"2/12"}, exact: true, left: newClass("0-9A-Za-z./"), re: `(2/\d{15,17}/\d{15,17}:[0-9a-f]{32})(?:[^0-9a-f]|$)`},
		{id: "asana-token", keys: []string{"1/12"}, exact: true, left: newClass("0-9A-Za-z./"), re: `(1/\d{15,17}:[0-9a-f]{32})(?:[^0-9a-f]|$)`},
		{id: "discord-webhook", keys: []string{"/api/webhooks/"}, bits: 3, re: `(?i)/api/webhooks/\d{15,21}/([\w-]{60,80})`},
		// A bot's token begins with its number in base64.
		{id: "discord-token", keys: []string{"MTA", "MTE", "MTI", "MTM", "MTQ"}, exact: true, left: alnum, must: '.', bits: 3.5,
			re: `(M[\w-]{21,27}\.[\w-]{6}\.[\w-]{27,40})(?:[^\w-]|$)`},
		{id: "facebook-token", keys: []string{"|"}, back: 15, prior: digits, left: newClass("2-9A-Za-z"), bits: 3, re: `(\d{15}\|[\w-]{27,40})(?:[^\w-]|$)`},
		{id: "azure-sas", keys: []string{"sig="}, left: alnum, span: 320, bits: 3, re: `(?i)sig=([a-z0-9+/%_-]{40,100}(?:%3D|=))`},
		{id: "npmrc-auth", keys: []string{"_auth"}, span: 400, bits: 2.5, re: `(?i)_auth(?:token)?["']?\s{0,3}[=:]\s{0,3}["']?([a-z0-9+/=_-]{12,300})(?:[\s"']|$)`, not: placeholder},
		{id: "docker-auth", keys: []string{`auth"`, `auth'`, `auth\`}, left: letters, span: 1024, bits: 2.5, re: `auth\\*["']\s{0,3}:\s{0,3}\\*["']([A-Za-z0-9+/]{12,800}={0,2})\\*["']`, not: plain},
		{id: "pgpass", keys: []string{":5432:"}, re: `:5432:[^:\s]{1,63}:[^:\s]{1,63}:([^\s:"']{4,100})(?:[\s"']|$)`, not: placeholder},
		{id: "session-cookie", keys: []string{"cookie:", "cookie': '", `cookie": "`, `cookie\": \"`}, list: true, span: 2048, find: findCookies},
		{id: "session-cookie", keys: []string{"phpsessid=", "jsessionid=", "sessionid=", "connect.sid=", "_session=", "session_id="}, left: letters, span: 600, bits: 3, not: noDigit,
			re: `(?i)[a-z_.]+=([a-z0-9%._+/=-]{16,500})(?:[\s"';,&)]|\\[nr"]|$)`},
		{id: "stated-secret", weak: true, not: ordinaryWord,
			keys: []string{"key provided", "token provided", "secret provided", "invalid token", "invalid api key", "invalid key", "invalid access token", "invalid api token",
				"incorrect api key", "bad token", "bad api key", "unknown token", "unknown api key", "expired token", "revoked token", "key is ", "token is ", "secret is ", "token was ", "key was "},
			re: `(?i)[a-z ]{3,24}(?: (?:provided|is|was|supplied|used|given|received|sent))?[:=]?\s{0,2}['"\x60(]{0,2}([a-z0-9_.=+/~-]{16,400})`},
		{id: "flag-secret", weak: true, not: flagWord,
			keys: []string{"--password ", "--passwd ", "--pass ", "--passphrase ", "--token ", "--api-key ", "--apikey ", "--secret ", "--auth-token ", "--access-token ",
				"--client-secret ", "--secret-key ", "--api-token ", "--db-password "},
			re: `--[a-zA-Z-]+ {1,3}(?:"([^"\n]{4,200})"|'([^'\n]{4,200})'|([^\s"'$<\[{(|-][^\s"'|;)]{5,200}))`},
		{id: "xml-secret", weak: true, not: placeholder,
			keys: []string{"<password>", "<passwd>", "<passphrase>", "<secret>", "<token>", "<apikey>", "<api_key>", "<api-key>", "<accesskey>", "<secretkey>", "<privatekey>", "<clientsecret>", "<pass>", "<pass "},
			re:   `(?i)<[a-z_-]+(?: [^>\n]{0,60})?>([^<\s]{4,200})</`},
	}
}

// notMixed reports that b lacks letters of both cases, or digits. A random value of
// the same length would have all of them.
func notMixed(b []byte) bool {
	return noDigit(b) || bytes.Equal(b, bytes.ToLower(b)) || bytes.Equal(b, bytes.ToUpper(b))
}

// ordinaryWord recognises a value without a random look.
func ordinaryWord(b []byte) bool {
	b = bytes.TrimRight(b, ".")
	return !random(b) || expression(b) || wordy(b) || versioned(b) || identifier(b)
}

// flagWord recognises text after an option that is not its value, or is a word.
func flagWord(b []byte) bool { return expression(b) || noDigit(b) && plain(b) || nonWord(b) }

// findAirtable finds a personal access token. Its prefix begins many words, so an
// expression would run too often.
func findAirtable(w []byte, key int, spans []span) []span {
	const id, secret = 14, 64
	end := key + id + 1 + secret
	if len(w) < end || w[key+id] != '.' || !alnum.all(w[key:key+id]) || !hexDigits.all(w[key+id+1:end]) {
		return spans
	}
	return append(spans, span{start: 0, end: end})
}

// sessions are parts of the names of session cookies.
var sessions = [...]string{"sess", "sid", "auth", "token", "jwt", "remember", "login", "csrf", "xsrf", "credential", "secret", "identity", "user"}

// findCookies finds the values of session cookies in a header: cookies with such a
// name, or with a long random value.
func findCookies(w []byte, key int, spans []span) []span {
	for at := key; at < len(w); {
		pair := w[at:]
		if i := bytes.IndexAny(pair, ";\"'\r"); i >= 0 {
			pair = pair[:i]
		}
		next := at + len(pair) + 1
		name, value, found := bytes.Cut(pair, []byte("="))
		if found && len(name) < 80 && cookieSecret(fold(bytes.TrimSpace(name)), bytes.TrimSpace(value)) {
			value = bytes.TrimSpace(value)
			start := at + bytes.IndexByte(pair, '=') + 1
			start += bytes.Index(w[start:], value)
			spans = append(spans, span{start: start, end: start + len(value)})
		}
		if next < len(w) && w[next-1] != ';' {
			break
		}
		at = next
	}
	return spans
}

func cookieSecret(name, value []byte) bool {
	if len(value) < 12 || bytes.ContainsAny(value, " <>{}[]") || placeholder(value) {
		return false
	}
	for _, s := range sessions {
		if bytes.Contains(name, []byte(s)) {
			return !plain(value) && entropy(value) > 2.5
		}
	}
	return len(value) >= 20 && random(value)
}
