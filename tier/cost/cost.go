// Package cost measures the cost of a box on this host, and remembers the
// figures for a day: they guide the choice of a tier by speed.
package cost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/rootfs"
	"github.com/gloveboxhq/glovebox/tier"
)

// Cost is the cost of a tier's box on this host.
type Cost struct {
	// Start is the time from the request to the end of an empty program, and of
	// its box: the median of a few.
	Start time.Duration `json:"start"`
	// Memory is an idle box's addition to the memory of this process's
	// descendants, in bytes; 0 if unknown.
	Memory int64 `json:"memory,omitempty"`
	// Measured is when.
	Measured time.Time `json:"measured"`
}

// boxes is the number of timed boxes. One untimed box comes first, for making
// roots and snapshots.
const boxes = 5

// Measure opens a few boxes of t, in sequence.
func Measure(ctx context.Context, t tier.Tier, roots *rootfs.Store) (Cost, error) {
	root, err := Root(ctx, t, roots, rootfs.Base())
	if err != nil {
		return Cost{}, err
	}
	name, program, err := nothing(t)
	if err != nil {
		return Cost{}, err
	}
	limits := glovebox.Limits{Wall: time.Minute, Memory: 128 << 20}.WithDefaults()
	var times []time.Duration
	var c Cost
	for i := range boxes + 1 {
		var before int64
		if i == 0 {
			before = descendants()
		}
		begin := time.Now()
		box, err := t.Open(ctx, tier.Spec{Root: root, Limits: limits, Files: []glovebox.File{{Path: name, Data: program, Executable: true}}})
		if err != nil {
			return Cost{}, err
		}
		if i == 0 {
			c.Memory = max(descendants()-before, 0)
		}
		out := box.Run(ctx, tier.Command{Args: []string{tier.Workspace + "/" + name}})
		err = box.Close()
		if i > 0 {
			times = append(times, time.Since(begin))
		}
		if out.Cause != glovebox.CauseExit || out.ExitCode != 0 {
			return Cost{}, errors.Join(fmt.Errorf("%s: a program that does nothing ended with %s, exit code %d", t.Name(), out.Cause, out.ExitCode), out.Err, err)
		}
		if err != nil {
			return Cost{}, err
		}
	}
	slices.Sort(times)
	c.Start = times[len(times)/2]
	c.Measured = time.Now()
	return c, nil
}

// Root builds a plan, with t's own entries, in the form for booting with t.
func Root(ctx context.Context, t tier.Tier, roots *rootfs.Store, plan rootfs.Plan) (*rootfs.Root, error) {
	switch t := t.(type) {
	case tier.ImageRoot:
		return roots.Image(ctx, plan.Merge(t.ImageRoot()))
	case tier.TreeRoot:
		return roots.Tree(ctx, plan.Merge(t.TreeRoot()))
	}
	return roots.Tree(ctx, plan)
}

// nothing is a program that does nothing.
func nothing(t tier.Tier) (name string, program []byte, err error) {
	if _, ok := t.(tier.Modules); ok {
		return "nothing.wasm", module, nil
	}
	program, err = glove.Program(new(glove.Script))
	return "nothing", program, err
}

// module is a WebAssembly module whose _start returns at once.
var module = []byte("\x00asm\x01\x00\x00\x00" + // magic, version
	"\x01\x04\x01\x60\x00\x00" + // one type: no parameters, no results
	"\x03\x02\x01\x00" + // one function, of that type
	"\x07\x0a\x01\x06_start\x00\x00" + // exported
	"\x0a\x04\x01\x02\x00\x0b") // its body: end

// Book remembers the costs of tiers, by name, in a file.
type Book struct{ path string }

// Open opens the book of this user.
func Open() (Book, error) {
	dir, err := rootfs.DefaultDir()
	return Book{filepath.Join(dir, "costs.json")}, err
}

// lasts is how long a cost is believed.
const lasts = 24 * time.Hour

// Read returns what was measured lately.
func (b Book) Read() (map[glovebox.TierName]Cost, error) {
	costs := map[glovebox.TierName]Cost{}
	text, err := os.ReadFile(b.path)
	if errors.Is(err, fs.ErrNotExist) {
		return costs, nil
	}
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(text, &costs) != nil || costs == nil {
		return map[glovebox.TierName]Cost{}, nil // it can be measured again
	}
	for name, c := range costs {
		if age := time.Since(c.Measured); age < 0 || age > lasts || c.Start <= 0 {
			delete(costs, name)
		}
	}
	return costs, nil
}

// Write adds a cost. Of two concurrent writes, one is lost.
func (b Book) Write(name glovebox.TierName, c Cost) error {
	costs, err := b.Read()
	if err != nil {
		return err
	}
	costs[name] = c
	text, err := json.MarshalIndent(costs, "", "  ")
	if err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(b.path), "costs-*")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	_, err = part.Write(text)
	if err = errors.Join(err, part.Close()); err != nil {
		return err
	}
	return os.Rename(part.Name(), b.path)
}

// Of returns the cost of t: from the book, or measured now.
func (b Book) Of(ctx context.Context, t tier.Tier, roots *rootfs.Store) (Cost, error) {
	costs, err := b.Read()
	if err != nil {
		return Cost{}, err
	}
	if c, ok := costs[t.Name()]; ok {
		return c, nil
	}
	c, err := Measure(ctx, t, roots)
	if err == nil {
		err = b.Write(t.Name(), c)
	}
	return c, err
}
