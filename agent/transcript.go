package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/model"
)

// RecordType says what a [Record] is of. The set is append-only.
type RecordType string

// The types of records.
const (
	RecordStart       RecordType = "start"       // Task
	RecordLibraries   RecordType = "libraries"   // Text: what the box has
	RecordPrompt      RecordType = "prompt"      // Purpose, Request, Tokens
	RecordRetry       RecordType = "retry"       // Text: why a request is sent again
	RecordReply       RecordType = "reply"       // Purpose, Reply
	RecordPlan        RecordType = "plan"        // Plan
	RecordObservation RecordType = "observation" // Purpose, Observation
	RecordDecision    RecordType = "decision"    // Text; Turn in full, where it is of one
	RecordSignal      RecordType = "signal"      // Signal
	RecordEnd         RecordType = "end"         // Result
)

// Purpose is the reason for a request or a run.
type Purpose string

// The purposes.
const (
	PurposePlan       Purpose = "plan"
	PurposeCode       Purpose = "code"
	PurposeRepair     Purpose = "repair"
	PurposeBaseline   Purpose = "baseline"
	PurposeRegression Purpose = "regression"
	PurposeLint       Purpose = "lint"
)

// Record is one line of a transcript: one JSON object. A transcript holds all
// messages to and from a model, every observation and every decision, for
// reading, and for a replay without a model.
type Record struct {
	Type RecordType `json:"type"`
	Time time.Time  `json:"time"`
	// Candidate is the number of the attempt, from 1; 0 is what all share.
	Candidate int     `json:"candidate"`
	Turn      int     `json:"turn,omitempty"`
	Purpose   Purpose `json:"purpose,omitempty"`
	// Text describes the decision in a sentence, or lists the libraries.
	Text string `json:"text,omitempty"`
	// Task is the task's text and its form of proof.
	Task *TaskRecord `json:"task,omitempty"`
	// Tokens is our own count of a prompt.
	Tokens      int                   `json:"tokens,omitempty"`
	Request     *model.Request        `json:"request,omitempty"`
	Reply       *model.Reply          `json:"reply,omitempty"`
	Plan        *Plan                 `json:"plan,omitempty"`
	Observation *glovebox.Observation `json:"observation,omitempty"`
	Decision    *Turn                 `json:"decision,omitempty"`
	Signal      *Signal               `json:"signal,omitempty"`
	Result      *Result               `json:"result,omitempty"`
}

// TaskRecord is a transcript's description of its task.
type TaskRecord struct {
	Text       string   `json:"text"`
	Language   string   `json:"language,omitempty"`
	Tests      []string `json:"tests,omitempty"`
	Cases      int      `json:"cases,omitempty"`
	Repository bool     `json:"repository,omitempty"`
	Candidates int      `json:"candidates"`
}

// Writer returns a Config.Record that writes JSON lines to w, and a function
// that returns its first error.
func Writer(w io.Writer) (record func(Record), failed func() error) {
	var mu sync.Mutex
	var first error
	enc := json.NewEncoder(w)
	return func(r Record) {
			mu.Lock()
			defer mu.Unlock()
			if err := enc.Encode(r); err != nil && first == nil {
				first = fmt.Errorf("write the transcript: %w", err)
			}
		}, func() error {
			mu.Lock()
			defer mu.Unlock()
			return first
		}
}

// Replay is a model that repeats recorded answers. The code is run again: only
// the model is not needed.
type Replay struct {
	// Task is the transcript's description of its task.
	Task TaskRecord

	replies map[int][]model.Reply // by candidate, in order
	beaten  map[int]bool          // candidates that were given up for another
}

// maxLine bounds one record of a transcript, in bytes.
const maxLine = 256 << 20

// ReadReplay reads a transcript.
func ReadReplay(r io.Reader) (*Replay, error) {
	p := &Replay{replies: map[int][]model.Reply{}, beaten: map[int]bool{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	n, started := 0, false
	for lines.Scan() {
		n++
		if len(lines.Bytes()) == 0 {
			continue
		}
		var rec Record
		if err := json.Unmarshal(lines.Bytes(), &rec); err != nil {
			return nil, fmt.Errorf("line %d is no record of a transcript: %w", n, err)
		}
		switch {
		case rec.Type == RecordStart && rec.Task != nil:
			if started {
				return nil, fmt.Errorf("line %d begins a second transcript", n)
			}
			started, p.Task = true, *rec.Task
		case rec.Type == RecordReply && rec.Reply != nil:
			p.replies[rec.Candidate] = append(p.replies[rec.Candidate], *rec.Reply)
		case rec.Type == RecordEnd && rec.Result != nil:
			for _, a := range rec.Result.Attempts {
				p.beaten[a.Number] = a.Stop == StopBeaten
			}
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	if !started {
		return nil, errors.New("this is no transcript: it has no record of type start with a task")
	}
	return p, nil
}

// perCandidate is a model that must know the candidate of a request.
type perCandidate interface {
	// For returns the model of a candidate, from 1, or for 0 the shared one.
	For(candidate int) model.Model
}

// For implements the interface by which [Solve] tells candidates apart.
func (p *Replay) For(candidate int) model.Model {
	return &replayed{candidate: candidate, replies: p.replies[candidate], beaten: p.beaten[candidate]}
}

// Complete implements [model.Model] for a transcript of one candidate.
func (p *Replay) Complete(ctx context.Context, r model.Request, stream func(string)) (*model.Reply, error) {
	return nil, errors.New("a replay answers by candidate")
}

type replayed struct {
	candidate int
	beaten    bool

	mu      sync.Mutex
	replies []model.Reply
}

func (m *replayed) Complete(ctx context.Context, r model.Request, stream func(string)) (*model.Reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.replies) == 0 && m.beaten {
		<-ctx.Done() // as it was when another won
		return nil, ctx.Err()
	}
	if len(m.replies) == 0 {
		err := fmt.Errorf("the transcript has no further reply for candidate %d: the task, the tests or the limits are not the recorded ones", m.candidate)
		if m.candidate == 0 {
			err = errors.New("the transcript has no further reply for a plan: was it made with --no-plan?")
		}
		return nil, &model.Error{Provider: "replay", Kind: model.KindRequest, Err: err}
	}
	reply := m.replies[0]
	m.replies = m.replies[1:]
	if stream != nil {
		stream(reply.Text)
	}
	return &reply, nil
}
