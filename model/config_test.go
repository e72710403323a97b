package model_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/model"
	"github.com/gloveboxhq/glovebox/model/modeltest"
)

const (
	openAI    = "https://api.openai.com/v1"
	anthropic = "https://api.anthropic.com"
)

func TestResolve(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	key := file("key", " from-file\n")
	both := map[string]string{"OPENAI_API_KEY": "openai-key", "ANTHROPIC_API_KEY": "anthropic-key"}

	for _, c := range []struct {
		name  string
		flags model.Flags
		env   map[string]string
		want  string // provider model base key, or a part of the error
	}{
		{"provider and name", model.Flags{Model: "anthropic/claude-x"}, both, "anthropic claude-x " + anthropic + " anthropic-key"},
		{"the other", model.Flags{Model: "openai/gpt-x"}, both, "openai gpt-x " + openAI + " openai-key"},
		{"bare name", model.Flags{Model: "claude-x"}, both, "anthropic claude-x " + anthropic + " anthropic-key"},
		{"the other bare", model.Flags{Model: "gpt-x"}, both, "openai gpt-x " + openAI + " openai-key"},
		{"whose", model.Flags{Model: "llama"}, both, "openai/llama or anthropic/llama"},
		{"none", model.Flags{}, both, model.EnvModel},
		{"from the environment", model.Flags{}, map[string]string{"GLOVEBOX_MODEL": "gpt-x", "GLOVEBOX_MODEL_URL": "http://127.0.0.1:1/v1", "GLOVEBOX_MODEL_KEY": "k"}, "openai gpt-x http://127.0.0.1:1/v1 k"},
		{"flags come first", model.Flags{Model: "a", BaseURL: "https://b.example/v1", KeyFile: key}, map[string]string{"GLOVEBOX_MODEL": "c", "GLOVEBOX_MODEL_URL": "d", "GLOVEBOX_MODEL_KEY": "e"}, "openai a https://b.example/v1 from-file"},
		{"a key is the provider's own", model.Flags{Model: "openai/gpt-x", BaseURL: "https://proxy.example/v1"}, both, "openai gpt-x https://proxy.example/v1 "},
		{"nor by another port", model.Flags{Model: "gpt-x", BaseURL: "https://api.openai.com:444/v1"}, both, "openai gpt-x https://api.openai.com:444/v1 "},
		{"nor unencrypted", model.Flags{Model: "gpt-x", BaseURL: "http://api.openai.com/v1"}, both, "openai gpt-x http://api.openai.com/v1 "},
		{"nor by a longer name", model.Flags{Model: "gpt-x", BaseURL: "https://api.openai.com.evil.example/v1"}, both, "openai gpt-x https://api.openai.com.evil.example/v1 "},
		{"its own address, spelled out", model.Flags{Model: "x", BaseURL: "https://API.anthropic.com:443/"}, both, "anthropic x https://API.anthropic.com:443/ anthropic-key"},
		{"a name with a slash", model.Flags{Model: "meta/llama", BaseURL: "https://b.example/v1"}, nil, "openai meta/llama https://b.example/v1 "},
		{"a name with a provider", model.Flags{Model: "openai/anthropic/claude-x", BaseURL: "https://b.example/v1"}, nil, "openai anthropic/claude-x https://b.example/v1 "},
		{"our key goes anywhere", model.Flags{Model: "openai/x", BaseURL: "https://b.example/v1"}, map[string]string{"GLOVEBOX_MODEL_KEY": "k", "OPENAI_API_KEY": "o"}, "openai x https://b.example/v1 k"},
		{"no file", model.Flags{Model: "gpt-x", KeyFile: filepath.Join(dir, "missing")}, both, "read the key: "},
		{"empty file", model.Flags{Model: "gpt-x", KeyFile: file("empty", "\n")}, both, "is empty"},
		{"not a key", model.Flags{Model: "gpt-x", KeyFile: file("pem", "secret-one\nsecret-two\n")}, both, "holds more than a key"},
		{"too long a key", model.Flags{Model: "gpt-x", KeyFile: file("long", strings.Repeat("secret", 1e5))}, both, "is longer than"},
		{"no header", model.Flags{Model: "gpt-x", Headers: []string{"secret-one"}}, both, "header 1 is not of the form"},
	} {
		got, err := model.Resolve(c.flags, func(name string) string { return c.env[name] })
		if err != nil {
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if s := strings.Join([]string{got.Provider, got.Model, got.BaseURL, got.Key}, " "); s != c.want {
			t.Errorf("%s: %q, want %q", c.name, s, c.want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	base := model.Config{Model: "m", Key: "the-secret-key", BaseURL: "https://b.example/v1"}
	for _, c := range []struct {
		name   string
		change func(*model.Config)
		want   string // "" where it is fine
	}{
		{"nothing", func(*model.Config) {}, ""},
		{"no model", func(c *model.Config) { c.Model = "" }, "--model"},
		{"unknown provider", func(c *model.Config) { c.Provider = "acme" }, "must be openai or anthropic"},
		{"no key for its own", func(c *model.Config) { c.BaseURL, c.Model, c.Key = "", "claude-x", "" }, "set GLOVEBOX_MODEL_KEY or ANTHROPIC_API_KEY"},
		{"no key for another", func(c *model.Config) { c.Key = "" }, ""},
		{"http", func(c *model.Config) { c.BaseURL = "http://b.example/v1" }, "unencrypted"},
		{"http to a private address", func(c *model.Config) { c.BaseURL = "http://10.0.0.1/v1" }, "unencrypted"},
		{"http to a name like ours", func(c *model.Config) { c.BaseURL = "http://localhost.evil.example/v1" }, "unencrypted"},
		{"http that is allowed", func(c *model.Config) { c.BaseURL, c.AllowHTTP = "http://b.example/v1", true }, ""},
		{"http to us", func(c *model.Config) { c.BaseURL = "http://localhost:8080/v1" }, ""},
		{"http to us in six", func(c *model.Config) { c.BaseURL = "http://[::1]:8080/v1" }, ""},
		{"a password", func(c *model.Config) { c.BaseURL = "https://me:secret@b.example/v1" }, "user name or password"},
		{"a query", func(c *model.Config) { c.BaseURL = "https://b.example/v1?key=secret" }, "query"},
		{"not a URL", func(c *model.Config) { c.BaseURL = "https://secret\x7f/" }, "cannot be parsed"},
		{"another scheme", func(c *model.Config) { c.BaseURL = "file:///etc/passwd" }, "not an http or https URL"},
		{"a key with lines", func(c *model.Config) { c.Key = "secret\nX-Evil: 1" }, "characters that no key has"},
		{"a header with lines", func(c *model.Config) { c.Headers = map[string]string{"X": "secret\n"} }, `header "X"`},
		{"a header's name", func(c *model.Config) { c.Headers = map[string]string{"X Y": "secret"} }, `header "X Y"`},
	} {
		config := base
		c.change(&config)
		_, err := model.Open(config)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret")):
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

func TestConfigShowsNoSecret(t *testing.T) {
	c := model.Config{Provider: "openai", Model: "m", Key: "the-secret", Headers: map[string]string{"X": "the-secret"}}
	j, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	c.BaseURL = "https://me:the-secret@b.example/v1"
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("open", "config", c)
	for _, s := range []string{fmt.Sprint(c), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c), fmt.Sprintf("%+v", &c), string(j), log.String()} {
		if strings.Contains(s, "secret") {
			t.Errorf("%s", s)
		}
	}
}

// TestEnvironmentIsNotRead: the libraries would send what lies there to
// whatever address we talk to.
func TestEnvironmentIsNotRead(t *testing.T) {
	for _, name := range []string{
		"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID",
		"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE",
	} {
		t.Setenv(name, "lies-around")
	}
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/lies-around")
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9/lies-around")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Custom: lies-around")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Custom: lies-around")
	for _, provider := range providers {
		for _, key := range []string{"", "explicit"} {
			s := modeltest.New(t, modeltest.Texts("fine"))
			c := s.Config(provider)
			c.Key = key
			c.Headers = map[string]string{"X-Ours": "sent"}
			m, err := model.Open(c)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Complete(context.Background(), request, nil); err != nil {
				t.Fatalf("%s with key %q: %v", provider, key, err)
			}
			h := s.Calls()[0].Header
			if text := fmt.Sprint(h); strings.Contains(text, "lies-around") || h.Get("X-Ours") != "sent" {
				t.Errorf("%s with key %q sent %v", provider, key, h)
			}
			want := map[string]string{model.ProviderOpenAI: h.Get("Authorization"), model.ProviderAnthropic: h.Get("X-Api-Key")}[provider]
			if strings.TrimPrefix(want, "Bearer ") != key {
				t.Errorf("%s sent the key %q, want %q", provider, want, key)
			}
		}
	}
}
