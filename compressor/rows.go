// What of a table and of a select stands on one line.

package compressor

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
	options.flags |= isLine
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
	it.cells = int32(cells)
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
	cells := int32(0)
	for k := rows.first; k != none; k = o.items[k].next {
		row := &o.items[k]
		if row.role == "th" && heads == nil {
			heads, cells = append(heads, row.name), row.cells
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
		for j := row.kids.first; row.cells == cells && cells > 0 && j != none; j = o.items[j].next {
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
