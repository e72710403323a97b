package redact

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// classTable are classes of credentials: the name under which they are
// configured, and how they look. In a pattern {a36} is 36 letters and digits;
// h: lower hex, H: upper hex, l: lower letters, u: upper letters, d: digits,
// x: lower letters and digits, X: upper letters and digits, w: letters, digits,
// "-" and "_", b: base64, B: base32. The values are made at run time, so that
// no scanner of this source takes them for real.
const classTable = `
OPENAI_API_KEY sk-proj-{w48}T3BlbkFJ{w48}
OPENAI_SVC_KEY sk-svcacct-{w74}T3BlbkFJ{w74}
OPENAI_ADMIN_KEY sk-admin-{w58}T3BlbkFJ{w58}
OPENAI_OLD_KEY sk-{a20}T3BlbkFJ{a20}
OPENAI_SESSION sess-{a40}
ANTHROPIC_API_KEY sk-ant-api03-{w93}AA
ANTHROPIC_ADMIN_KEY sk-ant-admin01-{w93}AA
CLAUDE_OAUTH_TOKEN sk-ant-oat01-{w86}-{w6}AA
CLAUDE_REFRESH_TOKEN sk-ant-ort01-{w86}-{w6}AA
CLAUDE_SESSION_KEY sk-ant-sid01-{w86}-{w6}AA
GEMINI_API_KEY AQ.Ab8RN6{w44}
GOOGLE_API_KEY AIza{w35}
GOOGLE_OAUTH_TOKEN ya29.{w180}
GOOGLE_REFRESH_TOKEN 1//0{w60}
GOOGLE_CLIENT_SECRET GOCSPX-{w28}
DEEPSEEK_API_KEY sk-{h32}
DASHSCOPE_API_KEY sk-{h32}
MOONSHOT_API_KEY sk-{a48}
MINIMAX_API_KEY sk-api-{w119}
LANGFUSE_SECRET_KEY sk-lf-{h8}-{h4}-{h4}-{h4}-{h12}
OPENROUTER_API_KEY sk-or-v1-{h64}
HELICONE_API_KEY sk-helicone-{x7}-{x7}-{x7}-{x7}
ELEVENLABS_API_KEY sk_{h48}
GROQ_API_KEY gsk_{a52}
XAI_API_KEY xai-{a80}
TOGETHER_API_KEY tgp_v1_{w43}
FIREWORKS_API_KEY fw_{a24}
CEREBRAS_API_KEY csk-{x48}
NVIDIA_API_KEY nvapi-{w64}
PERPLEXITY_API_KEY pplx-{a48}
HF_TOKEN hf_{L34}
REPLICATE_API_TOKEN r8_{a37}
VOYAGE_API_KEY pa-{w43}
JINA_API_KEY jina_{a60}
TAVILY_API_KEY tvly-dev-{a32}
FIRECRAWL_API_KEY fc-{h32}
LLAMA_CLOUD_API_KEY llx-{a48}
PINECONE_API_KEY pcsk_{a6}_{a63}
LANGSMITH_API_KEY lsv2_pt_{h32}_{h10}
LANGSMITH_SERVICE_KEY lsv2_sk_{h32}_{h10}
WANDB_API_KEY wandb_v1_{a77}
CURSOR_API_KEY key_{h64}
E2B_API_KEY e2b_{h40}
DAYTONA_API_KEY dtn_{h64}
MEM0_API_KEY m0-{a40}
APIFY_TOKEN apify_api_{a36}
BROWSERBASE_API_KEY bb_live_{a28}
BRAVE_API_KEY BSA{w28}
AWS_ACCESS_KEY_ID AKIA{B16}
AWS_STS_KEY_ID ASIA{B16}
AWS_SECRET_ACCESS_KEY {b40}
AWS_BEDROCK_TOKEN ABSK{a120}
AWS_SESSION_TOKEN IQoJb3JpZ2luX2VjE{b300}
AZURE_CLIENT_SECRET {a3}8Q~{a34}
AZURE_STORAGE_KEY {b86}==
AZURE_DEVOPS_PAT {a76}AZDO{a4}
AZURE_OPENAI_API_KEY {h32}
DIGITALOCEAN_TOKEN dop_v1_{h64}
CLOUDFLARE_API_TOKEN cfut_{a48}
CLOUDFLARE_ACCOUNT_TOKEN cfat_{a48}
CLOUDFLARE_GLOBAL_KEY cfk_{a46}
CLOUDFLARE_OLD_TOKEN {w40}
CLOUDFLARE_ORIGIN_KEY v1.0-{h24}-{h146}
HEROKU_API_KEY HRKU-{h8}-{h4}-{h4}-{h4}-{h12}
HEROKU_API_KEY_V2 HRKU-AA{w58}
FLY_API_TOKEN fo1_{w43}
FLY_MACAROON fm2_{b200}
VERCEL_TOKEN vcp_{a56}
VERCEL_AI_GATEWAY_KEY vck_{a56}
VERCEL_INTEGRATION vci_{a56}
NETLIFY_TOKEN nfp_{a40}
RENDER_API_KEY rnd_{a28}
SUPABASE_TOKEN sbp_{h40}
SUPABASE_SECRET_KEY sb_secret_{w22}_{a8}
NEON_API_KEY napi_{x64}
PLANETSCALE_PASSWORD pscale_pw_{w43}
PLANETSCALE_TOKEN pscale_tkn_{w43}
DATABRICKS_TOKEN dapi{h32}
SNOWFLAKE_PASSWORD {a20}
MONGODB_ATLAS_SECRET mdb_sa_sk_{w40}
ASTRA_DB_TOKEN AstraCS:{a24}:{h64}
CLICKHOUSE_CLOUD_KEY 4b1d{a38}
INFLUX_TOKEN {w86}==
ALIBABA_ACCESS_KEY LTAI{a20}
GITHUB_TOKEN ghp_{a36}
GITHUB_PAT github_pat_{a22}_{a59}
GITHUB_OAUTH_TOKEN gho_{a36}
GITHUB_APP_TOKEN ghs_{a36}
GITHUB_REFRESH_TOKEN ghr_{a36}
GITLAB_TOKEN glpat-{w20}
GITLAB_ROUTABLE_TOKEN glpat-{a27}.01.{x9}
GITLAB_RUNNER_TOKEN glrt-{w20}
GITLAB_RUNNER_REGISTRATION glrtr-{w27}
GITLAB_TRIGGER_TOKEN glptt-{h40}
GITLAB_DEPLOY_TOKEN gldt-{w20}
GITLAB_JOB_TOKEN glcbt-64_{w20}
BITBUCKET_APP_PASSWORD ATBB{a32}
ATLASSIAN_API_TOKEN ATATT3xFfGF0{w180}={H8}
ATLASSIAN_SCOPED_TOKEN ATCTT3xFfGN0{w170}={H8}
NPM_TOKEN npm_{a36}
PYPI_TOKEN pypi-AgEIcHlwaS5vcmc{w120}
CARGO_TOKEN cio{a32}
RUBYGEMS_KEY rubygems_{h48}
NUGET_KEY oy2{x43}
DOCKER_PAT dckr_pat_{w27}
DOCKER_OAT dckr_oat_{w32}
SWARM_JOIN_TOKEN SWMTKN-1-{x50}-{x25}
JFROG_TOKEN AKCp{a69}
CIRCLECI_TOKEN CCIPAT_{a22}_{h40}
BUILDKITE_TOKEN bkua_{h40}
PULUMI_TOKEN pul-{h40}
TERRAFORM_TOKEN {a14}.atlasv1.{w67}
VAULT_TOKEN hvs.{w95}
VAULT_BATCH_TOKEN hvb.{w150}
DOPPLER_TOKEN dp.pt.{a43}
OP_SERVICE_TOKEN ops_eyJ{a260}
INFRACOST_KEY ico-{a32}
SENTRY_USER_TOKEN sntryu_{h64}
SENTRY_AUTH_TOKEN {h64}
DATADOG_API_KEY {h32}
DD_APP_KEY {h40}
NEW_RELIC_KEY NRAK-{X27}
NEW_RELIC_LICENSE_KEY {h36}NRAL
GRAFANA_TOKEN glsa_{a32}_{h8}
GRAFANA_CLOUD_TOKEN glc_{b100}
HONEYCOMB_API_KEY {a32}
POSTHOG_KEY phx_{a44}
POSTHOG_FLAGS_KEY phs_{a44}
SLACK_BOT_TOKEN xoxb-{d12}-{d13}-{a24}
SLACK_USER_TOKEN xoxp-{d12}-{d12}-{d13}-{h32}
SLACK_APP_TOKEN xapp-1-A{X10}-{d13}-{h64}
SLACK_WEBHOOK https://hooks.slack.com/services/T{X10}/B{X10}/{a24}
DISCORD_BOT_TOKEN MTE{a21}.G{a5}.{w38}
DISCORD_WEBHOOK https://discord.com/api/webhooks/{d19}/{w68}
TELEGRAM_BOT_TOKEN {D10}:AA{w33}
TEAMS_WEBHOOK https://acme.webhook.office.com/webhookb2/{h8}-{h4}-{h4}-{h4}-{h12}@{h8}-{h4}-{h4}-{h4}-{h12}/IncomingWebhook/{h32}/{h8}-{h4}-{h4}-{h4}-{h12}
TWILIO_AUTH_TOKEN {h32}
SENDGRID_API_KEY SG.{w22}.{w43}
MAILGUN_API_KEY key-{h32}
MAILCHIMP_API_KEY {h32}-us12
RESEND_API_KEY re_{a8}_{a24}
BREVO_API_KEY xkeysib-{h64}-{a16}
POSTMARK_SERVER_TOKEN {h8}-{h4}-{h4}-{h4}-{h12}
STRIPE_SECRET_KEY sk_live_{a24}
STRIPE_LONG_KEY sk_live_{a99}
STRIPE_RESTRICTED_KEY rk_live_{a24}
STRIPE_WEBHOOK_SECRET whsec_{a32}
SQUARE_TOKEN EAAA{w60}
SHOPIFY_TOKEN shpat_{h32}
SHOPIFY_NEW_TOKEN shpat_{a38}
PADDLE_KEY pdl_live_apikey_{x26}_{a22}_{a3}
PLAID_SECRET {h30}
COINBASE_SECRET {a64}
NOTION_TOKEN ntn_{d11}{a35}
LINEAR_API_KEY lin_api_{a40}
ASANA_TOKEN 2/12{d14}/12{d14}:{h32}
AIRTABLE_TOKEN pat{a14}.{h64}
FIGMA_TOKEN figd_{w40}
POSTMAN_KEY PMAK-{h24}-{h34}
TYPEFORM_TOKEN tfp_{w59}
HUBSPOT_TOKEN pat-na1-{h8}-{h4}-{h4}-{h4}-{h12}
INTERCOM_TOKEN {w59}=
ZENDESK_TOKEN {a40}
OKTA_TOKEN 00{w40}
AUTH0_CLIENT_SECRET {w64}
TAILSCALE_KEY tskey-auth-{a16}-{a32}
NGROK_TOKEN {a27}_{a21}
LAUNCHDARKLY_KEY sdk-{h8}-{h4}-{h4}-{h4}-{h12}
SOURCEGRAPH_TOKEN sgp_{h16}_{h40}
AGE_KEY AGE-SECRET-KEY-1{G58}
JWT eyJ{a33}.eyJ{a80}.{w43}
FACEBOOK_TOKEN 1{d14}|{w27}
FERNET_KEY {w43}=
APP_KEY base64:{b43}=
DJANGO_SECRET_KEY {a50}
FLASK_SECRET {h48}
VIRUSTOTAL_KEY {h64}
ACME_KEY {a32}
ACME_TOKEN {a40}
DB_PASSWORD {a16}
REDIS_PASSWORD {a24}
DATABASE_URL postgres://app:{a18}@db.internal:5432/prod
AMQP_URL amqp://svc:{a16}@mq.internal:5672/vhost
AZURE_SAS_URL https://acct.blob.core.windows.net/c/f.txt?sv=2024-11-04&se=2026-12-01&sr=b&sp=r&sig={a40}%2B{a2}%3D
AZURE_CONNECTION DefaultEndpointsProtocol=https;AccountName=acct;AccountKey={b86}==;EndpointSuffix=core.windows.net
`

// credential is a row of the table.
type credential struct{ name, pattern string }

func classes() []credential {
	var all []credential
	for line := range strings.Lines(classTable) {
		if name, pattern, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			all = append(all, credential{name, pattern})
		}
	}
	return all
}

// make makes a value, and returns the random part that must not be left.
func (c credential) make(r *rand.Rand) (value, core string) {
	sets := map[byte]string{'a': alnumSet, 'h': hexSet, 'H': digitSet + "ABCDEF", 'l': lowerSet, 'u': upperSet, 'L': lowerSet + upperSet, 'd': digitSet, 'D': "123456789",
		'x': lowerSet + digitSet, 'X': upperSet + digitSet, 'w': base64Set, 'b': alnumSet + "+/", 'B': upperSet + "234567", 'G': "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"}
	for rest := c.pattern; rest != ""; {
		lead, tail, found := strings.Cut(rest, "{")
		value += lead
		if !found {
			break
		}
		var hole string
		hole, rest, _ = strings.Cut(tail, "}")
		n, _ := strconv.Atoi(hole[1:])
		part := noise(r, sets[hole[0]], n)
		value += part
		if len(part) > len(core) {
			core = part
		}
	}
	return value, core
}

// contexts are the places where a program prints a value called name.
var contexts = []struct {
	name  string
	print func(name, value string) string
}{
	{"own line", func(_, v string) string { return v + "\n" }},
	{"environment", func(n, v string) string { return n + "=" + v + "\n" }},
	{"YAML", func(n, v string) string { return strings.ToLower(n) + ": \"" + v + "\"\n" }},
	{"JSON", func(n, v string) string { return `{"id": 7, "` + strings.ToLower(n) + `": "` + v + `"}` + "\n" }},
	{"assignment", func(n, v string) string { return strings.ToLower(n) + " = '" + v + "'\n" }},
	{"URL query", func(n, v string) string {
		return "GET https://api.example.com/v1/x?" + strings.ToLower(n) + "=" + v + "&page=2 200\n"
	}},
	{"header", func(_, v string) string { return "> Authorization: Bearer " + v + "\n" }},
	{"error message", func(_, v string) string { return "Error: 401 Incorrect API key provided: " + v + ". Check it.\n" }},
	{"curl", func(_, v string) string { return `curl -H "X-Api-Key: ` + v + `" https://api.example.com/v1` + "\n" }},
	{"colours", func(n, v string) string {
		return "\x1b[2m12:00\x1b[0m \x1b[36m" + strings.ToLower(n) + "\x1b[0m=\x1b[35m" + v + "\x1b[0m\n"
	}},
	{"pytest", func(n, v string) string {
		return "E       AssertionError: assert {'" + strings.ToLower(n) + "': '" + v + "'} == {}\n"
	}},
	{"log line", func(n, v string) string {
		return "2026-11-22T19:05:01.123Z DEBUG client: using " + n + "=" + v + " (attempt 1)\n"
	}},
	{"JSON in JSON", func(n, v string) string { return `{"body":"{\"` + strings.ToLower(n) + `\":\"` + v + `\"}"}` + "\n" }},
	{"container log", func(n, v string) string { return "web-1  | " + strings.ToLower(n) + ": " + v + "\n" }},
}

// TestClasses: the share of values that are found, by class and by context.
// GLOVEBOX_CLASSES names a file for the table of docs/redaction.md.
func TestClasses(t *testing.T) {
	const samples = 3
	all := classes()
	if len(all) < 160 || len(contexts) != 14 {
		t.Fatalf("%d classes, %d contexts", len(all), len(contexts))
	}
	rnd := rand.New(rand.NewPCG(2026, 11))
	found, total := 0, 0
	byContext := map[string]int{}
	var table strings.Builder
	for _, c := range all {
		var missed []string
		hits := 0
		for _, x := range contexts {
			here := 0
			for range samples {
				value, core := c.make(rnd)
				out := New(Config{}).String("stdout", x.print(c.name, value))
				if len(leaves(out, core)) <= len(core)/3 {
					here++
				}
			}
			byContext[x.name] += here
			if hits += here; here < samples {
				missed = append(missed, fmt.Sprintf("%s %d/%d", x.name, here, samples))
			}
		}
		found, total = found+hits, total+samples*len(contexts)
		fmt.Fprintf(&table, "| %s | `%s` | %d of %d |\n", c.name, strings.ReplaceAll(c.pattern, "|", `\|`), hits, samples*len(contexts))
		if len(missed) > 0 {
			t.Logf("%s: %s", c.name, strings.Join(missed, ", "))
		}
	}
	for _, x := range contexts {
		t.Logf("%-14s %5.1f %%", x.name, 100*float64(byContext[x.name])/float64(samples*len(all)))
	}
	share := 100 * float64(found) / float64(total)
	t.Logf("%d of %d: %.1f %% of %d classes in %d contexts", found, total, share, len(all), len(contexts))
	if share < 92 {
		t.Errorf("%.1f %% were found", share)
	}
	if file := os.Getenv("GLOVEBOX_CLASSES"); file != "" {
		if err := os.WriteFile(file, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKeys: random values that are called a key of something.
func TestKeys(t *testing.T) {
	rnd := rand.New(rand.NewPCG(85, 1))
	names := []string{"DD_APP", "FERNET", "APP", "VIRUSTOTAL", "ACME", "STRIPEISH", "MY_SERVICE", "X", "PROD_DB_ENC", "HMAC", "AES", "MASTER", "ROOT", "WEBHOOK", "BILLING"}
	shapes := []credential{{"", "{a32}"}, {"", "{h32}"}, {"", "{h40}"}, {"", "{h64}"}, {"", "{w43}="}, {"", "{b43}="}, {"", "base64:{b43}="}, {"", "{a20}"}, {"", "{a24}"}, {"", "{X32}"}, {"", "{x40}"}}
	found, total := 0, 0
	missed := map[string]int{}
	for _, n := range names {
		for _, s := range shapes {
			for _, form := range []string{"%s_KEY=%s\n", "%s_KEY = '%s'\n", "%s_KEY: %s\n", `"%s_KEY": "%s"`, "export %s_KEY=\"%s\"\n"} {
				value, core := s.make(rnd)
				name := n
				if total%2 == 1 {
					form, name = strings.Replace(form, "_KEY", "_key", 1), strings.ToLower(n)
				}
				text := fmt.Sprintf(form, name, value)
				if total++; strings.Contains(New(Config{}).String("stdout", text), core) {
					missed[s.pattern]++
				} else {
					found++
				}
			}
		}
	}
	share := 100 * float64(found) / float64(total)
	t.Logf("%d of %d: %.1f %%, missed %v", found, total, share, missed)
	if share < 85 {
		t.Errorf("%.1f %% were found", share)
	}
	for _, want := range slices.Sorted(slices.Values(names)) {
		text := want + "_KEY=" + noise(rnd, alnumSet, 3) + "7"
		if out := New(Config{}).String("stdout", text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}
