package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Class is a kind of fault of a policy.
type Class string

// The classes of faults. [Load] reports the first four, [Check] the others.
const (
	ClassSyntax     Class = "syntax"
	ClassWidens     Class = "widens"
	ClassExample    Class = "example"
	ClassExpression Class = "expression"

	ClassShadowed          Class = "shadowed"
	ClassRefusedNetwork    Class = "refused_network"
	ClassWildcardTLD       Class = "wildcard_tld"
	ClassNoPort            Class = "no_port"
	ClassDuplicateEgress   Class = "duplicate_egress"
	ClassAboveMax          Class = "above_max"
	ClassTierUnproven      Class = "tier_unproven"
	ClassUnknownLanguage   Class = "unknown_language"
	ClassSecretNoRule      Class = "secret_without_rule"
	ClassSecretNoSource    Class = "secret_without_source"
	ClassExpired           Class = "expired"
	ClassConstant          Class = "constant_condition"
	ClassUnknownFinding    Class = "unknown_finding"
	ClassImpossibleImage   Class = "impossible_image"
	ClassContradiction     Class = "contradiction"
	ClassEnvRefused        Class = "env_refused"
	ClassAskDenied         Class = "ask_denied"
	ClassNoAuditKey        Class = "no_audit_key"
	ClassNotEnforceable    Class = "not_enforceable"
	ClassUndefinedSecret   Class = "undefined_secret"
	ClassSecretInClearText Class = "secret_in_clear_text"
)

// Fault is something wrong with a policy: what, where, and what to write. Other is the
// second line that a contradiction has.
type Fault struct {
	Class   Class  `json:"class"`
	At      Place  `json:"at"`
	Other   *Place `json:"other,omitempty"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

// Error returns "file:line:column: field: message".
func (f Fault) Error() string {
	text := f.At.String() + ": "
	if f.Field != "" {
		text += f.Field + ": "
	}
	text += f.Message
	if f.Other != nil {
		text += fmt.Sprintf(" (%s)", f.Other)
	}
	return text
}

// Faults is the error of [Load]: all faults, in the order of the files.
type Faults []Fault

// Error returns each fault on a line of its own.
func (f Faults) Error() string {
	var b strings.Builder
	for i, fault := range f {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(fault.Error())
	}
	return b.String()
}

// Unwrap returns the faults as errors.
func (f Faults) Unwrap() []error {
	all := make([]error, len(f))
	for i, fault := range f {
		all[i] = fault
	}
	return all
}

func (f Faults) sorted() Faults {
	slices.SortStableFunc(f, func(a, b Fault) int {
		if c := rankOf(layerOrder, a.At.Layer) - rankOf(layerOrder, b.At.Layer); c != 0 {
			return c
		}
		if a.At.Line != b.At.Line {
			return a.At.Line - b.At.Line
		}
		return a.At.Column - b.At.Column
	})
	return f
}

func rankOf[T comparable](order []T, v T) int { return slices.Index(order, v) }
