package compressor

import (
	"slices"
	"sort"
	"strings"
)

// contexts tells for each record by what key the row, item or group around it is
// known (docs/FORMAT.md, Targets). A list that is sorted anew can keep its nodes
// and give them to other entries: then the key is all that changes.
type contexts struct {
	*Page
	around []around
	end    []int32 // behind the last record that stands under a record
	keys   [4][]candidate
	texts  map[int32]int // by item: how many of its texts tell it from others, where its key does not
}

// around is what stands nearest above a record in its frame, none where nothing does.
type around struct {
	item    int32 // that has a key
	entry   int32 // row, list item or article: keys of what is in it are its own
	control int32 // entry or control: likewise for texts
}

// candidate is a record whose name is the key of its entry, and of items in that
// which are none. Candidates are sorted by entry, then in page order.
type candidate struct {
	entry int32
	at    int32
}

// What can be a key, best first.
const (
	rowHeaderKey = iota
	headingKey
	linkKey
	textKey
)

func (p *Page) contexts() *contexts {
	c := &contexts{Page: p, around: make([]around, len(p.records)), end: make([]int32, len(p.records))}
	for i := range p.records {
		r := &p.records[i]
		at := around{none, none, none}
		if up := r.parent; up != none && p.records[up].frame == r.frame {
			at = c.around[up]
			if c.isItem(up) {
				at.item = up
			}
			if c.kind(up)&entry != 0 {
				at.entry = up
			}
			if c.kind(up)&entry != 0 || c.isControl(up) {
				at.control = up
			}
		}
		c.around[i] = at
		if r.name == "" || r.node == none || p.tree.nodes[r.node].ignored {
			continue
		}
		switch p.tree.roles[r.role].name {
		case "rowheader":
			c.keys[rowHeaderKey] = append(c.keys[rowHeaderKey], candidate{at.entry, int32(i)})
		case "heading":
			c.keys[headingKey] = append(c.keys[headingKey], candidate{at.entry, int32(i)})
		case "link":
			c.keys[linkKey] = append(c.keys[linkKey], candidate{at.entry, int32(i)})
		case "statictext":
			c.keys[textKey] = append(c.keys[textKey], candidate{at.control, int32(i)})
		}
	}
	for _, keys := range c.keys {
		slices.SortFunc(keys, candidate.compare)
	}
	for i := len(p.records) - 1; i >= 0; i-- {
		c.end[i] = max(c.end[i], int32(i+1))
		if up := p.records[i].parent; up != none {
			c.end[up] = max(c.end[up], c.end[i])
		}
	}
	return c
}

func (a candidate) compare(b candidate) int {
	if a.entry != b.entry {
		return int(a.entry) - int(b.entry)
	}
	return int(a.at) - int(b.at)
}

func (c *contexts) kind(i int32) kind { return c.tree.roles[c.records[i].role].kind }

func (c *contexts) isItem(i int32) bool {
	return c.kind(i)&keyedItem != 0 || c.kind(i)&namedItem != 0 && c.records[i].name != ""
}

// isControl says that a record is a control by its AX node alone: the check at
// the act has no layout.
func (c *contexts) isControl(i int32) bool {
	r := &c.records[i]
	if r.node == none {
		return false
	}
	n := &c.tree.nodes[r.node]
	return !n.ignored && n.backend > 0 && (c.kind(i)&control != 0 || n.state&focusable != 0)
}

// of returns the context of a record.
func (c *contexts) of(i int32) string {
	item := c.around[i].item
	switch {
	case item == none:
		return ""
	case c.texts[item] > 0:
		return c.joined(item, c.texts[item], i, c.end[i])
	}
	return c.key(item, i, c.end[i])
}

// key returns the key of an item, as seen from records of it that are skipped.
func (c *contexts) key(item, skip, skipEnd int32) string {
	if c.kind(item)&keyedItem == 0 {
		return clip(c.records[item].name)
	}
	for what, keys := range c.keys {
		of := c.holder(item, what)
		at := firstKey(keys, of, item+1)
		if skip <= at && at < skipEnd {
			at = firstKey(keys, of, skipEnd)
		}
		if at != none && at < c.end[item] {
			return clip(c.records[at].name)
		}
	}
	return ""
}

// holder is under what the candidates of an item are kept: what an item that is no
// entry holds belongs to the entry around it.
func (c *contexts) holder(item int32, what int) int32 {
	switch {
	case c.kind(item)&entry != 0:
	case what != textKey:
		return c.around[item].entry
	case !c.isControl(item):
		return c.around[item].control
	}
	return item
}

// maxTexts bounds the texts that an item is known by.
const maxTexts = 6

// joined returns the first n texts of an item, as seen from records of it that are
// skipped, in one.
func (c *contexts) joined(item int32, n int, skip, skipEnd int32) string {
	of := c.holder(item, textKey)
	var texts []string
	for at := firstKey(c.keys[textKey], of, item+1); at != none && at < c.end[item] && len(texts) < n; at = firstKey(c.keys[textKey], of, at+1) {
		if at < skip || skipEnd <= at {
			texts = append(texts, c.records[at].name)
		}
	}
	return clip(strings.Join(texts, " "))
}

// tellApart finds how many texts tell items from others of their role that have the
// same key: frameworks write "Order 3" as two texts, and each row's first link may
// be "Edit". Items that no text tells apart keep their key.
func (c *contexts) tellApart() {
	groups := map[variant][]int32{}
	for i := range c.records {
		if item := int32(i); c.isItem(item) && c.kind(item)&keyedItem != 0 {
			k := variant{c.records[i].frame, c.tree.roles[c.records[i].role].name, Normalize(c.key(item, none, none))}
			groups[k] = append(groups[k], item)
		}
	}
	c.texts = map[int32]int{}
	for k, alike := range groups {
		if k.normal == "" {
			continue
		}
		apart(alike, func(item int32, n int) string { return c.joined(item, n, none, none) }, c.texts)
	}
}

// apart notes for each member of a group the least number of texts that no other has.
func apart(alike []int32, joined func(i int32, n int) string, texts map[int32]int) {
	for n := 1; n <= maxTexts && len(alike) > 1; n++ {
		by := map[string][]int32{}
		for _, i := range alike {
			by[joined(i, n)] = append(by[joined(i, n)], i)
		}
		var left []int32
		for _, i := range alike {
			if text := joined(i, n); text != "" && len(by[text]) == 1 {
				texts[i] = n
			} else {
				left = append(left, i)
			}
		}
		alike = left
	}
}

// firstKey returns the first record of an entry's candidates from a record on.
func firstKey(keys []candidate, of, from int32) int32 {
	i := sort.Search(len(keys), func(i int) bool { return keys[i].compare(candidate{of, from}) >= 0 })
	if i == len(keys) || keys[i].entry != of {
		return none
	}
	return keys[i].at
}

// variants finds names that differ in their trailing count alone.
type variants map[variant]*spelling

type variant struct {
	frame  int32
	role   string
	normal string
}

type spelling struct {
	first string
	more  bool // others were added
}

func (v variants) add(frame int32, role, text string) {
	k := variant{frame, role, Normalize(text)}
	s := v[k]
	if s == nil {
		v[k] = &spelling{first: text}
	} else if s.first != text {
		s.more = true
	}
}

// exact says that another text with the same normal form was added.
func (v variants) exact(frame int32, role, text string) bool {
	s := v[variant{frame, role, Normalize(text)}]
	return s != nil && (s.more || s.first != text)
}

// maxContext bounds a context, in code points.
const maxContext = 200

// clip cuts a context to its bound.
func clip(s string) string {
	if len(s) <= maxContext {
		return s
	}
	n := 0
	for i := range s {
		if n == maxContext {
			return s[:i]
		}
		n++
	}
	return s
}

// Normalize is what names and contexts are compared by: white space folded, and
// one count in parentheses or brackets taken off the end, as a count changes while
// what is counted stays: "Cart (3)" is "Cart".
func Normalize(text string) string {
	text = foldString(text)
	inside, closed := cutLastAny(text, ")]")
	if !closed {
		return text
	}
	inside = strings.TrimRight(inside, " ")
	inside = strings.TrimSuffix(inside, "+")
	before := strings.TrimRight(inside, "0123456789., ")
	count := strings.TrimLeft(inside[len(before):], " ")
	if count == "" || count[0] < '0' || '9' < count[0] {
		return text
	}
	before, opened := cutLastAny(before, "([")
	if !opened {
		return text
	}
	return strings.TrimRight(before, " ")
}

// cutLastAny cuts the last byte off when it is one of chars.
func cutLastAny(s, chars string) (string, bool) {
	if s == "" || !strings.Contains(chars, s[len(s)-1:]) {
		return s, false
	}
	return s[:len(s)-1], true
}
