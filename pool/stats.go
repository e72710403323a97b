package pool

import "time"

// Counts are the events since the pool was made. Each thing made is a hit, was
// waited for, was dropped, or is waiting now:
//
//	Made = Hits + Waited + Dropped + Stats.Waiting
type Counts struct {
	Hits    uint64 // handed out at once
	Waited  uint64 // handed out to a Wait that had to wait
	Misses  uint64 // Takes and Waits that got nothing
	Made    uint64
	Failed  uint64 // Makes that failed of themselves
	Dropped uint64 // given to Drop or about to be
	Died    uint64 // of the dropped, those that ended by themselves
}

// Stats are a pool's counts and current contents.
type Stats[K comparable] struct {
	Counts
	Waiting  int   // ready to be taken
	Making   int   // being made
	Dropping int   // being dropped
	Bytes    int64 // what all three cost together
	Pressure bool  // the machine was short of memory when last asked
	Keys     map[K]KeyStats
}

// KeyStats are of one key, since the pool knows it: an unused key is forgotten
// after Config.Idle.
type KeyStats struct {
	Hits, Misses uint64 // of Takes, and of Waits at their begin
	Waiting      int
	Making       int
	Goal         int // how many the pool wants to have ready
	// Failures are successive failures of Make, and deaths of things, with the
	// last error. The next Make begins at Retry.
	Failures int
	Err      error
	Retry    time.Time
}

// Stats returns the pool's counts and current contents.
func (p *Pool[K, V]) Stats() Stats[K] {
	p.mu.Lock()
	defer p.mu.Unlock()
	st := Stats[K]{
		Counts: p.counts, Making: p.makers, Dropping: p.going.things, Bytes: p.all.bytes,
		Pressure: p.short, Keys: make(map[K]KeyStats, len(p.shelves)),
	}
	for key, s := range p.shelves {
		st.Waiting += len(s.things)
		st.Keys[key] = KeyStats{
			Hits: s.hits, Misses: s.misses, Waiting: len(s.things), Making: len(s.making),
			Goal: s.claim.goal, Failures: s.trouble.failures, Err: s.trouble.err, Retry: s.trouble.until,
		}
	}
	return st
}
