package eval

import (
	"math"
	"math/big"
	"testing"
)

// TestPassAtKTable compares with values worked out by hand from the binomials.
func TestPassAtKTable(t *testing.T) {
	tests := []struct {
		n, c, k int
		want    float64
	}{
		{1, 0, 1, 0}, {1, 1, 1, 1},
		{10, 3, 1, 0.3}, {10, 0, 10, 0}, {10, 1, 10, 1},
		{2, 1, 1, 0.5}, {2, 1, 2, 1},
		{5, 2, 2, 0.7},               // 1 - 3/10
		{10, 3, 5, 11.0 / 12},        // 1 - 21/252
		{10, 5, 3, 11.0 / 12},        // 1 - 10/120
		{20, 10, 10, 1 - 1.0/184756}, // 1 - 1/C(20,10)
		{200, 1, 1, 0.005},           // the paper's n
		{200, 1, 100, 0.5},           // one right sample, half of them drawn
		{200, 2, 100, 1 - 99.0/398},  // 1 - C(198,100)/C(200,100)
		{200, 150, 100, 1},           // fewer wrong samples than k
		{100000, 1, 50000, 0.5},      // no overflow
		{100000, 50000, 1, 0.5},      // no loss over many factors
	}
	for _, c := range tests {
		if got := PassAtK(c.n, c.c, c.k); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("PassAtK(%d, %d, %d) = %v, want %v", c.n, c.c, c.k, got, c.want)
		}
	}
	for _, c := range [][3]int{{5, 2, 6}, {5, 2, 0}, {5, 6, 1}, {5, -1, 1}, {0, 0, 1}} {
		if got := PassAtK(c[0], c[1], c[2]); !math.IsNaN(got) {
			t.Errorf("PassAtK(%v) = %v, want NaN", c, got)
		}
	}
}

// TestPassAtKExact compares with the formula itself in exact arithmetic.
func TestPassAtKExact(t *testing.T) {
	worst := 0.0
	check := func(n, c, k int) {
		none := new(big.Rat).SetFrac(new(big.Int).Binomial(int64(n-c), int64(k)), new(big.Int).Binomial(int64(n), int64(k)))
		want, _ := new(big.Rat).Sub(big.NewRat(1, 1), none).Float64()
		worst = max(worst, math.Abs(PassAtK(n, c, k)-want))
	}
	for n := 1; n <= 40; n++ {
		for c := range n + 1 {
			for k := 1; k <= n; k++ {
				check(n, c, k)
			}
		}
	}
	for c := range 201 {
		for _, k := range []int{1, 10, 100, 200} {
			check(200, c, k)
		}
	}
	if worst > 1e-13 {
		t.Errorf("the estimate is off by up to %g", worst)
	}
}

func TestWilson(t *testing.T) {
	// From the formula of the score interval, to four digits; those of 10 and 20
	// are in Newcombe (1998), table I: 81 of 263 and 15 of 148, 0 of 20, 1 of 29.
	tests := []struct {
		seen, n   float64
		low, high float64
	}{
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0, 0.1611},
		{1, 29, 0.0061, 0.1718},
		{20, 20, 0.8389, 1},
	}
	for _, c := range tests {
		low, high := Wilson(c.seen/c.n, c.n)
		if math.Abs(low-c.low) > 5e-5 || math.Abs(high-c.high) > 5e-5 {
			t.Errorf("%v of %v: %.4f to %.4f, want %.4f to %.4f", c.seen, c.n, low, high, c.low, c.high)
		}
	}
}

func TestInterval(t *testing.T) {
	tests := []struct {
		name      string
		estimates []float64
		samples   int
		mean, n   float64
	}{
		{"all the same", []float64{1, 1, 1, 1}, 4, 1, 4},
		{"none", []float64{0, 0, 0}, 30, 0, 3},
		{"one task", []float64{0.5}, 10, 0.5, 1},
		{"yes or no", []float64{0, 1, 0, 1}, 4, 0.5, 4},
		// s² = 0.01, so n = 0.25 / (0.01/4): shares say more than yes or no.
		{"shares", []float64{0.4, 0.4, 0.6, 0.6}, 1000, 0.5, 100},
		{"no more than was seen", []float64{0.5, 0.5, 0.5, 0.51}, 40, 0.5025, 40},
	}
	for _, c := range tests {
		mean, i := interval(c.estimates, c.samples)
		if math.Abs(mean-c.mean) > 1e-12 || math.Abs(i.EffectiveN-c.n) > 1e-9 {
			t.Errorf("%s: mean %v with n %v, want %v with %v", c.name, mean, i.EffectiveN, c.mean, c.n)
		}
		if !(float64(i.Low) <= mean && mean <= float64(i.High) && i.Low >= 0 && i.High <= 1) {
			t.Errorf("%s: the mean %v is not in %v to %v", c.name, mean, i.Low, i.High)
		}
	}
}

// TestMcNemar compares with the sum of binomials in exact arithmetic.
func TestMcNemar(t *testing.T) {
	for n := range 60 {
		for b := range n + 1 {
			sum := new(big.Int)
			for i := range min(b, n-b) + 1 {
				sum.Add(sum, new(big.Int).Binomial(int64(n), int64(i)))
			}
			want, _ := new(big.Rat).SetFrac(sum.Lsh(sum, 1), new(big.Int).Lsh(big.NewInt(1), uint(n))).Float64()
			if got := McNemar(b, n-b); math.Abs(got-min(1, want)) > 1e-12 {
				t.Fatalf("McNemar(%d, %d) = %v, want %v", b, n-b, got, want)
			}
		}
	}
	// The textbook's: 6 against 16, and numbers of which powers overflow.
	if p := McNemar(6, 16); math.Abs(p-0.0525) > 5e-5 {
		t.Errorf("McNemar(6, 16) = %v", p)
	}
	if p := McNemar(3000, 3100); !(p > 0.19 && p < 0.21) {
		t.Errorf("McNemar(3000, 3100) = %v", p)
	}
}

func TestPercentile(t *testing.T) {
	tests := []struct {
		values []float64
		p      float64
		want   float64
	}{
		{nil, 0.5, 0}, {[]float64{7}, 0.95, 7},
		{[]float64{1, 2, 3, 4}, 0.5, 2}, {[]float64{1, 2, 3, 4}, 0.95, 4}, {[]float64{1, 2, 3, 4}, 0, 1},
	}
	for _, c := range tests {
		if got := percentile(c.values, c.p); got != c.want {
			t.Errorf("the %v percentile of %v is %v, want %v", c.p, c.values, got, c.want)
		}
	}
}
