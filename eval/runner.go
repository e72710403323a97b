package eval

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// Runner does work, several pieces at a time.
type Runner struct {
	// Do does one piece: [Judge], or a function that first makes a sample. An
	// error ends the whole run; faults of a sample are a row's status.
	Do func(ctx context.Context, w *Work) (Row, error)
	// Workers is how many pieces are done at a time; 0 means one for each
	// processor.
	Workers int
	// Progress is called after each piece, one call at a time. It may be nil.
	Progress func(Progress)
}

// Progress is how far a run is.
type Progress struct {
	// Total is the number of samples, Done the number with a verdict, Before
	// the number with a verdict at the start of the run.
	Total, Done, Before int
	// Passed is the number of passes in this run.
	Passed int
	// ours is how many ended with our own failure.
	ours int
}

// hopeless is the number of samples, all ending with our own failure, after
// which a run gives up: something is wrong with this host.
const hopeless = 12

// Ran says what a run did.
type Ran struct {
	Samples int           // how many it did
	Took    time.Duration // how long that took
}

// Run does the work without a verdict in the results yet, and appends its rows.
// When ctx ends, running pieces are given up and leave no row; the error is
// then that of ctx.
func (r *Runner) Run(ctx context.Context, work []*Work, results *Results) (Ran, error) {
	begin := time.Now()
	var todo []*Work
	for _, w := range work {
		if !results.Done(w) {
			todo = append(todo, w)
		}
	}
	p := Progress{Total: len(work), Before: len(work) - len(todo)}
	p.Done = p.Before
	workers := r.Workers
	if workers <= 0 {
		workers = runtime.NumCPU()
	}

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan *Work)
	var mu sync.Mutex
	var all sync.WaitGroup
	for range min(workers, len(todo)) {
		all.Go(func() {
			for w := range next {
				row, err := r.Do(ctx, w)
				if ctx.Err() != nil && (err != nil || row.Status == glovebox.StatusCancelled) {
					return
				}
				mu.Lock()
				if err == nil {
					err = results.Append(row)
				}
				if err == nil {
					p.Done++
					switch row.Status {
					case glovebox.StatusPass:
						p.Passed++
					case glovebox.StatusSandboxError:
						if p.ours++; p.ours == hopeless && p.Done-p.Before == hopeless {
							err = fmt.Errorf("the first %d samples could not be run: %s", hopeless, row.Measured.Message)
						}
					}
					if r.Progress != nil {
						r.Progress(p)
					}
				}
				mu.Unlock()
				if err != nil {
					stop(err)
					return
				}
			}
		})
	}
feed:
	for _, w := range todo {
		select {
		case next <- w:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	all.Wait()
	return Ran{Samples: p.Done - p.Before, Took: time.Since(begin)}, context.Cause(ctx)
}

// retries is the number of retries after our own failure on a sample.
const retries = 2

// retryAfter is the pause before a retry, times the attempt.
const retryAfter = 200 * time.Millisecond

// Judge returns a function for [Runner.Do] that runs samples in boxes.
//
// The samples are one batch, except those with [Options.Apart]: see
// [glovebox.Job.Batch].
func Judge(e glovebox.Runner) func(context.Context, *Work) (Row, error) {
	batch := rand.Text()
	return func(ctx context.Context, w *Work) (Row, error) {
		job, err := w.Problem.Job(w.Sample, w.Options)
		var fault *Fault
		if errors.As(err, &fault) {
			return RowOf(w, &glovebox.Observation{Status: glovebox.StatusNoCode, Phase: glovebox.PhaseExtract, Message: fault.Reason}), nil
		}
		if err != nil {
			return Row{}, fmt.Errorf("%s: %s: %w", w.Problem.Where, w.Problem.ID, err)
		}
		if !w.Options.Apart {
			job.Batch = batch
		}
		begin := time.Now()
		for attempt := 1; ; attempt++ {
			seen, err := e.Run(ctx, job)
			if err != nil {
				return Row{}, fmt.Errorf("%s: sample %d of %s: %w", w.Sample.Where, w.N, w.Problem.ID, err)
			}
			row := RowOf(w, seen)
			row.Measured.DurationMS = float64(time.Since(begin).Microseconds()) / 1000
			row.Measured.SandboxAttempts = attempt
			if row.Status != glovebox.StatusSandboxError || attempt > retries {
				return row, nil
			}
			select {
			case <-ctx.Done():
				return row, ctx.Err()
			case <-time.After(time.Duration(attempt) * retryAfter):
			}
		}
	}
}

// Interrupted reports whether an error of [Runner.Run] is the end of its
// context.
func Interrupted(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
