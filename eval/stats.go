package eval

import (
	"math"
)

// PassAtK is the unbiased estimate of the chance that at least one of k samples
// passes, from n samples of which c passed: 1 - C(n-c, k) / C(n, k). See Chen
// et al., "Evaluating Large Language Models Trained on Code" (2021), section
// 2.1. It needs 1 <= k <= n and 0 <= c <= n; otherwise it is NaN.
//
// The quotient is computed as a product of n - (n-c) factors below 1, as in the
// paper: binomials of this size would not fit a float.
func PassAtK(n, c, k int) float64 {
	switch {
	case k < 1 || k > n || c < 0 || c > n:
		return math.NaN()
	case n-c < k:
		return 1
	}
	none := 1.0 // the chance that none of k passes
	for i := n - c + 1; i <= n; i++ {
		none *= 1 - float64(k)/float64(i)
	}
	return 1 - none
}

// z95 is the standard normal's quantile of 97.5 %.
const z95 = 1.959963984540054

// Wilson is the score interval of E. B. Wilson (1927) with a confidence of 95
// %, for a share p seen in n independent trials. n need not be whole.
func Wilson(p, n float64) (low, high float64) {
	const z2 = z95 * z95
	centre := (p + z2/(2*n)) / (1 + z2/n)
	half := z95 / (1 + z2/n) * math.Sqrt(p*(1-p)/n+z2/(4*n*n))
	return max(0, centre-half), min(1, centre+half)
}

// interval is a 95 % confidence interval of the mean of the tasks' estimates,
// over problems like these.
//
// An estimate is a share between 0 and 1, not a yes or no, so the number of
// tasks T is not the n of Wilson's interval. Its place takes the n for which a
// yes or no would have the same variance of the mean: n = p(1-p) / (s²/T),
// where s² is the mean square of the estimates' distances from p. With one
// sample for each task n is T, which gives Wilson's usual interval. It is T
// where s² is 0, and never more than the number of samples.
func interval(estimates []float64, samples int) (mean float64, i Interval) {
	t := float64(len(estimates))
	for _, e := range estimates {
		mean += e
	}
	mean /= t
	var s2 float64
	for _, e := range estimates {
		s2 += (e - mean) * (e - mean) / t
	}
	n := t
	if p := mean * (1 - mean); s2 > 0 && p > 0 {
		n = min(p/(s2/t), float64(samples))
	}
	low, high := Wilson(mean, n)
	// At the ends rounding must not leave the mean outside.
	return mean, Interval{Low: Ratio(min(low, mean)), High: Ratio(max(high, mean)), EffectiveN: n}
}

// McNemar is the two-sided p value of McNemar's exact test: of b + c tasks that
// changed, b one way and c the other, how likely is so uneven a split if both
// ways are equally likely?
func McNemar(b, c int) float64 {
	n := b + c
	// The terms C(n, i) / 2^n, each from its logarithm, to avoid overflow.
	var sum float64
	total, _ := math.Lgamma(float64(n + 1))
	for i := range min(b, c) + 1 {
		in, _ := math.Lgamma(float64(i + 1))
		out, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(total - in - out - float64(n)*math.Ln2)
	}
	return min(1, 2*sum)
}

// percentile is the nearest-rank percentile of sorted values, 0 of none.
func percentile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}
