package tier

import (
	"errors"
	"fmt"

	"github.com/gloveboxhq/glovebox"
)

// Kind is the class of an [Error].
type Kind string

// The kinds. None is ever the fault of the code in the box.
const (
	// KindUnsupported: the host cannot enforce something; Control names it.
	KindUnsupported Kind = "unsupported"
	// KindInvalid: the Spec or Command is wrong.
	KindInvalid Kind = "invalid"
	// KindBroken: something failed that should have worked; safe to retry.
	KindBroken Kind = "broken"
)

// Error is the error of a tier: the operation, its kind and its cause.
type Error struct {
	Tier    glovebox.TierName
	Op      string
	Kind    Kind
	Control string // the control that the host lacks, for KindUnsupported
	Fix     string // what the operator can do
	Err     error
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s", e.Tier, e.Op)
	if e.Control != "" {
		s += ": this host cannot enforce " + e.Control
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Fix != "" {
		s += "; " + e.Fix
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// IsKind reports whether err is an [*Error] of kind k.
func IsKind(err error, k Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == k
}
