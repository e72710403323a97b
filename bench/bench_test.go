package bench

import (
	"context"
	"errors"
	"testing"
)

func TestRun(t *testing.T) {
	var a, b int
	list := []Contestant{
		{Name: "a", Do: func(context.Context) error { a++; return nil }},
		{Name: "b", Do: func(context.Context) error { b++; return nil }},
	}
	got, err := Run(context.Background(), list, 13)
	if err != nil || len(got) != 4 {
		t.Fatalf("got %v, %v", got, err)
	}
	if a != 27 || b != 27 {
		t.Errorf("a ran %d times and b %d, want 27", a, b)
	}
	for _, f := range got {
		if f.Runs != 13 || f.Min > f.P50 || f.P50 > f.P95 {
			t.Errorf("got %+v", f)
		}
	}
}

func TestRunFails(t *testing.T) {
	bad := errors.New("bad")
	_, err := Run(context.Background(), []Contestant{{Name: "a", Do: func(context.Context) error { return bad }}}, 1)
	if !errors.Is(err, bad) {
		t.Errorf("got %v", err)
	}
}

func TestFigure(t *testing.T) {
	var times []float64
	for i := 100; i > 0; i-- {
		times = append(times, float64(i))
	}
	if f := figure(times); f.Min != 1 || f.P50 != 51 || f.P95 != 96 {
		t.Errorf("got %+v", f)
	}
}
