package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is shown by glovebox completion --help.
func (completionCmd) Help() string {
	return `Examples:
  source <(glovebox completion bash)                                    # in ~/.bashrc
  source <(glovebox completion zsh)                                     # in ~/.zshrc, after compinit
  glovebox completion fish > ~/.config/fish/completions/glovebox.fish`
}

// Run runs the command.
func (c *completionCmd) Run(s *streams, k *kong.Kong) error {
	script := map[string]func(*kong.Application) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell]
	_, err := io.WriteString(s.stdout, script(k.Model))
	return err
}

// choices are the values of flags that have few.
func choices() map[string]string {
	tiers := []string{string(glovebox.TierAuto), string(glovebox.TierGVisor), string(glovebox.TierMicroVM), string(glovebox.TierProcess), string(glovebox.TierContainer), string(glovebox.TierWasm)}
	var proofs, languages []string
	for _, p := range glovebox.Proofs {
		proofs = append(proofs, string(p))
	}
	for _, l := range language.All() {
		languages = append(languages, l.Name)
	}
	return map[string]string{"tier": strings.Join(tiers, " "), "lang": strings.Join(languages, " "), "require-proof": strings.Join(proofs, " ")}
}

// commands lists all commands, a parent before its subcommands.
func commands(of *kong.Node) []*kong.Node {
	var all []*kong.Node
	for _, n := range of.Children {
		if n.Type == kong.CommandNode {
			all = append(append(all, n), commands(n)...)
		}
	}
	return all
}

// flags are a command's own, and those of all commands.
func flags(n *kong.Node) []*kong.Flag {
	var all []*kong.Flag
	for _, group := range n.AllFlags(true) {
		all = append(all, group...)
	}
	return all
}

const bashScript = `_glovebox() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path= word words=
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case "$path $word" in
		%s) path="${path:+$path }$word" ;;
		esac
	done
	case $prev in
%s	*)
		case "$path" in
%s		esac ;;
	esac
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _glovebox glovebox
`

// bashCompletion completes files where it knows nothing better.
func bashCompletion(app *kong.Application) string {
	var known []string
	var values, words strings.Builder
	of := choices()
	for _, name := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(&values, "\t--%s) words=%q ;;\n", name, of[name])
	}
	row := func(n *kong.Node) {
		var options []string
		for _, f := range flags(n) {
			options = append(options, "--"+f.Name)
		}
		fmt.Fprintf(&words, "\t\t%q) words=%q; case $cur in -*) words=%q ;; esac ;;\n", n.Path(), names(n), strings.Join(options, " "))
	}
	row(app.Node)
	for _, n := range commands(app.Node) {
		known = append(known, fmt.Sprintf("%q", n.Parent.Path()+" "+n.Name))
		row(n)
	}
	return fmt.Sprintf(bashScript, strings.Join(known, " | "), values.String(), words.String())
}

// zshCompletion has zsh read what bash reads.
func zshCompletion(app *kong.Application) string {
	return "autoload -U +X bashcompinit && bashcompinit\n" + bashCompletion(app)
}

func fishCompletion(app *kong.Application) string {
	var s strings.Builder
	of := choices()
	for _, n := range commands(app.Node) {
		when := "__fish_use_subcommand"
		if n.Parent.Parent != nil {
			when = fmt.Sprintf("__fish_seen_subcommand_from %s; and not __fish_seen_subcommand_from %s", n.Parent.Name, names(n.Parent))
		}
		fmt.Fprintf(&s, "complete -c glovebox -f -n %q -a %s -d %q\n", when, n.Name, sentence(n.Help))
		if len(n.Children) > 0 {
			continue
		}
		when = "__fish_seen_subcommand_from " + strings.ReplaceAll(n.Path(), " ", "; and __fish_seen_subcommand_from ")
		fmt.Fprintf(&s, "complete -c glovebox -F -n %q\n", when)
		for _, f := range flags(n) {
			fmt.Fprintf(&s, "complete -c glovebox -n %q -l %s -d %q", when, f.Name, sentence(f.Help))
			if f.Short != 0 {
				fmt.Fprintf(&s, " -s %c", f.Short)
			}
			switch values := of[f.Name]; {
			case values != "":
				fmt.Fprintf(&s, " -x -a %q", values)
			case !f.IsBool():
				s.WriteString(" -r")
			}
			s.WriteByte('\n')
		}
	}
	return s.String()
}

// names are a command's own commands.
func names(n *kong.Node) string {
	var all []string
	for _, c := range n.Children {
		all = append(all, c.Name)
	}
	return strings.Join(all, " ")
}

// sentence is the first of a help text, without what a shell would read.
func sentence(help string) string {
	help, _, _ = strings.Cut(help, ". ")
	help, _, _ = strings.Cut(help, "; ")
	return strings.NewReplacer("$", "", "`", "", "\\", "").Replace(help)
}
