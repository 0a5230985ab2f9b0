package compressor

import ()

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
	cells  int32  // of a row on one line
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
	isLine // it stands for no record of its own
)

// list is a chain of items.
type list struct{ first, last int32 }

var empty = list{none, none}

// spoken is a name in a frame, without white space, in lower case.
type spoken struct {
	frame int32
	text  string
}

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
		return o.whole(it, k, l)
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
	case k&unprinted != 0 && plain && hasWord(r.name): // the number of an item
		it.role, it.flags = "", it.flags|isText
		return o.chain(o.add(it), o.only(l, func(kid *item) bool { return !kid.isBare() }))
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
		return l
	}
	if it.name == "" && it.flags&hasUIDShown != 0 && k&(control|document) == 0 {
		l = o.nameOf(&it, l)
	}
	o.entitle(&it, role.name)
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

// entitle gives an item the role that says what it is: a heading's level, a box that
// is clicked, a box that is typed into.
func (o *outline) entitle(it *item, role string) {
	r := &o.records[it.record]
	switch {
	case role == "heading":
		it.flags |= isHeading
		if level := o.tree.more(&o.tree.nodes[r.node]).level; level > 0 && level < 7 {
			it.role = "h" + string(rune('0'+level))
		}
	case role == "generic" && r.state&editable != 0 && it.flags&hasUIDShown != 0:
		it.role = "textbox"
	case role == "generic" && r.state&clickable != 0:
		it.role = "clickable"
	}
}

// whole is an item of full: the record as it is.
func (o *outline) whole(it item, k kind, l list) list {
	r := &o.records[it.record]
	if r.repeat && it.record != o.root {
		return l
	}
	it.role, it.kids = o.tree.roles[r.role].printed, l
	if r.name == r.value {
		it.value = ""
	}
	if k&staticText != 0 {
		it.flags |= isText
	}
	return o.add(it)
}

// showsUID says whether a record's uid is of use: it is a control, takes the focus
// or listens to clicks, or all are asked for.
func (o *outline) showsUID(i int32) bool {
	r := &o.records[i]
	if r.node == none || r.nth == 0 {
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
