package compressor

import (
	"cmp"
	"slices"
	"strconv"
)

// record is one line of a view to be: a node that says something.
type record struct {
	node  int32 // in tree.nodes; -1 for a frame whose iframe is not in its parent's tree
	frame int32 // in Page.Frames
	up    int32 // record that it stands under, -1 for none
	depth int32
	name  string
	value string
	state state // printed states, and whether it is focusable or clickable
	uid   string
	dead  bool // its text is said elsewhere
}

func (p *Page) nodeOf(r *record) *node { return &p.tree.nodes[r.node] }

// role returns a record's role; a forced one is generic.
func (p *Page) role(r *record) *role {
	if r.node < 0 {
		return &iframe
	}
	if n := p.nodeOf(r); !n.ignored {
		return &p.tree.roles[n.role]
	}
	return &generic
}

var (
	iframe  = newRole("iframe", "iframe")
	generic = newRole("generic", "generic")
)

// facts returns what the layout says of a node of frame f.
func (p *Page) facts(f *Frame, n *node) facts { return p.layouts[f.Session][n.backend] }

// forced says that an ignored node becomes a record all the same: it listens to
// clicks, and nothing else would stand for it.
func (p *Page) forced(f *Frame, n *node) bool {
	return n.ignored && !n.repeat && n.backend > 0 && p.facts(f, n)&layoutClickable != 0
}

// record makes the record of a node of frame f; false when the node prints nothing.
func (p *Page) record(f *Frame, n *node) (record, bool) {
	if !n.live() && !p.forced(f, n) {
		return record{}, false
	}
	r := record{state: n.state}
	if p.facts(f, n)&layoutClickable != 0 {
		r.state |= clickable
	}
	is := &generic
	if !n.ignored {
		r.name, r.value = p.tree.text(n.name), p.tree.text(n.value)
		is = &p.tree.roles[n.role]
	}
	silent := r.name == "" && r.value == ""
	switch {
	case is.kind&inlineBox != 0:
		return r, false
	case is.kind&label != 0 && silent && r.state&printed == 0:
		return r, false
	case is.kind&box != 0 && silent && r.state&(printed&^editable|focusable|clickable) == 0:
		return r, false
	}
	return r, true
}

// hasUID says that a record is something to act on.
func hasUID(backend int64, is *role, s state) bool {
	if backend <= 0 || is.kind&document != 0 {
		return false
	}
	return is.kind&(control|structural) != structural || s&(focusable|clickable) != 0
}

// walk makes the records of all frames, in page order, and names their uids.
func (p *Page) walk() {
	p.below = map[int32]int{}
	children := map[string][]int{} // by the parent's frameId
	known := map[string]bool{}
	for _, f := range p.Frames {
		known[f.ID] = true
	}
	for k, f := range p.Frames {
		if k != p.root {
			parent := f.Parent
			if !known[parent] || parent == f.ID {
				parent = p.Frames[p.root].ID
			}
			children[parent] = append(children[parent], k)
		}
	}
	p.place = make([]place, len(p.tree.nodes))
	p.frameRecords(p.root, -1, 0, children)

	seen := map[string]int{}
	for i := range p.records {
		r := &p.records[i]
		if r.node < 0 {
			continue
		}
		if n := p.nodeOf(r); hasUID(n.backend, p.role(r), r.state) {
			r.uid = uid(p.Frames[r.frame].Session, n.backend)
			if seen[r.uid]++; seen[r.uid] > 1 {
				r.uid += "_" + strconv.Itoa(seen[r.uid])
			}
		}
	}
	for k := range p.Frames {
		p.dropRepeatedText(int32(k))
	}
}

func uid(session int, backend int64) string {
	if session > 0 {
		return "f" + strconv.Itoa(session) + "u" + strconv.FormatInt(backend, 36)
	}
	return "u" + strconv.FormatInt(backend, 36)
}

// frameRecords appends the records of frame k under a record, each child
// frame's behind those under its iframe. Frames nest as far as pages do.
func (p *Page) frameRecords(k int, up, depth int32, children map[string][]int) {
	f := &p.Frames[k]
	below := children[f.ID]
	delete(children, f.ID) // frames that name each other as parents end here
	if f.Err != "" {
		return
	}
	// The records of an iframe, by its backendDOMNodeId, and where the records
	// under it end: there its frames go in.
	type join struct {
		owner int32 // local index
		end   int32 // local index
		frame int
	}
	local := p.walkFrame(k)
	var joins []join
	if len(below) > 0 {
		owners := map[int64]int32{}
		for i, r := range local {
			if n := p.nodeOf(&r); n.backend > 0 {
				if _, twice := owners[n.backend]; !twice {
					owners[n.backend] = int32(i)
				}
			}
		}
		for _, child := range below {
			owner, ok := owners[p.Frames[child].owner]
			if !ok {
				owner = -1
			}
			end := int32(len(local))
			if ok {
				end = owner + 1
				for end < int32(len(local)) && local[end].depth > local[owner].depth {
					end++
				}
			}
			joins = append(joins, join{owner, end, child})
		}
		slices.SortStableFunc(joins, func(a, b join) int { return cmp.Compare(a.end, b.end) })
	}
	at := make([]int32, len(local)) // local index → index in p.records
	splice := func(j join) {
		owner, under := up, depth+1
		if j.owner >= 0 {
			owner, under = at[j.owner], p.records[at[j.owner]].depth+1
		} else {
			// The iframe is not in the tree: a line of its own stands for it.
			if len(at) > 0 {
				owner = at[0]
			}
			p.records = append(p.records, record{node: -1, frame: int32(k), up: owner, depth: under})
			owner, under = int32(len(p.records)-1), under+1
		}
		p.below[owner] = j.frame
		p.frameRecords(j.frame, owner, under, children)
	}
	for i, r := range local {
		for len(joins) > 0 && joins[0].end <= int32(i) {
			splice(joins[0])
			joins = joins[1:]
		}
		at[i] = int32(len(p.records))
		if r.up >= 0 {
			r.up = at[r.up]
		} else {
			r.up = up
		}
		r.depth += depth
		p.records = append(p.records, r)
	}
	for _, j := range joins {
		splice(j)
	}
}

// place is where a node stands in its frame's walk.
type place struct {
	up    int32 // node above it, -1 for none
	first int32 // number in the walk, from 1; 0 was not reached
	last  int32 // highest number below it
}

// walkFrame goes depth first over the nodes of one frame: from those that no
// other lists as a child, then from what is left, each node once. up and depth of
// the records it returns are those within the frame.
func (p *Page) walkFrame(k int) []record {
	f, t := &p.Frames[k], &p.tree
	listed := make([]bool, f.to-f.from)
	for i := f.from; i < f.to; i++ {
		n := &t.nodes[i]
		for _, kid := range t.kids[n.kid:n.end] {
			if kid >= 0 && kid != i && !n.repeat {
				listed[kid-f.from] = true
			}
		}
	}
	type visit struct {
		node, up int32 // up: node
		record   int32 // that it stands under
		depth    int32
	}
	var open []visit
	var order []int32
	var records []record
	number := int32(0)
	from := func(root int32) {
		open = append(open[:0], visit{root, -1, -1, 0})
		for len(open) > 0 {
			v := open[len(open)-1]
			open = open[:len(open)-1]
			at, n := &p.place[v.node], &t.nodes[v.node]
			if at.first > 0 || n.repeat {
				continue
			}
			number++
			*at = place{v.up, number, number}
			order = append(order, v.node)
			if r, ok := p.record(f, n); ok {
				r.node, r.frame, r.up, r.depth = v.node, int32(k), v.record, v.depth
				v.record, v.depth = int32(len(records)), v.depth+1
				records = append(records, r)
			}
			for c := n.end - 1; c >= n.kid; c-- {
				if kid := t.kids[c]; kid >= 0 && p.place[kid].first == 0 {
					open = append(open, visit{kid, v.node, v.record, v.depth})
				}
			}
		}
	}
	for _, rest := range []bool{false, true} {
		for i := f.from; i < f.to; i++ {
			if (rest || !listed[i-f.from]) && p.place[i].first == 0 {
				from(i)
			}
		}
	}
	for i := len(order) - 1; i >= 0; i-- { // below before above
		at := &p.place[order[i]]
		if at.up >= 0 {
			p.place[at.up].last = max(p.place[at.up].last, at.last)
		}
	}
	return records
}

// dropRepeatedText marks the texts of a frame that another record's name or
// value says too.
func (p *Page) dropRepeatedText(k int32) {
	t := &p.tree
	said := map[string]bool{}
	for i := range p.records {
		r := &p.records[i]
		if r.frame != k || r.node < 0 || p.role(r).kind&staticText != 0 {
			continue
		}
		for _, text := range []string{r.name, r.value} {
			if text != "" {
				said[t.lower(text)] = true
			}
		}
	}
	for i := range p.records {
		r := &p.records[i]
		if r.frame == k && r.node >= 0 && p.role(r).kind&staticText != 0 && r.name != "" && said[t.lower(r.name)] {
			r.dead = true
		}
	}
}
