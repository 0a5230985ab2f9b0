// Package hash is the hash by which the embedded vocabulary finds its tokens.
package hash

import "encoding/binary"

// Sum hashes a token: the same on every build and machine.
func Sum(b []byte) uint64 {
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
