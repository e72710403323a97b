package firecracker

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox/tier/microvm/monitor"
)

// The bodies of requests, as in Firecracker's OpenAPI description
// (src/firecracker/swagger/firecracker.yaml, since 1.8). Firecracker refuses
// unknown fields: use only fields known since then and not deprecated.
type (
	logger struct {
		LogPath   string `json:"log_path"`
		Level     string `json:"level"`
		ShowLevel bool   `json:"show_level"`
	}
	machineConfig struct {
		VCPUs           int   `json:"vcpu_count"`
		MemoryMiB       int64 `json:"mem_size_mib"`
		SMT             bool  `json:"smt"`
		TrackDirtyPages bool  `json:"track_dirty_pages"`
	}
	bootSource struct {
		Kernel string `json:"kernel_image_path"`
		Initrd string `json:"initrd_path"`
		Args   string `json:"boot_args"`
	}
	drive struct {
		ID       string `json:"drive_id"`
		Path     string `json:"path_on_host"`
		Root     bool   `json:"is_root_device"`
		ReadOnly bool   `json:"is_read_only"`
	}
	vsock struct {
		CID  uint32 `json:"guest_cid"`
		Path string `json:"uds_path"`
	}
	entropy struct{}
	action  struct {
		Type string `json:"action_type"`
	}
	vm struct {
		State string `json:"state"`
	}
	snapshotCreate struct {
		Type   string `json:"snapshot_type"`
		State  string `json:"snapshot_path"`
		Memory string `json:"mem_file_path"`
	}
	snapshotLoad struct {
		State   string        `json:"snapshot_path"`
		Backend memoryBackend `json:"mem_backend"`
		Resume  bool          `json:"resume_vm"`
	}
	memoryBackend struct {
		Type string `json:"backend_type"`
		Path string `json:"backend_path"`
	}
)

// guestCID is the guest's address on the machine's own vsock, the lowest
// possible.
const guestCID = 3

// arguments are the needs of Firecracker's machine from a kernel, beside the
// tier's: the serial console, no bus to probe, and an end by a reset, which
// ends Firecracker too.
const arguments = "console=ttyS0 reboot=k panic=-1 pci=off random.trust_cpu=on 8250.nr_uarts=1 i8042.noaux i8042.nomux i8042.dumbkbd"

// hello waits for Firecracker, refuses too old a version and directs its log to
// us.
func (i *instance) hello(ctx context.Context) error {
	if err := i.api.wait(ctx); err != nil {
		return err
	}
	var v struct {
		Version string `json:"firecracker_version"`
	}
	if err := i.api.do(ctx, answers, http.MethodGet, "/version", nil, &v); err != nil {
		return err
	}
	if !recent(v.Version) {
		return fmt.Errorf("Firecracker %.40q is older than 1.8, which boots kernels with ACPI", v.Version)
	}
	return i.put(ctx, "/logger", logger{LogPath: logPipe, Level: "Warning", ShowLevel: true})
}

// recent reports whether a version is 1.8 or later.
func recent(version string) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	return err1 == nil && err2 == nil && (major > 1 || major == 1 && minor >= 8)
}

func (i *instance) put(ctx context.Context, path string, body any) error {
	return i.api.do(ctx, answers, http.MethodPut, path, body, nil)
}

// boot describes the machine and starts it.
func (i *instance) boot(ctx context.Context, m *monitor.Machine) error {
	if err := i.hello(ctx); err != nil {
		return err
	}
	for _, step := range []struct {
		path string
		body any
	}{
		{"/machine-config", machineConfig{VCPUs: m.VCPUs, MemoryMiB: m.Memory >> 20}},
		{"/boot-source", bootSource{kernelFile, initrdFile, strings.TrimSpace(m.Cmdline + " " + arguments)}},
		{"/drives/root", drive{ID: "root", Path: driveFile, ReadOnly: true}},
		{"/vsock", vsock{guestCID, vsockSocket}},
		{"/entropy", entropy{}},
		{"/actions", action{"InstanceStart"}},
	} {
		if err := i.put(ctx, step.path, step.body); err != nil {
			return err
		}
	}
	return i.running(ctx)
}

// restore loads a snapshot and resumes the guest. The rest of the machine is in
// the snapshot, with its file names, which are the same in every home.
func (i *instance) restore(ctx context.Context) error {
	if err := i.hello(ctx); err != nil {
		return err
	}
	err := i.api.do(ctx, stateMoves, http.MethodPut, "/snapshot/load", snapshotLoad{
		State: stateFile, Backend: memoryBackend{"File", memoryFile}, Resume: true,
	}, nil)
	if err != nil {
		return err
	}
	return i.running(ctx)
}

// running confirms that the guest's processor runs.
func (i *instance) running(ctx context.Context) error {
	var state struct {
		State string `json:"state"`
	}
	if err := i.api.do(ctx, answers, http.MethodGet, "/", nil, &state); err != nil {
		return err
	}
	if state.State != "Running" {
		return fmt.Errorf("the guest is %.40q and does not run", state.State)
	}
	return nil
}

// Snapshot implements [monitor.Instance]. Firecracker is dead afterwards, and
// cannot write into the files of the snapshot any more.
func (i *instance) Snapshot(ctx context.Context, dir string) error {
	i.snapshots.Lock()
	defer i.snapshots.Unlock()
	stop := context.AfterFunc(ctx, i.Kill)
	defer stop()
	if err := i.api.do(ctx, answers, http.MethodPatch, "/vm", vm{"Paused"}, nil); err != nil {
		return err
	}
	err := i.api.do(ctx, stateMoves, http.MethodPut, "/snapshot/create", snapshotCreate{"Full", stateFile, memoryFile}, nil)
	if err != nil {
		return err
	}
	if err := i.Process.Close(); err != nil {
		return err
	}
	return i.home.take(dir, stateFile, memoryFile)
}
