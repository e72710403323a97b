//go:build unix

package docker

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
)

// usualHosts are the usual addresses of engines: Docker, Podman for this user
// and for all, and Docker Desktop.
func usualHosts() []string {
	paths := []string{"/var/run/docker.sock"}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		paths = append(paths, filepath.Join(dir, "podman/podman.sock"), filepath.Join(dir, "docker.sock"))
	}
	paths = append(paths, "/run/podman/podman.sock")
	if home, err := os.UserHomeDir(); err == nil {
		for _, name := range []string{
			".docker/run/docker.sock", ".docker/desktop/docker.sock",
			".local/share/containers/podman/machine/podman.sock",
		} {
			paths = append(paths, filepath.Join(home, name))
		}
	}
	for i, p := range paths {
		paths[i] = "unix://" + p
	}
	return paths
}

func dialPipe(context.Context, string) (net.Conn, error) {
	return nil, errors.New("named pipes are Windows'")
}
