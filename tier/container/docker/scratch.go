package docker

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// scratch are the writable directories of a box: each is a file system in
// memory, which counts against the memory limit too.
var scratch = []string{tier.Workspace, tier.Temp, "/dev/shm"}

// scratchOptions are the mount options of a writable directory. Podman reserves
// the word size for its quotas.
func scratchOptions(at string, l glovebox.Limits, podman bool) string {
	size, exec := fmt.Sprintf("size=%d", l.Disk), "exec"
	if podman {
		size = fmt.Sprintf("nr_blocks=%d", max(l.Disk/pageSize, 1))
	}
	if at == "/dev/shm" {
		exec = "noexec"
	}
	// The root directory of the file system is a file too.
	return fmt.Sprintf("rw,nosuid,nodev,%s,mode=1777,%s,nr_inodes=%d", exec, size, l.Files+1)
}

// pageSize is that of most machines; boot looks whether it was right.
const pageSize = 4 << 10

// giveScratch adds the writable directories to a container. Podman's tmpfs has
// no limit of files; its volumes take any option of a mount.
func (t *Tier) giveScratch(ctx context.Context, container string, c *createRequest, l glovebox.Limits) error {
	if !t.engine.podman {
		c.HostConfig.Tmpfs = map[string]string{}
		for _, at := range scratch {
			c.HostConfig.Tmpfs[at] = scratchOptions(at, l, false)
		}
		return nil
	}
	// With a read-only root Podman adds more directories than requested.
	c.HostConfig.Tmpfs = map[string]string{"/run": "ro,mode=755,size=4k", "/var/tmp": "ro,mode=755,size=4k"}
	for _, at := range scratch {
		v := struct {
			Name, Driver       string
			DriverOpts, Labels map[string]string
		}{
			Name: volume(container, at), Driver: "local", Labels: c.Labels,
			DriverOpts: map[string]string{"type": "tmpfs", "device": "tmpfs", "o": scratchOptions(at, l, true)},
		}
		if err := t.engine.call(ctx, http.MethodPost, "/volumes/create", nil, v, nil); err != nil {
			return err
		}
		c.HostConfig.Binds = append(c.HostConfig.Binds, v.Name+":"+at+":nocopy")
	}
	return nil
}

// volume is the name of the volume of a container's place.
func volume(container, at string) string { return container + strings.ReplaceAll(at, "/", "-") }

// removeVolumes removes the volumes of a removed container.
func (e *engine) removeVolumes(ctx context.Context, container string) error {
	if !e.podman {
		return nil
	}
	var errs []error
	for _, at := range scratch {
		err := e.call(ctx, http.MethodDelete, "/volumes/"+volume(container, at), url.Values{"force": {"1"}}, nil, nil)
		if status(err) != http.StatusNotFound {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
