package compressor

import (
	"slices"
)

// check resolves childIds and finds what keeps a frame from being read. What is
// wrong with the root frame declines the whole, what is wrong with another one
// becomes its Err.
func (p *Page) check() *Decline {
	if len(p.Frames) == 0 {
		return decline(ReasonNotAXTree, "no frames")
	}
	p.root = max(0, slices.IndexFunc(p.Frames, func(f Frame) bool { return f.Parent == "" }))
	p.tree.kids = make([]int32, len(p.tree.kidIDs))
	index := map[string]int32{}
	for k := range p.Frames {
		f := &p.Frames[k]
		d := p.checkFrame(f, index)
		if d != nil && k == p.root {
			return d
		}
		if d != nil && f.Err == "" {
			f.Err = string(d.Reason)
		}
	}
	p.tree.kidIDs = nil
	return nil
}

// checkFrame checks one frame. The map is empty space that frames share.
func (p *Page) checkFrame(f *Frame, index map[string]int32) *Decline {
	t := &p.tree
	nodes := t.nodes[f.from:f.to]
	switch {
	case f.Err != "":
		return decline(ReasonNotAXTree, "the frame was not read: %q", f.Err)
	case !f.listed:
		return decline(ReasonNotAXTree, "nodes is no array of objects")
	case len(nodes) == 0:
		return decline(ReasonNotAXTree, "no nodes")
	}
	if i := slices.IndexFunc(nodes, func(n node) bool { return n.id == "" }); i >= 0 {
		return decline(ReasonMissingNodeID, "node at byte %d", nodes[i].from)
	}
	clear(index)
	for i := range nodes {
		n := &nodes[i]
		first, known := index[n.id]
		switch {
		case !known:
			index[n.id] = f.from + int32(i)
		case t.sameFields(&t.nodes[first], n):
			n.repeat = true
		default:
			return decline(ReasonDuplicateNodeID, "node %q at byte %d", n.id, n.from)
		}
	}
	if i := slices.IndexFunc(nodes, func(n node) bool { return n.live() && n.role == 0 }); i >= 0 {
		return decline(ReasonEmptyRole, "node %q at byte %d", nodes[i].id, nodes[i].from)
	}
	listens := func(n node) bool { return p.forced(f, &n) }
	if !slices.ContainsFunc(nodes, func(n node) bool { return n.live() || listens(n) }) {
		return decline(ReasonNoLiveNodes, "%d nodes are ignored", len(nodes))
	}
	if !slices.ContainsFunc(nodes, func(n node) bool { _, ok := p.record(f, &n); return ok }) {
		return decline(ReasonNoRecords, "%d nodes say nothing", len(nodes))
	}
	for i := range nodes {
		for c := nodes[i].kid; c < nodes[i].end; c++ {
			if to, ok := index[t.kidIDs[c]]; ok {
				t.kids[c] = to
			} else {
				t.kids[c] = -1
			}
		}
	}
	return nil
}

// sameFields says that two nodes are equal in every field that is read. Chromium
// lists the text boxes of ::before, ::after and <q> twice, byte for byte alike.
func (t *tree) sameFields(a, b *node) bool {
	if t.src[a.from:a.to] == t.src[b.from:b.to] {
		return true
	}
	return a.backend == b.backend && a.role == b.role && a.state == b.state && a.ignored == b.ignored && a.frameID == b.frameID &&
		t.text(a.name) == t.text(b.name) && t.text(a.value) == t.text(b.value) &&
		slices.Equal(t.kidIDs[a.kid:a.end], t.kidIDs[b.kid:b.end]) && slices.Equal(t.unkept(a), t.unkept(b))
}

// unkept reads a node's fields that no view needs: parentId and description.
func (t *tree) unkept(n *node) []string {
	r := tree{reader: newReader(t.src[:n.to], t.b[:n.to])}
	r.at = n.from
	fields := make([]string, 2)
	for more := r.open('}'); more; more = r.next('}') {
		switch r.key() {
		case "parentId":
			fields[0] = r.str(r.value())
		case "description":
			fields[1] = r.text(r.axValue())
		default:
			r.skip()
		}
	}
	return fields
}
