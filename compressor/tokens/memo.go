package tokens

import (
	"encoding/binary"
	"math/bits"
)

// memo remembers the counts of short chunks by their very bytes, so it is never
// wrong. A new chunk takes the place of another with the same hash.
type memo [1 << memoBits]memoEntry

const memoBits = 14 // 32 bytes each: 512 KiB

type memoEntry struct {
	chunk  chunk
	tokens uint32
}

// chunk is the bytes of a chunk, padded with zeros. No chunk that text follows
// ends in a zero byte, so the padding is not mistaken for text.
type chunk struct{ first, second, third uint64 }

// maxChunk takes in the longest of the usual ones, as "],"backendDOMNodeId.
const maxChunk = 24

// chunkOf packs text[:length]; text must be longer than maxChunk.
func chunkOf(text []byte, length int) chunk {
	return chunk{
		low(binary.LittleEndian.Uint64(text), length),
		low(binary.LittleEndian.Uint64(text[8:]), length-8),
		low(binary.LittleEndian.Uint64(text[16:]), length-16),
	}
}

// low clears all but the lowest bytes of a word.
func low(word uint64, bytes int) uint64 {
	if bytes <= 0 {
		return 0
	}
	return word & (1<<(8*bytes) - 1) // from 8 on the shift gives 0, and the mask all
}

func (m *memo) entry(c chunk) *memoEntry {
	h := c.first ^ bits.RotateLeft64(c.second*0x9E3779B97F4A7C15, 31) ^ bits.RotateLeft64(c.third*0x9E3779B97F4A7C15, 17)
	return &m[h*0xD6E8FEB86659FD93>>(64-memoBits)]
}
