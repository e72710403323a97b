package redact

import (
	"bytes"
	"slices"
)

//go:generate go run ./generate

// allRules returns the table of rules. Their order matters only if two rules find a
// secret at the same place: the first rule names the secret.
func allRules() []*rule {
	return slices.Concat(tokenRules(), shapeRules(), serviceRules(), credentialRules(), keyRules(), recentRules(), generatedRules(), assignmentRules())
}

// tokenRules are secrets consisting of a prefix and a run of letters.
func tokenRules() []*rule {
	var (
		lowerHex   = newClass("0-9a-f")
		lowerAlnum = newClass("0-9a-z")
		upperAlnum = newClass("0-9A-Z")
		base64std  = newClass("0-9A-Za-z+/=")
	)
	return []*rule{
		token("adafruit-key", "aio_", alnum, 28, 28),
		token("age-secret-key", "AGE-SECRET-KEY-1", upperAlnum, 58, 58),
		token("alibaba-access-key", "LTAI", alnum, 17, 26),
		token("artifactory-key", "AKCp", alnum, 65, 75),
		token("artifactory-reference-token", "cmVmd", alnum, 59, 59),
		token("appsync-key", "da2-", lowerAlnum, 26, 26),
		token("bedrock-key", "ABSK", base64std, 109, 269),
		token("bedrock-key", "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t", base64s, 0, 0),
		token("bitbucket-password", "ATBB", alnum, 32, 32),
		token("blynk-client", "oa2-client-id_", dashed, 32, 32),
		token("clickhouse-key", "4b1d", alnum, 38, 38),
		token("clojars-token", "CLOJARS_", alnum, 60, 60),
		token("crates-io-key", "cio", alnum, 32, 32),
		token("dependency-track-key", "odt_", alnum, 32, 255),
		token("digitalocean-token", "doo_v1_", hexDigits, 64, 64),
		token("digitalocean-token", "dop_v1_", hexDigits, 64, 64),
		token("digitalocean-token", "dor_v1_", hexDigits, 64, 64),
		token("docker-token", "dckr_pat_", dashed, 27, 27),
		token("docker-token", "dckr_oat_", dashed, 27, 40),
		token("doppler-token", "dp.ct.", alnum, 40, 44),
		token("doppler-token", "dp.pt.", alnum, 40, 44),
		token("doppler-token", "dp.sa.", alnum, 40, 44),
		token("doppler-token", "dp.scim.", alnum, 40, 44),
		token("doppler-token", "dp.audit.", alnum, 40, 44),
		token("dropbox-token", "sl.", dashed, 130, 152),
		token("duffel-token", "duffel_test_", dashed, 43, 43),
		token("duffel-token", "duffel_live_", dashed, 43, 43),
		token("easypost-token", "EZAK", alnum, 54, 54),
		token("easypost-token", "EZTK", alnum, 54, 54),
		token("facebook-token", "EAACEdEose0cBA", alnum, 20, 0),
		token("facebook-token", "EAAM", alnum, 100, 0),
		token("facebook-token", "EAAC", alnum, 100, 0),
		token("firecrawl-key", "fc-", lowerHex, 32, 32),
		token("flutterwave-key", "FLWSECK_TEST-", hexDigits, 32, 34),
		token("frameio-token", "fio-u-", dashed, 64, 64),
		token("github-pat", "ghp_", alnum, 36, 36),
		token("github-oauth", "gho_", alnum, 36, 36),
		token("github-app-token", "ghu_", alnum, 36, 36),
		token("github-app-token", "ghs_", alnum, 36, 36),
		token("github-refresh-token", "ghr_", alnum, 36, 76),
		token("github-fine-grained-pat", "github_pat_", word, 82, 82),
		token("gitlab-pat", "glpat-", dotted, 20, 60),
		token("gitlab-trigger-token", "glptt-", hexDigits, 40, 40),
		token("gitlab-runner-token", "GR1348941", dashed, 20, 20),
		token("gitlab-runner-token", "glrt-", dotted, 20, 60),
		token("gitlab-token", "gldt-", dashed, 20, 50),
		token("gitlab-token", "glcbt-", dashed, 20, 60),
		token("gitlab-token", "glsoat-", dashed, 20, 50),
		token("gitlab-token", "glft-", dashed, 20, 50),
		token("gitlab-token", "glagent-", dashed, 50, 50),
		token("gitlab-token", "gloas-", dashed, 64, 64),
		token("gitlab-token", "glffct-", dashed, 20, 20),
		token("gitlab-token", "glimt-", dashed, 25, 25),
		token("google-oauth-secret", "GOCSPX-", dashed, 28, 28),
		token("google-oauth-token", "ya29.", dashed, 20, 0),
		token("grafana-token", "eyJrIjoi", base64std, 60, 0),
		token("grafana-token", "glc_", base64std, 32, 0),
		token("groq-key", "gsk_", alnum, 50, 54),
		token("harness-token", "pat.", dotted, 60, 80),
		token("heroku-key", "HRKU-AA", dashed, 58, 58),
		token("huggingface-token", "hf_", letters, 34, 34),
		token("huggingface-token", "api_org_", letters, 34, 34),
		token("jina-key", "jina_", alnum, 60, 60),
		token("linear-key", "lin_api_", alnum, 40, 40),
		token("maxmind-key", "mmk_", word, 36, 40),
		token("new-relic-key", "NRAK-", alnum, 27, 27),
		token("new-relic-key", "NRAA-", lowerHex, 27, 27),
		token("new-relic-key", "NRII-", dashed, 32, 32),
		token("new-relic-key", "NRIQ-", dashed, 32, 32),
		token("new-relic-key", "NRRA-", lowerHex, 42, 42),
		token("new-relic-key", "NRJS-", lowerHex, 19, 19),
		token("notion-token", "ntn_", alnum, 46, 46),
		token("notion-token", "secret_", alnum, 43, 43),
		token("npm-token", "npm_", alnum, 36, 36),
		token("nuget-key", "oy2", lowerAlnum, 43, 43),
		token("octopus-key", "API-", upperAlnum, 26, 26),
		token("1password-token", "ops_eyJ", base64s, 250, 0),
		token("openai-key", "sk-", alnum, 48, 48),
		token("openai-key", "sk-proj-", dashed, 48, 200),
		token("openai-key", "sk-svcacct-", dashed, 48, 200),
		token("openai-key", "sk-admin-", dashed, 48, 200),
		token("openrouter-key", "sk-or-v1-", lowerHex, 64, 64),
		token("perplexity-key", "pplx-", alnum, 48, 48),
		token("planetscale-token", "pscale_pw_", dotted, 32, 64),
		token("planetscale-token", "pscale_tkn_", dotted, 32, 64),
		token("planetscale-token", "pscale_oauth_", dotted, 32, 64),
		token("prefect-token", "pnu_", alnum, 36, 36),
		token("pulumi-token", "pul-", lowerHex, 40, 40),
		token("pypi-token", "pypi-AgEIcHlwaS5vcmc", dashed, 50, 0),
		token("pypi-token", "pypi-AgENdGVzdC5weXBpLm9yZw", dashed, 50, 0),
		token("readme-key", "rdme_", lowerAlnum, 70, 70),
		token("replicate-token", "r8_", alnum, 37, 37),
		token("rubygems-key", "rubygems_", lowerHex, 48, 48),
		token("scalingo-token", "tk-us-", dashed, 48, 48),
		token("segment-token", "sgp_", alnum, 64, 64),
		token("sendinblue-key", "xkeysib-", dashed, 81, 81),
		token("sentry-token", "sntryu_", lowerHex, 64, 64),
		token("sentry-token", "sntrys_eyJ", base64s, 80, 0),
		token("settlemint-token", "sm_pat_", alnum, 16, 16),
		token("settlemint-token", "sm_aat_", alnum, 16, 16),
		token("settlemint-token", "sm_sat_", alnum, 16, 16),
		token("shippo-token", "shippo_live_", hexDigits, 40, 40),
		token("shippo-token", "shippo_test_", hexDigits, 40, 40),
		token("shopify-token", "shpss_", hexDigits, 32, 32),
		token("shopify-token", "shpat_", hexDigits, 32, 32),
		token("shopify-token", "shpca_", hexDigits, 32, 32),
		token("shopify-token", "shppa_", hexDigits, 32, 32),
		token("sourcegraph-token", "sgp_", hexDigits, 40, 40).least(3),
		token("sourcegraph-token", "sgp_local_", hexDigits, 40, 40),
		token("square-token", "sq0atp-", dashed, 22, 60),
		token("square-token", "sq0atb-", dashed, 22, 22),
		token("square-token", "EAAA", dashed, 60, 60),
		token("square-secret", "sq0csp-", dashed, 43, 43),
		token("supabase-token", "sbp_", lowerHex, 40, 40),
		token("tavily-key", "tvly-", alnum, 32, 32),
		token("typeform-token", "tfp_", dotted, 59, 59),
		token("vault-token", "hvs.", dashed, 24, 200),
		token("vault-token", "hvb.", dashed, 24, 500),
		token("vault-token", "hvr.", dashed, 24, 200),
		token("xai-key", "xai-", alnum, 80, 80),
	}
}

// shapeRules are secrets recognisable by a single expression.
func shapeRules() []*rule {
	const uuid = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`
	url := newClass("0-9A-Za-z_./@-")
	rules := []*rule{
		{id: "1password-secret-key", keys: []string{"A3-"}, exact: true, left: alnum, bits: 3.2,
			re: `A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}`},
		{id: "adobe-secret", keys: []string{"p8e-"}, left: alnum, re: `(?i)p8e-[a-z0-9-]{32}(?:[^a-z0-9-]|$)`},
		{id: "anthropic-key", keys: []string{"sk-ant-api"}, exact: true, left: alnum, re: `(sk-ant-api\d\d-[\w-]{93}AA)(?:[^\w-]|$)`},
		{id: "anthropic-admin-key", keys: []string{"sk-ant-admin"}, exact: true, left: alnum, re: `(sk-ant-admin\d\d-[\w-]{93}AA)(?:[^\w-]|$)`},
		{id: "aws-access-key", exact: true, left: alnum, bits: 2.2, not: vendorExample,
			keys: []string{"A3T", "AKIA", "ASIA", "ABIA", "ACCA", "AGPA", "AIDA", "AROA", "AIPA", "ANPA", "ANVA"},
			re:   `((?:A3T[A-Z0-9]|A[A-Z]{3})[A-Z0-9]{16})(?:[^A-Za-z0-9]|$)`},
		{id: "aws-mws-token", keys: []string{"amzn.mws."}, left: alnum, re: `(?i)amzn\.mws\.` + uuid},
		{id: "atlassian-token", keys: []string{"ATATT3xFfGF0"}, exact: true, span: 400, re: `ATATT3xFfGF0[a-zA-Z0-9_=-]{20,250}`},
		{id: "azure-client-secret", keys: []string{"Q~"}, exact: true, back: 4, prior: newClass("0-9A-Za-z_~."), left: newClass("0-9A-Za-z_~.-"), bits: 3.2,
			re: `([a-zA-Z0-9_~.]{3}\dQ~[a-zA-Z0-9_~.-]{31,34})\.?(?:[^a-zA-Z0-9_~.-]|$)`},
		{id: "azure-devops-token", keys: []string{"AZDO"}, exact: true, back: 76, prior: alnum, left: alnum,
			re: `([a-zA-Z0-9]{76}AZDO[a-zA-Z0-9]{4})(?:[^a-zA-Z0-9]|$)`},
		{id: "azure-app-configuration", keys: []string{".azconfig.io;"}, re: `(?i)\.azconfig\.io;\s*id=[^;\s]{4,60};\s*secret=([a-z0-9+/]{36,50}=?)`},
		{id: "databricks-token", keys: []string{"dapi"}, exact: true, left: alnum, bits: 2.5, re: `(dapi[a-f0-9]{32}(?:-[0-9]+)?)(?:[^a-zA-Z0-9]|$)`},
		{id: "doppler-token", keys: []string{"dp.st."}, exact: true, left: alnum, re: `(dp\.st\.(?:[a-z0-9_-]{2,35}\.)?[a-zA-Z0-9]{40,44})(?:[^a-zA-Z0-9]|$)`},
		{id: "dynatrace-token", keys: []string{"dt0"}, exact: true, left: alnum, re: `dt0[a-zA-Z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}`},
		{id: "flyio-token", keys: []string{"fo1_"}, exact: true, left: dashed, bits: 3, re: `(fo1_[\w-]{43})(?:[^\w-]|$)`},
		{id: "flyio-token", keys: []string{"fm1a_", "fm1r_", "fm2_"}, exact: true, left: alnum, bits: 3, span: 4096,
			re: `fm(?:1[ar]|2)_[A-Za-z0-9+/]{100,}={0,3}`, tail: newClass("0-9A-Za-z+/=,_").swallow},
		{id: "google-api-key", keys: []string{"AIza"}, exact: true, left: alnum, bits: 4, not: published,
			re: `(AIza[\w-]{35})(?:[^a-zA-Z0-9_-]|$)`},
		{id: "grafana-service-account-token", keys: []string{"glsa_"}, exact: true, left: alnum, re: `glsa_[a-zA-Z0-9]{32}_[a-fA-F0-9]{8}`},
		{id: "google-client-id", keys: []string{".apps.googleusercontent.com"}, back: 33, prior: newClass("0-9a-z_-"), re: `-([a-z0-9_]{32})\.apps`},
		{id: "infracost-key", keys: []string{"ico-"}, exact: true, left: dotted, bits: 3, re: `(ico-[a-zA-Z0-9]{32})(?:[^a-zA-Z0-9.]|$)`},
		{id: "intra42-secret", keys: []string{"s-s4t2ud-", "s-s4t2af-"}, exact: true, left: alnum, re: `s-s4t2(?:ud|af)-[a-f0-9]{64}`},
		{id: "jwt", keys: []string{"eyJ"}, exact: true, left: alnum, span: jwtSpan, bits: 3, find: findJWT, tail: newClass("0-9A-Za-z_.=-").swallow},
		{id: "jwt", keys: []string{"eyJ0eXAiOiAiVENWMiJ9."}, exact: true, left: alnum, re: `eyJ0eXAiOiAiVENWMiJ9\.[A-Za-z0-9_-]{36}\.[A-Za-z0-9_-]{48}`},
		{id: "jwt-base64", keys: []string{"ZXlK"}, exact: true, left: alnum, span: 4096, bits: 4, tail: base64s.swallow,
			re: `ZXlK(?:aGJHY2lPaU|hYjJGaWNHeH|MFlXNTBYM|GJtTWlPaU|jBlWEFpT2lK|aGNIVWlPaU)[a-zA-Z0-9+/=_\\-]{60,}`},
		{id: "msteams-webhook", keys: []string{".office.com/webhook"}, span: 512, bits: 3, tail: url.swallow,
			re: `\.office\.com/webhook(?:b2)?/(` + uuid + `@` + uuid + `/IncomingWebhook/[a-fA-F0-9]{32}/` + uuid + `)`},
		{id: "new-relic-key", keys: []string{"NRAL"}, exact: true, back: 36, prior: alnum, left: alnum, re: `([a-zA-Z0-9]{6}[a-fA-F0-9]{30}NRAL)(?:[^a-zA-Z0-9]|$)`},
		{id: "new-relic-key", keys: []string{"px-api-", "px-dep-"}, left: alnum, re: `(?i)px-(?:api|dep)-` + uuid},
		{id: "openshift-token", keys: []string{"sha256~"}, exact: true, bits: 3, not: noDigit, re: `sha256~([\w-]{43})(?:[^\w-]|$)`},
		{id: "postman-key", keys: []string{"PMAK-"}, exact: true, left: alnum, re: `PMAK-[a-fA-F0-9]{24}-[a-zA-Z0-9]{34}`},
		{id: "salesforce-token", keys: []string{"00D"}, exact: true, left: alnum, bits: 3.5, re: `00[a-zA-Z0-9]{13}![a-zA-Z0-9._]{80,120}`},
		{id: "sendgrid-key", keys: []string{"SG."}, exact: true, left: alnum, re: `SG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}`},
		{id: "slack-token", keys: []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-", "xoxe.xox", "xapp-"}, left: alnum, bits: 2.6,
			re: `(?i)(xoxb-[0-9]{8,14}-(?:[0-9]{10,14}-)?[a-zA-Z0-9]{18,34}|xox[pe](?:-[0-9]{10,13}){3}-[a-zA-Z0-9-]{28,34}|xoxe(?:\.xox[bp])?-\d-[a-z0-9]{140,170}|` +
				`xox[ar]-(?:\d-)?[0-9a-z-]{8,48}\d[0-9a-z]{8,}|xox[os]-\d+-\d+-\d+-[a-f\d]+|xapp-(?:\d-[a-z0-9]+-\d+-[a-z0-9]+|[0-9]{12}-[a-z0-9/+]{24}))(?:[^a-zA-Z0-9-]|$)`},
		{id: "slack-webhook", keys: []string{"hooks.slack.com/"}, bits: 3, re: `(?i)hooks\.slack\.com/(?:services|workflows|triggers)/([a-z0-9+/]{43,58})`},
		{id: "slack-webhook", keys: []string{"hooks.slack.com/services/"}, bits: 3, re: `(?i)hooks\.slack\.com/services/(T[a-z0-9_]{8,12}/B[a-z0-9_]{8,12}/[a-z0-9_]{20,26})`},
		{id: "sourcegraph-token", keys: []string{"sgp_"}, exact: true, left: alnum, re: `(sgp_[a-fA-F0-9]{16}_[a-fA-F0-9]{40})(?:[^a-fA-F0-9]|$)`},
		{id: "sourcegraph-token", keys: []string{"sourcegraph"}, bits: 3, re: `(?i)sourcegraph[\w .-]{0,20}["']?\s{0,3}[:=]+\s{0,3}["']?([a-f0-9]{40})(?:[^a-f0-9]|$)`},
		{id: "square-token", keys: []string{"sq0idp-secret-"}, left: alnum, re: `sq0idp-secret-[\w-]{43}`},
		{id: "stackhawk-key", keys: []string{"hawk."}, exact: true, left: alnum, re: `hawk\.[0-9A-Za-z_-]{20}\.[0-9A-Za-z_-]{20}`},
		{id: "stripe-key", keys: []string{"sk_live_", "rk_live_", "sk_test_", "rk_test_", "sk_prod_", "rk_prod_"}, left: alnum, bits: 2.5,
			re: `(?i)([sr]k_(?:live|test|prod)_[a-z0-9]{10,120})(?:[^a-z0-9]|$)`},
		{id: "telegram-token", keys: []string{":AA"}, exact: true, back: 10, prior: digits, left: digits, re: `([0-9]{10}:AA[a-zA-Z0-9_-]{32,33})(?:[^a-zA-Z0-9_-]|$)`},
		{id: "telegram-token", keys: []string{":AA"}, exact: true, back: 9, prior: digits, left: digits, re: `([0-9]{9}:AA[a-zA-Z0-9_-]{32,33})(?:[^a-zA-Z0-9_-]|$)`},
		{id: "telegram-token", keys: []string{":AA"}, exact: true, back: 8, prior: digits, left: digits, re: `([0-9]{8}:AA[a-zA-Z0-9_-]{32,33})(?:[^a-zA-Z0-9_-]|$)`},
		{id: "terraform-token", keys: []string{".atlasv1."}, back: 14, prior: alnum, left: alnum, bits: 3.5, re: `(?i)[a-z0-9]{14}\.atlasv1\.[a-z0-9=_-]{60,70}`},
		{id: "twitch-stream-key", keys: []string{"live_"}, exact: true, left: alnum, re: `(live_\d{8,12}_[A-Za-z0-9]{30,36})(?:[^A-Za-z0-9]|$)`},
		{id: "password-hash", keys: []string{"$1$", "$5$", "$6$", "$8$", "$2a$", "$2b$", "$2x$", "$2y$"},
			re: `\$1\$[./A-Za-z0-9]{8}\$[./A-Za-z0-9]{22}|\$2[abxy]\$\d+\$[./A-Za-z0-9]{53}|\$5\$(?:rounds=\d+\$)?[./A-Za-z0-9]{8,16}\$[./A-Za-z0-9]{43}|` +
				`\$6\$(?:rounds=\d+\$)?[./A-Za-z0-9]{8,16}\$[./A-Za-z0-9]{86}|\$8\$[./A-Za-z0-9]{8,16}\$[./A-Za-z0-9]{43}`},
		{id: "kerberos-hash", keys: []string{"$krb5asrep$23$"}, span: 2048, tail: hexDigits.swallow, re: `\$krb5asrep\$23\$(?:[^:\s]{1,100}:)?[0-9a-f]{32}\$[0-9a-f]{64,}`},
	}
	return rules
}

// jwtSpan is the length of a JWT visible to findJWT. The tail takes the rest.
const jwtSpan = 4096

// findJWT finds three parts in base64url, separated by dots. The first two parts
// start like JSON objects. The third may be missing.
func findJWT(w []byte, key int, spans []span) []span {
	head := dashed.run(w)
	if head < 14 || !bytes.HasPrefix(w[head:], []byte(".ey")) {
		return spans
	}
	body := head + 1 + jwtBody.run(w[head+1:])
	if body-head < 15 || body == len(w) && body < jwtSpan {
		return spans
	}
	end := body
	if end < len(w) {
		if w[end] != '.' {
			return spans
		}
		end++
		end += jwtBody.run(w[end:])
		for i := 0; i < 2 && end < len(w) && w[end] == '='; i++ {
			end++
		}
	}
	return append(spans, span{start: 0, end: end})
}

// jwtBody is base64url, and the slashes inserted by some libraries.
var jwtBody = newClass("0-9A-Za-z_/\\-")
