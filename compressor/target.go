package compressor

// Target is what a uid names: a node, and all that must still be true of it when
// it is acted on. The JSON names are the wire's.
type Target struct {
	UID              string `json:"uid"`
	Session          int    `json:"session"`  // ordinal of the frame's CDP session; 0 is the tab's own
	TargetID         string `json:"targetId"` // CDP target of that session; "" is the tab's own
	FrameID          string `json:"frameId"`
	LoaderID         string `json:"loaderId"` // the document
	Origin           string `json:"origin"`
	BackendDOMNodeID int64  `json:"backendDOMNodeId"`
	NodeID           string `json:"nodeId"`                 // AX nodeId, to sort candidates, never checked
	Role             string `json:"role"`                   // lower case
	Name             string `json:"name"`                   // white space folded
	Context          string `json:"context"`                // key text of what stands around it
	ContextNode      int64  `json:"contextNode"`            // backendDOMNodeId of what that is, 0 where its role says so
	ContextTexts     int    `json:"contextTexts,omitempty"` // how many texts in it make the key, 0 where it is a header, heading, link or one text
	NameExact        bool   `json:"nameExact"`              // another name here differs in its trailing count alone
	ContextExact     bool   `json:"contextExact"`           // likewise
	Secret           bool   `json:"secret"`                 // its value must never be read back
}

// Targets returns what every uid of the page names, in page order.
func (p *Page) Targets() []Target {
	return p.targets(func(i int32) bool { return p.records[i].nth > 0 && !p.records[i].repeat })
}

// Target returns what one uid names; it may be that of a heading, a cell or a text,
// which Targets leaves out. ok is false when no node of the page has it.
func (p *Page) Target(uid string) (t Target, ok bool) {
	n, ok := p.Find(uid)
	if !ok {
		return t, false
	}
	t = p.targets(func(i int32) bool { return i == n.i })[0]
	t.UID = uid
	return t, true
}

func (p *Page) targets(chosen func(i int32) bool) []Target {
	var targets []Target
	c := p.contexts()
	c.tellApart()
	twins := c.twins()
	names, keys := variants{}, variants{}
	for i := range p.records {
		r := &p.records[i]
		if r.nth > 0 && !r.repeat {
			names.add(r.frame, p.tree.roles[r.role].name, r.name)
		}
		if c.isItem(int32(i)) {
			keys.add(r.frame, p.tree.roles[r.role].name, c.key(int32(i), none, none))
		}
	}
	var uid []byte
	for i := range p.records {
		r := &p.records[i]
		if !chosen(int32(i)) {
			continue
		}
		f, n, role := &p.Frames[r.frame], &p.tree.nodes[r.node], &p.tree.roles[r.role]
		uid = p.appendUID(uid[:0], r)
		t := Target{
			UID: p.tree.keep(uid), Session: f.Session, TargetID: f.TargetID, FrameID: p.frameID(r), LoaderID: f.LoaderID,
			Origin: f.Origin, BackendDOMNodeID: n.backend, NodeID: p.tree.ids.texts[n.id], Role: role.name, Name: r.name,
			Context:   c.of(int32(i)),
			NameExact: names.exact(r.frame, role.name, r.name),
			Secret:    p.isSecret(r),
		}
		if item := c.around[i].item; item != none {
			t.ContextTexts = c.texts[item]
			t.ContextExact = t.ContextTexts > 0 || keys.exact(r.frame, p.tree.roles[p.records[item].role].name, t.Context)
		} else if r.nth > 0 {
			if t.Context, t.ContextNode = twins.key(int32(i)); t.ContextNode > 0 {
				t.ContextTexts, t.ContextExact = twins.texts[int32(i)], true
			}
		}
		targets = append(targets, t)
	}
	return targets
}

// frameID returns the frame of a record: in a bundle the frame says it, elsewhere
// the nearest node above that does, as CDP puts it on a frame's root alone.
func (p *Page) frameID(r *record) string {
	if p.Shape != ShapeBundle && r.home != none {
		return p.tree.ids.texts[p.tree.nodes[r.home].frameID]
	}
	return p.Frames[r.frame].ID
}
