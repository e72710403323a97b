package kernel

import (
	"context"
	"fmt"
	"io"
	"time"
)

// Progress is how far [Prepare] is.
type Progress struct {
	Step string // such as "unpacking"
	Done int64  // bytes
	All  int64  // bytes; 0 means unknown
}

// progress tells a caller how far a step is, and not too often.
type progress struct {
	tell func(Progress)
	now  Progress
	last time.Time
}

func (p *progress) begin(step string, all int64) {
	p.now = Progress{Step: step, All: all}
	p.say()
}

func (p *progress) say() {
	if p.tell != nil {
		p.last = time.Now()
		p.tell(p.now)
	}
}

// count counts the bytes read from r, at most limit, until ctx ends.
func (p *progress) count(ctx context.Context, r io.Reader, limit int64) io.Reader {
	return &counted{ctx, r, p, limit}
}

type counted struct {
	ctx  context.Context
	r    io.Reader
	p    *progress
	left int64
}

func (c *counted) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, context.Cause(c.ctx)
	}
	n, err := c.r.Read(b)
	c.p.now.Done += int64(n)
	if c.left -= int64(n); c.left < 0 {
		return 0, fmt.Errorf("more than %d bytes", c.left+c.p.now.Done)
	}
	if time.Since(c.p.last) > 200*time.Millisecond {
		c.p.say()
	}
	return n, err
}
