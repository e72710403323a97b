package main

import (
	"fmt"
	"net/url"

	"github.com/gloveboxhq/glovebox/tier/microvm/kernel"
)

type imageKernelCmd struct {
	Mirror  string `help:"A Debian mirror (default https://deb.debian.org/debian)." placeholder:"URL"`
	Suite   string `help:"A Debian suite (default trixie)." placeholder:"NAME"`
	Keyring string `help:"OpenPGP keys of the archive (default: those of debian-archive-keyring)." placeholder:"FILE" type:"path"`
	Deb     string `help:"Take this Debian package of a kernel, a file or a URL." placeholder:"FILE"`
	SHA256  string `name:"sha256" help:"What --deb must be." placeholder:"HEX"`
	Image   string `help:"Take this kernel (bzImage, vmlinux or arm64 Image)." placeholder:"FILE" type:"path"`
	Modules string `help:"The modules of --image, such as /lib/modules/VERSION." placeholder:"DIR" type:"path"`
	Arch    string `help:"The guest's processor, amd64 or arm64 (default: this one)." placeholder:"ARCH"`
	Show    bool   `help:"Say which kernel is prepared, and prepare none."`
	JSON    bool   `name:"json" help:"Print it as JSON."`
}

// Help is shown by glovebox image kernel --help.
func (imageKernelCmd) Help() string {
	return `Without flags it takes Debian's newest kernel for virtual machines, by a chain of hashes that ends in
a signature by a key of debian-archive-keyring.

Examples:
  glovebox image kernel
  glovebox image kernel --deb linux-image-6.1.0-40-cloud-amd64_6.1.153-1_amd64.deb
  glovebox image kernel --image /boot/vmlinuz --modules /lib/modules/6.1.0-40-amd64
  glovebox image kernel --show`
}

// Run runs the command.
func (c *imageKernelCmd) Run(s *streams) error {
	defer s.interruptible()()
	if c.Show {
		k, err := kernel.Find("")
		if err != nil {
			return err
		}
		return c.print(s, k)
	}
	from, err := c.source()
	if err != nil {
		return err
	}
	m := newMeter(s.stderr)
	k, err := kernel.Prepare(s.ctx, kernel.Options{
		From: from, Arch: c.Arch,
		Progress: func(p kernel.Progress) { m.show(p.Step, p.Done, p.All) },
	})
	m.clear()
	if err != nil {
		return err
	}
	return c.print(s, k)
}

// source is the kernel that the flags name.
func (c *imageKernelCmd) source() (kernel.Source, error) {
	archive := c.Mirror != "" || c.Suite != "" || c.Keyring != ""
	switch {
	case c.Image != "" && (c.Deb != "" || archive), c.Deb != "" && archive:
		return nil, usagef("--image, --deb and an archive exclude each other")
	case c.Modules != "" && c.Image == "", c.SHA256 != "" && c.Deb == "":
		return nil, usagef("--modules goes with --image, --sha256 with --deb")
	case c.Image != "":
		return kernel.Files{Image: c.Image, Modules: c.Modules}, nil
	case c.Deb != "":
		if u, err := url.Parse(c.Deb); err == nil && u.Scheme != "" {
			return kernel.Pinned{URL: c.Deb, SHA256: c.SHA256}, nil
		}
		return kernel.Package{Path: c.Deb, SHA256: c.SHA256}, nil
	}
	return kernel.Debian{Archives: kernel.Archives(c.Mirror, c.Suite), Keyring: c.Keyring}, nil
}

func (c *imageKernelCmd) print(s *streams, k *kernel.Kernel) error {
	if c.JSON {
		return printJSON(s.stdout, map[string]string{
			"version": k.Version, "arch": k.Arch, "source": k.Source, "key": k.Key, "dir": k.Dir,
		})
	}
	_, err := fmt.Fprintf(s.stdout, "Linux %s for %s\nfrom %s\n", k.Version, k.Arch, k.Source)
	return err
}
