package tokens

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// class is a set of the pattern's character classes.
type class uint8

const (
	upper  class = 1 << iota // Lu, Lt
	lower                    // Ll
	either                   // Lm, Lo, M: in both halves of a word
	mark                     // M, which is no letter to alternative 4
	number                   // N
	space                    // white space
	line                     // \r, \n: white space too
	other                    // all else

	head   = upper | either // the first half of a word
	tail   = lower | either // the second half
	letter = upper | lower | either
)

// tables are Go's own, of one Unicode version: what tiktoken-go goes by too.
var tables = []struct {
	class class
	table *unicode.RangeTable
}{
	{upper, unicode.Lu}, {upper, unicode.Lt}, {lower, unicode.Ll}, {either, unicode.Lm}, {either, unicode.Lo},
	{either | mark, unicode.M}, {number, unicode.N}, {space, unicode.White_Space},
}

func classify(r rune) class {
	if r == '\r' || r == '\n' {
		return space | line
	}
	for _, t := range tables {
		if unicode.Is(t.table, r) {
			return t.class
		}
	}
	return other
}

var ascii = func() (t [utf8.RuneSelf]class) {
	for r := range t {
		t[r] = classify(rune(r))
	}
	return t
}()

// planes has the classes of the first three planes, which hold nearly all
// characters in use. It is made when the first text beyond ASCII comes: range by
// range, in 0.3 ms where classify would take 6.
var planes = sync.OnceValue(func() *[0x30000]class {
	classes := new([0x30000]class)
	for r := range classes {
		classes[r] = other
	}
	for _, t := range tables {
		for _, r := range t.table.R16 {
			for c := int(r.Lo); c <= int(r.Hi); c += int(r.Stride) {
				classes[c] = t.class
			}
		}
		for _, r := range t.table.R32 {
			for c := r.Lo; c <= r.Hi && c < uint32(len(classes)); c += r.Stride {
				classes[c] = t.class
			}
		}
	}
	return classes
})

// classAt returns the class and size of the character at i.
func classAt(text []byte, i int) (class, int) {
	if c := text[i]; c < utf8.RuneSelf {
		return ascii[c], 1
	}
	r, size := utf8.DecodeRune(text[i:])
	if t := planes(); int(r) < len(t) {
		return t[r], size
	}
	return classify(r), size
}
