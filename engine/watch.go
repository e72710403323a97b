package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/observe"
)

// EventKind is what an [Event] tells.
type EventKind string

// The kinds of events. The set is closed and append-only.
const (
	// EventPhase: the step Phase of the run begins.
	EventPhase EventKind = "phase"
	// EventOutput: Text stands at Offset of Stream.
	EventOutput EventKind = "output"
	// EventGap: the watcher was too slow for Bytes bytes of Stream, at Offset.
	// They are missing here only: the Observation and its artifact have them.
	EventGap EventKind = "gap"
	// EventRestart: the run starts over, elsewhere or with other tests. What
	// was seen of the streams is void, and they begin at 0 again.
	EventRestart EventKind = "restart"
)

// Event is what a watcher sees of a run while it runs. Everything in it that
// the program produced is untrusted data, redacted and fit for a terminal as
// the texts of an Observation are.
type Event struct {
	Kind  EventKind      `json:"kind"`
	Phase glovebox.Phase `json:"phase,omitempty"`
	// Stream is "stdout" or "stderr".
	Stream string `json:"stream,omitempty"`
	// Offset and Bytes are the part of the redacted stream that Text stands
	// for: it is longer than Text where terminal escapes were dropped, and
	// where the whole stream is an artifact, these are its bytes.
	Offset int64  `json:"offset,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
	Text   string `json:"text,omitempty"`
	// Encoding is "escaped" where bytes of this Text that are not UTF-8 are
	// written as \xNN, with every literal backslash doubled.
	Encoding string `json:"encoding,omitempty"`
}

// Watcher watches a run.
type Watcher struct {
	// Event is called with each event, in their order, from one goroutine. It
	// has returned from its last call when Watch returns, unless it was given
	// up; see [WatchError].
	Event func(Event)
	// Hold makes a program wait for a slow watcher, as a pipe makes it wait for
	// its reader: nothing is missing, and the wait counts against the wall
	// clock limit. Evidence of the Observation says how long it was. Without
	// Hold the program never waits, no verdict depends on who watches, and a
	// watcher that falls half a megabyte behind has gaps.
	Hold bool
}

// WatchError is a watcher that was given up, because it panicked or was not
// ready in time. The Observation beside it is whole.
type WatchError struct {
	// Panic is what Event panicked with, and Stack where; nil means that it
	// did not return, or not fast enough to see the end.
	Panic any
	Stack []byte
}

func (e *WatchError) Error() string {
	if e.Panic != nil {
		return fmt.Sprintf("the watcher panicked: %v", e.Panic)
	}
	return "the watcher was given up: it took too long"
}

// Watch is [Engine.Run] with a watcher. A watcher that is behind when the run
// has ended has two seconds to catch up, with Hold the rest of the wall clock
// limit if that is more, and is then given up. Watch returns an Observation and
// a [*WatchError] where the watcher was given up, and else what Run returns.
func (e *Engine) Watch(ctx context.Context, job glovebox.Job, w Watcher) (*glovebox.Observation, error) {
	if w.Event == nil {
		return nil, errors.New("a watcher without a function")
	}
	watch := newWatch(ctx, w)
	o, err := e.run(ctx, job, watch)
	if late := watch.end(); err == nil && late != nil {
		return o, late
	}
	return o, err
}

const (
	// maxBehind is how many bytes wait for a watcher. An event costs
	// eventBytes beside its text.
	maxBehind  = 512 << 10
	eventBytes = 256
	// watchGrace is the least time that a watcher has to catch up at the end.
	watchGrace = 2 * time.Second
	// maxEventText bounds the bytes of one event.
	maxEventText = 64 << 10
	// worthTelling is how long a program must have waited for the watcher to
	// be told of it.
	worthTelling = 100 * time.Millisecond
)

// watch is a watcher at work. Its methods work on nil, which watches nothing.
type watch struct {
	w    Watcher
	ctx  context.Context
	news chan struct{} // has room for one: there is something in the queue
	done chan struct{} // closed when the watcher sees no more

	mu     sync.Mutex
	queue  []item
	behind int            // of the queue, in bytes
	room   chan struct{}  // closed, and made anew, when the queue was taken
	gaps   []item         // at most one for each stream: they go on growing
	phase  glovebox.Phase // the last one told
	until  time.Time      // a program waits no longer than that
	waited time.Duration
	ended  bool
	err    *WatchError
}

// item is an event on its way: text is what the program wrote, redacted.
type item struct {
	Event
	text []byte
}

func newWatch(ctx context.Context, w Watcher) *watch {
	watch := &watch{w: w, ctx: ctx, news: make(chan struct{}, 1), done: make(chan struct{}), room: make(chan struct{})}
	go watch.work()
	return watch
}

// begin tells that a phase begins, which lasts at most as long as wall.
func (w *watch) begin(p glovebox.Phase, wall time.Duration) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.until = time.Now().Add(wall)
	if p != "" && p != w.phase { // and not a second time for the second case
		w.phase = p
		w.add(item{Event: Event{Kind: EventPhase, Phase: p}})
	}
}

// restart tells that what was seen is void.
func (w *watch) restart() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gaps, w.phase = nil, ""
	w.add(item{Event: Event{Kind: EventRestart}})
}

// stream returns a writer that takes what to takes, and shows it.
func (w *watch) stream(name string, to io.Writer) io.Writer {
	if w == nil {
		return to
	}
	return &watched{w: w, name: name, to: to}
}

// watched is a stream of the program that is watched.
type watched struct {
	w      *watch
	name   string
	to     io.Writer
	offset int64
}

func (s *watched) Write(p []byte) (int, error) {
	for part := range slices.Chunk(p, maxEventText) {
		s.w.output(item{Event: Event{Kind: EventOutput, Stream: s.name, Offset: s.offset, Bytes: int64(len(part))}, text: part})
		s.offset += int64(len(part))
	}
	return s.to.Write(p)
}

// output puts a part of a stream into the queue, or into the stream's gap.
func (w *watch) output(it item) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	gap := slices.IndexFunc(w.gaps, func(g item) bool { return g.Stream == it.Stream })
	room := maxBehind
	if gap >= 0 {
		room /= 2 // one large gap is better than many small ones
	}
	for w.behind+len(it.text)+eventBytes > room {
		if w.w.Hold && gap < 0 && w.wait() {
			continue
		}
		if gap < 0 {
			w.gaps = append(w.gaps, item{Event: Event{Kind: EventGap, Stream: it.Stream, Offset: it.Offset}})
			gap = len(w.gaps) - 1
		}
		w.gaps[gap].Bytes += it.Bytes
		return
	}
	if gap >= 0 {
		w.add(w.gaps[gap])
		w.gaps = slices.Delete(w.gaps, gap, gap+1)
	}
	if n := len(w.queue); n > 0 {
		if last := &w.queue[n-1]; last.Kind == EventOutput && last.Stream == it.Stream && last.Offset+last.Bytes == it.Offset && len(last.text)+len(it.text) <= maxEventText {
			last.text = append(last.text, it.text...)
			last.Bytes += it.Bytes
			w.behind += len(it.text)
			return
		}
	}
	it.text = slices.Clone(it.text)
	w.add(it)
}

// add puts an item into the queue.
func (w *watch) add(it item) {
	if w.err != nil || w.ended {
		return
	}
	w.queue = append(w.queue, it)
	w.behind += len(it.text) + eventBytes
	select {
	case w.news <- struct{}{}:
	default:
	}
}

// wait waits for room in the queue. The result is false without a wait: the time is over,
// or the watch has ended.
func (w *watch) wait() bool {
	left := time.Until(w.until)
	if left <= 0 || w.err != nil || w.ctx.Err() != nil {
		return false
	}
	room, begin := w.room, time.Now()
	w.mu.Unlock()
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-room:
	case <-timer.C:
	case <-w.done:
	case <-w.ctx.Done():
	}
	w.mu.Lock()
	w.waited += time.Since(begin)
	return true
}

// work calls the watcher until the run has ended or the watcher is given up.
func (w *watch) work() {
	defer close(w.done)
	defer func() {
		if p := recover(); p != nil {
			w.fail(&WatchError{Panic: p, Stack: debug.Stack()})
		}
	}()
	views := map[string]*view{}
	for range w.news {
		list, ended := w.take()
		for _, it := range list {
			if w.given() {
				return
			}
			switch it.Kind {
			case EventOutput:
				v := views[it.Stream]
				if v == nil {
					v = new(view)
					views[it.Stream] = v
				}
				v.show(it, w.w.Event)
			case EventGap:
				views[it.Stream].end(it.Stream, w.w.Event)
				views[it.Stream] = &view{seen: it.Offset + it.Bytes}
				w.w.Event(it.Event)
			default:
				if it.Kind == EventRestart {
					clear(views)
				}
				w.w.Event(it.Event)
			}
		}
		if ended {
			for _, stream := range []string{"stdout", "stderr"} {
				views[stream].end(stream, w.w.Event)
			}
			return
		}
	}
}

// take takes the queue.
func (w *watch) take() (list []item, ended bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	list = w.queue
	if w.ended {
		list = append(list, w.gaps...)
	}
	w.queue, w.behind = nil, 0
	close(w.room)
	w.room = make(chan struct{})
	return list, w.ended
}

// given tells whether the watcher was given up.
func (w *watch) given() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err != nil
}

// fail gives the watcher up.
func (w *watch) fail(err *WatchError) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	w.queue, w.behind = nil, 0
}

// evidence tells of a program that had to wait for the watcher.
func (w *watch) evidence() []glovebox.Evidence {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waited < worthTelling {
		return nil
	}
	return []glovebox.Evidence{{Source: "supervisor", Fact: fmt.Sprintf("the program waited %v for who watched it", w.waited.Round(time.Millisecond))}}
}

// end lets the watcher catch up after the run.
func (w *watch) end() *WatchError {
	w.mu.Lock()
	w.ended = true
	left := watchGrace
	if w.w.Hold {
		left = max(left, time.Until(w.until))
	}
	w.mu.Unlock()
	select {
	case w.news <- struct{}{}:
	default:
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-w.done:
	case <-timer.C:
	case <-w.ctx.Done():
		// Who gave the run up still sees its end, if ready to.
		select {
		case <-w.done:
		case <-time.After(min(left, watchGrace)):
		}
	}
	select {
	case <-w.done:
	default:
		w.fail(&WatchError{})
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// view is how a watcher sees one stream.
type view struct {
	screen observe.Screen
	seen   int64 // where the last event ended
	next   int64 // where the next item begins
}

// show makes an event of an item.
func (v *view) show(it item, event func(Event)) {
	text, escaped := v.screen.Write(it.text)
	v.next = it.Offset + it.Bytes
	v.tell(it.Stream, text, escaped, event)
}

// end shows what was kept back.
func (v *view) end(stream string, event func(Event)) {
	if v == nil {
		return
	}
	text, escaped := v.screen.Close()
	v.tell(stream, text, escaped, event)
}

func (v *view) tell(stream, text string, escaped bool, event func(Event)) {
	if text == "" {
		return // and its bytes are the next event's
	}
	e := Event{Kind: EventOutput, Stream: stream, Offset: v.seen, Text: text}
	v.seen = v.next - int64(v.screen.Held())
	e.Bytes = v.seen - e.Offset
	if escaped {
		e.Encoding = "escaped"
	}
	event(e)
}
