package compressor

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxHits is how many lines a search gives.
const maxHits = 50

// Hits are the lines of a page in which a text was found.
type Hits struct {
	View
	Total int // lines that match, be they shown or not
}

// Search looks for a text, or a regular expression written /…/, in the names, values
// and hints of a page. It gives each line with a hit once, as balanced shows it;
// what was found has a uid there, also where it is a heading, a cell or a text. The
// error says what is wrong with the expression.
func (p *Page) Search(text string) (*Hits, error) {
	var where func(string) int // the first hit begins, -1 for none
	if expression, ok := asExpression(text); ok {
		re, err := regexp.Compile(expression)
		if err != nil {
			return nil, &OptionError{Option: "regular expression", Value: text, Why: strings.TrimPrefix(err.Error(), "error parsing regexp: ")}
		}
		where = func(s string) int {
			if at := re.FindStringIndex(s); at != nil {
				return at[0]
			}
			return -1
		}
	} else {
		text = strings.ToLower(foldString(text))
		if text == "" {
			return nil, &OptionError{Option: "text", Why: "it is empty"}
		}
		where = func(s string) int { return strings.Index(strings.ToLower(s), text) }
	}
	match := func(s string) bool { return where(s) >= 0 }
	out := p.outline(Options{Profile: Balanced}, none)
	w := out.writer()
	out.spare = p.spare()
	order, up := out.order()
	h := &Hits{}
	written := int32(none)
	for n, k := range order {
		it := &out.items[k]
		if it.record == none || !w.matches(it, match) {
			continue
		}
		if out.spare[it.record] {
			it.flags |= hasUIDShown
		}
		head := n
		for head > 0 && out.items[order[head]].join != ownLine {
			head--
		}
		if order[head] == written {
			continue
		}
		written = order[head]
		if h.Total++; h.Total > maxHits {
			continue
		}
		// What else is found on the line gets its uid, too, before it is written.
		line := order[head:lineOf(out, order, head)]
		for _, j := range line {
			if other := &out.items[j]; other.record != none && out.spare[other.record] && w.matches(other, match) {
				other.flags |= hasUIDShown
			}
		}
		first := true
		for _, j := range line {
			it := &out.items[j]
			if len(line) > maxLineItems && (it.record == none || !w.matches(it, match)) {
				continue // of so long a line what was found is enough
			}
			it.name, it.value = excerpt(it.name, where(it.name)), excerpt(it.value, where(it.value))
			join := it.join
			if first {
				join = ownLine
			}
			first = false
			w.line(j, 0, join, nil)
		}
		w.within(up[order[head]], up)
	}
	if h.Total == 0 {
		w.object(&Object{Role: "note", Name: "nothing found"}, ownLine)
	}
	h.View = *w.view()
	return h, nil
}

// maxLineItems is how many items a line has that a search gives whole.
const maxLineItems = 24

// excerpt is what stands around a place in a long text.
func excerpt(text string, at int) string {
	const before, most = 60, 240 // bytes
	if len(text) <= most {
		return text
	}
	from := max(at-before, 0)
	to := min(from+most, len(text))
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	short := text[from:to]
	if from > 0 {
		short = "…" + short
	}
	if to < len(text) {
		short += "…"
	}
	return short
}

// asExpression takes the slashes off a regular expression.
func asExpression(text string) (string, bool) {
	if len(text) > 2 && text[0] == '/' && text[len(text)-1] == '/' {
		return text[1 : len(text)-1], true
	}
	return "", false
}

func (w *writer) matches(it *item, match func(string) bool) bool {
	if it.name != "" && match(it.name) || it.value != "" && match(it.value) || it.near != "" && it.name == "" && match(it.near) {
		return true
	}
	if it.flags&isText != 0 || it.flags&hasUIDShown == 0 {
		return false
	}
	o := w.describe(it)
	return o.Hint != "" && match(o.Hint) || o.Placeholder != "" && match(o.Placeholder)
}

// lineOf is the place behind the items that stand on the line of one.
func lineOf(o *outline, order []int32, head int) int {
	end := head + 1
	for end < len(order) && o.items[order[end]].join != ownLine {
		end++
	}
	return end
}

// within appends what a line stands in: the nearest around it that has a name.
func (w *writer) within(k int32, up []int32) {
	for ; k != none; k = up[k] {
		it := &w.items[k]
		if it.record == none || it.name == "" || w.tree.roles[w.records[it.record].role].kind&document != 0 {
			continue
		}
		w.text.Write(appendQuote(append([]byte(" in "+it.role), ' '), cut(it.name, lightNames)))
		return
	}
}
