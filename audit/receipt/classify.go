package receipt

import (
	"regexp"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// looks are the shapes of values that differ from run to run, the most telling first.
var looks = []struct {
	cause Cause
	shape func() *regexp.Regexp
}{
	{CauseAddresses, lazyre.New(`\b0x[0-9a-fA-F]{6,16}\b`)},
	{CauseTime, lazyre.New(`\b\d{4}-\d\d-\d\d\b|\b\d\d:\d\d:\d\d\b|\b1[5-9]\d{8}(\.\d+|\d{3}|\d{6}|\d{9})?\b|(?i)\b\d+(\.\d+)?\s?(ns|µs|us|ms|s|seconds?)\b`)},
	{CausePID, lazyre.New(`(?i)\bp?pid\b\W{0,3}\d+`)},
	{CauseEntropy, lazyre.New(`\b0?\.\d{6,}|\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b|\b[0-9a-f]{32,}\b|\b\d{9,}\b`)},
	{CausePID, lazyre.New(`^\s*\d{1,7}\s*$`)},
}

// maxClassified bounds the bytes of each text that Classify reads.
const maxClassified = 1 << 20

// Classify names the likely causes why a program printed after in place of before, by
// the look of the lines that differ: timestamps, addresses, process ids, random values,
// or the same lines in another order. The answer is a guess: the program wrote the text.
// At most the first MiB of each text is read.
func Classify(before, after string) []Cause {
	if before == after {
		return nil
	}
	old, fresh := lines(before), lines(after)
	count := map[string]int{}
	for _, l := range old {
		count[l]++
	}
	for _, l := range fresh {
		count[l]--
	}
	found := map[Cause]bool{}
	same := true
	for _, n := range count {
		same = same && n == 0
	}
	if same {
		found[CauseParallelism] = true
	}
	for i := range min(len(old), len(fresh)) {
		if a, b := old[i], fresh[i]; !same && a != b {
			classifyLine(a, b, found)
		}
	}
	var all []Cause
	for _, c := range causes {
		if found[c] {
			all = append(all, c)
		}
	}
	return all
}

// classifyLine adds the first cause whose shape explains the whole difference: without
// the values of that shape the lines are the same. Several causes can share a line.
func classifyLine(a, b string, found map[Cause]bool) {
	var used []Cause
	for _, l := range looks {
		x, y := l.shape().FindAllString(a, -1), l.shape().FindAllString(b, -1)
		if len(x) == 0 || len(x) != len(y) || strings.Join(x, "\n") == strings.Join(y, "\n") {
			continue
		}
		a, b = l.shape().ReplaceAllString(a, "_"), l.shape().ReplaceAllString(b, "_")
		if used = append(used, l.cause); a == b {
			break
		}
	}
	for _, c := range used {
		found[c] = true
	}
}

func lines(text string) []string {
	return strings.Split(text[:min(len(text), maxClassified)], "\n")
}
