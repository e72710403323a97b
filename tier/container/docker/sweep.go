package docker

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// owner is the owning process of a container. Several machines may use one
// engine: only a process's own machine can know of its death.
type owner struct {
	machine string // this boot of it, and what numbers of processes mean there
	process string // its number, and when it began
}

func (o owner) String() string { return o.machine + "/" + o.process }

func thisProcess() owner { return owner{machine(), process(os.Getpid())} }

// dead reports whether an owner is known to have ended.
func (o owner) dead(label string) bool {
	where, who, ok := strings.Cut(label, "/")
	if !ok || where != o.machine {
		return false
	}
	var pid int
	if _, err := fmt.Sscanf(who, "%d.", &pid); err != nil || pid <= 0 {
		return false
	}
	return process(pid) != who
}

// sweep removes the containers of dead owners.
func (t *Tier) sweep(ctx context.Context) error {
	var list []struct {
		ID     string `json:"Id"`
		Labels map[string]string
	}
	query := filter("label", labelOwner)
	query.Set("all", "1")
	if err := t.engine.call(ctx, http.MethodGet, "/containers/json", query, nil, &list); err != nil {
		return err
	}
	var errs []error
	for _, c := range list {
		if t.owner.dead(c.Labels[labelOwner]) {
			errs = append(errs, t.engine.remove(ctx, url.PathEscape(c.ID)))
		}
	}
	if t.engine.podman {
		errs = append(errs, t.sweepVolumes(ctx))
	}
	return errors.Join(errs...)
}

func (t *Tier) sweepVolumes(ctx context.Context) error {
	var list struct {
		Volumes []struct {
			Name   string
			Labels map[string]string
		}
	}
	if err := t.engine.call(ctx, http.MethodGet, "/volumes", filter("label", labelOwner), nil, &list); err != nil {
		return err
	}
	var errs []error
	for _, v := range list.Volumes {
		if t.owner.dead(v.Labels[labelOwner]) {
			err := t.engine.call(ctx, http.MethodDelete, "/volumes/"+url.PathEscape(v.Name), url.Values{"force": {"1"}}, nil, nil)
			if status(err) != http.StatusNotFound {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}
