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

// counters keep their memory between calls; none of it holds text.
var counters = sync.Pool{New: func() any { return new(counter) }}

// counter holds the scratch memory of one count.
type counter struct {
	merge merger
	memo  memo
}

// count adds up chunks: stretches that no token crosses. Accessibility JSON
// repeats its chunks over and over, so short ones are counted once and looked up
// after.
func (c *counter) count(text []byte) int {
	total := 0
	for len(text) > 0 {
		end := chunkEnd(text)
		chunk := text[:end]
		text = text[end:]
		key, short := keyOf(chunk)
		if !short {
			total += c.pieces(chunk)
			continue
		}
		slot := c.memo.slot(key)
		if slot.key != key {
			*slot = memoEntry{key, int32(c.pieces(chunk))}
		}
		total += int(slot.count)
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

// chunkEnd returns where the first chunk of text ends: before a quote or space
// that follows an ASCII letter or digit. Whatever surrounds it, a piece ends
// there: no alternative of the pattern continues from a letter or digit into
// either of them.
func chunkEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		if c := text[i]; (c == '"' || c == ' ') && asciiAlnum[text[i-1]] {
			return i
		}
	}
	return len(text)
}

var asciiAlnum = func() (is [256]bool) {
	for c := range is {
		is[c] = '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	return is
}()
