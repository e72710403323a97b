package docker

import (
	"encoding/binary"
	"fmt"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// found holds the glove's findings in its container: each limit of a process,
// as struct rlimit, and each file system, as struct statfs.
type found []byte

const (
	rlimits    = 16 // RLIM_NLIMITS
	statfsSize = 120
)

var (
	places    = append([]string{"/"}, scratch...)
	foundSize = 16*rlimits + statfsSize*len(places)
)

func (f found) word(offset int) uint64 { return binary.LittleEndian.Uint64(f[offset:]) }

// hardLimit is the upper bound of every command.
func (f found) hardLimit(resource int) uint64 { return f.word(16*resource + 8) }

// Fields of struct statfs and their values: see include/uapi/linux/magic.h and
// statfs(2).
const (
	statfsType   = 0
	statfsUnit   = 8
	statfsBlocks = 16
	statfsFiles  = 40
	statfsFlags  = 80

	tmpfsMagic                    = 0x01021994
	readOnly, noSetUID, noDevices = 1, 2, 4
)

// check fails where the engine has made file systems other than requested.
func (f found) check(l glovebox.Limits) error {
	for i, at := range places {
		field := func(offset int) uint64 { return f.word(16*rlimits + statfsSize*i + offset) }
		refuse := func(control, format string, args ...any) error {
			return &tier.Error{Tier: glovebox.TierContainer, Op: "open", Kind: tier.KindUnsupported, Control: control,
				Fix: "use another engine, or a newer one", Err: fmt.Errorf("the engine made "+at+" "+format, args...)}
		}
		size, flags := field(statfsBlocks)*field(statfsUnit), field(statfsFlags)
		switch {
		case at == "/" && flags&readOnly == 0:
			return refuse(tier.ControlFilesystem, "writable")
		case at == "/":
		case field(statfsType) != tmpfsMagic, flags&noSetUID == 0, flags&noDevices == 0:
			return refuse(tier.ControlFilesystem, "of the type %#x with the flags %#x", field(statfsType), flags)
		case size == 0 || size > uint64(l.Disk)+largestPage:
			return refuse(tier.ControlDisk, "of %d bytes, not of %d", size, l.Disk)
		case field(statfsFiles) == 0 || field(statfsFiles) > uint64(l.Files)+1:
			return refuse(tier.ControlFiles, "for %d files, not for %d", field(statfsFiles), l.Files)
		}
	}
	return nil
}

// largestPage is the largest page size of all machines: a file system in memory
// has whole pages.
const largestPage = 64 << 10
