package compressor

import "slices"

// overlays writes the open dialogs, menus and listboxes first, wherever they stand
// in the tree: what lies over the page is what a person sees and must deal with
// (docs/FORMAT.md, Overlays).
func (w *writer) overlays() {
	open := w.openOverlays()
	if len(open) == 0 {
		return
	}
	if w.opt.Format == "json" {
		w.object(&Object{Role: "note", Name: "open overlays"}, ownLine)
	} else {
		w.text.WriteString("[open overlays]")
	}
	for _, k := range open {
		it := &w.items[k]
		rest := it.next
		it.next, it.join = none, ownLine
		w.nested(list{k, k}, 1)
		it.next = rest
	}
	for _, k := range open {
		w.items[k].flags |= isHoisted
	}
}

// openOverlays finds the overlays that are open, outermost only, in page order.
func (w *writer) openOverlays() (open []int32) {
	opened := w.opened()
	w.each(w.top, func(k int32) bool {
		is := w.isOverlay(&w.items[k], opened)
		if is {
			open = append(open, k)
		}
		return !is
	})
	return open
}

// popups are what controls that are expanded have opened.
type popups struct {
	nodes []address       // that they name
	kinds map[string]bool // roles that those announce which name none
}

func (w *writer) opened() popups {
	o := popups{kinds: map[string]bool{}}
	for i := range w.records {
		r := &w.records[i]
		if r.state&expanded == 0 || r.node == none {
			continue
		}
		n := &w.tree.nodes[r.node]
		m := w.tree.more(n)
		role := w.tree.roles[r.role].name
		if m.hasPopup == "" && role != "combobox" {
			continue
		}
		controlled := w.tree.controls(n)
		for _, backend := range controlled {
			o.nodes = append(o.nodes, address{w.Frames[r.frame].Session, backend, 1})
		}
		if len(controlled) > 0 {
			continue
		}
		switch {
		case m.hasPopup == "true":
			o.kinds["menu"] = true
		case m.hasPopup != "":
			o.kinds[m.hasPopup] = true
		default:
			o.kinds["listbox"] = true
		}
		if role == "combobox" {
			o.kinds["listbox"] = true
		}
	}
	return o
}

// isOverlay says that an item is an open overlay, with something in it.
func (w *writer) isOverlay(it *item, opened popups) bool {
	if it.record == none || it.isLeaf() || it.flags&isUnseen != 0 {
		return false
	}
	r := &w.records[it.record]
	if r.node == none {
		return false
	}
	n := &w.tree.nodes[r.node]
	if f := w.facts(&w.Frames[r.frame], n); f&layoutHidden != 0 {
		return false
	}
	switch role := w.tree.roles[r.role].name; role {
	case "dialog", "alertdialog":
		return true
	case "menu", "listbox", "tree", "grid":
		return opened.kinds[role] || slices.Contains(opened.nodes, address{w.Frames[r.frame].Session, n.backend, 1})
	default:
		return slices.Contains(opened.nodes, address{w.Frames[r.frame].Session, n.backend, 1}) && r.state&(focusable|clickable) == 0 && w.tree.roles[r.role].kind&control == 0 && role != "tabpanel" && role != "region"
	}
}

// controls are the nodes that a node says it controls.
func (t *tree) controls(n *node) (backends []int64) {
	r := tree{reader: newReader(t.src[:n.properties.to], t.b[:n.properties.to])}
	r.at = int(n.properties.from)
	if n.properties.from == n.properties.to || r.peek() != '[' {
		return nil
	}
	for more := r.open(']'); more; more = r.next(']') {
		if r.peek() != '{' {
			r.skip()
			continue
		}
		name, nodes := "", []int64(nil)
		for more := r.open('}'); more; more = r.next('}') {
			switch r.key() {
			case "name":
				name = r.str(r.value())
			case "value":
				nodes = r.relatedNodes()
			default:
				r.skip()
			}
		}
		if name == "controls" {
			backends = append(backends, nodes...)
		}
	}
	return backends
}

// relatedNodes reads the backendDOMNodeIds of an AXValue's relatedNodes.
func (t *tree) relatedNodes() (backends []int64) {
	if t.peek() != '{' {
		t.skip()
		return nil
	}
	for more := t.open('}'); more; more = t.next('}') {
		if t.key() != "relatedNodes" || t.peek() != '[' {
			t.skip()
			continue
		}
		for more := t.open(']'); more; more = t.next(']') {
			if t.peek() != '{' {
				t.skip()
				continue
			}
			for more := t.open('}'); more; more = t.next('}') {
				if key := t.key(); key == "backendDOMNodeId" || key == "backendDOMNodeID" {
					backends = append(backends, integer(t.value()))
				} else {
					t.skip()
				}
			}
		}
	}
	return backends
}
