// Package slot says where the embedded vocabulary keeps a token: its hash table
// is laid out by internal/gen and read by package tokens, which must agree.
package slot

import "encoding/binary"

const (
	// Count is the number of slots: 2.6 for each of the 199,998 tokens.
	Count = 1 << 19
	// RankBits of a slot's 32 hold the rank + 1; the tag is above them.
	RankBits = 18
)

// Of returns the slot where the search for a token begins, to be continued in
// the next slots, and the 14-bit tag that tells most other tokens apart.
func Of(token []byte) (at, tag uint32) {
	h := hash(token)
	return uint32(h % Count), uint32(h >> (64 - (32 - RankBits)))
}

// hash is the same on every build and machine.
func hash(b []byte) uint64 {
	const k1, k2 = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
	n := len(b)
	h := uint64(n) * k1
	for ; n > 8; n -= 8 {
		h = (h ^ binary.LittleEndian.Uint64(b)) * k2
		h ^= h >> 29
		b = b[8:]
	}
	var last uint64
	switch {
	case n == 8:
		last = binary.LittleEndian.Uint64(b)
	case n >= 4:
		last = uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<32
	case n > 0:
		last = uint64(b[0]) | uint64(b[n>>1])<<8 | uint64(b[n-1])<<16
	}
	h = (h ^ last) * k2
	h ^= h >> 32
	return h * k1
}
