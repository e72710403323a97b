package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/audit/receipt"
	"github.com/gloveboxhq/glovebox/engine"
)

type receiptCmd struct {
	Verify receiptVerifyCmd `cmd:"" help:"Check a receipt's signature and form."`
	Show   receiptShowCmd   `cmd:"" help:"Check a receipt, and print what it says."`
	Bundle receiptBundleCmd `cmd:"" help:"Check a receipt, and print it as a sigstore bundle, as cosign reads it."`
	Replay receiptReplayCmd `cmd:"" help:"Run the job of a receipt again, and say what differs."`
}

// receiptArgs name a receipt, and the keys to trust.
type receiptArgs struct {
	File string   `arg:"" help:"The receipt." type:"existingfile"`
	Key  []string `help:"A public key to trust, in PEM; repeat it. Without it, the keys of --keys." placeholder:"FILE" type:"existingfile"`
	keyFlags
}

// errReceipt is a receipt that is not what somebody trusted signed.
var errReceipt = errors.New("the receipt is not genuine")

func (a *receiptArgs) verified() (receipt.Statement, error) {
	return verifiedReceipt(a.File, a.Key, a.keyFlags)
}

// verifiedReceipt is what a receipt says, where a trusted key signed it.
func verifiedReceipt(file string, keys []string, ring keyFlags) (receipt.Statement, error) {
	trusted, err := trustedKeys(keys, ring)
	if err != nil {
		return receipt.Statement{}, err
	}
	envelope, err := os.ReadFile(file)
	if err != nil {
		return receipt.Statement{}, usageError{err}
	}
	statement, err := receipt.Verify(envelope, trusted)
	if err != nil {
		return statement, fmt.Errorf("%s: %w: %w", file, errReceipt, err)
	}
	return statement, nil
}

// notGenuine prints the error of a receipt that is not genuine, with exit status 1.
func notGenuine(s *streams, err error) error {
	if !errors.Is(err, errReceipt) {
		return err
	}
	s.code = exitCode
	_, failed := fmt.Fprintln(s.stderr, "glovebox:", shown(err.Error()))
	return failed
}

type receiptVerifyCmd struct{ receiptArgs }

// Help is shown by glovebox receipt verify --help.
func (receiptVerifyCmd) Help() string {
	return `Examples:
  glovebox receipt verify receipt.json
  glovebox receipt verify receipt.json --key glovebox.pub

Exit status: 0 genuine, 1 not, 2 usage. docs/receipts.md has how openssl and Python check one.`
}

// Run runs the command.
func (c *receiptVerifyCmd) Run(s *streams) error {
	statement, err := c.verified()
	if err != nil {
		return notGenuine(s, err)
	}
	_, err = fmt.Fprintf(s.stdout, "genuine: %s in %s, job %s, issued %s\n",
		statement.Predicate.Result.Status, statement.Predicate.Under.Tier, statement.Predicate.Inputs.Job, statement.Predicate.Issued.Format("2006-01-02 15:04:05Z07:00"))
	return err
}

type receiptShowCmd struct{ receiptArgs }

// Run runs the command.
func (c *receiptShowCmd) Run(s *streams) error {
	statement, err := c.verified()
	if err != nil {
		return notGenuine(s, err)
	}
	return printJSON(s.stdout, statement)
}

type receiptBundleCmd struct{ receiptArgs }

// Help is shown by glovebox receipt bundle --help.
func (receiptBundleCmd) Help() string {
	return `Examples:
  glovebox receipt bundle receipt.json > bundle.json
  cosign verify-blob-attestation --key glovebox.pub --bundle bundle.json --insecure-ignore-tlog \
    --type https://gloveboxhq.github.io/receipt/v1 solution.py`
}

// Run runs the command.
func (c *receiptBundleCmd) Run(s *streams) error {
	if _, err := c.verified(); err != nil {
		return notGenuine(s, err)
	}
	envelope, err := os.ReadFile(c.File)
	if err != nil {
		return usageError{err}
	}
	bundle, err := receipt.Bundle(envelope)
	if err != nil {
		return err
	}
	_, err = s.stdout.Write(append(bundle, '\n'))
	return err
}

type receiptReplayCmd struct {
	From string   `arg:"" name:"receipt" help:"The receipt." type:"existingfile"`
	Key  []string `help:"A public key to trust, in PEM; repeat it. Without it, the keys of --keys." placeholder:"FILE" type:"existingfile"`
	runCmd
}

// Help is shown by glovebox receipt replay --help.
func (receiptReplayCmd) Help() string {
	return `Give the reply and the flags of the first run again. A job that is not the receipt's is not run.
Times and usage are not compared. Where an output differs, the causes that are possible are named.

Examples:
  glovebox run reply.md --tests t.py --receipt receipt.json
  glovebox receipt replay receipt.json reply.md --tests t.py

Exit status: 0 the same, 1 something differs or the receipt is not genuine, 2 usage, 4 another job.`
}

// Run runs the command.
func (c *receiptReplayCmd) Run(s *streams) error {
	old, err := verifiedReceipt(c.From, c.Key, c.keyFlags)
	if err != nil {
		return notGenuine(s, err)
	}
	job, err := c.job(s)
	if err != nil {
		return err
	}
	var again receipt.Statement
	c.bars = func(s *engine.Submission) *engine.Decision {
		if s.Digest == old.Predicate.Inputs.Job {
			return nil
		}
		return &engine.Decision{Status: glovebox.StatusDenied, Message: "This is not the job of the receipt: the reply, the tests, a file, an argument or a flag differs, so nothing was run."}
	}
	c.governFlags.keep = func(_ string, envelope []byte) error {
		own, err := trustedKeys(nil, c.keyFlags)
		if err == nil {
			again, err = receipt.Verify(envelope, own)
		}
		return err
	}
	return c.run(s, job, "", true, nil, func(o *glovebox.Observation) error {
		if o.Receipt == "" { // it did not run
			s.code = exitOf(o.Status)
			_, err := fmt.Fprintf(s.stderr, "glovebox: %s: %s\n", o.Status, shown(o.Message))
			return err
		}
		return c.compare(s, receipt.Compare(old, again))
	})
}

// compare prints how the two runs differ.
func (c *receiptReplayCmd) compare(s *streams, differences []receipt.Difference) error {
	if len(differences) > 0 {
		s.code = exitCode
	}
	if c.JSON {
		if differences == nil {
			differences = []receipt.Difference{}
		}
		return printJSON(s.stdout, struct {
			Same        bool                 `json:"same"`
			Differences []receipt.Difference `json:"differences"`
		}{len(differences) == 0, differences})
	}
	if len(differences) == 0 {
		_, err := fmt.Fprintln(s.stdout, "same")
		return err
	}
	for _, d := range differences {
		causes := ""
		if len(d.Causes) > 0 {
			causes = fmt.Sprintf("; possible causes: %v", d.Causes)
		}
		if _, err := fmt.Fprintf(s.stdout, "%s differs: was %s, is %s%s\n", d.Path, shown(d.Before), shown(d.After), causes); err != nil {
			return err
		}
	}
	return nil
}
