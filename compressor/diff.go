package compressor

import "sort"

// maxFreshLevel bounds the indentation of what is new.
const maxFreshLevel = 50

// Diff says what is different on a page that was read before: the items that came,
// went or changed, by uid, or by the node where they have none. Nothing new is one
// word. Both are shown by balanced, with the options of o; uids keep their spelling.
func Diff(before, after *Page, o Options) *View {
	o.Profile, o.Format, o.Query = Balanced, "", ""
	old, now := before.listed(o), after.listed(o)
	w := now.writer()
	_, up := now.order()
	in := int32(none)
	mark := func(sign string, k int32, o *Object, level int) {
		w.newLine(sign)
		o.Level = level
		w.plain(o)
		if level > 0 {
			return
		}
		around := up[k]
		for around != none && (now.items[around].record == none || now.items[around].name == "") {
			around = up[around]
		}
		if around != in {
			w.within(up[k], up)
			in = around
		}
	}
	fresh := make([]int, len(now.items)) // by item: 1 + how deep it stands in what is new
	for _, k := range now.shown {
		line := now.lines[k]
		was, known := old.byKey[line.key]
		switch {
		case !known:
			level := 0
			if up[k] != none {
				level = min(fresh[up[k]], maxFreshLevel)
			}
			fresh[k] = level + 1
			mark("+ ", k, line.object, level)
		case old.lines[was].text != line.text:
			mark("~ ", k, line.object, 0)
		}
	}
	w.moves(old, now)
	gone := old.writer()
	_, oldUp := old.order()
	lost := make([]bool, len(old.items))
	var removed []int32
	for _, k := range old.shown {
		line := old.lines[k]
		if _, known := now.byKey[line.key]; known {
			continue
		}
		lost[k] = true
		if oldUp[k] != none && lost[oldUp[k]] {
			continue // with what it stood in
		}
		removed = append(removed, k)
	}
	if len(removed) > maxRemoved {
		// As when a dialog takes the page behind it out of reach.
		all := &Below{}
		for _, k := range removed {
			all.Nodes++
			if old.items[k].flags&hasUIDShown != 0 {
				all.Controls++
			}
			if below := gone.count(old.items[k].kids.first); below != nil {
				all.Nodes, all.Controls = all.Nodes+below.Nodes, all.Controls+below.Controls
			}
		}
		w.newLine("- ")
		w.plain(&Object{Role: "note", Name: "what else was there", Below: all})
		removed = nil
	}
	for _, k := range removed {
		line := old.lines[k]
		w.newLine("- ")
		line.object.Below = gone.count(old.items[k].kids.first)
		line.object.Level = 0
		uids := w.uids
		w.plain(line.object)
		w.uids = uids // it names nothing any more
	}
	if w.text.Len() == 0 {
		w.text.WriteString("unchanged")
	}
	return w.view()
}

// maxRemoved is how many removed items are listed one by one.
const maxRemoved = 20

func (w *writer) newLine(sign string) {
	if w.text.Len() > 0 {
		w.text.WriteByte('\n')
	}
	w.text.WriteString(sign)
}

// moves writes the items that stand in another order than before among those around
// them: as few as say it.
func (w *writer) moves(old, now *listing) {
	_, oldUp := old.order()
	_, up := now.order()
	stood := map[key]int{} // place in the old order
	for n, k := range old.shown {
		stood[old.lines[k].key] = n
	}
	around := map[int32][]int32{} // by item: what stands under it and did before, in its present order
	var in []int32
	for _, k := range now.shown {
		was, known := old.byKey[now.lines[k].key]
		if !known || !sameUp(old, now, oldUp[was], up[k]) {
			continue
		}
		if around[up[k]] == nil {
			in = append(in, up[k])
		}
		around[up[k]] = append(around[up[k]], k)
	}
	for _, at := range in {
		kids := around[at]
		places := make([]int, len(kids))
		for i, k := range kids {
			places[i] = stood[now.lines[k].key]
		}
		for i, stays := range longestRise(places) {
			if stays {
				continue
			}
			object := *now.lines[kids[i]].object
			w.newLine("> ")
			object.Level, object.Below = 0, nil
			w.plain(&object)
			if i == 0 {
				w.text.WriteString(" first")
			} else {
				before := now.lines[kids[i-1]].object
				w.text.Write(appendQuote([]byte(" behind "), cut(before.Role+" "+before.Name, lightNames)))
			}
		}
	}
}

// sameUp says that two items stand under the same one.
func sameUp(old, now *listing, a, b int32) bool {
	if a == none || b == none {
		return a == b
	}
	return old.lines[a].key == now.lines[b].key
}

// longestRise marks the members of a longest rising part of a list.
func longestRise(list []int) []bool {
	last := []int{} // by length: place of the least end of a rising part so long
	before := make([]int, len(list))
	for i, v := range list {
		n := sort.Search(len(last), func(n int) bool { return list[last[n]] >= v })
		before[i] = none
		if n > 0 {
			before[i] = last[n-1]
		}
		if n == len(last) {
			last = append(last, i)
		} else {
			last[n] = i
		}
	}
	stays := make([]bool, len(list))
	if len(last) > 0 {
		for i := last[len(last)-1]; i != none; i = before[i] {
			stays[i] = true
		}
	}
	return stays
}

// plain writes an object behind what stands on its line already.
func (w *writer) plain(o *Object) {
	for range o.Level {
		w.text.WriteByte(' ')
	}
	level := o.Level
	o.Level = 0
	one := w.writer()
	one.object(o, ownLine)
	o.Level = level
	w.text.WriteString(one.text.String())
	w.uids = append(w.uids, one.uids...)
}

// listing is an outline whose items can be told apart.
type listing struct {
	*outline
	shown []int32          // in order, but for cells without content
	lines map[int32]listed // by item
	byKey map[key]int32
}

type listed struct {
	key    key
	text   string
	object *Object
}

// key is what an item is known by: its node, or what it stands in and its place there.
type key struct {
	address
	frame string
	role  string
	up    int32
	place int
}

func (p *Page) listed(o Options) *listing {
	out := p.outline(o, none)
	l := &listing{outline: out, lines: map[int32]listed{}, byKey: map[key]int32{}}
	w := out.writer()
	order, up := out.order()
	places := map[key]int{}
	for _, k := range order {
		it := &out.items[k]
		if it.record == none {
			continue
		}
		r := &out.records[it.record]
		id := key{frame: out.Frames[r.frame].LoaderID}
		if r.node != none && out.tree.nodes[r.node].backend > 0 {
			id.address = address{out.Frames[r.frame].Session, out.tree.nodes[r.node].backend, r.nth}
			id.role = it.role
		} else {
			id.role, id.up = it.role, up[k]
			id.place = places[id]
			places[id]++
		}
		if _, taken := l.byKey[id]; taken {
			id.place = len(l.byKey)
		}
		object := w.describe(it)
		one := out.writer()
		one.object(object, ownLine)
		l.shown = append(l.shown, k)
		l.lines[k] = listed{id, one.text.String(), object}
		l.byKey[id] = k
	}
	return l
}
