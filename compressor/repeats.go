// What is said already, and what something is called by what stands in it.

package compressor

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxClickableName is how long the text of something clickable may be to become its
// name, in bytes; longer text stands under it.
const maxClickableName = 200

// squash is a text without white space, in lower case: what is compared.
func (o *outline) squash(s string) string {
	b := o.scratch[:0]
	for _, c := range s {
		if c != ' ' {
			b = utf8.AppendRune(b, unicode.ToLower(c))
		}
	}
	o.scratch = b
	return string(b)
}

// withoutRepeats removes what an item's own name or value says already, from the
// list or from the item.
func (o *outline) withoutRepeats(it *item, k kind, l list) list {
	if it.name == "" && it.value == "" || l.first == none {
		return l
	}
	name, value := o.squash(it.name), o.squash(it.value)
	if k&fromContent == 0 && it.flags&hasUIDShown == 0 {
		// The name was given: only what says exactly it, and first, repeats it.
		found := false
		return o.only(l, func(kid *item) bool {
			if found || !kid.isBare() || o.squash(kid.name) != name {
				return true
			}
			found = true
			return false
		})
	}
	holds, acts, all := true, false, ""
	for kid := l.first; kid != none; kid = o.items[kid].next {
		one := &o.items[kid]
		if !one.isBare() {
			acts = true
		}
		s := o.squash(one.name)
		holds = holds && strings.Contains(name, s)
		all += s
		if len(all) > 4*len(name)+64 {
			holds = false
		}
		if !holds {
			break
		}
	}
	if k&(fromContent|control) == fromContent && acts && (it.flags&hasUIDShown == 0 || k&tableCell != 0) {
		// What stands in it can be acted on and says it again, piece by piece.
		if holds {
			it.name = ""
			return l
		}
	}
	if holds && !acts && (all == name || it.flags&hasUIDShown != 0 || k&fromContent != 0) {
		return empty
	}
	return o.only(l, func(kid *item) bool {
		if !kid.isBare() {
			return true
		}
		if kid.name == "" {
			return false
		}
		return !(says(it.name, kid.name) || says(it.value, kid.name) || value != "" && o.squash(kid.name) == value) && hasWord(kid.name)
	})
}

// says says whether a text contains another as whole words, in any case.
func says(text, part string) bool {
	text, part = strings.ToLower(text), strings.ToLower(part)
	if part == "" {
		return true
	}
	for from := 0; ; {
		at := strings.Index(text[from:], part)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(part):])
		first, _ := utf8.DecodeRuneInString(part)
		last, _ := utf8.DecodeLastRuneInString(part)
		if !(isWordRune(before) && isWordRune(first)) && !(isWordRune(after) && isWordRune(last)) {
			return true
		}
		_, n := utf8.DecodeRuneInString(text[at:])
		from = at + n
	}
}

func isWordRune(c rune) bool {
	return c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c))
}

// hasWord says that a text holds a letter, a digit or a symbol that means something.
func hasWord(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }) >= 0
}

// nameOf takes the text in something clickable as its name.
func (o *outline) nameOf(it *item, l list) list {
	n := 0
	for k := l.first; k != none; k = o.items[k].next {
		if !o.items[k].isBare() || o.items[k].value != "" {
			return l
		}
		n += len(o.items[k].name) + 1
	}
	if n == 0 || n > maxClickableName {
		return l
	}
	var words []string
	for k := l.first; k != none; k = o.items[k].next {
		if o.items[k].name != "" {
			words = append(words, o.items[k].name)
		}
	}
	it.name = strings.Join(words, " ")
	return empty
}
