package compressor

import (
	"regexp"
	"strings"
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
	var match func(string) bool
	if expression, ok := asExpression(text); ok {
		re, err := regexp.Compile(expression)
		if err != nil {
			return nil, &OptionError{Option: "regular expression", Value: text, Why: strings.TrimPrefix(err.Error(), "error parsing regexp: ")}
		}
		match = re.MatchString
	} else {
		text = strings.ToLower(foldString(text))
		if text == "" {
			return nil, &OptionError{Option: "text", Why: "it is empty"}
		}
		match = func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	}
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
		for _, j := range line {
			w.line(j, 0, out.items[j].join, nil)
		}
		w.within(up[order[head]], up)
	}
	if h.Total == 0 {
		w.object(&Object{Role: "note", Name: "nothing found"}, ownLine)
	}
	h.View = *w.view()
	return h, nil
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
