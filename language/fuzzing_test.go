package language

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

// fuzzing is what a fuzzer in a driver's own language is told: where its random
// numbers begin, and when it ends, by time or by tries. Usually that is a fixed seed
// and so many tries, so that a run of the tests is as the one before it. GLOVEBOX_FUZZ,
// such as 10m, has it go on for that long from a seed of its own, or from
// GLOVEBOX_FUZZ_SEED.
type fuzzing struct {
	seed, tries int
	wall        time.Duration
}

func fuzzFor(t testing.TB, tries int) fuzzing {
	f := fuzzing{seed: 1, tries: tries, wall: time.Minute}
	if d, err := time.ParseDuration(os.Getenv("GLOVEBOX_FUZZ")); err == nil {
		f = fuzzing{seed: rand.IntN(1 << 15), tries: 1 << 30, wall: d}
	}
	fmt.Sscan(os.Getenv("GLOVEBOX_FUZZ_SEED"), &f.seed)
	t.Logf("GLOVEBOX_FUZZ_SEED=%d, %s or %d tries", f.seed, f.wall, f.tries)
	return f
}

// args are the fuzzer's arguments: its seed, seconds and tries.
func (f fuzzing) args() []string {
	return []string{fmt.Sprint(f.seed), fmt.Sprint(int(f.wall.Seconds())), fmt.Sprint(f.tries)}
}
