package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
)

// streamFlag says whether a command shows the output of a program as it comes.
type streamFlag struct {
	Stream *bool `negatable:"" help:"Show output as it comes, all of it; with --json one event a line, the observation last. This is so on a terminal, without --json."`
}

// wanted tells whether output is shown as it comes on w.
func (f streamFlag) wanted(w io.Writer, quiet bool) bool {
	if f.Stream != nil {
		return *f.Stream
	}
	file, ok := w.(*os.File)
	return ok && isTerminal(file) && !quiet
}

// live shows a run while it runs. Nil shows nothing.
type live struct {
	show func(engine.Event) error
	end  func() error // before something else is printed
	err  error        // what show failed with
}

// run runs a job and shows it. A program waits for whoever reads our output,
// as it would without a box; where nobody reads it any more, the run ends.
func (l *live) run(ctx context.Context, e *engine.Engine, job glovebox.Job, stop func()) (*glovebox.Observation, error) {
	if l == nil {
		return e.Run(ctx, job)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Else a closed pipe ended this process, and its boxes without their Close.
	closed := make(chan os.Signal, 1)
	signal.Notify(closed, syscall.SIGPIPE)
	defer signal.Stop(closed)
	o, err := e.Watch(ctx, job, engine.Watcher{Hold: true, Event: func(ev engine.Event) {
		if ev.Kind == engine.EventOutput {
			stop() // the line that says that it runs
		}
		if l.err == nil {
			if l.err = l.show(ev); l.err != nil {
				cancel()
			}
		}
	}})
	var late *engine.WatchError
	switch {
	case errors.As(err, &late):
		return o, fmt.Errorf("show the output: %w", err)
	case err == nil && l.err != nil:
		return o, fmt.Errorf("show the output: %w", l.err)
	}
	return o, err
}

// liveExec shows streams as the program's own.
func liveExec(s *streams) *live {
	return &live{show: func(e engine.Event) error {
		switch e.Kind {
		case engine.EventOutput:
			w := s.stdout
			if e.Stream == "stderr" {
				w = s.stderr
			}
			_, err := io.WriteString(w, e.Text)
			return err
		case engine.EventGap:
			_, err := fmt.Fprintf(s.stderr, "glovebox: %d bytes of %s left out: the reader is too slow\n", e.Bytes, e.Stream)
			return err
		}
		return nil
	}}
}

// liveReport shows streams as a report does, each under its name.
func liveReport(w io.Writer) *live {
	p := newPainter(w)
	stream, open := "", false // what was shown last, and that it ends within a line
	say := func(line string) error {
		if open {
			line = "\n" + line
		}
		stream, open = "", false
		_, err := io.WriteString(w, line)
		return err
	}
	return &live{
		show: func(e engine.Event) error {
			switch e.Kind {
			case engine.EventRestart:
				return say(p.paint(dim, "── the run starts over ──") + "\n")
			case engine.EventGap:
				return say(fmt.Sprintf("[… %d bytes of %s left out …]\n", e.Bytes, e.Stream))
			case engine.EventOutput:
				if e.Stream != stream {
					if err := say(p.paint(dim, streamHead(e.Stream)) + "\n"); err != nil {
						return err
					}
				}
				stream, open = e.Stream, !strings.HasSuffix(e.Text, "\n")
				_, err := io.WriteString(w, e.Text)
				return err
			}
			return nil
		},
		end: func() error { return say("") },
	}
}

// liveJSON prints each event as a line of JSON.
func liveJSON(w io.Writer) *live {
	out := json.NewEncoder(w)
	return &live{show: func(e engine.Event) error { return out.Encode(e) }}
}

// printObservation prints the whole Observation, after the events of l where
// it has printed those.
func printObservation(w io.Writer, l *live, o *glovebox.Observation) error {
	if l == nil {
		return printJSON(w, o)
	}
	return json.NewEncoder(w).Encode(struct {
		Kind        string                `json:"kind"`
		Observation *glovebox.Observation `json:"observation"`
	}{"observation", o})
}

// printReport writes the report for people, without the streams where l has
// shown them.
func printReport(w io.Writer, l *live, o *glovebox.Observation) error {
	if l != nil {
		if err := l.end(); err != nil {
			return err
		}
		rest := *o
		rest.Stdout, rest.Stderr = "", ""
		o = &rest
	}
	return report(w, o)
}
