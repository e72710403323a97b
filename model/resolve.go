package model

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"
)

// The environment variables that Resolve reads, beside the provider's own key.
const (
	// EnvModel names the model.
	EnvModel = "GLOVEBOX_MODEL"
	// EnvURL is the base URL.
	EnvURL = "GLOVEBOX_MODEL_URL"
	// EnvKey is the key.
	EnvKey = "GLOVEBOX_MODEL_KEY"
)

// providerKeys are the usual variables with the providers' keys.
var providerKeys = map[string]string{
	ProviderOpenAI:    "OPENAI_API_KEY",
	ProviderAnthropic: "ANTHROPIC_API_KEY",
}

// Flags are the command line's settings for the model. All may be empty.
type Flags struct {
	// Model is provider/name or a bare name. A first part other than a provider
	// belongs to the name; a provider in front removes the ambiguity:
	// openai/anthropic/x is the model anthropic/x of an OpenAI-compatible
	// endpoint.
	Model string
	// BaseURL is [Config.BaseURL].
	BaseURL string
	// KeyFile is a file that holds the key and nothing else.
	KeyFile string
	// Headers are lines of the form "Name: value".
	Headers []string
	// Timeout is [Config.Timeout].
	Timeout time.Duration
	// AllowHTTP is [Config.AllowHTTP].
	AllowHTTP bool
}

// Resolve joins the flags with the environment, as read by getenv; flags come
// first. The key is that of the file, else that of [EnvKey]; the provider's own
// variable (OPENAI_API_KEY, ANTHROPIC_API_KEY) is read only for requests to the
// provider's own address, never exposing its key to another host.
func Resolve(f Flags, getenv func(string) string) (Config, error) {
	c := Config{BaseURL: f.BaseURL, Model: f.Model, Timeout: f.Timeout, AllowHTTP: f.AllowHTTP}
	if c.Model == "" {
		c.Model = getenv(EnvModel)
	}
	if c.BaseURL == "" {
		c.BaseURL = getenv(EnvURL)
	}
	if first, rest, ok := strings.Cut(c.Model, "/"); ok && addresses[first] != "" {
		c.Provider, c.Model = first, rest
	}
	c, err := c.complete()
	if err != nil {
		return Config{}, err
	}
	for _, h := range f.Headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return Config{}, fmt.Errorf("header %d is not of the form Name: value", len(c.Headers)+1)
		}
		if c.Headers == nil {
			c.Headers = map[string]string{}
		}
		c.Headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	switch {
	case f.KeyFile != "":
		if c.Key, err = readKey(f.KeyFile); err != nil {
			return Config{}, err
		}
	case getenv(EnvKey) != "":
		c.Key = strings.TrimSpace(getenv(EnvKey))
	default:
		if u, err := url.Parse(c.BaseURL); err == nil && isOwn(c.Provider, u) {
			c.Key = strings.TrimSpace(getenv(providerKeys[c.Provider]))
		}
	}
	return c, nil
}

// maxKey is the longest key in bytes.
const maxKey = 16 << 10

func readKey(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("read the key: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxKey+1))
	if err != nil {
		return "", fmt.Errorf("read the key: %w", err)
	}
	key := strings.TrimSpace(string(b))
	switch {
	case key == "":
		return "", fmt.Errorf("read the key: %s is empty", name)
	case len(b) > maxKey:
		return "", fmt.Errorf("read the key: %s is longer than %d bytes", name, maxKey)
	case !headerText(key):
		return "", fmt.Errorf("read the key: %s holds more than a key", name)
	}
	return key, nil
}

// noKey names the settings for a provider that requires a key and has none.
func noKey(provider string) string {
	return fmt.Sprintf("no key for %s: set %s or %s, or name a file with --model-key-file", provider, EnvKey, providerKeys[provider])
}
