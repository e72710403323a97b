package language

import "github.com/gloveboxhq/glovebox/internal/lazyre"

// sign is a pattern that indicates a language (or, with a negative weight, another
// language).
type sign struct {
	match  func(src string) bool
	weight int
}

// signs are the patterns for recognising a language. Each pattern counts once.
type signs []sign

// signed makes a sign of a pattern; ^ and $ match at every line.
func signed(weight int, pattern string) sign {
	return sign{lazyre.Matcher(`(?m)` + pattern), weight}
}

// scoreBytes bounds the part of a source read for recognition.
const scoreBytes = 64 << 10

// score adds the weights of the signs found in src, within 0 and 100.
func (s signs) score(src string) int {
	if len(src) > scoreBytes {
		src = src[:scoreBytes]
	}
	sum := 0
	for _, g := range s {
		if g.match(src) {
			sum += g.weight
		}
	}
	return min(max(sum, 0), 100)
}
