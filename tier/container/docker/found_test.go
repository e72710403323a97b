package docker

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// What an engine has made is looked at, field by field.
func TestFound(t *testing.T) {
	limits := glovebox.Limits{}.WithDefaults()
	good := func() found {
		f := make(found, foundSize)
		for i, at := range places {
			set := func(field int, v uint64) {
				binary.LittleEndian.PutUint64(f[16*rlimits+statfsSize*i+field:], v)
			}
			if at == "/" {
				set(statfsFlags, readOnly)
				continue
			}
			set(statfsType, tmpfsMagic)
			set(statfsFlags, noSetUID|noDevices)
			set(statfsUnit, 4096)
			set(statfsBlocks, uint64(limits.Disk)/4096)
			set(statfsFiles, uint64(limits.Files)+1)
		}
		return f
	}
	if err := good().check(limits); err != nil {
		t.Fatal(err)
	}
	const root, workspace, shm = 0, 1, 3
	for name, tc := range map[string]struct {
		place, field int
		value        uint64
		control      string
	}{
		"a writable root":      {root, statfsFlags, 0, tier.ControlFilesystem},
		"a disk":               {workspace, statfsType, 0xEF53, tier.ControlFilesystem},
		"set-id programs":      {workspace, statfsFlags, noDevices, tier.ControlFilesystem},
		"devices":              {shm, statfsFlags, noSetUID, tier.ControlFilesystem},
		"no size":              {workspace, statfsBlocks, 0, tier.ControlDisk},
		"twice the size":       {shm, statfsBlocks, 2 * uint64(limits.Disk) / 4096, tier.ControlDisk},
		"larger pages":         {workspace, statfsUnit, 65536, tier.ControlDisk},
		"no limit of files":    {workspace, statfsFiles, 0, tier.ControlFiles},
		"a file more":          {shm, statfsFiles, uint64(limits.Files) + 2, tier.ControlFiles},
		"files without number": {shm, statfsFiles, 1 << 40, tier.ControlFiles},
	} {
		t.Run(name, func(t *testing.T) {
			f := good()
			binary.LittleEndian.PutUint64(f[16*rlimits+statfsSize*tc.place+tc.field:], tc.value)
			err := f.check(limits)
			var lack *tier.Error
			if !errors.As(err, &lack) || lack.Kind != tier.KindUnsupported || lack.Control != tc.control || lack.Fix == "" {
				t.Errorf("got %v, want that %s is missed", err, tc.control)
			}
		})
	}
}
