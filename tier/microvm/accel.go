//go:build linux

package microvm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
)

// probePatience bounds the wait for a guest's answer on a processor without
// emulation. An answer takes a tenth of the bound.
const probePatience = 8 * time.Second

// accelerator decides, once, how guests are executed. KVM is chosen after a
// guest has answered on it: on some hosts /dev/kvm exists, and guests hang.
func (t *Tier) accelerator(ctx context.Context, p plan) (monitor.Accel, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.accel != "" {
		return t.accel, nil
	}
	why := errors.New("KVM is switched off")
	if !t.o.EmulationOnly {
		p.accel = monitor.KVM
		if why = t.tryKVM(ctx, p); why == nil {
			t.accel = monitor.KVM
			return t.accel, nil
		}
		if ctx.Err() != nil {
			return "", why
		}
	}
	fix := "run on a host whose KVM works"
	if _, can := p.guest.monitor.(monitor.Emulator); !can {
		return "", lacks("virtual machines on KVM", fix+": "+p.guest.monitor.Name()+" cannot emulate a processor", why)
	}
	if !t.o.AllowEmulation {
		return "", lacks("virtual machines on KVM", fix+", or allow an emulated processor, which is slow: --allow-emulation", why)
	}
	t.accel = monitor.Emulated
	return t.accel, nil
}

// badFor is how long a verdict against KVM counts: a host under load may have
// been too slow once.
const badFor = time.Hour

// tryKVM boots a guest on KVM, or returns the result of an earlier attempt
// since the host's boot with the same monitor and guest.
func (t *Tier) tryKVM(ctx context.Context, p plan) error {
	f, err := os.OpenFile("/dev/kvm", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	f.Close()
	sum := sha256.Sum256([]byte(strings.Join([]string{bootID(), p.guest.identity, p.guest.key}, "\x00")))
	name := "kvm-" + hex.EncodeToString(sum[:16])
	if verdict, at, ok := t.cache.verdict(name); ok {
		if verdict == "" {
			return nil
		}
		if time.Since(at) < badFor {
			return errors.New(verdict)
		}
	}
	g, err := t.boot(ctx, p, nil, probePatience)
	if err == nil {
		err = g.discard(nil)
	} else {
		err = fmt.Errorf("a guest did not answer on KVM within %v: %w", probePatience, err)
	}
	if ctx.Err() == nil {
		verdict := ""
		if err != nil {
			verdict = err.Error()
		}
		if _, e := t.cache.replace(name, []byte(verdict)); e != nil {
			t.o.Warn(e)
		}
	}
	return err
}

// verdict returns the text of a file, and its age.
func (c *cache) verdict(name string) (string, time.Time, bool) {
	path := filepath.Join(c.dir, name)
	text, err := os.ReadFile(path)
	if err != nil {
		return "", time.Time{}, false
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", time.Time{}, false
	}
	return string(text), info.ModTime(), true
}
