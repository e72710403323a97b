package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gloveboxhq/glovebox/internal/keys"
)

// keyFlags say where the keys are that sign grants, audit checkpoints and receipts.
type keyFlags struct {
	Keys string `env:"GLOVEBOX_KEYS" help:"The folder of the signing keys; made at first use (default: keys in the folder glovebox of your settings)." placeholder:"DIR" type:"path"`
}

// open opens the keys, and makes the first one where there is none.
func (f keyFlags) open() (*keys.Ring, error) {
	dir, err := stateFolder(f.Keys, "keys")
	if err != nil {
		return nil, err
	}
	ring, err := keys.Open(dir)
	if err != nil {
		return nil, usageError{fmt.Errorf("the signing keys: %w", err)}
	}
	return ring, nil
}

// stateFolder is the folder named, or else a folder beside the user's settings.
func stateFolder(named, name string) (string, error) {
	if named != "" {
		return named, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", usagef("there is no folder for %s: %w", name, err)
	}
	return filepath.Join(dir, "glovebox", name), nil
}

type keysCmd struct {
	List   keysListCmd   `cmd:"" help:"List the public keys, the oldest first."`
	Show   keysShowCmd   `cmd:"" help:"Print a public key in PEM, as cosign and openssl read it."`
	Rotate keysRotateCmd `cmd:"" help:"Make a new key, which signs from now on; the old public keys are kept."`
}

type keysListCmd struct {
	keyFlags
	JSON bool `name:"json" help:"Print JSON."`
}

// Run runs the command.
func (c *keysListCmd) Run(s *streams) error {
	ring, err := c.open()
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(s.stdout, ring.All())
	}
	for _, k := range ring.All() {
		until := "in use"
		if !k.Until.IsZero() {
			until = "until " + k.Until.Format(time.RFC3339)
		}
		if _, err := fmt.Fprintf(s.stdout, "%s  ed25519  since %s, %s\n", k.ID(), k.Since.Format(time.RFC3339), until); err != nil {
			return err
		}
	}
	return nil
}

type keysShowCmd struct {
	ID string `arg:"" optional:"" help:"The key's ID, as glovebox keys list prints it; without it, the key in use."`
	keyFlags
}

// Help is shown by glovebox keys show --help.
func (keysShowCmd) Help() string {
	return `Give the public key to whoever verifies receipts, grants or an audit log of yours.

Examples:
  glovebox keys show > glovebox.pub
  glovebox receipt verify receipt.json --key glovebox.pub`
}

// Run runs the command.
func (c *keysShowCmd) Run(s *streams) error {
	ring, err := c.open()
	if err != nil {
		return err
	}
	for _, k := range ring.All() {
		if c.ID == k.ID() || c.ID == "" && k.Until.IsZero() {
			_, err := s.stdout.Write(k.PEM())
			return err
		}
	}
	return usagef("there is no key %s; glovebox keys list shows which there are", c.ID)
}

type keysRotateCmd struct{ keyFlags }

// Run runs the command.
func (c *keysRotateCmd) Run(s *streams) error {
	ring, err := c.open()
	if err != nil {
		return err
	}
	old := ring.Public().ID()
	if err := ring.Rotate(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.stdout, "%s signs from now on; %s only verifies what it signed.\n", ring.Public().ID(), old)
	return err
}
