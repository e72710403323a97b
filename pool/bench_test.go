package pool

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// instant makes numbers in no time.
func instant(b *testing.B, keys, perKey int) *Pool[int, int] {
	p := New(Config[int, int]{
		Make: func(context.Context, int) (int, error) { return 1, nil },
		Drop: func(int) {},
		Cost: func(int) int64 { return 1 }, Memory: 1 << 40,
		Most: keys * perKey, PerKey: perKey,
		Pressure: func() bool { return false },
	})
	b.Cleanup(func() { p.Close() })
	return p
}

// BenchmarkTake is a Take in the middle of others' work: the maker that it
// wakes is working beside it.
func BenchmarkTake(b *testing.B) {
	for _, keys := range []int{1, 16, 256, 1000} {
		b.Run(fmt.Sprint("keys=", keys), func(b *testing.B) {
			p := instant(b, keys, 64)
			for i := range keys {
				p.Take(i)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				p.Take(i % keys)
				i++
			}
		})
	}
}

// BenchmarkHit is a Take that finds one, alone: nothing is made meanwhile.
func BenchmarkHit(b *testing.B) {
	p := instant(b, 1, 1)
	p.Take(0)
	p.mu.Lock()
	p.short = true
	s := p.shelves[0]
	p.mu.Unlock()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%1000 == 0 {
			b.StopTimer()
			p.mu.Lock()
			for len(s.things) < 1000 {
				s.things = append(s.things, thing[int]{made: time.Now()})
				p.all.add(1)
			}
			p.mu.Unlock()
			b.StartTimer()
		}
		p.Take(0)
	}
}

func BenchmarkTakeParallel(b *testing.B) {
	p := instant(b, 16, 64)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			p.Take(i % 16)
		}
	})
}

func BenchmarkBusy(b *testing.B) {
	p := instant(b, 1, 1)
	b.ReportAllocs()
	for b.Loop() {
		p.Busy()()
	}
}

// BenchmarkAllot is the keeper's plan where there is not room for all.
func BenchmarkAllot(b *testing.B) {
	claims := make([]*claim, 256)
	for i := range claims {
		claims[i] = &claim{target: 1 + i%16, has: i % 3, cost: 1, rate: 1 / float64(i+1)}
	}
	b.ReportAllocs()
	for b.Loop() {
		allot(claims, room{200, 1 << 40})
	}
}
