package compressor

import (
	"bytes"
	"slices"
)

// find says which items of an outline a query keeps, nil when it finds none: the
// best, what they stand under, and the whole row or entry around them.
func (o *outline) find(terms []string) []bool {
	order, up := o.order()
	type match struct {
		item  int32
		score int
	}
	var matches []match
	var text []byte
	all := false
	for _, k := range order {
		it := &o.items[k]
		if it.record == none {
			continue
		}
		text = o.appendSearchedItem(text[:0], it)
		score := 0
		for _, term := range terms {
			if bytes.Contains(text, []byte(term)) {
				score++
			}
		}
		if score > 0 {
			matches = append(matches, match{k, score})
		}
		all = all || score == len(terms)
	}
	if len(matches) == 0 {
		return nil
	}
	if all {
		matches = slices.DeleteFunc(matches, func(m match) bool { return m.score < len(terms) })
	}
	slices.SortStableFunc(matches, func(a, b match) int { return b.score - a.score })
	keep := make([]bool, len(o.items))
	for _, m := range matches[:min(len(matches), maxFound)] {
		keep[m.item] = true
		for k := m.item; k != none; k = up[k] {
			if it := &o.items[k]; it.record != none && o.tree.roles[o.records[it.record].role].kind&entry != 0 {
				o.each(it.kids, func(j int32) bool {
					keep[j] = true
					return true
				})
				break
			}
		}
	}
	return o.withLines(keep, order, up)
}

// keepWith keeps the items that pass and what they stand under.
func (o *outline) keepWith(pass func(*item) bool) []bool {
	order, up := o.order()
	keep := make([]bool, len(o.items))
	for _, k := range order {
		keep[k] = pass(&o.items[k])
	}
	return o.withLines(keep, order, up)
}

// withLines also keeps what kept items stand under, and what stands on a line with
// what is kept.
func (o *outline) withLines(keep []bool, order, up []int32) []bool {
	for _, k := range slices.Backward(order) {
		if keep[k] && up[k] != none {
			keep[up[k]] = true
		}
	}
	lines := func(j int32, on bool) {
		for ; j != none; j = o.items[j].next {
			if o.items[j].join == ownLine {
				on = false
				for e := j; e != none && (e == j || o.items[e].join != ownLine); e = o.items[e].next {
					on = on || keep[e]
				}
			}
			keep[j] = keep[j] || on
		}
	}
	lines(o.top.first, false)
	for _, k := range order {
		lines(o.items[k].kids.first, keep[k])
	}
	return keep
}

// order lists the items as they are shown, and gives each the one it stands under.
func (o *outline) order() (order, up []int32) {
	up = make([]int32, len(o.items))
	type place struct{ item, up int32 }
	todo := []place{{o.top.first, none}}
	for len(todo) > 0 {
		at := &todo[len(todo)-1]
		if at.item == none {
			todo = todo[:len(todo)-1]
			continue
		}
		k := at.item
		order, up[k] = append(order, k), at.up
		at.item = o.items[k].next
		todo = append(todo, place{o.items[k].kids.first, k})
	}
	return order, up
}

// each visits the items of a list and what stands under them, as they are shown; visit
// says whether to go below.
func (o *outline) each(l list, visit func(k int32) bool) {
	todo := []int32{l.first}
	for len(todo) > 0 {
		k := todo[len(todo)-1]
		if k == none {
			todo = todo[:len(todo)-1]
			continue
		}
		todo[len(todo)-1] = o.items[k].next
		if visit(k) {
			todo = append(todo, o.items[k].kids.first)
		}
	}
}

// appendSearchedItem appends the text of an item in which terms are looked for, in
// lower case: role, name, value and states, and beyond the base rules description,
// placeholder, address and uid.
func (o *outline) appendSearchedItem(b []byte, it *item) []byte {
	r := &o.records[it.record]
	b = append(append(b, it.role...), ' ')
	b = append(appendLower(b, it.name), ' ')
	b = appendLower(b, it.value)
	if it.flags&isText != 0 {
		return b
	}
	for _, label := range stateLabels(r.state & printed) {
		b = append(append(b, ' '), label...)
	}
	if r.node == none || it.flags&hasUIDShown == 0 {
		return b
	}
	n := &o.tree.nodes[r.node]
	m, a := o.tree.more(n), o.attributes(&o.Frames[r.frame], n)
	for _, more := range []string{it.near, m.description, a.placeholder, m.url} {
		if more != "" {
			b = appendLower(append(b, ' '), more)
		}
	}
	return o.appendUID(append(b, ' '), r)
}
