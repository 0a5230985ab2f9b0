// Package tokens counts o200k_base tokens exactly and offline.
//
// It gives the number that tiktoken gives for the same text taken as plain text:
// special-token spellings such as <|endoftext|> are text, invalid UTF-8 counts
// as U+FFFD. Counting is linear in the input, for long runs of one letter and
// base64 too, and safe for concurrent use; there is nothing to load or warm up.
//
// The vocabulary is OpenAI's published o200k_base (MIT licence), embedded as the
// table that internal/gen makes of it.
package tokens

//go:generate go run ./internal/gen

import (
	"sync"
	"unicode/utf8"
)

// Count returns the number of o200k_base tokens in text.
func Count(text []byte) int {
	if !utf8.Valid(text) {
		text = []byte(string([]rune(string(text)))) // each bad byte becomes U+FFFD
	}
	c := counters.Get().(*counter)
	defer counters.Put(c)
	return c.count(text)
}

// CountString is Count of a string.
func CountString(text string) int { return Count([]byte(text)) }

// counters keep their memory between calls, until the collector wants it.
var counters = sync.Pool{New: func() any { return new(counter) }}

// counter holds the scratch memory of one count.
type counter struct {
	memo  memo
	merge merger
}

// count adds up chunks. Accessibility JSON repeats its chunks over and over, so
// short ones are counted once and looked up after.
func (c *counter) count(text []byte) int {
	total := 0
	for len(text) > 0 {
		if n := digits(text); n > 0 {
			total += (n + 2) / 3 // three make a piece, and all thousand are tokens
			text = text[n:]
			continue
		}
		end := chunkEnd(text)
		if end > maxChunk || len(text) <= maxChunk {
			total += c.pieces(text[:end])
		} else {
			key := chunkOf(text, end)
			entry := c.memo.entry(key)
			if entry.chunk != key {
				*entry = memoEntry{key, uint32(c.pieces(text[:end]))}
			}
			total += int(entry.tokens)
		}
		text = text[end:]
	}
	return total
}

// pieces counts the tokens of a chunk, piece by piece.
func (c *counter) pieces(text []byte) int {
	total := 0
	for len(text) > 0 {
		end := pieceEnd(text)
		if rank(text[:end]) != noRank {
			total++
		} else {
			total += c.merge.count(text[:end])
		}
		text = text[end:]
	}
	return total
}
