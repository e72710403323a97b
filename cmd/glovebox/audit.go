package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/audit"
	"github.com/gloveboxhq/glovebox/internal/keys"
)

type auditCmd struct {
	Verify     auditVerifyCmd     `cmd:"" help:"Check the whole log, offline, with public keys alone."`
	Tail       auditTailCmd       `cmd:"" help:"Print the newest entries."`
	Search     auditSearchCmd     `cmd:"" help:"Print the entries of a tenant, a job, a verdict or a time."`
	Show       auditShowCmd       `cmd:"" help:"Print an entry."`
	Export     auditExportCmd     `cmd:"" help:"Print all entries as JSON lines, or as OCSF events."`
	Prove      auditProveCmd      `cmd:"" help:"Print a proof that an entry is in the log, which other programs can check."`
	Checkpoint auditCheckpointCmd `cmd:"" help:"Print the newest signed head of the log, to be kept elsewhere."`
}

// Help is shown by glovebox audit --help.
func (auditCmd) Help() string {
	return `glovebox run --audit DIR writes the log: each decision and each run, with hashes and counts, and no
program text, output or secret. Its entries are the leaves of a Merkle tree, and each head of the
tree is signed; see docs/audit.md.`
}

// auditDir names a log.
type auditDir struct {
	Dir string `env:"GLOVEBOX_AUDIT" help:"The folder of the log." placeholder:"DIR" type:"existingdir" required:""`
}

// openAudit opens a log to be written, and makes it where there is none.
func openAudit(dir string, signer keys.Signer, witness string) (*audit.Log, error) {
	origin, err := auditOrigin(dir)
	if err != nil {
		return nil, err
	}
	o := audit.Options{Origin: origin, Signer: signer}
	if witness != "" {
		o.Anchors = []audit.Anchor{{Witness: audit.WitnessFile(witness), Required: true}}
	}
	log, err := audit.Open(dir, o)
	if err != nil {
		return nil, usageError{fmt.Errorf("the audit log in %s: %w", dir, err)}
	}
	return log, nil
}

// auditOrigin is the name that a log has, or one for a new log: no two logs have the same.
func auditOrigin(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "checkpoint"))
	if errors.Is(err, fs.ErrNotExist) {
		return "glovebox.audit/" + strings.ToLower(rand.Text()), nil
	}
	if err != nil {
		return "", usageError{err}
	}
	head, err := audit.ParseHead(string(text))
	if err != nil {
		return "", usagef("%s: %w", filepath.Join(dir, "checkpoint"), err)
	}
	return head.Origin, nil
}

type auditVerifyCmd struct {
	Dir string `arg:"" optional:"" env:"GLOVEBOX_AUDIT" help:"The folder of the log." type:"existingdir"`
	keyFlags
	Key      []string `help:"A public key to trust, in PEM; repeat it. Without it, the keys of --keys." placeholder:"FILE" type:"existingfile"`
	Remember []string `help:"A checkpoint that was kept elsewhere, or an observation that holds one: shows that the log was not cut back; repeat it." placeholder:"FILE" type:"existingfile"`
	Witness  string   `help:"The file of heads that --witness of glovebox run wrote." placeholder:"FILE" type:"existingfile"`
	JSON     bool     `name:"json" help:"Print the result as JSON."`
}

// Help is shown by glovebox audit verify --help.
func (auditVerifyCmd) Help() string {
	return `Nothing is written, and no private key is read. A log that was cut back or put back as a whole is
found only against something that is kept elsewhere: --remember, --witness.

Examples:
  glovebox audit verify /var/lib/glovebox/audit
  glovebox audit verify log --key glovebox.pub --remember observation.json
  glovebox audit verify log --witness /mnt/other/heads

Exit status: 0 the log is what was signed, 1 it is not, and the first bad entry is named, 2 usage.`
}

// Run runs the command.
func (c *auditVerifyCmd) Run(s *streams) error {
	if c.Dir == "" {
		return usagef("name the folder of the log: glovebox audit verify DIR")
	}
	o := audit.VerifyOptions{WitnessFile: c.Witness}
	var err error
	if o.Keys, err = c.trusted(); err != nil {
		return err
	}
	for _, name := range c.Remember {
		text, err := os.ReadFile(name)
		if err != nil {
			return usageError{err}
		}
		o.Remembered = append(o.Remembered, checkpointOf(text))
	}
	r, err := audit.Verify(c.Dir, o)
	var fault *audit.Fault
	if err != nil && !errors.As(err, &fault) {
		return usageError{err}
	}
	result := struct {
		OK      bool         `json:"ok"`
		Entries int64        `json:"entries"`
		Heads   int64        `json:"heads"`
		Key     string       `json:"key,omitempty"`
		Fault   *audit.Fault `json:"fault,omitempty"`
	}{fault == nil, r.Entries, r.Heads, r.Key, fault}
	if fault != nil {
		s.code = exitCode
	}
	switch {
	case c.JSON:
		return printJSON(s.stdout, result)
	case fault != nil:
		_, err = fmt.Fprintln(s.stderr, shown(fault.Error()))
	default:
		_, err = fmt.Fprintf(s.stdout, "%d entries and %d heads verified; the newest head is signed by %s\n", r.Entries, r.Heads, r.Key)
	}
	return err
}

// trusted are the keys that --key names, or those of the ring.
func (c *auditVerifyCmd) trusted() ([]keys.Public, error) { return trustedKeys(c.Key, c.keyFlags) }

func trustedKeys(files []string, ring keyFlags) ([]keys.Public, error) {
	if len(files) == 0 {
		r, err := ring.open()
		if err != nil {
			return nil, err
		}
		return r.All(), nil
	}
	var all []keys.Public
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, usageError{err}
		}
		k, err := keys.ParsePublic(text)
		if err != nil {
			return nil, usagef("%s: %w", name, err)
		}
		all = append(all, k)
	}
	return all, nil
}

// checkpointOf is the checkpoint in a file: itself, or that of an observation.
func checkpointOf(text []byte) string {
	var o struct {
		Audit struct {
			Checkpoint string `json:"checkpoint"`
		} `json:"audit"`
	}
	if json.Unmarshal(text, &o) == nil && o.Audit.Checkpoint != "" {
		return o.Audit.Checkpoint
	}
	return string(text)
}

type auditTailCmd struct {
	auditDir
	Lines int  `short:"n" default:"10" help:"How many entries."`
	JSON  bool `name:"json" help:"Print the entries as JSON lines."`
}

// Run runs the command.
func (c *auditTailCmd) Run(s *streams) error {
	if c.Lines < 0 {
		return usagef("--lines %d: it must not be negative", c.Lines)
	}
	return printRecords(s, audit.Tail(c.Dir, c.Lines), c.JSON)
}

type auditSearchCmd struct {
	auditDir
	Kind   string        `help:"The kind: decision, execution, approval, policy, key or recovery." placeholder:"KIND"`
	Tenant string        `help:"The tenant." placeholder:"NAME"`
	Job    string        `help:"The digest of the job." placeholder:"SHA256"`
	Status string        `help:"The verdict, such as denied." placeholder:"STATUS"`
	Last   time.Duration `help:"How far back, such as 24h." placeholder:"DURATION"`
	JSON   bool          `name:"json" help:"Print the entries as JSON lines."`
}

// Run runs the command.
func (c *auditSearchCmd) Run(s *streams) error {
	f := audit.Filter{Kind: audit.Kind(c.Kind), Tenant: c.Tenant, Job: c.Job, Status: c.Status}
	if c.Last > 0 {
		f.Since = time.Now().Add(-c.Last)
	}
	return printRecords(s, audit.Search(c.Dir, f), c.JSON)
}

// printRecords prints entries, one on a line.
func printRecords(s *streams, records func(func(audit.Record, error) bool), asJSON bool) error {
	for r, err := range records {
		if err != nil {
			return usageError{err}
		}
		if asJSON {
			err = json.NewEncoder(s.stdout).Encode(r)
		} else {
			_, err = fmt.Fprintln(s.stdout, recordLine(r))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recordLine is an entry for people.
func recordLine(r audit.Record) string {
	var d audit.Run
	_ = json.Unmarshal(r.Data, &d) // entries of other kinds have other fields
	b := fmt.Sprintf("%s  %6d  %s  %-9s", r.Time.Format("2006-01-02 15:04:05.000"), r.Index, r.ID, r.Kind)
	for _, f := range [][2]string{{"", d.Admission}, {"", d.Status}, {"", d.Language}, {"", d.Tier}, {"tenant ", d.Tenant}, {"policy ", d.Policy}} {
		if f[1] != "" {
			b += "  " + f[0] + f[1]
		}
	}
	if len(d.Job) == 64 {
		b += "  job " + d.Job[:12]
	}
	return shown(b)
}

type auditShowCmd struct {
	ID string `arg:"" help:"The entry's ID, as glovebox audit tail and an observation have it."`
	auditDir
}

// Run runs the command.
func (c *auditShowCmd) Run(s *streams) error {
	r, err := audit.Show(c.Dir, c.ID)
	if err != nil {
		return usageError{err}
	}
	return printJSON(s.stdout, r)
}

type auditExportCmd struct {
	auditDir
	Format string `default:"jsonl" enum:"jsonl,ocsf" help:"jsonl: the entries as they are; ocsf: events of the Open Cybersecurity Schema Framework."`
}

// Run runs the command.
func (c *auditExportCmd) Run(s *streams) error {
	return audit.Export(s.stdout, c.Dir, audit.Format(c.Format), audit.Filter{})
}

type auditProveCmd struct {
	ID string `arg:"" help:"The entry's ID."`
	auditDir
}

// Help is shown by glovebox audit prove --help.
func (auditProveCmd) Help() string {
	return `The proof has the form of C2SP's tlog-proof: the entry, its path in the Merkle tree and a signed head.

Examples:
  glovebox audit prove 1f0c… --dir log > entry.proof`
}

// Run runs the command.
func (c *auditProveCmd) Run(s *streams) error {
	proof, err := audit.Prove(c.Dir, c.ID)
	if err != nil {
		return usageError{err}
	}
	_, err = s.stdout.Write(proof)
	return err
}

type auditCheckpointCmd struct{ auditDir }

// Run runs the command.
func (c *auditCheckpointCmd) Run(s *streams) error {
	text, err := os.ReadFile(filepath.Join(c.Dir, "checkpoint"))
	if err != nil {
		return usageError{err}
	}
	if _, err := audit.ParseHead(string(text)); err != nil {
		return usageError{err}
	}
	_, err = s.stdout.Write(text)
	return err
}
