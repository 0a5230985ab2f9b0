package compressor

import (
	"reflect"
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
	byID := make([]int32, len(p.tree.ids.texts))
	for k := range p.Frames {
		f := &p.Frames[k]
		d := p.checkFrame(f, byID)
		if d != nil && k == p.root {
			return d
		}
		if d == nil {
			continue
		}
		if f.Err == "" {
			f.Err = string(d.Reason)
		}
		for i := f.from; i < f.to; i++ {
			p.tree.nodes[i].end = p.tree.nodes[i].kid // children that are not checked are none
		}
	}
	return nil
}

// checkFrame checks one frame. byID is for numbering its nodes by their ids; what
// is in it of other frames, or of none, does not count.
func (p *Page) checkFrame(f *Frame, byID []int32) *Decline {
	switch {
	case f.Err != "":
		return decline(ReasonNotAXTree, "the frame was not read: %q", f.Err)
	case !f.listed:
		return decline(ReasonNotAXTree, "nodes is no array of objects")
	case f.from == f.to:
		return decline(ReasonNotAXTree, "no nodes")
	}
	t := &p.tree
	nodes := t.nodes[f.from:f.to]
	for i := range nodes {
		if f.ID == "" {
			f.ID = t.ids.texts[nodes[i].frameID]
		}
		if nodes[i].id == noID {
			return decline(ReasonMissingNodeID, "node at byte %d", nodes[i].from)
		}
	}
	isOf := func(id, node int32) bool { return f.from <= node && node < f.to && t.nodes[node].id == id }
	for i := range nodes {
		n := &nodes[i]
		switch first := byID[n.id]; {
		case !isOf(n.id, first) || first >= f.from+int32(i):
			byID[n.id] = f.from + int32(i)
		case t.sameFields(&t.nodes[first], n):
			n.repeat = true
		default:
			return decline(ReasonDuplicateNodeID, "node %q at byte %d", t.ids.texts[n.id], n.from)
		}
	}
	live, records := false, false
	for i := range nodes {
		n := &nodes[i]
		if n.live() && t.roles[n.role].name == "" {
			return decline(ReasonEmptyRole, "node %q at byte %d", t.ids.texts[n.id], n.from)
		}
		live = live || n.live() || p.forced(f, n)
		if !records {
			_, records = p.record(f, n)
		}
	}
	switch {
	case !live:
		return decline(ReasonNoLiveNodes, "all %d nodes are ignored", len(nodes))
	case !records:
		return decline(ReasonNoRecords, "none of %d nodes is shown", len(nodes))
	}
	for i := range nodes {
		for c := nodes[i].kid; c < nodes[i].end; c++ {
			kid := byID[t.kids[c]]
			if !isOf(t.kids[c], kid) {
				kid = none // an iframe's child stands in another frame
			}
			t.kids[c] = kid
		}
	}
	return nil
}

// sameFields says that two nodes are equal in every field that is read. Chromium
// lists the text boxes of ::before, ::after and <q> twice, byte for byte alike.
func (t *tree) sameFields(a, b *node) bool {
	return t.raw(a.span) == t.raw(b.span) || reflect.DeepEqual(t.fields(a), t.fields(b))
}

// fields reads a node once more, with the fields that a view does not need.
type fields struct {
	id, parent, frame, role, name, value, description string
	ignored                                           bool
	backend                                           int64
	properties                                        [][2]string
	children                                          []int32
}

func (t *tree) fields(n *node) (f fields) {
	r := tree{reader: newReader(t.src[:n.to], t.b[:n.to]), ids: t.ids}
	r.at = int(n.from)
	for more := r.open('}'); more; more = r.next('}') {
		switch r.key() {
		case "nodeId":
			f.id = r.str(r.value())
		case "parentId":
			f.parent = r.str(r.value())
		case "frameId", "frameID":
			f.frame = r.str(r.value())
		case "role":
			f.role = r.text(r.axValue())
		case "name":
			f.name = r.text(r.axValue())
		case "value":
			f.value = r.text(r.axValue())
		case "description":
			f.description = r.text(r.axValue())
		case "ignored":
			f.ignored = r.value() == "true"
		case "backendDOMNodeId", "backendDOMNodeID":
			f.backend = integer(r.value())
		case "properties":
			f.properties = nil
			r.properties(func(name string, v raw) { f.properties = append(f.properties, [2]string{name, r.texts.text(v)}) })
		case "childIds":
			r.kids = nil
			r.childIDs()
			f.children = r.kids
		default:
			r.skip()
		}
	}
	return f
}
