package language

import "github.com/gloveboxhq/glovebox/internal/lazyre"

// sign is a pattern that speaks for a language (or, with a negative weight,
// against it).
type sign struct {
	match  func(src string) bool
	weight int
}

// signs is what a language is recognised by. Each pattern counts once.
type signs []sign

// signed makes a sign of a pattern; ^ and $ match at every line.
func signed(weight int, pattern string) sign {
	return sign{lazyre.Matcher(`(?m)` + pattern), weight}
}

// scoreBytes bounds how much of a source is read to recognise it.
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
