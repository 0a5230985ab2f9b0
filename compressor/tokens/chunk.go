package tokens

import "unicode/utf8"

// A chunk is a stretch of text that no piece of the pattern crosses, whatever
// surrounds it. Chunks can be found by looking at two characters, and be counted by
// themselves. One ends
//
//   - between a letter or ASCII digit and any ASCII character but letters, digits
//     and the apostrophe: words and numbers hold no such character, and what is
//     behind them cannot reach back;
//   - between visible ASCII and an ASCII digit: a number takes nothing before it.
//     (White space is no such place, as it does look at what follows, nor is the
//     middle of a number, which goes by threes.)

// edge is a set of those two kinds of places.
type edge uint8

const (
	wordEdge edge = 1 << iota
	digitEdge
)

// A chunk may end between two bytes when before of the one and after of the other
// share an edge; of characters beyond ASCII it must be a letter that ends there.
var before, after = func() (before, after [256]edge) {
	for i := range before {
		switch c := byte(i); {
		case c >= utf8.RuneSelf:
			before[c] = wordEdge
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
		if before[last]&after[next] != 0 && (last < utf8.RuneSelf || endsInLetter(text[:i])) {
			return i
		}
		last = next
	}
	return len(text)
}

func endsInLetter(text []byte) bool {
	_, size := utf8.DecodeLastRune(text)
	c, _ := classAt(text, len(text)-size)
	return c&letter != 0 && c&mark == 0
}

// digits returns the length of the ASCII digits that text begins with, 0 when
// another kind of number may follow.
func digits(text []byte) int {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	if n < len(text) && text[n] >= utf8.RuneSelf {
		return 0
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
