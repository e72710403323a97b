// Package lazyre makes regular expressions that are compiled on first use.
//
// The program starts often, some boxes start it again inside, and each start
// needs few of the expressions: compiling all of them took half of a start.
package lazyre

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// New returns a function for the compiled expression. The expression must be
// valid: on an invalid one the first use panics, and in a test New itself.
func New(expr string) func() *regexp.Regexp {
	re := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
	if inTest {
		re()
	}
	return re
}

// inTest is true in a test's program, where every bad expression must be found.
var inTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")
