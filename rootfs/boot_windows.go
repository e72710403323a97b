package rootfs

import (
	"strconv"
	"unsafe"

	"golang.org/x/sys/windows"
)

// readBootID takes the time of the boot, less later corrections of the clock.
// An unseen correction only causes the roots to be built anew.
func readBootID() (string, error) {
	// SYSTEM_TIMEOFDAY_INFORMATION of ntexapi.h.
	var t struct {
		Boot, Current, ZoneBias int64
		ZoneID, _               uint32
		BootBias, SleepBias     uint64
	}
	if err := windows.NtQuerySystemInformation(windows.SystemTimeOfDayInformation, unsafe.Pointer(&t), uint32(unsafe.Sizeof(t)), nil); err != nil {
		return "", err
	}
	return strconv.FormatInt(t.Boot-int64(t.BootBias), 16), nil
}
