package tokens

import (
	"encoding/binary"
	"math/bits"
)

// memo remembers the counts of short chunks, keyed by their very bytes, so that
// it can never be wrong. A slot that is taken is overwritten.
type memo struct {
	entries *[1 << memoBits]memoEntry
}

const memoBits = 14 // 32 bytes each: 512 KiB

type memoEntry struct {
	key   chunkKey
	count int32
}

// chunkKey is a chunk of at most 16 bytes and its length.
type chunkKey struct {
	low, high uint64
	length    int32
}

// keyOf returns the chunk as a key, and false when it is too long for one.
func keyOf(chunk []byte) (chunkKey, bool) {
	n := len(chunk)
	if n > 16 {
		return chunkKey{}, false
	}
	if n >= 8 {
		return chunkKey{binary.LittleEndian.Uint64(chunk), tail(chunk[8:]), int32(n)}, true
	}
	return chunkKey{tail(chunk), 0, int32(n)}, true
}

// tail packs at most 8 bytes.
func tail(b []byte) uint64 {
	var packed [8]byte
	copy(packed[:], b)
	return binary.LittleEndian.Uint64(packed[:])
}

func (m *memo) slot(key chunkKey) *memoEntry {
	if m.entries == nil {
		m.entries = new([1 << memoBits]memoEntry)
	}
	h := (key.low ^ bits.RotateLeft64(key.high*0x9E3779B97F4A7C15, 31) ^ uint64(key.length)) * 0xD6E8FEB86659FD93
	return &m.entries[h>>(64-memoBits)]
}
