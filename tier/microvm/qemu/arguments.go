//go:build linux

package qemu

import (
	"fmt"
	"strings"

	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
)

// Descriptors of QEMU: host files are open before QEMU starts, because QEMU has
// no right to open them itself.
const (
	fdControl = 3 + iota
	fdChannel
	fdDrive
	fdKernel
	fdInitrd
)

// emulated are the kernel arguments of a guest on an emulated processor. On a
// busy host the kernel would measure the clocks wrongly, and stall, so the
// arguments give their frequencies. An emulated processor has no flaws to work
// around.
const emulated = "no_timer_check lpj=4000000 tsc_early_khz=%d mitigations=off"

// arguments are QEMU's. The machine has a type without the devices of a PC, one
// serial console, one drive and one channel: no network, no default device, no
// configuration of the host's, no monitor but ours.
func arguments(m *monitor.Machine, kiloHertz int) []string {
	accel, cpu := "kvm", "host"
	cmdline := []string{m.Cmdline, "console=ttyS0 reboot=t panic=-1 pci=off random.trust_cpu=on"}
	if m.Accel == monitor.Emulated {
		// A small cache of translated code: a guest runs few programs.
		accel, cpu = "tcg,tb-size=64", "max"
		cmdline = append(cmdline, fmt.Sprintf(emulated, kiloHertz))
	}
	args := []string{
		"-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
		"-M", "microvm,rtc=on,pcie=off,usb=off", "-accel", accel, "-cpu", cpu,
		"-smp", fmt.Sprint(m.VCPUs), "-m", fmt.Sprintf("%dM", m.Memory>>20),
		"-chardev", fmt.Sprintf("socket,id=control,fd=%d", fdControl), "-mon", "chardev=control,mode=control",
		"-serial", "stdio",
		"-device", "virtio-serial-device,max_ports=2",
		"-chardev", fmt.Sprintf("socket,id=channel,fd=%d", fdChannel),
		"-device", "virtserialport,chardev=channel,nr=1,name=" + monitor.Port,
		"-add-fd", fmt.Sprintf("set=1,fd=%d", fdDrive),
		"-blockdev", "driver=file,node-name=file,filename=/dev/fdset/1,read-only=on,locking=off",
		"-blockdev", "driver=raw,node-name=root,file=file,read-only=on",
		"-device", "virtio-blk-device,drive=root",
		"-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny",
	}
	if m.Snapshot != "" { // the kernel is in there
		return append(args, "-incoming", "defer")
	}
	return append(args, "-kernel", descriptor(fdKernel), "-initrd", descriptor(fdInitrd), "-append", strings.Join(cmdline, " "))
}

func descriptor(fd int) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }
