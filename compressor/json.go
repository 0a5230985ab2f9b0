package compressor

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth is how many arrays and objects may be open at once.
const maxDepth = 512

// raw is one JSON value exactly as it stands in the payload, "" when it is absent.
// Values are kept raw while the payload is read; what ends up in a record is
// decoded then (text.go), so that the far greater rest never is.
type raw string

// reader goes once, strictly, over JSON text. Its methods read one thing at the
// present position and leave the position behind it. After the first error the
// position is at the end and every method finds nothing more, so that callers
// need not check; failed says where it happened.
type reader struct {
	b      []byte // the payload
	src    string // the same bytes, to cut values from
	at     int
	depth  int
	failed int // offset of the first error, -1 while there is none
}

func newReader(src string, b []byte) *reader {
	return &reader{b: b, src: src, failed: -1}
}

func (r *reader) fail() {
	if r.failed < 0 {
		r.failed = r.at
	}
	r.at = len(r.b)
}

// peek returns the next byte, 0 at the end. A NUL in the payload is an error to
// whoever asked for something else.
func (r *reader) peek() byte {
	if r.at < len(r.b) {
		return r.b[r.at]
	}
	return 0
}

func (r *reader) space() {
	for r.at < len(r.b) && r.b[r.at] <= ' ' {
		switch r.b[r.at] {
		case ' ', '\n', '\t', '\r':
			r.at++
		default:
			return
		}
	}
}

// open steps into the array or object that begins here and says whether it has a
// first element; next steps behind an element and says whether there is another:
//
//	for more := r.open('}'); more; more = r.next('}') {
//		switch r.key() { …every case reads one value… }
//	}
func (r *reader) open(closing byte) bool {
	if r.depth == maxDepth {
		r.fail()
		return false
	}
	r.depth++
	r.at++
	r.space()
	if r.peek() == closing {
		r.at++
		r.depth--
		return false
	}
	return r.failed < 0
}

func (r *reader) next(closing byte) bool {
	r.space()
	switch r.peek() {
	case ',':
		r.at++
		r.space()
		return true
	case closing:
		r.at++
		r.depth--
	default:
		r.fail()
	}
	return false
}

// key reads an object's key and the colon, and returns the key decoded.
func (r *reader) key() string {
	from := r.at
	escaped := r.skipString()
	to := r.at
	r.space()
	if r.peek() != ':' {
		r.fail()
		return ""
	}
	r.at++
	r.space()
	if escaped {
		return string(appendString(nil, r.src[from+1:to-1]))
	}
	return r.src[from+1 : to-1]
}

// value reads any value; "" when it is none: half a string is not to be decoded.
func (r *reader) value() raw {
	from := r.at
	r.skip()
	if r.failed >= 0 {
		return ""
	}
	return raw(r.src[from:r.at])
}

// skip checks any value and steps over it.
func (r *reader) skip() {
	switch r.peek() {
	case '"':
		r.skipString()
	case '{':
		for more := r.open('}'); more; more = r.next('}') {
			r.skipString()
			r.space()
			if r.peek() != ':' {
				r.fail()
				return
			}
			r.at++
			r.space()
			r.skip()
		}
	case '[':
		for more := r.open(']'); more; more = r.next(']') {
			r.skip()
		}
	case 't':
		r.skipWord("true")
	case 'f':
		r.skipWord("false")
	case 'n':
		r.skipWord("null")
	default:
		r.skipNumber()
	}
}

func (r *reader) skipWord(word string) {
	if len(r.b)-r.at < len(word) || r.src[r.at:r.at+len(word)] != word {
		r.fail()
		return
	}
	r.at += len(word)
}

func (r *reader) skipNumber() {
	if r.peek() == '-' {
		r.at++
	}
	if r.peek() == '0' {
		r.at++
	} else {
		r.skipDigits()
	}
	if r.peek() == '.' {
		r.at++
		r.skipDigits()
	}
	if c := r.peek(); c == 'e' || c == 'E' {
		r.at++
		if c := r.peek(); c == '+' || c == '-' {
			r.at++
		}
		r.skipDigits()
	}
}

// skipDigits steps over one digit or more.
func (r *reader) skipDigits() {
	from := r.at
	for c := r.peek(); '0' <= c && c <= '9'; c = r.peek() {
		r.at++
	}
	if r.at == from {
		r.fail()
	}
}

// skipString steps over a string and says whether it holds an escape. Bytes that
// are not UTF-8 pass: they become U+FFFD where the string is decoded.
func (r *reader) skipString() (escaped bool) {
	if r.peek() != '"' {
		r.fail()
		return false
	}
	r.at = afterPlain(r.b, r.at+1)
	for r.peek() == '\\' {
		escaped = true
		r.skipEscape()
		r.at = afterPlain(r.b, r.at)
	}
	if r.peek() != '"' { // a control byte, or the end
		r.fail()
		return escaped
	}
	r.at++
	return escaped
}

func (r *reader) skipEscape() {
	r.at++
	switch r.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		r.at++
	case 'u':
		if r.at+5 > len(r.b) || hex4(r.src[r.at+1:]) < 0 {
			r.fail()
			return
		}
		r.at += 5
	default:
		r.fail()
	}
}

// afterPlain steps from i to the first quote, backslash or control byte. It looks
// at eight bytes at once: subtracting 0x01 from each borrows into its top bit where
// the byte was 0, and a lowest hit is never a false one.
func afterPlain(b []byte, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i : i+8])
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		hit := ((quote-ones)&^quote | (slash-ones)&^slash | (x-ones*' ')&^x) & tops
		if hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
		i++
	}
	return i
}

// hex4 is the number that four hexadecimal digits write, -1 when they are none.
func hex4(s string) rune {
	var n rune
	for i := range 4 {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			n = n<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			n = n<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			n = n<<4 | rune(c-'A'+10)
		default:
			return -1
		}
	}
	return n
}
