package compressor

// more is what an AX node says beyond the base rules. Most nodes are never asked,
// so it is read anew from where it stands.
type more struct {
	description string
	url         string
	valueMin    string
	valueMax    string
	valueText   string
	hasPopup    string // menu, listbox, tree, grid, dialog; "" for none
	invalid     string // true, spelling, grammar; "" for none
	pressed     string // true, false, mixed; "" for what is no toggle
	checked     string // likewise
	live        string
	level       int // of a heading or treeitem; 0 for none
	required    bool
	readonly    bool
	busy        bool
	modal       bool
	multiselect bool
}

// more reads the rest of a node (CDP Accessibility.AXPropertyName).
func (t *tree) more(n *node) (m more) {
	m.description = t.text(n.description)
	r := tree{reader: newReader(t.src[:n.properties.to], t.b[:n.properties.to])}
	r.at = int(n.properties.from)
	if n.properties.from == n.properties.to {
		return m
	}
	r.properties(func(name string, v raw) {
		is := func() bool { return truth(v, &t.texts) == isTrue }
		text := func(not string) string {
			if s := t.texts.text(v); s != not {
				return s
			}
			return ""
		}
		switch name {
		case "url":
			m.url = text("")
		case "valuemin":
			m.valueMin = text("")
		case "valuemax":
			m.valueMax = text("")
		case "valuetext":
			m.valueText = text("")
		case "hasPopup":
			m.hasPopup = text("false")
		case "invalid":
			m.invalid = text("false")
		case "pressed":
			m.pressed = text("")
		case "checked":
			m.checked = text("")
		case "live":
			m.live = text("off")
		case "level":
			m.level = int(integer(v))
		case "required":
			m.required = is()
		case "readonly":
			m.readonly = is()
		case "busy":
			m.busy = is()
		case "modal":
			m.modal = is()
		case "multiselectable":
			m.multiselect = is()
		}
	})
	return m
}

// attributes are what a bundle's layout says of a node's attributes.
type attributes struct {
	tag, kind, placeholder, title, alt, id, name, class string
	icon, method, action                                string
}

// attributes reads a node's layout facts; zero without them.
func (p *Page) attributes(f *Frame, n *node) (a attributes) {
	at := p.layouts[f.Session][n.backend].at
	if at.from == at.to || n.backend <= 0 {
		return a
	}
	t := &p.tree
	r := tree{reader: newReader(t.src[:at.to], t.b[:at.to])}
	r.at = int(at.from)
	if r.peek() != '{' {
		return a
	}
	for more := r.open('}'); more; more = r.next('}') {
		switch r.key() {
		case "tag":
			a.tag = t.texts.text(r.value())
		case "type":
			a.kind = t.texts.text(r.value())
		case "placeholder":
			a.placeholder = t.texts.text(r.value())
		case "title":
			a.title = t.texts.text(r.value())
		case "alt":
			a.alt = t.texts.text(r.value())
		case "id":
			a.id = t.texts.text(r.value())
		case "name":
			a.name = t.texts.text(r.value())
		case "class":
			a.class = t.texts.text(r.value())
		case "icon":
			a.icon = t.texts.text(r.value())
		case "method":
			a.method = t.texts.text(r.value())
		case "action":
			a.action = t.texts.text(r.value())
		default:
			r.skip()
		}
	}
	return a
}
