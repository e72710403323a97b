package model

import (
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// vocabulary is made by the first count: it takes time and memory that a
// program which counts nothing does not pay.
var vocabulary = sync.OnceValue(codec.NewO200kBase)

// Count returns how many tokens a text has in o200k_base, the encoding of
// OpenAI's models since GPT-4o. For other models it is an estimate.
func Count(text string) int {
	n, err := vocabulary().Count(text)
	if err != nil {
		n = utf8.RuneCountInString(text)
	}
	return n
}

// messageTokens is what the frame of a message takes; see "How to count tokens
// with tiktoken" in OpenAI's cookbook.
const messageTokens = 4

// CountRequest returns how many tokens the input of r has, as [Count] does.
func CountRequest(r Request) int {
	n := Count(r.System) + messageTokens
	for _, m := range r.Messages {
		n += Count(m.Text) + messageTokens
	}
	return n
}
