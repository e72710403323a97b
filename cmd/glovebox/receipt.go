package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/gloveboxhq/glovebox/audit/receipt"
)

type receiptCmd struct {
	Verify receiptVerifyCmd `cmd:"" help:"Check a receipt's signature and form."`
	Show   receiptShowCmd   `cmd:"" help:"Check a receipt, and print what it says."`
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
	trusted, err := trustedKeys(a.Key, a.keyFlags)
	if err != nil {
		return receipt.Statement{}, err
	}
	envelope, err := os.ReadFile(a.File)
	if err != nil {
		return receipt.Statement{}, usageError{err}
	}
	statement, err := receipt.Verify(envelope, trusted)
	if err != nil {
		return statement, fmt.Errorf("%s: %w: %w", a.File, errReceipt, err)
	}
	return statement, nil
}

// end prints the error of a receipt that is not genuine, with exit status 1.
func (a *receiptArgs) end(s *streams, err error) error {
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
		return c.end(s, err)
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
		return c.end(s, err)
	}
	return printJSON(s.stdout, statement)
}
