package tokens

import (
	_ "embed"

	"handrail/compressor/tokens/internal/hash"
)

// table is the vocabulary as internal/gen lays it out, little-endian:
//
//	uint32 tokens · uint32 slotBits
//	(tokens+1) × uint32  offset of each token's bytes, by rank
//	2^slotBits × uint32  hash slots: 14 bits of tag, 18 bits of rank+1; 0 is empty
//	the tokens' bytes, one after the other
//
//go:embed o200k.bin
var table string

const noRank = ^uint32(0)

const (
	headerSize = 8
	slotBits   = 19 // as in the table; checked by a test
	slotMask   = 1<<slotBits - 1
)

var (
	tokenCount = le32(table, 0)
	offsetsAt  = headerSize
	slotsAt    = offsetsAt + 4*int(tokenCount+1)
	bytesAt    = slotsAt + 4<<slotBits
	offsets    = table[offsetsAt:slotsAt]
	slots      = table[slotsAt:bytesAt]
	vocabulary = table[bytesAt:]
)

func le32(s string, at int) uint32 {
	s = s[at : at+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// rank returns the rank of a token, noRank when piece is none.
func rank(piece []byte) uint32 {
	h := hash.Sum(piece)
	tag := uint32(h>>10) & 0x3fff
	for at := int(h >> (64 - slotBits)); ; at = (at + 1) & slotMask {
		slot := le32(slots, 4*at)
		if slot == 0 {
			return noRank
		}
		if slot>>18 != tag {
			continue
		}
		r := int(slot&0x3ffff) - 1
		if vocabulary[le32(offsets, 4*r):le32(offsets, 4*r+4)] == string(piece) {
			return uint32(r)
		}
	}
}
