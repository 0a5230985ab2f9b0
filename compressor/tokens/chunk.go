package tokens

// A chunk is a stretch of text that no piece of the pattern crosses, whatever
// surrounds it. Chunks can be found by looking at two bytes, and be counted by
// themselves. One ends
//
//   - between an ASCII letter or digit and any other ASCII character but the
//     apostrophe: words and numbers hold no such character, and what stands
//     behind them cannot reach back;
//   - between visible ASCII and an ASCII digit: a number takes nothing before it.
//     (White space does look at what follows it, and \p{N} counts from its start.)

// edge is a set of the two kinds of chunk ends.
type edge uint8

const (
	wordEdge edge = 1 << iota
	digitEdge
)

// A chunk ends between two bytes when before of the one and after of the other
// share an edge.
var before, after = func() (before, after [256]edge) {
	for c := byte(0); c < 0x80; c++ {
		switch {
		case isDigit(c):
			before[c], after[c] = wordEdge, digitEdge
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			before[c] = wordEdge | digitEdge
		default:
			if c > ' ' && c < 0x7f {
				before[c] = digitEdge
			}
			if c != '\'' {
				after[c] = wordEdge
			}
		}
	}
	return before, after
}()

// chunkEnd returns where the first chunk of text ends.
func chunkEnd(text []byte) int {
	last := text[0]
	for i := 1; i < len(text); i++ {
		next := text[i]
		if before[last]&after[next] != 0 {
			return i
		}
		last = next
	}
	return len(text)
}

// digits returns the length of the ASCII digits that text begins with, 0 when
// another kind of number may follow.
func digits(text []byte) int {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	if n < len(text) && text[n] >= 0x80 {
		return 0
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
