package model

import (
	"fmt"
	"iter"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// vocabulary is made by the first count: making it takes some 20 ms and 20 MB,
// spared for programs without counts.
var vocabulary = sync.OnceValue(codec.NewO200kBase)

// Count returns how many tokens a text has in o200k_base, the encoding of
// OpenAI's models since GPT-4o. For other models it is an estimate; Anthropic
// publishes no encoding, and newer ones of theirs count more.
func Count(text string) int {
	n := 0
	for part := range parts(text) {
		c, err := vocabulary().Count(part)
		if err != nil {
			c = utf8.RuneCountInString(part)
		}
		n += c
	}
	return n
}

// maxSpace is the most white space characters in a row that are encoded
// together. The encoding splits a text by a regular expression, which takes
// quadratic time on white space with line ends: 88 s for 256 KiB.
const maxSpace = 128

// parts cuts text inside of long runs of white space, and nowhere else.
func parts(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, run := 0, 0
		for i, r := range text {
			if !unicode.IsSpace(r) {
				run = 0
				continue
			}
			if run == maxSpace {
				if !yield(text[start:i]) {
					return
				}
				start, run = i, 0
			}
			run++
		}
		if start < len(text) {
			yield(text[start:])
		}
	}
}

// messageTokens is the cost of a message's frame; see "How to count tokens with
// tiktoken" in OpenAI's cookbook.
const messageTokens = 4

// CountRequest returns how many tokens the input of r has, as [Count] does.
func CountRequest(r Request) int {
	n := Count(r.System) + messageTokens
	for _, m := range r.Messages {
		n += Count(m.Text) + messageTokens
	}
	return n
}

// Truncate returns text of at most so many tokens unchanged, else its first and
// last parts around a line with the number of missing tokens, within the same
// limit. Without room for the line, the first part is all. Characters stay
// whole; bytes that are no UTF-8 become U+FFFD, as in every request.
func Truncate(text string, tokens int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if tokens <= 0 {
		return ""
	}
	// A token has a byte at least.
	if len(text) <= tokens {
		return text
	}
	ends := tokenEnds(text)
	all := len(ends)
	if all <= tokens {
		return text
	}
	gap := func(keep int) string { return fmt.Sprintf("\n[… %d tokens are left out …]\n", all-keep) }
	// A text cut in two may need more tokens than before, so the result is
	// counted again.
	for keep := tokens - Count(gap(0)); keep > 1; {
		head := text[:boundary(text, ends[(keep+1)/2-1])]
		tail := text[boundary(text, ends[all-keep/2-1]):]
		out := head + gap(keep) + tail
		over := Count(out) - tokens
		if over <= 0 {
			return out
		}
		keep -= over
	}
	for keep := tokens; keep > 0; keep-- {
		if out := text[:boundary(text, ends[keep-1])]; Count(out) <= tokens {
			return out
		}
	}
	return ""
}

// tokenEnds returns where each token of text ends.
func tokenEnds(text string) []int {
	var ends []int
	at := 0
	for part := range parts(text) {
		_, tokens, err := vocabulary().Encode(part)
		if err != nil {
			tokens = strings.Split(part, "")
		}
		for _, t := range tokens {
			at += len(t)
			ends = append(ends, at)
		}
	}
	return ends
}

// boundary is the nearest place at or before i where a character begins.
func boundary(text string, i int) int {
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}
