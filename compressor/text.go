package compressor

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// texts decodes raw values. A string that stands in the payload as it is printed
// is cut from it; the others are written into a block, so that their number does
// not become a number of allocations.
type texts struct {
	block   strings.Builder
	scratch []byte
}

const blockSize = 64 << 10

// keep copies b into the block. What a Builder has handed out stays as it is
// while more is written behind it.
func (t *texts) keep(b []byte) string {
	if t.block.Cap()-t.block.Len() < len(b) {
		t.block = strings.Builder{}
		t.block.Grow(max(blockSize, len(b)))
	}
	from := t.block.Len()
	t.block.Write(b)
	return t.block.String()[from:]
}

// text is what a view shows of a value (docs/FORMAT.md, Text of a value).
func (t *texts) text(v raw) string {
	if v == "" {
		return ""
	}
	switch v[0] {
	case '"':
		body := string(v[1 : len(v)-1])
		if isFolded(body) {
			return body
		}
		t.scratch = appendString(t.scratch[:0], body)
		return t.keep(fold(t.scratch))
	case '[', '{':
		t.scratch = appendCompact(t.scratch[:0], string(v))
		return t.keep(fold(t.scratch))
	case 'n':
		return ""
	case 't', 'f':
		return string(v)
	default:
		return t.number(string(v))
	}
}

// str decodes a JSON string; any other value is "".
func (t *texts) str(v raw) string {
	if v == "" || v[0] != '"' {
		return ""
	}
	body := string(v[1 : len(v)-1])
	if strings.IndexByte(body, '\\') < 0 && utf8.ValidString(body) {
		return body
	}
	t.scratch = appendString(t.scratch[:0], body)
	return t.keep(t.scratch)
}

// number prints without exponent and without trailing zeros. What no float64
// holds prints as it stands.
func (t *texts) number(s string) string {
	if len(s) < 16 && strings.IndexFunc(s, func(c rune) bool { return c < '0' || c > '9' }) < 0 {
		return s
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	t.scratch = strconv.AppendFloat(t.scratch[:0], f, 'f', -1, 64)
	return t.keep(t.scratch)
}

// lower is s in lower case.
func (t *texts) lower(s string) string {
	for i := range len(s) {
		if c := s[i]; 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf {
			t.scratch = appendLower(t.scratch[:0], s)
			return t.keep(t.scratch)
		}
	}
	return s
}

func appendLower(b []byte, s string) []byte {
	for _, c := range s {
		b = utf8.AppendRune(b, unicode.ToLower(c))
	}
	return b
}

// isFolded says that the body of a JSON string is its own text: printable ASCII
// without an escape, single spaces, none at the ends.
func isFolded(s string) bool {
	before := byte(' ')
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c-'!' > '~'-'!' && (c != ' ' || before == ' ') || c == '\\' {
			return false
		}
		before = c
	}
	return s == "" || before != ' '
}

// fold makes one space of every run of white space and trims the ends, in place.
func fold(b []byte) []byte {
	out := b[:0]
	gap := false
	for i := 0; i < len(b); {
		c, n := utf8.DecodeRune(b[i:])
		if unicode.IsSpace(c) {
			gap = len(out) > 0
		} else {
			if gap {
				out = append(out, ' ')
				gap = false
			}
			out = append(out, b[i:i+n]...) // never overtakes i: a space was at least as long
		}
		i += n
	}
	return out
}

// foldString is fold for text that is decoded already.
func foldString(s string) string {
	if isFolded(s) {
		return s
	}
	return string(fold([]byte(s)))
}

// appendString appends the decoded body of a JSON string that is known to be well
// formed. Bytes that are not UTF-8 and surrogates without their other half become
// U+FFFD, one each.
func appendString(b []byte, s string) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\\' && s[i+1] == 'u':
			r := hex4(s[i+2:])
			i += 6
			if utf16.IsSurrogate(r) {
				pair := rune(utf8.RuneError)
				if i+6 <= len(s) && s[i] == '\\' && s[i+1] == 'u' {
					pair = utf16.DecodeRune(r, hex4(s[i+2:]))
				}
				if r = pair; r != utf8.RuneError {
					i += 6
				}
			}
			b = utf8.AppendRune(b, r)
		case c == '\\':
			b = append(b, unescaped(s[i+1]))
			i += 2
		case c < utf8.RuneSelf:
			b = append(b, c)
			i++
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r)
			i += n
		}
	}
	return b
}

func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c // quote, backslash, slash
}

// appendCompact appends a JSON value without the white space between its tokens.
func appendCompact(b []byte, s string) []byte {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
			b = append(b, c)
		case c == '\\':
			b = append(b, c, s[i+1])
			i++
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r)
			i += n - 1
		case quoted || c > ' ':
			b = append(b, c)
		}
	}
	return b
}
