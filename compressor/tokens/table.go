package tokens

import (
	_ "embed"

	"handrail/compressor/tokens/internal/slot"
)

// table is the vocabulary as internal/gen lays it out, little-endian, to be used
// where it lies:
//
//	slot.Count × uint32        hash slots: tag, then rank + 1; 0 is empty
//	(tokenCount + 1) × uint32  where each token's bytes start, by rank
//	the tokens' bytes, one after the other
//
//go:embed o200k.bin
var table string

const (
	tokenCount   = 199_998
	longestToken = 128 // bytes
	offsetsAt    = 4 * slot.Count
	bytesAt      = offsetsAt + 4*(tokenCount+1)
)

// noRank is above every rank.
const noRank = ^uint32(0)

// rank returns the rank of a token, noRank when piece is none.
func rank(piece []byte) uint32 {
	at, tag := slot.Of(piece)
	for ; ; at = (at + 1) % slot.Count {
		s := word(4 * at)
		if s == 0 {
			return noRank
		}
		if s>>slot.RankBits == tag {
			r := s&(1<<slot.RankBits-1) - 1
			if token(r) == string(piece) {
				return r
			}
		}
	}
}

// token returns the bytes of the token of a rank.
func token(rank uint32) string {
	at := offsetsAt + 4*rank
	return table[bytesAt+word(at) : bytesAt+word(at+4)]
}

// word reads the table's uint32 at a byte offset.
func word(at uint32) uint32 {
	s := table[at : at+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}
