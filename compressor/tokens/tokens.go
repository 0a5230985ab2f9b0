// Package tokens counts o200k_base tokens exactly and offline.
//
// It gives the number that tiktoken-go's EncodeOrdinary gives: special tokens such
// as <|endoftext|> are plain text, and a byte that is not UTF-8 counts as U+FFFD.
// Time is linear in the text, for a long run of one letter and for base64 too. A
// count needs under 1 MB beside the text (and a copy of text that is not UTF-8),
// and there is nothing to load or warm up.
//
// It only counts: there is no encoding to token ids and no other vocabulary.
//
// NOTICE: o200k.bin, the embedded vocabulary, derives from the o200k_base ranks
// that OpenAI publishes with tiktoken under the MIT licence, Copyright (c) 2022
// OpenAI, Shantanu Jain.
package tokens

//go:generate go run ./internal/gen

import (
	"sync"
	"unicode/utf8"
)

// Count returns the number of o200k_base tokens in text. It may be called from
// many goroutines at once.
func Count(text []byte) int {
	if !utf8.Valid(text) {
		text = repair(text)
	}
	c := counters.Get().(*counter)
	defer counters.Put(c)
	return c.count(text)
}

// CountString is Count of a string.
func CountString(text string) int {
	return Count([]byte(text)) // not copied: the compiler sees that Count only reads
}

// repair puts U+FFFD for each byte that is not UTF-8.
func repair(text []byte) []byte {
	valid := make([]byte, 0, len(text)+len(text)/8)
	for _, r := range string(text) {
		valid = utf8.AppendRune(valid, r)
	}
	return valid
}

// counters are kept for the next call, until the collector wants their memory.
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
			total += (n + 2) / 3 // pieces of up to three, and each is a token
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
