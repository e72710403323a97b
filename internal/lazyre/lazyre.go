// Package lazyre makes regular expressions that are compiled when they are
// first used.
//
// The program starts often, some boxes start it again inside them, and each
// start needs few of its expressions: to compile them all took half of it.
package lazyre

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// New returns what gives the compiled expression. The expression must be valid:
// where it is not, its first use panics, and in a test New itself.
func New(expr string) func() *regexp.Regexp {
	re := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
	if inTest {
		re()
	}
	return re
}

// inTest tells a test's program, in which no bad expression may stay unseen.
var inTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")
