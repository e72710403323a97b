package model

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// The providers: the wire formats that we speak.
const (
	// ProviderOpenAI is the chat completions of OpenAI, which many servers
	// speak.
	ProviderOpenAI = "openai"
	// ProviderAnthropic is Anthropic's messages.
	ProviderAnthropic = "anthropic"
)

// Config describes a model's endpoint. Its printed forms do not show the key
// and the values of the headers.
type Config struct {
	// Provider is [ProviderOpenAI] or [ProviderAnthropic]. If it is empty, the
	// host of BaseURL decides: OpenAI's format for any host but Anthropic's.
	// Without a BaseURL the name of the model decides.
	Provider string
	// BaseURL is the provider's address; empty means the default one. It
	// includes the path of the version for OpenAI's format (…/v1), but not for
	// Anthropic's.
	BaseURL string
	// Key is the endpoint's key; local servers want none.
	Key string `json:"-"`
	// Model is the provider's name for the model.
	Model string
	// Headers are sent with each request.
	Headers map[string]string `json:"-"`
	// Timeout is the longest time of one request from its start to the end of
	// the answer; 0 means [DefaultTimeout].
	Timeout time.Duration
	// AllowHTTP sends the key and the conversation unencrypted to remote hosts.
	AllowHTTP bool
}

// DefaultTimeout is the longest time of a request without a Timeout in the
// Config.
const DefaultTimeout = 10 * time.Minute

// String describes c without its secrets.
func (c Config) String() string {
	key := "no key"
	if c.Key != "" {
		key = "with a key"
	}
	// Open refuses a URL with a password, but people print refused values.
	base := "a URL that cannot be parsed"
	if u, err := url.Parse(c.BaseURL); err == nil {
		base = u.Redacted()
	}
	return fmt.Sprintf("%s/%s at %s, %s", c.Provider, c.Model, base, key)
}

// GoString is String, so that %#v shows no secret either.
func (c Config) GoString() string { return c.String() }

// LogValue is String for package slog.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// addresses are the providers' own base URLs.
var addresses = map[string]string{
	ProviderOpenAI:    "https://api.openai.com/v1",
	ProviderAnthropic: "https://api.anthropic.com",
}

// Open makes the Model of c. It sends nothing: a wrong key or an unknown model
// is told by the first request.
func Open(c Config) (Model, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(c.BaseURL)
	if err != nil {
		return nil, errors.New("base URL: it cannot be parsed; write it as http://localhost:8000/v1")
	}
	if err := checkURL(base, c.AllowHTTP); err != nil {
		return nil, fmt.Errorf("base URL: %w", err)
	}
	if c.Key == "" && isOwn(c.Provider, base) {
		return nil, errors.New(noKey(c.Provider))
	}
	if !headerText(c.Key) {
		return nil, errors.New("key: it holds characters that no key has: is it the right file?")
	}
	for name, value := range c.Headers {
		if !headerName(name) || !headerText(value) {
			return nil, fmt.Errorf("header %q: it holds characters that no header has", name)
		}
	}
	if c.Provider == ProviderAnthropic {
		return newAnthropic(c, base), nil
	}
	return newOpenAI(c, base), nil
}

// complete fills the fields that have defaults.
func (c Config) complete() (Config, error) {
	if c.Model == "" {
		return c, errors.New("no model: name one with --model or " + EnvModel + ", such as anthropic/NAME or openai/NAME")
	}
	if c.Provider == "" {
		c.Provider = guessProvider(c.BaseURL, c.Model)
	}
	own, ok := addresses[c.Provider]
	switch {
	case c.Provider == "":
		return c, fmt.Errorf("model %q: whose is it? Say openai/%[1]s or anthropic/%[1]s, or set the base URL with --model-url or %s", c.Model, EnvURL)
	case !ok:
		return c, fmt.Errorf("provider %q is unknown: it must be %s or %s", c.Provider, ProviderOpenAI, ProviderAnthropic)
	}
	if c.BaseURL == "" {
		c.BaseURL = own
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	return c, nil
}

// guessProvider returns "" where nothing tells the provider.
func guessProvider(base, model string) string {
	if base != "" {
		if u, err := url.Parse(base); err == nil && isOwn(ProviderAnthropic, u) {
			return ProviderAnthropic
		}
		return ProviderOpenAI
	}
	for _, f := range []struct{ prefix, provider string }{
		{"claude", ProviderAnthropic},
		{"gpt-", ProviderOpenAI}, {"chatgpt-", ProviderOpenAI}, {"codex-", ProviderOpenAI},
		{"o1", ProviderOpenAI}, {"o3", ProviderOpenAI}, {"o4", ProviderOpenAI},
	} {
		if strings.HasPrefix(model, f.prefix) {
			return f.provider
		}
	}
	return ""
}

// checkURL enforces the rules for the safety of keys: encryption to remote
// hosts, and no secret in the URL, because errors show URLs.
func checkURL(u *url.URL, allowHTTP bool) error {
	switch {
	case u.User != nil:
		return errors.New("it holds a user name or password: give it as the key or as a header")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("it has a query or a fragment, which requests cannot keep")
	case u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%q is not an http or https URL", u)
	case u.Scheme == "http" && !isLoopback(u.Hostname()) && !allowHTTP:
		return fmt.Errorf("%s would get the key and the conversation unencrypted: use https, or allow it with --allow-http", u.Host)
	}
	return nil
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// isOwn reports whether u is the provider's own address.
func isOwn(provider string, u *url.URL) bool {
	own, err := url.Parse(addresses[provider])
	return err == nil && origin(u) == origin(own)
}

// origin is the scheme, host and port of u.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// headerText reports whether s can be a header's value.
func headerText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

func headerName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	})
}
