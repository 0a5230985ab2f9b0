package compressor

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// outline is a page as balanced and light show it: the same records, of which
// what repeats, wraps or says nothing is left out and what belongs on one line
// stands there (docs/FORMAT.md, Balanced).
//
// It is made in one pass from the last record to the first, so that a record
// always finds what stands under it settled.
type outline struct {
	*Page
	opt     Options
	items   []item
	top     list
	root    int32   // record
	end     int32   // behind its last
	parents []int32 // by node
	texts   []bool  // by node: a text stands in it directly
	labels  map[spoken]bool
	visible []bool // by record, nil when all are shown
	spare   []bool // by record: it is shown with the uid it would have, nil unless all are to be
	scratch []byte
}

// item is one thing that a view shows: a record, or a run of texts.
type item struct {
	record int32 // none for a cell without content
	last   int32 // record of the last text in a run
	next   int32
	block  int32 // node in whose flow it stands
	kids   list
	join   join
	flags  flags
	role   string // as printed, "" for text
	name   string
	value  string
	near   string // text that stands before it, or over its column, where it has no name
	more   int32  // items that are left out behind it
}

// join says how an item follows the one before it.
type join uint8

const (
	ownLine  join = iota
	inFlow        // " · "
	nextCell      // " | "
)

type flags uint8

const (
	hasUIDShown flags = 1 << iota
	isText
	isCell
	isHeading
	isUnseen // a person cannot see it
	isHoisted
)

// list is a chain of items.
type list struct{ first, last int32 }

var empty = list{none, none}

// spoken is a name in a frame, without white space, in lower case.
type spoken struct {
	frame int32
	text  string
}

// maxClickableName is how long the text of something clickable may be to become its
// name, in bytes; longer text stands under it.
const maxClickableName = 200

// outline shapes the records that stand under root, itself among them; root none
// is the whole page.
func (p *Page) outline(o Options, root int32) *outline {
	out := &outline{Page: p, opt: o, root: root, end: int32(len(p.records)), top: empty}
	if root != none {
		out.end = p.endOf(root)
	}
	from := max(root, 0)
	out.items = make([]item, 0, (out.end-from)/2+8)
	out.parents, out.texts = p.parents()
	out.labels = out.fieldNames()
	out.visible = out.filter()
	if o.Handles == "all" {
		out.spare = p.spare()
	}
	under := make([]list, out.end-from)
	for i := range under {
		under[i] = empty
	}
	for i := out.end - 1; i >= from; i-- {
		l := out.shape(i, under[i-from])
		if up := p.records[i].parent; i > from && up >= from {
			under[up-from] = out.chain(l, under[up-from])
		} else {
			out.top = out.chain(l, out.top)
		}
	}
	if !o.isFull() {
		out.top = out.settle(out.top)
	}
	return out
}

// parents gives each node the node that lists it first, and says in which a text
// stands directly.
func (p *Page) parents() (up []int32, texts []bool) {
	up, texts = make([]int32, len(p.tree.nodes)), make([]bool, len(p.tree.nodes))
	for i := range up {
		up[i] = none
	}
	for i := range p.tree.nodes {
		n := &p.tree.nodes[i]
		if n.repeat {
			continue
		}
		for _, kid := range p.tree.kids[n.kid:n.end] {
			if kid == none || up[kid] != none || kid == int32(i) {
				continue
			}
			up[kid] = int32(i)
			if one := &p.tree.nodes[kid]; one.live() && p.tree.roles[one.role].kind&staticText != 0 && one.name.to > one.name.from+3 {
				texts[i] = true
			}
		}
	}
	return up, texts
}

// fieldNames are the names of fields: what a label with such a text says.
func (o *outline) fieldNames() map[spoken]bool {
	names := map[spoken]bool{}
	for i := range o.records {
		r := &o.records[i]
		if r.name != "" && o.tree.roles[r.role].kind&labelled != 0 {
			names[spoken{r.frame, o.squash(r.name)}] = true
		}
	}
	return names
}

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

func (o *outline) chain(a, b list) list {
	switch {
	case a.first == none:
		return b
	case b.first == none:
		return a
	}
	o.items[a.last].next = b.first
	return list{a.first, b.last}
}

func (o *outline) add(it item) list {
	it.next = none
	o.items = append(o.items, it)
	k := int32(len(o.items) - 1)
	return list{k, k}
}

// only keeps the items of a list that pass.
func (o *outline) only(l list, pass func(*item) bool) list {
	kept := empty
	for k := l.first; k != none; {
		next := o.items[k].next
		o.items[k].next = none
		if pass(&o.items[k]) {
			kept = o.chain(kept, list{k, k})
		}
		k = next
	}
	return kept
}

// isLeaf says that nothing stands under an item.
func (it *item) isLeaf() bool { return it.kids.first == none }

// isBare says that an item is a leaf that nobody can act on: what is said of it is
// all there is to it.
func (it *item) isBare() bool { return it.isLeaf() && it.flags&hasUIDShown == 0 }

// shape makes items of a record and of what stands under it.
func (o *outline) shape(i int32, l list) list {
	r := &o.records[i]
	role := &o.tree.roles[r.role]
	k := role.kind
	it := item{record: i, last: i, block: o.blockOf(r), kids: empty, role: role.printed, name: r.name, value: r.value}
	if s, ok := short[role.name]; ok {
		it.role = s
	}
	asked := i == o.root
	if o.showsUID(i) || asked && r.nth > 0 {
		it.flags |= hasUIDShown
	}
	if o.unseen(r) {
		it.flags |= isUnseen
	}
	if o.visible != nil && !o.visible[i] && !asked {
		return l
	}
	if o.opt.isFull() {
		if r.repeat && !asked {
			return l
		}
		it.role, it.kids = role.printed, l
		if r.name == r.value {
			it.value = ""
		}
		if k&staticText != 0 {
			it.flags |= isText
		}
		return o.add(it)
	}
	if o.isSecret(r) {
		// What stands in the field is its value, or a part of it.
		l = o.only(l, func(kid *item) bool { return kid.flags&(isText|hasUIDShown) != isText })
		if it.value != "" && !o.revealed[i] {
			it.value = hiddenValue
		}
	}
	plain := it.flags&hasUIDShown == 0 && !asked // nothing but what it says
	switch {
	case k&staticText != 0:
		if r.name == "" && plain {
			return l
		}
		it.flags |= isText
		return o.chain(o.add(it), l)
	case k&unprinted != 0 && plain:
		return o.only(l, func(kid *item) bool { return !kid.isBare() })
	case k&inline != 0 && plain:
		if l.first == none && r.name != "" {
			it.role = ""
			it.flags |= isText
			return o.add(it)
		}
		return l
	case r.node == none: // an iframe that was not read
		it.kids = o.settle(l)
		return o.add(it)
	}
	if role.name == "menulistpopup" && plain {
		return o.options(l)
	}
	if k&(document|tableRow) == 0 {
		unseen := it.flags&hasUIDShown == 0 && o.allUnseen(l)
		if l = o.withoutRepeats(&it, k, l); unseen && l.first == none {
			it.flags |= isUnseen // it says nothing else
		}
	}
	if it.name == it.value {
		it.value = ""
	}
	said := r.state & printed &^ (editable | focused)
	silent := plain && it.name == "" && it.value == "" && said == 0
	if o.spare != nil && role.name == "list" {
		silent = false // its items are asked for by it
	}
	_, framed := o.below[i]
	if silent && !framed && o.boxless(r) {
		return l
	}
	if k&tableCell != 0 {
		it.flags |= isCell
		it.kids = o.lead(&it, o.settle(l))
		if k&seeThrough != 0 && silent && it.isLeaf() && it.name == "" {
			return o.add(it)
		}
		return o.add(it)
	}
	if k&tableRow != 0 {
		if row, ok := o.row(&it, l); ok {
			return row
		}
		l = o.uncelled(l, role.name == "layouttablerow")
		if role.name == "layouttablerow" && silent {
			return l
		}
	}
	if silent && k&seeThrough != 0 {
		if k&label == 0 {
			return l
		}
		return l
	}
	if role.name == "heading" {
		it.flags |= isHeading
		if level := o.tree.more(&o.tree.nodes[r.node]).level; level > 0 && level < 7 {
			it.role = "h" + string(rune('0'+level))
		}
	}
	if it.name == "" && it.flags&hasUIDShown != 0 && k&(control|document) == 0 {
		l = o.nameOf(&it, l)
	}
	if role.name == "generic" && r.state&clickable != 0 {
		it.role = "clickable"
	}
	if role.name == "generic" && r.state&editable != 0 && it.flags&hasUIDShown != 0 {
		it.role = "textbox"
	}
	l = o.settle(l)
	if k&tabular != 0 {
		o.headColumns(l)
	}
	if silent && k&(document|solid) == 0 && !framed {
		switch {
		case l.first == none:
			return l
		case l.first == l.last && k&landmark == 0 && it.flags&isHeading == 0 && o.items[l.first].flags&isText == 0:
			return l
		}
	}
	if k&(document|landmark) == 0 || it.flags&isHeading != 0 {
		l = o.lead(&it, l)
	}
	it.kids = l
	return o.add(it)
}

// showsUID says whether a record's uid is of use: it is a control, takes the focus
// or listens to clicks, or all are asked for.
func (o *outline) showsUID(i int32) bool {
	r := &o.records[i]
	switch {
	case r.node == none:
		return false
	case r.nth == 0:
		return false
	}
	return o.opt.isFull() || o.tree.roles[r.role].kind&(control|actedOn) != 0 || r.state&(focusable|clickable) != 0
}

// unseen says that a person does not see a record.
func (o *outline) unseen(r *record) bool {
	why := layoutUnseen
	if o.tree.roles[r.role].kind&staticText != 0 {
		why |= layoutHidden // an element without a box may have parts that have one
	}
	return r.node != none && o.facts(&o.Frames[r.frame], &o.tree.nodes[r.node])&why != 0
}

// allUnseen says that there are items, and that a person sees none of them.
func (o *outline) allUnseen(l list) bool {
	for k := l.first; k != none; k = o.items[k].next {
		if o.items[k].flags&isUnseen == 0 {
			return false
		}
	}
	return l.first != none
}

// boxless says that layout is known and gives a record no box.
func (o *outline) boxless(r *record) bool {
	if r.node == none {
		return false
	}
	return o.facts(&o.Frames[r.frame], &o.tree.nodes[r.node])&(layoutKnown|layoutBox) == layoutKnown
}

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

// settle joins the texts of a list that run on in one flow, and puts what stands
// between them on their line.
func (o *outline) settle(l list) list {
	out, several, near := empty, l.first != l.last, ""
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
			if it := &o.items[j]; it.flags&(hasUIDShown|isText) == hasUIDShown && it.name == "" && it.isLeaf() {
				it.near = near
			}
			if near = ""; o.items[j].flags&isText != 0 {
				near = o.items[j].name
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

// after is the first item of a list behind what it was before.
func (o *outline) after(before, now list) int32 {
	if before.first == none {
		return now.first
	}
	return o.items[before.last].next
}

// flows says that an item may stand on a line with others.
func (o *outline) flows(it *item) bool {
	return it.isLeaf() && it.join == ownLine && it.block != none && it.flags&(isCell|isHeading) == 0 && (it.flags&(isText|hasUIDShown) != 0 || it.role == "img")
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
			if o.spaceAt(before.last, true) || o.spaceAt(it.record, false) || !strings.ContainsRune("([{“‘«/#$£€", last) && !strings.ContainsRune(",.;:!?)]}%”’»/", first) {
				b.WriteByte(' ')
			}
		}
		b.WriteString(it.name)
	}
	return b.String()
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

// options puts the options of a closed select on one line, each group on its own.
func (o *outline) options(l list) list {
	isOption := func(it *item) bool {
		return it.isLeaf() && it.record != none && o.tree.roles[o.records[it.record].role].name == "option"
	}
	line := func(it item, l list) (item, list) {
		rest, n := empty, 0
		it.kids = empty
		for k := l.first; k != none; {
			next := o.items[k].next
			o.items[k].next = none
			one := &o.items[k]
			switch {
			case !isOption(one):
				rest = o.chain(rest, list{k, k})
			case n >= maxOptions:
				it.more++
			default:
				one.role, one.join = "", nextCell
				one.flags = one.flags&^hasUIDShown | isText
				it.kids = o.chain(it.kids, list{k, k})
				n++
			}
			k = next
		}
		return it, rest
	}
	for k := l.first; k != none; k = o.items[k].next {
		it := &o.items[k]
		if it.record != none && o.tree.roles[o.records[it.record].role].name == "group" {
			grouped, rest := line(*it, it.kids)
			grouped.role, grouped.kids = "optgroup", o.chain(grouped.kids, rest)
			grouped.next = it.next
			*it = grouped
		}
	}
	options, rest := line(item{record: none, block: none, role: "options"}, l)
	if options.kids.first == none {
		return rest
	}
	options.record, options.last = o.items[options.kids.first].record, o.items[options.kids.first].record
	o.items[options.kids.first].join = inFlow
	return o.chain(o.add(options), rest)
}

// row puts the cells of a row on one line, when each is plain.
func (o *outline) row(it *item, l list) (list, bool) {
	heads, cells := true, 0
	said := it.name
	it.name = ""
	for k := l.first; k != none; k = o.items[k].next {
		cell := &o.items[k]
		if cell.flags&isCell == 0 {
			return empty, false
		}
		cells++
		heads = heads && o.tree.roles[o.records[cell.record].role].name == "columnheader"
		n := 0
		for j := cell.kids.first; j != none; j, n = o.items[j].next, n+1 {
			if !o.items[j].isLeaf() || n == 12 {
				return empty, false
			}
		}
	}
	if cells == 0 {
		it.name = said
		return empty, false
	}
	if heads {
		it.role = "th"
	}
	kids, trailing, n := empty, empty, 0 // trailing: cells without content that may be the last
	for k := l.first; k != none; n++ {
		next := o.items[k].next
		cell := &o.items[k]
		cell.next = none
		inside := cell.kids
		cell.kids = empty
		for j := inside.first; j != none; j = o.items[j].next {
			o.items[j].join = inFlow
		}
		content := inside
		keep := cell.flags&hasUIDShown != 0 || o.records[cell.record].state&printed&^(editable|focused) != 0
		switch {
		case keep:
			content = o.chain(list{k, k}, inside)
		case cell.name != "" && n == 0 && it.name == "" && o.spare == nil && cell.flags&isUnseen == it.flags&isUnseen:
			it.name = cell.name
		case cell.name != "":
			cell.role, cell.flags = "", cell.flags|isText
			content = o.chain(list{k, k}, inside)
		}
		if content.first == none && n > 0 {
			blank := o.add(item{record: none, last: none, block: none, kids: empty, join: nextCell})
			trailing = o.chain(trailing, blank)
		} else if content.first != none {
			if o.items[content.first].join = nextCell; n == 0 {
				o.items[content.first].join = inFlow
			}
			kids = o.chain(o.chain(kids, trailing), content)
			trailing = empty
		}
		k = next
	}
	if it.name == "" && kids.first == none && it.flags&hasUIDShown == 0 {
		return empty, true
	}
	it.kids = kids
	return o.add(*it), true
}

// headColumns tells what stands without a name in a row by the head of its column.
func (o *outline) headColumns(rows list) {
	var heads []string
	for k := rows.first; k != none; k = o.items[k].next {
		row := &o.items[k]
		if row.role == "th" && heads == nil {
			heads = append(heads, row.name)
			for j := row.kids.first; j != none; j = o.items[j].next {
				if o.items[j].join == nextCell {
					heads = append(heads, o.items[j].name)
				} else if heads[len(heads)-1] == "" {
					heads[len(heads)-1] = o.items[j].name
				}
			}
			continue
		}
		column := 0
		for j := row.kids.first; heads != nil && j != none; j = o.items[j].next {
			it := &o.items[j]
			if it.join == ownLine {
				break // not one line: it is not known which column it is
			}
			if it.join == nextCell {
				column++
			}
			if it.record != none && it.flags&(hasUIDShown|isText) == hasUIDShown && it.name == "" && column < len(heads) {
				it.near = heads[column]
			}
		}
	}
}

// uncelled makes plain items of cells that do not fit on their row's line.
func (o *outline) uncelled(l list, layout bool) list {
	out := empty
	for k := l.first; k != none; {
		next := o.items[k].next
		it := &o.items[k]
		it.next = none
		said := it.flags&hasUIDShown != 0 || it.record != none && o.records[it.record].state&printed&^(editable|focused) != 0
		switch {
		case it.flags&isCell == 0 || said:
			it.flags &^= isCell
			out = o.chain(out, list{k, k})
		case it.name == "" && (it.isLeaf() || it.kids.first == it.kids.last || layout):
			if it.kids.first != none {
				o.items[it.kids.first].join = ownLine
			}
			out = o.chain(out, it.kids)
		default:
			it.flags &^= isCell
			if layout && it.isLeaf() {
				it.role, it.flags = "", it.flags|isText
			}
			out = o.chain(out, list{k, k})
		}
		k = next
	}
	return out
}

// filter says which records a filter by layout keeps; nil keeps all.
func (o *outline) filter() []bool {
	if o.opt.Filter != "visible" && o.opt.Filter != "viewport" {
		return nil
	}
	visible := make([]bool, len(o.records))
	for i := range o.records {
		r := &o.records[i]
		f := facts(0)
		if r.node != none {
			f = o.facts(&o.Frames[r.frame], &o.tree.nodes[r.node])
		}
		switch {
		case f&layoutKnown == 0: // a text is where what it stands in is
			visible[i] = r.parent == none || visible[r.parent]
		case f&layoutUnseen != 0 || f&layoutHidden != 0:
		case f&layoutBox == 0: // what stands in it may have one
			visible[i] = o.tree.roles[r.role].kind&staticText != 0 && (r.parent == none || visible[r.parent])
		default:
			visible[i] = o.opt.Filter != "viewport" || f&layoutViewport != 0
		}
	}
	return visible
}
