package docker

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/glove/wire"
)

// ground is one container, seen from the host. It implements [glove.Ground].
type ground struct {
	engine *engine
	name   string    // of the container; empty where there is none
	conn   *attached // nil before it is there
	link   *wire.Link
	group  group

	dead    chan struct{}
	removed context.Context // done when there is no container any more
	remove  context.CancelFunc
	workers sync.WaitGroup
	kill    sync.Once

	sampling sync.Mutex
	sample   glove.Sample
	sampled  time.Time
	asked    chan stats // the engine has not answered yet

	closeOnce sync.Once
	closeErr  error
}

func newGround(e *engine) *ground {
	g := &ground{engine: e, dead: make(chan struct{})}
	g.removed, g.remove = context.WithCancel(context.Background())
	return g
}

// watch waits for the end of the link, which is the end of the box.
func (g *ground) watch() {
	g.workers.Go(func() {
		<-g.link.Done()
		g.Kill()
		g.await()
		close(g.dead)
	})
}

// await returns when the container does not run, or is removed.
func (g *ground) await() {
	ctx, cancel := context.WithTimeout(g.removed, patience)
	defer cancel()
	// By default Podman checks only four times a second.
	query := url.Values{"condition": {"not-running"}, "interval": {"20ms"}}
	_ = g.engine.call(ctx, http.MethodPost, g.path("/wait"), query, nil, nil)
}

func (g *ground) path(what string) string { return "/containers/" + g.name + what }

// Kill implements [glove.Ground]. The end of the connection alone would end the
// relay; the engine is faster, and does not depend on the relay.
func (g *ground) Kill() {
	g.kill.Do(func() {
		if g.conn == nil {
			return
		}
		g.conn.Close()
		g.workers.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			// It may not run any more.
			_ = g.engine.call(ctx, http.MethodPost, g.path("/kill"), url.Values{"signal": {"KILL"}}, nil, nil)
		})
	})
}

// Dead implements [glove.Ground].
func (g *ground) Dead() <-chan struct{} { return g.dead }

const (
	// sampleAge is how old a measurement may be: the engine takes some
	// milliseconds for each.
	sampleAge = 100 * time.Millisecond
	// samplePatience bounds the wait for a sample. The supervisor does nothing
	// else meanwhile.
	samplePatience = time.Second
)

// Sample implements [glove.Ground]. A slow measurement continues in the
// background, and the last one stands.
func (g *ground) Sample() (glove.Sample, error) {
	g.sampling.Lock()
	defer g.sampling.Unlock()
	if g.removed.Err() != nil {
		return g.sample, os.ErrClosed
	}
	if time.Since(g.sampled) < sampleAge {
		return g.sample, nil
	}
	late := time.NewTimer(0)
	if g.asked == nil {
		late.Reset(samplePatience)
		answer := make(chan stats, 1)
		g.asked = answer
		g.workers.Go(func() { g.ask(answer) })
	}
	defer late.Stop()
	select {
	case s := <-g.asked:
		g.asked = nil
		if s.err != nil {
			return g.sample, s.err
		}
		g.sampled, g.sample = time.Now(), s.sample()
		return g.sample, nil
	case <-late.C:
		return g.sample, os.ErrDeadlineExceeded
	}
}

// stats is the engine's report on the use of a container.
type stats struct {
	CPU struct {
		Usage struct {
			Total int64 `json:"total_usage"` // nanoseconds
		} `json:"cpu_usage"`
	} `json:"cpu_stats"`
	Memory struct {
		Usage int64
	} `json:"memory_stats"`
	Pids struct {
		Current int64
	} `json:"pids_stats"`
	err error
}

func (s stats) sample() glove.Sample {
	return glove.Sample{CPU: time.Duration(s.CPU.Usage.Total), Memory: s.Memory.Usage, Processes: max(0, s.Pids.Current-wire.Tasks)}
}

func (g *ground) ask(answer chan<- stats) {
	ctx, cancel := context.WithTimeout(g.removed, patience)
	defer cancel()
	var s stats
	s.err = g.engine.call(ctx, http.MethodGet, g.path("/stats"), url.Values{"stream": {"false"}, "one-shot": {"true"}}, nil, &s)
	answer <- s
}

// Evidence implements [glove.Ground]. While the box lives its own control group
// is read, by the glove, now idle.
func (g *ground) Evidence(glove.Sample) []glovebox.Hit {
	if g.link == nil {
		return nil
	}
	select {
	case <-g.link.Done():
	default:
		if hits, err := g.group.evidence(g.link.Ends()); err == nil {
			return hits
		}
	}
	return g.inquest()
}

// inquest asks the engine how a container died.
func (g *ground) inquest() []glovebox.Hit {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var c struct {
		State struct{ OOMKilled bool }
	}
	g.await()
	if err := g.engine.call(ctx, http.MethodGet, g.path("/json"), nil, nil, &c); err != nil || !c.State.OOMKilled {
		return nil
	}
	return []glovebox.Hit{{Limit: glovebox.LimitMemory, Evidence: glovebox.Evidence{
		Source: "engine", Fact: "the engine says that the container was out of memory",
	}}}
}

// Close implements [glove.Ground].
func (g *ground) Close() error {
	g.closeOnce.Do(func() {
		defer g.remove()
		if g.name == "" {
			return
		}
		g.Kill()
		if g.link != nil {
			g.closeErr = g.link.Close()
			<-g.dead // Podman cannot kill and remove at a time
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		g.closeErr = errors.Join(g.closeErr, g.engine.remove(ctx, g.name))
		g.sampling.Lock()
		g.remove() // from here on nobody asks the engine anything
		g.sampling.Unlock()
		g.workers.Wait()
		g.closeErr = errors.Join(g.closeErr, g.engine.removeVolumes(ctx, g.name))
	})
	return g.closeErr
}

// remove kills and removes a container, and returns when it is gone.
func (e *engine) remove(ctx context.Context, name string) error {
	for tries := 0; ; tries++ {
		err := e.call(ctx, http.MethodDelete, "/containers/"+name, url.Values{"force": {"1"}, "v": {"1"}}, nil, nil)
		switch code := status(err); {
		case code == http.StatusNotFound:
			return nil
		case code == http.StatusConflict, // somebody else removes it
			code >= 500 && tries < 50: // or kills it
			select {
			case <-time.After(20 * time.Millisecond):
				continue
			case <-ctx.Done():
			}
		}
		return err
	}
}
