package extract

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
	"github.com/gloveboxhq/glovebox/language"
)

var (
	prompt     = lazyre.New(`^\s*(?:>>>|In \[\d*\]:|irb\([^)]*\)[^>]*>)(?: |$)`)
	nextPrompt = lazyre.New(`^\s*(?:\.\.\.+:?|irb\([^)]*\)[^>]*\*)(?: |$)`)
)

// isTranscript reports whether text is a session at a prompt: its first line
// with text has one.
func isTranscript(text string) bool {
	return prompt().MatchString(firstLine(strings.TrimLeft(text, " \t\n")))
}

// readTranscript replaces a session by what was typed, without prompts and
// without what was printed.
func readTranscript(b *block) {
	if isShell(b.lang) || !isTranscript(b.text) {
		return
	}
	b.text = typed(b.text)
	b.notes = append(b.notes, "a session at a prompt: its input was taken, its output left")
}

func typed(text string) string {
	var out strings.Builder
	out.Grow(len(text) / 2)
	after := false // the line before was input
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case prompt().MatchString(line):
			line = line[len(prompt().FindString(line)):]
			after = true
		case after && nextPrompt().MatchString(line):
			line = line[len(nextPrompt().FindString(line)):]
		default:
			after = false
			continue
		}
		out.WriteString(line)
		out.WriteByte('\n')
	}
	return out.String()
}

// shellCommand is a line that installs, starts or moves things about, as
// replies show beside a program.
var shellCommand = lazyre.New(`^(?:sudo\s+)?(?:[A-Z_]+=\S+\s+)*(?:pip3?|python[\d.]*|py|node|npm|npx|yarn|pnpm|bun|deno|ts-node|tsx|tsc|go\s+(?:run|get|mod|build|test|install|version|env)|php|composer|ruby|gem|bundle|irb|perl|cpan|cpanm|lua[\d.]*|luajit|luarocks|bash|sh|chmod|cd|mkdir|touch|ls|pwd|clear|git|apt|apt-get|apk|yum|dnf|brew|choco|winget|conda|mamba|poetry|pipenv|pipx|uv|virtualenv|source|\.|deactivate|activate|pytest|nvm|pyenv|rbenv|docker|docker-compose|kubectl|make|cargo|rustc|javac?|gcc|code|nano|vim?|jupyter|curl|wget|uvicorn|gunicorn|flask|django-admin|streamlit|pacman|yay|snap|flatpak|scoop|psql|mysql|heroku|vercel|prisma|rails|rake|mvn|gradle|dotnet|ollama|ssh|scp|systemctl|astro|vite|tox|nox|ruff|black|mypy|eslint|prettier|lerna|nx|turbo|supabase|firebase|terraform|helm|minikube|\.{1,2}/\S+)(?:\s|$)|^(?:& )?["']?[A-Za-z]:\\[^"'\n]*\.(?:exe|bat|cmd)\b`)

// onlyCommands reports whether text is nothing but such commands.
func onlyCommands(text string) bool {
	found := false
	continued := false
	quoted := false // inside a string that goes over lines
	for line := range strings.Lines(text) {
		t := strings.TrimSpace(line)
		if odd := strings.Count(t, `"`)%2 == 1; quoted || odd {
			if quoted {
				quoted = !odd
				continue
			}
			quoted = odd
		}
		t = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(t, "$ "), "% "))
		if t == "" || strings.HasPrefix(t, "#") && !strings.HasPrefix(t, "#!") {
			continue
		}
		if !continued && !shellCommand().MatchString(t) {
			return false
		}
		continued = strings.HasSuffix(t, `\`)
		found = true
	}
	return found
}

// isShell reports whether a language's programs look like the commands beside
// other programs.
func isShell(l *language.Language) bool { return l != nil && l.Name == "bash" }
