// Package approval keeps the questions that a policy puts to a person, and the answers.
//
// A [Store] is a folder that several processes share. [Store.Ask] makes a request of a
// Job that waits for a person; the same Job under the same policy and rules has one open
// request. [Store.Display] is the text that shows a person exactly what would run.
// [Store.Grant] and [Store.Deny] answer, once. [Store.Use] finds the grant that lets a
// Job run and consumes it before the run begins.
//
// A grant is a signed statement about one Job, or about the rules that asked for one
// tenant and image. A grant is worthless after a changed byte of the Job or of the program
// in the reply, under another policy or rule, and after the end of the grant's time or uses.
//
// # On disk
//
// One signed file holds the state of all requests. Each change replaces the whole file, so
// a crash leaves no log to repair. The text of each live request and each live grant lie in
// files of their own, and the state holds their SHA-256. A small file in another folder, the
// anchor, repeats the number and SHA-256 of the newest state. The anchor's name comes from
// the device and inode of the store's folder and from the host. A copied folder and restored
// old files are noticed by the anchor: requests and denials stay, and every grant is void.
//
// # Order of writing
//
// A change is signed, then recorded by [Options.Record], then written, then anchored. A
// process killed in between leaves either the state before or the state after. A written
// use whose run never began is lost: a grant can lose its use, and is never used twice. A
// change recorded but not written has the same [Event.Sequence] as the next change.
//
// # Limits
//
// A process with the private key and both folders can forge anything. A snapshot of a
// whole machine copies both folders with their inodes, and is not noticed. The folders must
// be on a local file system, for the locks. A grant has the Job's name of the image: a policy
// demands a digest for certain bytes.
package approval

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// State is where a request stands. Only an open one can be answered, and only a granted
// one can be used.
type State string

// The states.
const (
	// StateOpen: nobody has answered yet.
	StateOpen State = "open"
	// StateGranted: a grant can be used.
	StateGranted State = "granted"
	// StateDenied: a person said no. The same Job is not asked about again.
	StateDenied State = "denied"
	// StateUsed: the only use of the grant is consumed.
	StateUsed State = "used"
	// StateLapsed: nobody answered in time.
	StateLapsed State = "lapsed"
	// StateExpired: the time of the grant is over.
	StateExpired State = "expired"
	// StateCancelled: the request or the grant was taken back.
	StateCancelled State = "cancelled"
	// StateVoid: the grant belonged to a folder of which this is a copy or an old state,
	// or the clock went back.
	StateVoid State = "void"
)

func (s State) valid() bool {
	switch s {
	case StateOpen, StateGranted, StateDenied, StateUsed, StateLapsed, StateExpired, StateCancelled, StateVoid:
		return true
	}
	return false
}

func (s State) live() bool { return s == StateOpen || s == StateGranted }

// Scope is how much a grant allows.
type Scope string

// The scopes.
const (
	// ScopeJob: the Job that asked, byte for byte.
	ScopeJob Scope = "job"
	// ScopeRule: any Job of the same tenant and image of which no other rules ask.
	ScopeRule Scope = "rule"
)

// Question is a Job that a policy wants a person to decide on.
type Question struct {
	Job *glovebox.Job
	// Program is the code that runs: the Job's own, or what was found in its Reply. It
	// is ignored where the Job has a Command.
	Program *glovebox.Program
	// Policy is the hash of the policy that asks.
	Policy string
	// Asked are the rules that ask; each has Ask set.
	Asked []glovebox.Denial
	// TTL is how long the request stays open; 0 means a day. The most is 30 days.
	TTL time.Duration
	// GrantLife is the longest life of a grant; 0 means 30 days. Once allows only grants
	// for one run.
	GrantLife time.Duration
	Once      bool
	// Approvers are patterns of who may grant; a star stands for any characters. Nil
	// means anybody.
	Approvers []string
}

// Request is a question with its answer.
type Request struct {
	// Asked in it is empty where the request is neither open nor granted.
	glovebox.ApprovalRequest
	State State `json:"state"`
	// Tenant and Image are the Job's. Rules are the names of the first rules that ask.
	Tenant string   `json:"tenant,omitempty"`
	Image  string   `json:"image,omitempty"`
	Rules  []string `json:"rules"`
	// Log is [Options.Log] of the process that asked.
	Log string `json:"log,omitempty"`
	// Answered is when the request was last granted, denied, cancelled, lapsed or used;
	// Approver and Reason are those of the person.
	Answered time.Time `json:"answered,omitzero"`
	Approver string    `json:"approver,omitempty"`
	Reason   string    `json:"reason,omitempty"`
	// Grant is the ID of the grant, Scope what it allows, Until when it ends. Single
	// means one run only. Runs counts the uses.
	Grant  string    `json:"grant,omitempty"`
	Scope  Scope     `json:"scope,omitempty"`
	Until  time.Time `json:"until,omitzero"`
	Single bool      `json:"single,omitempty"`
	Runs   int64     `json:"runs,omitempty"`
}

// GrantOptions say what a person allows. The zero value is one run of the Job that asked,
// within an hour, by the user of this process.
type GrantOptions struct {
	// For is how long the grant lives; 0 means an hour, or less where the policy says so.
	For time.Duration
	// Many allows any number of runs within that time, in place of one.
	Many bool
	// Scope is what may run; empty means [ScopeJob].
	Scope Scope
	// Approver is who grants; empty means the user of this process. Reason is why.
	Approver string
	Reason   string
}

// EventKind names a change of a request.
type EventKind string

// The kinds of events.
const (
	EventAsked     EventKind = "asked"
	EventGranted   EventKind = "granted"
	EventDenied    EventKind = "denied"
	EventUsed      EventKind = "used"
	EventLapsed    EventKind = "lapsed"
	EventExpired   EventKind = "expired"
	EventCancelled EventKind = "cancelled"
	// EventVoid without a Request reports a copied store, an old state or a clock that went
	// back. With a Request, the grant is void for the same reason.
	EventVoid EventKind = "void"
)

// Event is a change about to be written. No part of a program is in an Event.
type Event struct {
	Kind EventKind `json:"kind"`
	Time time.Time `json:"time"`
	// Store is the identity of the store, Sequence the number of the change, and Change
	// is random: events with the same one are parts of one change. Where two changes have
	// one number, the later one happened.
	Store    string `json:"store"`
	Sequence int64  `json:"sequence"`
	Change   string `json:"change"`
	// Request is the request after the change.
	Request Request `json:"request,omitzero"`
	// Detail says why a store's grants are void.
	Detail string `json:"detail,omitempty"`
}

// Recorder keeps an Event. A change whose Recorder fails does not happen. The store is
// locked meanwhile, so a Recorder must not call it.
type Recorder func(context.Context, Event) error

// Errors that callers tell apart.
var (
	// ErrUnknown: no request has this ID.
	ErrUnknown = errors.New("no such request")
	// ErrNoGrant: no live grant covers the Job.
	ErrNoGrant = errors.New("no live grant covers this job")
	// ErrDenied: a person denied the Job.
	ErrDenied = errors.New("a person denied this job")
	// ErrFull: too many requests are open.
	ErrFull = errors.New("too many requests wait for a person")
	// ErrTooLarge: the Job is too large to be shown to a person.
	ErrTooLarge = errors.New("the job is too large to be shown to a person")
	// ErrRefused: the policy does not allow this grant, or not by this person.
	ErrRefused = errors.New("the policy does not allow this grant")
)

// AnsweredError reports a request that is no longer open, and its state.
type AnsweredError struct{ Request Request }

func (e *AnsweredError) Error() string {
	r := e.Request
	text := fmt.Sprintf("request %s is %s since %s", r.ID, r.State, r.Answered.Format(time.RFC3339))
	if r.Approver != "" {
		text += ", by " + r.Approver
	}
	if r.Reason != "" {
		text += ": " + r.Reason
	}
	if r.State == StateLapsed {
		text += "; run the job again to ask anew"
	}
	return text
}

// Bounds.
const (
	defaultTTL   = 24 * time.Hour
	maxTTL       = 30 * 24 * time.Hour
	defaultLife  = time.Hour
	maxLife      = 30 * 24 * time.Hour
	maxAsked     = 256
	maxRuleNames = 8
	maxText      = 512 // bytes of a name or a reason
	maxApprovers = 256
)
