package docker

import (
	"context"
	"net"

	"github.com/Microsoft/go-winio"
)

// usualHosts are where engines listen: Docker Desktop and Podman's machine.
func usualHosts() []string {
	return []string{"npipe:////./pipe/docker_engine", "npipe:////./pipe/podman-machine-default"}
}

func dialPipe(ctx context.Context, name string) (net.Conn, error) {
	return winio.DialPipeContext(ctx, name)
}
