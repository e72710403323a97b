package wasm

import (
	"fmt"

	"github.com/gloveboxhq/glovebox"
)

// budget is the memory of a box: one sum for modules' linear memories and
// written files.
type budget struct {
	used, peak, max int64
	hits            hits
}

// take takes n bytes, or refuses and notes the refusal. Negative n gives back.
func (b *budget) take(n int64, what string) bool {
	if n > 0 && n > b.max-b.used {
		b.hits.note(glovebox.LimitMemory, "%s of %d bytes was refused: %d of %d are in use", what, n, b.used, b.max)
		return false
	}
	b.used += n
	b.peak = max(b.peak, b.used)
	return true
}

// hits are the limits touched by a command, each with the first fact.
type hits map[glovebox.LimitName]string

func (h hits) note(limit glovebox.LimitName, format string, args ...any) {
	if _, known := h[limit]; !known {
		h[limit] = fmt.Sprintf(format, args...)
	}
}

// Linear memory.

// linear is the linear memory of one module: addresses are reserved once and
// become memory as the module grows. The memory never moves.
type linear struct {
	budget   *budget
	reserved []byte
	size     int64
}

// Reallocate implements experimental.LinearMemory.
func (l *linear) Reallocate(size uint64) []byte {
	n := int64(size)
	if !l.budget.take(n-l.size, "memory.grow") {
		return nil
	}
	if n > int64(len(l.reserved)) {
		l.budget.take(l.size-n, "")
		return nil
	}
	if !commit(l.reserved[:n]) {
		l.budget.take(l.size-n, "")
		l.budget.hits.note(glovebox.LimitMemory, "the host refused %d bytes of memory", n)
		return nil
	}
	l.size = n
	return l.reserved[:n]
}

// Free implements experimental.LinearMemory.
func (l *linear) Free() {
	l.budget.take(-l.size, "")
	release(l.reserved)
	l.reserved, l.size = nil, 0
}
