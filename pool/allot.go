package pool

import (
	"container/heap"
	"math"
)

// room is an amount of things.
type room struct {
	things int
	bytes  int64
}

func (r *room) add(cost int64) { r.things++; r.bytes += cost }
func (r *room) sub(cost int64) { r.things--; r.bytes -= cost }

// without is what is left of r. It needs not be much: r holds o.
func (r room) without(o room) room { return room{r.things - o.things, r.bytes - o.bytes} }

// fits reports whether one more of a cost keeps within a bound.
func (r room) fits(cost int64, bound room) bool {
	return r.things < bound.things && cost <= bound.bytes-r.bytes
}

// claim is a key's claim to the room of a pool, and its result.
type claim struct {
	target int     // things it should have
	has    int     // things it has or that are being made
	urgent int     // callers who wait for one
	cost   int64   // bytes each
	rate   float64 // Takes a second
	goal   int     // the answer: things it may have
	worth  float64 // of one more than goal
}

// weigh computes the worth of one more thing to the claim: how often it will be
// needed. The second thing is needed only during the replacement of the first,
// and so on to the last, needed at the peak alone. Existing things are worth
// double, or two keys wanted in turns would drop each other's for ever.
func (c *claim) weigh() {
	if c.goal < c.urgent {
		c.worth = math.MaxFloat64 / float64(c.goal+1)
		return
	}
	c.worth = c.rate * float64(c.target-c.goal) / float64(c.target)
	if c.goal < c.has {
		c.worth *= 2
	}
}

// allot divides the room: with room for all, every key gets the target; else
// each thing goes to the claim of the highest worth.
func allot(claims []*claim, bound room) {
	enough := bound
	for _, c := range claims {
		c.goal = c.target
		if c.target > enough.things || c.cost > 0 && int64(c.target) > enough.bytes/c.cost {
			enough.things = -1
			break
		}
		enough.things -= c.target
		enough.bytes -= int64(c.target) * c.cost
	}
	if enough.things >= 0 {
		return
	}
	queue := make(byWorth, 0, len(claims))
	for _, c := range claims {
		c.goal = 0
		if c.target > 0 {
			c.weigh()
			queue = append(queue, c)
		}
	}
	heap.Init(&queue)
	var given room
	for len(queue) > 0 {
		c := queue[0]
		fits := given.fits(c.cost, bound)
		if fits {
			given.add(c.cost)
			c.goal++
		}
		if !fits || c.goal == c.target {
			heap.Pop(&queue)
			continue
		}
		c.weigh()
		heap.Fix(&queue, 0)
	}
}

// byWorth is a heap, the greatest worth first.
type byWorth []*claim

func (h byWorth) Len() int           { return len(h) }
func (h byWorth) Less(i, j int) bool { return h[i].worth > h[j].worth }
func (h byWorth) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *byWorth) Push(x any)        { *h = append(*h, x.(*claim)) }
func (h *byWorth) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
