package compressor

import (
	"math"
	"strconv"
)

// tree holds the nodes of all frames while and after the payload is read.
type tree struct {
	*reader
	texts
	ids    *ids // nodeIds, childIds and frameIds
	nodes  []node
	kids   []int32 // the children of all nodes: numbers of ids at first, then of nodes or none
	roles  []role
	roleOf map[raw]int32 // in roles
}

// node is one AX node, as far as it is needed. It holds no pointers, so that the
// garbage collector need not look at a million of them.
type node struct {
	span
	name        span
	value       span
	description span
	properties  span
	backend     int64
	id          int32 // in tree.ids
	frameID     int32 // in tree.ids
	kid, end    int32 // its children in tree.kids
	role        int32 // in tree.roles
	state       state
	ignored     bool
	repeat      bool // lists the same node again
}

// noID is the number of a nodeId or frameId that is absent or empty.
const noID = 0

// span is where something stands in the payload; empty where it is absent.
type span struct{ from, to uint32 }

func (t *tree) raw(s span) raw { return raw(t.src[s.from:s.to]) }

// text is what a view shows of the value that stands there.
func (t *tree) text(s span) string { return t.texts.text(t.raw(s)) }

func (n *node) live() bool { return !n.ignored && !n.repeat }

// facts are what a bundle's layout says of a node, as far as it is asked for often;
// the rest is read where it is needed (more.go).
type facts uint16

const (
	layoutKnown facts = 1 << iota // layout says something of it
	layoutClickable
	layoutHidden   // not rendered
	layoutSecret   // a field whose value must not be read
	layoutBox      // it has a box that is not empty
	layoutViewport // that meets the viewport
	layoutUnseen   // a person cannot see it: transparent, clipped away, off the page, in the background's colour
	layoutCurrent  // the page, step or date that a person is at
)

// layout holds the facts of one session's nodes, by backendDOMNodeId.
type layout map[int64]seen

// seen is what a layout says of one node, and where.
type seen struct {
	facts
	at span
}

// read reads the whole payload, once.
func (p *Page) read() *Decline {
	t := &p.tree
	if int64(len(t.b)) > math.MaxUint32 {
		return decline(ReasonNotAXTree, "larger than 4 GiB")
	}
	few := len(t.b)/384 + 8 // most nodes take 350 to 550 bytes
	t.nodes, t.kids = make([]node, 0, few), make([]int32, 0, few)
	t.ids, t.roleOf = newIDs(few), map[raw]int32{}
	t.ids.add("") // noID
	t.role("")    // what nodes without a role have

	var version raw
	var frames []Frame
	var nodes Frame
	t.space()
	switch t.peek() {
	case '[':
		t.frameNodes(&nodes)
	case '{':
		for more := t.open('}'); more; more = t.next('}') {
			switch t.key() {
			case "nodes":
				p.Shape = ShapeObject
				t.frameNodes(&nodes)
			case "frames":
				frames = t.frames()
			case "layout":
				p.layouts = t.layouts()
			case "v":
				version = t.value()
			case "capture":
				p.Capture = t.str(t.value())
			case "tab":
				p.Tab = int(integer(t.value()))
			case "url":
				p.URL = t.str(t.value())
			case "title":
				p.Title = t.str(t.value())
			case "time":
				p.Time = integer(t.value())
			case "complete":
				p.Complete = t.value() == "true"
			case "redacted":
				p.Redacted = int(integer(t.value()))
			default:
				t.skip()
			}
		}
	default:
		t.skip()
	}
	t.space()
	if t.at < len(t.b) {
		t.fail()
	}

	switch {
	case t.failed >= 0:
		return decline(ReasonInvalidJSON, "at byte %d", t.failed)
	case frames != nil && version == "1":
		p.Shape, p.Frames = ShapeBundle, frames
	case frames != nil && version != "":
		return decline(ReasonNotAXTree, "a bundle of version %q", version)
	case nodes.array != "":
		p.Frames = []Frame{nodes}
	default:
		return decline(ReasonNotAXTree, "no array of nodes")
	}
	return nil
}

// frames reads the frames of a bundle; nil when they are no array.
func (t *tree) frames() []Frame {
	if t.peek() != '[' {
		t.skip()
		return nil
	}
	frames := []Frame{}
	for more := t.open(']'); more; more = t.next(']') {
		frames = append(frames, t.frame())
	}
	return frames
}

func (t *tree) frame() (f Frame) {
	if t.peek() != '{' {
		t.skip()
		return f
	}
	for more := t.open('}'); more; more = t.next('}') {
		switch t.key() {
		case "frameId":
			f.ID = t.str(t.value())
		case "parent":
			f.Parent = t.str(t.value())
		case "ownerBackendNodeId":
			f.owner = integer(t.value())
		case "session":
			f.Session = max(0, int(integer(t.value()))) // it is part of uids
		case "targetId":
			f.TargetID = t.str(t.value())
		case "loaderId":
			f.LoaderID = t.str(t.value())
		case "url":
			f.URL = t.str(t.value())
		case "origin":
			f.Origin = t.str(t.value())
		case "error":
			f.Err = t.texts.text(t.value())
		case "nodes":
			t.frameNodes(&f)
		default:
			t.skip()
		}
	}
	return f
}

// frameNodes reads an array of nodes.
func (t *tree) frameNodes(f *Frame) {
	f.from, f.array, f.listed = int32(len(t.nodes)), "", t.peek() == '['
	from := t.at
	if f.listed {
		for more := t.open(']'); more; more = t.next(']') {
			if t.peek() == '{' {
				t.node()
			} else {
				f.listed = false
				t.skip()
			}
		}
		f.array = raw(t.src[from:t.at])
	} else {
		t.skip()
	}
	f.to = int32(len(t.nodes))
}

func (t *tree) node() {
	n := node{span: span{from: uint32(t.at)}, kid: int32(len(t.kids))}
	for more := t.open('}'); more; more = t.next('}') {
		switch t.key() {
		case "nodeId":
			n.id = t.ids.add(t.str(t.value()))
		case "ignored":
			n.ignored = t.value() == "true"
		case "role":
			n.role = t.role(t.raw(t.axValue()))
		case "name":
			n.name = t.axValue()
		case "value":
			n.value = t.axValue()
		case "description":
			n.description = t.axValue()
		case "properties":
			n.state = 0
			n.properties.from = uint32(t.at)
			t.properties(func(name string, v raw) { n.state = n.state.with(name, v, &t.texts) })
			n.properties.to = uint32(t.at)
		case "childIds":
			t.kids = t.kids[:n.kid]
			t.childIDs()
		case "backendDOMNodeId", "backendDOMNodeID":
			n.backend = integer(t.value())
		case "frameId", "frameID":
			n.frameID = t.ids.add(t.str(t.value()))
		default:
			t.skip()
		}
	}
	n.to, n.end = uint32(t.at), int32(len(t.kids))
	t.nodes = append(t.nodes, n)
}

// axValue reads an AXValue and returns its value.
func (t *tree) axValue() (v span) {
	if t.peek() != '{' {
		t.skip()
		return v
	}
	for more := t.open('}'); more; more = t.next('}') {
		isValue, from := t.key() == "value", t.at
		t.skip()
		if isValue && t.failed < 0 {
			v = span{uint32(from), uint32(t.at)}
		}
	}
	return v
}

// properties reads an array of AXProperty.
func (t *tree) properties(each func(name string, v raw)) {
	if t.peek() != '[' {
		t.skip()
		return
	}
	for more := t.open(']'); more; more = t.next(']') {
		each(t.property())
	}
}

// property reads an AXProperty: its name and its AXValue's value.
func (t *tree) property() (name string, v raw) {
	if t.peek() != '{' {
		t.skip()
		return "", ""
	}
	for more := t.open('}'); more; more = t.next('}') {
		switch t.key() {
		case "name":
			name = t.str(t.value())
		case "value":
			v = t.raw(t.axValue())
		default:
			t.skip()
		}
	}
	return name, v
}

func (t *tree) childIDs() {
	if t.peek() != '[' {
		t.skip()
		return
	}
	for more := t.open(']'); more; more = t.next(']') {
		if v := t.value(); v != "" && v[0] == '"' {
			t.kids = append(t.kids, t.ids.add(t.str(v)))
		}
	}
}

// role returns the number of a role.
func (t *tree) role(v raw) int32 {
	n, known := t.roleOf[v]
	if !known {
		n = int32(len(t.roles))
		text := t.texts.text(v)
		t.roles = append(t.roles, newRole(text, t.lower(text)))
		t.roleOf[v] = n
	}
	return n
}

// layouts reads a bundle's layout: session ordinal → backendDOMNodeId → facts.
func (t *tree) layouts() map[int]layout {
	if t.peek() != '{' {
		t.skip()
		return nil
	}
	all := map[int]layout{}
	for more := t.open('}'); more; more = t.next('}') {
		session, err := strconv.Atoi(t.key())
		l := t.layout()
		if err == nil {
			all[session] = l
		}
	}
	return all
}

func (t *tree) layout() layout {
	l := layout{}
	if t.peek() != '{' {
		t.skip()
		return l
	}
	for more := t.open('}'); more; more = t.next('}') {
		id, err := strconv.ParseInt(t.key(), 10, 64)
		from := uint32(t.at)
		f := t.facts()
		if err == nil {
			l[id] = seen{f, span{from, uint32(t.at)}}
		}
	}
	return l
}

func (t *tree) facts() (f facts) {
	if t.peek() != '{' {
		t.skip()
		return 0
	}
	f = layoutKnown
	var kind, autocomplete, id, name string
	for more := t.open('}'); more; more = t.next('}') {
		switch t.key() {
		case "clickable":
			f = f.with(layoutClickable, t.value() == "true")
		case "rendered":
			f = f.with(layoutHidden, t.value() == "false")
		case "box":
			f = f.with(layoutBox, t.hasArea())
		case "viewport":
			f = f.with(layoutViewport, t.value() == "true")
		case "opacity":
			f = f.with(layoutUnseen, f&layoutUnseen != 0 || number(t.value()) < 0.05)
		case "clip":
			f = f.with(layoutUnseen, t.value() == "true" || f&layoutUnseen != 0)
		case "color":
			f |= layoutUnseen // given only where it is nearly the background's
			t.skip()
		case "current":
			f = f.with(layoutCurrent, t.str(t.value()) != "")
		case "type":
			kind = t.str(t.value())
		case "autocomplete":
			autocomplete = t.str(t.value())
		case "id":
			id = t.str(t.value())
		case "name":
			name = t.str(t.value())
		default:
			t.skip()
		}
	}
	return f.with(layoutSecret, isSecretField(kind, autocomplete, id, name))
}

// hasArea reads a box and says whether it is wider and higher than nothing.
func (t *tree) hasArea() bool {
	b, ok := t.box()
	return ok && b[2] > 0 && b[3] > 0
}

// box reads [x, y, width, height].
func (t *tree) box() (b [4]float64, ok bool) {
	if t.peek() != '[' {
		t.skip()
		return b, false
	}
	n := 0
	for more := t.open(']'); more; more = t.next(']') {
		v := t.value()
		if n < len(b) {
			b[n] = number(v)
		}
		n++
	}
	return b, n == len(b)
}

func (f facts) with(fact facts, is bool) facts {
	if is {
		return f | fact
	}
	return f &^ fact
}

// number is the number that v is, else 0.
func number(v raw) float64 {
	if f, err := strconv.ParseFloat(string(v), 64); err == nil && isNumber(v) {
		return f
	}
	return 0
}

// integer is the whole number that v is, else 0.
func integer(v raw) int64 {
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n
	}
	if isNumber(v) {
		if f, err := strconv.ParseFloat(string(v), 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return int64(f)
		}
	}
	return 0
}
