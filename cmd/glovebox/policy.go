package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/policy"
	"github.com/gloveboxhq/glovebox/policy/inspect"
)

// systemPolicy is the operator's policy of a host: where the file is there, it is above
// all that a user names.
func systemPolicy() string {
	if runtime.GOOS == "windows" {
		return filepath.Join(os.Getenv("ProgramData"), "glovebox", "policy.yaml")
	}
	return "/etc/glovebox/policy.yaml"
}

// policyFiles gives each file its layer: the host's own is the operator's, and those
// named follow, each below the one before.
func policyFiles(named []string) ([]policy.File, error) {
	var files []policy.File
	system := systemPolicy()
	switch _, err := os.Stat(system); {
	case err == nil:
		files = append(files, policy.File{Path: system, Layer: policy.LayerOperator})
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the policy of this host cannot be read: %w", err)
	}
	return append(files, layered(named, len(files))...), nil
}

// layered gives files their layers, the first of them below some others.
func layered(named []string, below int) []policy.File {
	layers := []policy.Layer{policy.LayerOperator, policy.LayerTenant, policy.LayerJob}
	var files []policy.File
	for i, name := range named {
		files = append(files, policy.File{Path: name, Layer: layers[min(i+below, len(layers)-1)]})
	}
	return files
}

type policyCmd struct {
	Check   policyCheckCmd   `cmd:"" help:"Find faults: what is wrong, what can never hold, what this host cannot enforce."`
	Explain policyExplainCmd `cmd:"" help:"Print the effective policy, with the layer and line of each value."`
	Diff    policyDiffCmd    `cmd:"" help:"Print what another policy would allow or refuse anew."`
	Test    policyTestCmd    `cmd:"" help:"Run a file of jobs and expected decisions, as in CI."`
	Init    policyInitCmd    `cmd:"" help:"Print a commented policy to start from."`
	Schema  policySchemaCmd  `cmd:"" help:"Print the JSON Schema of policies, by which editors complete them."`
}

// policyArgs name the files of a policy.
type policyArgs struct {
	Files []string `arg:"" name:"file" help:"Policy files: the operator's, then the tenant's, then the job's. A later one can only narrow." type:"existingfile"`
}

func (a policyArgs) load() (*policy.Policy, error) { return loadPolicy(a.Files) }

func loadPolicy(named []string) (*policy.Policy, error) {
	store, err := policy.OpenStore(layered(named, 0)...)
	if err != nil {
		return nil, usageError{err}
	}
	return store.Current(), nil
}

type policyCheckCmd struct {
	policyArgs
	Host bool `help:"Try what each tier of this host enforces, too; some seconds."`
	JSON bool `name:"json" help:"Print the faults as JSON."`
}

// Help is shown by glovebox policy check --help.
func (policyCheckCmd) Help() string {
	return `Examples:
  glovebox policy check policy.yaml
  glovebox policy check operator.yaml tenant.yaml
  glovebox policy check --host --json policy.yaml

Exit status: 0 no fault, 2 any fault. Each fault names its file, line and column, and where two
lines contradict, both.`
}

// Run runs the command.
func (c *policyCheckCmd) Run(s *streams) error {
	p, err := c.load()
	var faults policy.Faults
	if err != nil && !errors.As(err, &faults) {
		return err
	}
	if err == nil {
		host, err := c.host(s.ctx)
		if err != nil {
			return err
		}
		faults = policy.Check(p, host)
	}
	if len(faults) > 0 {
		s.code = exitUsage
	}
	if c.JSON {
		if faults == nil {
			faults = policy.Faults{}
		}
		return printJSON(s.stdout, faults)
	}
	if len(faults) == 0 {
		_, err := fmt.Fprintf(s.stdout, "%s: no fault\n", strings.Join(c.Files, ", "))
		return err
	}
	_, err = fmt.Fprintln(s.stderr, shown(faults.Error()))
	return err
}

// host is what is known of this build, and where asked, of this host.
func (c *policyCheckCmd) host(ctx context.Context) (policy.Host, error) {
	h := policy.Host{FindingRules: inspect.Rules()}
	for _, l := range language.All() {
		h.Languages = append(h.Languages, l.Name)
	}
	if !c.Host {
		return h, nil
	}
	if ctx == nil {
		ctx = context.Background()
	}
	e, err := engine.New(engine.Config{})
	if err != nil {
		return h, err
	}
	defer e.Close()
	h.Tiers = []glovebox.TierName{}
	for _, t := range e.Tiers() {
		if t.Probe(ctx).Usable {
			h.Tiers = append(h.Tiers, t.Name())
		}
	}
	return h, nil
}

type policyExplainCmd struct{ policyArgs }

// Run runs the command.
func (c *policyExplainCmd) Run(s *streams) error {
	p, err := c.load()
	if err != nil {
		return err
	}
	_, err = s.stdout.Write(p.Explain())
	return err
}

type policyDiffCmd struct {
	Old  string `arg:"" help:"The policy before." type:"existingfile"`
	New  string `arg:"" help:"The policy after." type:"existingfile"`
	JSON bool   `name:"json" help:"Print the changes as JSON."`
}

// Help is shown by glovebox policy diff --help.
func (policyDiffCmd) Help() string {
	return `Examples:
  glovebox policy diff policy.yaml new.yaml

Exit status: 0 the same, 1 they differ, 2 a policy that cannot be loaded.`
}

// Run runs the command.
func (c *policyDiffCmd) Run(s *streams) error {
	before, err := loadPolicy([]string{c.Old})
	if err != nil {
		return err
	}
	after, err := loadPolicy([]string{c.New})
	if err != nil {
		return err
	}
	changes := policy.Diff(before, after)
	if len(changes) > 0 {
		s.code = exitCode
	}
	if c.JSON {
		if changes == nil {
			changes = []policy.Change{}
		}
		return printJSON(s.stdout, changes)
	}
	for _, change := range changes {
		if _, err := fmt.Fprintf(s.stdout, "%-8s %s\n", change.Effect, shown(change.Message)); err != nil {
			return err
		}
	}
	return nil
}

type policyTestCmd struct {
	policyArgs
	Tests string `short:"t" required:"" help:"The file of jobs and expected decisions." type:"existingfile" placeholder:"FILE"`
	JSON  bool   `name:"json" help:"Print the results as JSON."`
}

// Help is shown by glovebox policy test --help.
func (policyTestCmd) Help() string {
	return `A file of tests:

  version: 1
  tests:
    - name: a long run is refused
      job: {language: python, limits: {wall: 10m}}
      want: deny
      rules: [limits.max.wall]

Examples:
  glovebox policy test policy.yaml --tests policy_test.yaml

Exit status: 0 all hold, 1 some do not, 2 a file that cannot be loaded.`
}

// Run runs the command.
func (c *policyTestCmd) Run(s *streams) error {
	p, err := c.load()
	if err != nil {
		return err
	}
	data, err := readBounded(s, c.Tests, glovebox.DefaultLimits.Reply)
	if err != nil {
		return err
	}
	results, err := p.Test(c.Tests, data)
	if err != nil {
		return usageError{err}
	}
	failed := 0
	for _, r := range results {
		if !r.OK {
			failed++
		}
	}
	if failed > 0 {
		s.code = exitCode
	}
	if c.JSON {
		return printJSON(s.stdout, results)
	}
	for _, r := range results {
		sign := "ok  "
		if !r.OK {
			sign = "FAIL"
		}
		if _, err := fmt.Fprintf(s.stdout, "%s %s: %s%s\n", sign, r.At, shown(r.Name), map[bool]string{false: ": " + shown(r.Message)}[r.OK]); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(s.stdout, "%d of %d hold\n", len(results)-failed, len(results))
	return err
}

type policyInitCmd struct{}

// Help is shown by glovebox policy init --help.
func (policyInitCmd) Help() string {
	return `Examples:
  glovebox policy init > policy.yaml`
}

// Run runs the command.
func (policyInitCmd) Run(s *streams) error {
	_, err := s.stdout.Write(policy.Init())
	return err
}

type policySchemaCmd struct{}

// Run runs the command.
func (policySchemaCmd) Run(s *streams) error {
	_, err := s.stdout.Write(policy.Schema())
	return err
}
