// What runs on with what: the texts of one flow, and what stands between them.

package compressor

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// blockOf returns the node in whose flow a record stands: the nearest around it
// that is more than inline. A plain box beside a text runs on with it, and so does
// one without a DOM node, as content that a style makes has it.
func (o *outline) blockOf(r *record) int32 {
	if r.node == none {
		return none
	}
	up := o.parents[r.node]
	for n := 0; up != none && n < 64; n++ {
		k, above := o.tree.roles[o.tree.nodes[up].role].kind, o.parents[up]
		if k&inline == 0 && (k&box == 0 || above == none || !o.texts[above] && o.tree.nodes[up].backend > 0) {
			break
		}
		up = above
	}
	return up
}

// isLabel says that a run of texts is a label, and the name of a field.
func (o *outline) isLabel(it *item) bool {
	up := it.block
	for n := 0; up != none && n < 4 && o.tree.roles[o.tree.nodes[up].role].kind&label == 0; n++ {
		up = o.parents[up]
	}
	if up == none || o.tree.roles[o.tree.nodes[up].role].kind&label == 0 {
		return false
	}
	return o.labels[spoken{o.records[it.record].frame, o.squash(it.name)}]
}

// isPunctuation says that a text is nothing but a mark or two between others.
func isPunctuation(s string) bool {
	return len(s) <= 8 && strings.IndexFunc(s, func(c rune) bool {
		return !unicode.IsPunct(c) && c != ' ' && c != '|' && c != '+' && c != '>' && c != '<'
	}) < 0
}

// isSeparator says that a text is only a mark that stands between things.
func isSeparator(s string) bool {
	return len(s) <= 8 && strings.Trim(s, "•·|/\\›»>→▪◦‣,; ") == ""
}

// settle joins the texts of a list that run on in one flow, and puts what stands
// between them on their line.
func (o *outline) settle(l list) list {
	out, several, near, nearBy := empty, l.first != l.last, "", int32(none)
	for k := l.first; k != none; {
		// A flow: leaves of one block.
		end, texts, first := k, 0, k
		for ; end != none && o.flows(&o.items[end]) && o.items[end].block == o.items[first].block; end = o.items[end].next {
			if o.items[end].flags&isText != 0 {
				texts++
			}
		}
		if end == k {
			end = o.items[k].next
		}
		mixed := false // other things than text are in it
		for j := k; texts > 0 && j != end; j = o.items[j].next {
			mixed = mixed || !o.joinable(&o.items[j])
		}
		var run []int32
		flush := func() {
			if len(run) == 0 {
				return
			}
			head := &o.items[run[0]]
			if len(run) > 1 {
				head.name, head.last = o.joinTexts(run), o.items[run[len(run)-1]].last
			}
			if !(mixed && isPunctuation(head.name)) && !(several && isSeparator(head.name)) && !o.isLabel(head) {
				out = o.chain(out, list{run[0], run[0]})
			}
			run = run[:0]
		}
		start := out
		for j := k; j != end; {
			next := o.items[j].next
			o.items[j].next = none
			if texts > 1 && o.joinable(&o.items[j]) && (len(run) == 0 || o.items[run[0]].flags&isUnseen == o.items[j].flags&isUnseen) {
				run = append(run, j)
			} else {
				flush()
				if o.joinable(&o.items[j]) {
					run = append(run, j)
				} else {
					out = o.chain(out, list{j, j})
				}
			}
			j = next
		}
		flush()
		for j := o.after(start, out); j != none; j = o.items[j].next {
			if it := &o.items[j]; it.flags&(hasUIDShown|isText) == hasUIDShown && it.name == "" {
				if it.near = near; nearBy != it.block && !o.small(nearBy) {
					it.near = "" // of something else
				}
			}
			if near = ""; o.items[j].flags&isText != 0 {
				near, nearBy = o.items[j].name, o.items[j].block
			}
		}
		if mixed {
			for j, n := o.after(start, out), 0; j != none; j, n = o.items[j].next, n+1 {
				if n > 0 {
					o.items[j].join = inFlow
				}
			}
		}
		k = end
	}
	return out
}

// small says that a node has so little around it that its neighbour may be its label.
func (o *outline) small(node int32) bool {
	if node == none || o.parents[node] == none {
		return false
	}
	around := &o.tree.nodes[o.parents[node]]
	return around.end-around.kid <= 3
}

// after is the first item of a list behind what it was before.
func (o *outline) after(before, now list) int32 {
	if before.first == none {
		return now.first
	}
	return o.items[before.last].next
}

// flows says that an item may stand on a line with others.
func (o *outline) flows(it *item) bool {
	return it.isLeaf() && it.join == ownLine && it.block != none && it.flags&(isCell|isHeading) == 0 && (it.flags&(isText|hasUIDShown) != 0 || it.role == "img" || it.role == "del")
}

func (o *outline) joinable(it *item) bool {
	return it.flags&(isText|hasUIDShown) == isText && it.kids.first == none
}

// joinTexts is the text of a run, with spaces where the page has them or two words
// would run together.
func (o *outline) joinTexts(run []int32) string {
	var b strings.Builder
	for n, k := range run {
		it := &o.items[k]
		if n > 0 {
			before := &o.items[run[n-1]]
			last, _ := utf8.DecodeLastRuneInString(before.name)
			first, _ := utf8.DecodeRuneInString(it.name)
			apart := !strings.ContainsRune("([{“‘«/#$£€", last) && !strings.ContainsRune(",.;:!?)]}%”’»/", first)
			if o.spaceAt(before.last, true) || o.spaceAt(it.record, false) || apart && !o.partOfWord(before.last, it.record) {
				b.WriteByte(' ')
			}
		}
		b.WriteString(it.name)
	}
	return b.String()
}

// partOfWord says whether nothing parts two texts but a role that runs on in a text,
// as in high<mark>light</mark>ed. Elements without a role may be boxes side by side.
func (o *outline) partOfWord(from, to int32) bool {
	a, b := o.parents[o.records[from].node], o.parents[o.records[to].node]
	if a == b || to-from > 3 {
		return false
	}
	for _, up := range []int32{a, b} {
		if up == none {
			return false
		}
		if up != o.blockOf(&o.records[from]) && o.tree.roles[o.tree.nodes[up].role].kind&inline == 0 {
			return false
		}
	}
	for i := from + 1; i < to; i++ {
		if o.tree.roles[o.records[i].role].kind&inline == 0 {
			return false
		}
	}
	return true
}

// spaceAt says whether the text of a record ends, or begins, with white space.
func (o *outline) spaceAt(i int32, end bool) bool {
	s := o.tree.raw(o.tree.nodes[o.records[i].node].name)
	if len(s) < 3 || s[0] != '"' {
		return false
	}
	if end {
		return s[len(s)-2] == ' ' || strings.HasSuffix(string(s), `\n"`) || strings.HasSuffix(string(s), "\u00a0\"")
	}
	return s[1] == ' ' || strings.HasPrefix(string(s), `"\n`) || strings.HasPrefix(string(s), "\"\u00a0")
}

// lead takes the first text of a list as the name of what has none, and puts the
// rest of that text's flow, or else the first leaf, on its line.
func (o *outline) lead(it *item, l list) list {
	if l.first == none {
		return l
	}
	first := &o.items[l.first]
	switch {
	case it.name == "" && it.value == "" && o.spare == nil && o.joinable(first) && first.flags&isUnseen == it.flags&isUnseen:
		it.name = first.name
		rest := list{first.next, l.last}
		if rest.first == none {
			return empty
		}
		return rest
	case it.name == "" && first.isLeaf() && first.join == ownLine:
		first.join = inFlow
	}
	return l
}
