package compressor

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Node is one node of a page as a view has it: its record.
type Node struct {
	p *Page
	i int32
}

// address is what a uid spells.
type address struct {
	session int
	backend int64
	nth     int32 // 1 is spelt without a count
}

// index finds records; it is made when the first is asked for.
type index struct {
	at     map[address]int32
	end    []int32 // behind the last record that stands under a record
	secret []bool  // it or a record above it is a field whose value must not be read
	table  []int32 // the nearest table above a record
}

// Find returns the node that a uid names. Every record with a backendDOMNodeId
// can be asked for by the spelling its uid has or would have, also those that a
// view shows without one: headings, cells, texts. Where several are spelt alike
// the one whose uid it is wins, else the first.
func (p *Page) Find(uid string) (Node, bool) {
	a, ok := parseUID(uid)
	if !ok {
		return Node{}, false
	}
	i, ok := p.indexed().at[a]
	return Node{p, i}, ok
}

// parseUID reads what appendAddress writes, and nothing else.
func parseUID(uid string) (a address, ok bool) {
	session, node, found := strings.Cut(uid, "u")
	if session != "" {
		a.session, _ = strconv.Atoi(strings.TrimPrefix(session, "f"))
	}
	node, nth, counted := strings.Cut(node, "_")
	a.backend, _ = strconv.ParseInt(node, 36, 64)
	a.nth = 1
	if counted {
		n, _ := strconv.ParseInt(nth, 10, 32)
		a.nth = int32(n)
	}
	return a, found && a.backend > 0 && string(appendAddress(nil, a)) == uid
}

func (p *Page) indexed() *index {
	if p.index != nil {
		return p.index
	}
	size := len(p.records)
	x := &index{map[address]int32{}, make([]int32, size), make([]bool, size), make([]int32, size)}
	var open []int32 // the records around the present one
	for i := range p.records {
		r := &p.records[i]
		for len(open) > 0 && p.records[open[len(open)-1]].depth >= r.depth {
			x.end[open[len(open)-1]] = int32(i)
			open = open[:len(open)-1]
		}
		x.secret[i], x.table[i] = p.isSecret(r), none
		if len(open) > 0 {
			up := open[len(open)-1]
			x.secret[i] = x.secret[i] || x.secret[up]
			if x.table[i] = x.table[up]; (Node{p, up}).role().kind&tabular != 0 {
				x.table[i] = up
			}
		}
		open = append(open, int32(i))

		a := p.address(r)
		if a.backend <= 0 {
			continue
		}
		a.nth = max(a.nth, 1)
		if before, known := x.at[a]; !known || r.nth == 1 && p.records[before].nth == 0 {
			x.at[a] = int32(i)
		}
	}
	for _, i := range open {
		x.end[i] = int32(size)
	}
	p.index = x
	return x
}

func (p *Page) address(r *record) (a address) {
	if r.node != none {
		a = address{p.Frames[r.frame].Session, p.tree.nodes[r.node].backend, r.nth}
	}
	return a
}

// isSecret says that a record is a field whose value must not be read back.
func (p *Page) isSecret(r *record) bool {
	if r.node == none {
		return false
	}
	return p.facts(&p.Frames[r.frame], &p.tree.nodes[r.node])&layoutSecret != 0 ||
		(p.tree.roles[r.role].kind&field != 0 || r.state&editable != 0) && isSecretText(r.name)
}

func (n Node) record() *record { return &n.p.records[n.i] }

func (n Node) role() *role { return &n.p.tree.roles[n.record().role] }

func (n Node) more() (m more) {
	if at := n.record().node; at != none {
		m = n.p.tree.more(&n.p.tree.nodes[at])
	}
	return m
}

// UID is how the node is spelt; "" for one without a backendDOMNodeId.
func (n Node) UID() string {
	a := n.p.address(n.record())
	if a.backend <= 0 {
		return ""
	}
	return string(appendAddress(nil, a))
}

// Role is the role in lower case.
func (n Node) Role() string { return n.role().name }

// Is says that the node has the role, spelt as the payload or as a view spells it.
func (n Node) Is(role string) bool {
	role = strings.ToLower(role)
	return role == n.role().name || role == n.role().printed
}

// Name is the accessible name, white space folded.
func (n Node) Name() string { return n.record().name }

// Value is the value, white space folded.
func (n Node) Value() string { return n.record().value }

// Description, URL and Checked are what the AX node says, "" where it says
// nothing; Checked is "true", "false" or "mixed".
func (n Node) Description() string { return n.more().description }
func (n Node) URL() string         { return n.more().url }
func (n Node) Checked() string     { return n.more().checked }

// Secret says that the node is, or stands in, a field whose value must not be read.
func (n Node) Secret() bool { return n.p.indexed().secret[n.i] }

// Text is the text in the node, joined with spaces, without list markers and what
// stands in secret fields; the name where there is none.
func (n Node) Text() string {
	var words []string
	x := n.p.indexed()
	for i := n.i; i < x.end[n.i]; {
		at := Node{n.p, i}
		switch {
		case i > n.i && (at.Role() == "listmarker" || x.secret[i] && !x.secret[n.i]):
			i = x.end[i]
			continue
		case at.role().kind&staticText != 0 && at.Name() != "":
			words = append(words, at.Name())
		}
		i++
	}
	if len(words) == 0 {
		return n.Name()
	}
	return strings.Join(words, " ")
}

// Table is the nearest table or grid that the node stands in.
func (n Node) Table() (Node, bool) {
	i := n.p.indexed().table[n.i]
	return Node{n.p, i}, i != none
}

// All gives the nodes in this one, in page order.
func (n Node) All() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for i := n.i + 1; i < n.p.indexed().end[n.i]; i++ {
			if !yield(Node{n.p, i}) {
				return
			}
		}
	}
}

// Inside gives the nodes in this one that have the role, in page order, but for
// the text of list markers.
func (n Node) Inside(role string) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		x := n.p.indexed()
		for i := n.i + 1; i < x.end[n.i]; {
			at := Node{n.p, i}
			if at.Is(role) && !yield(at) {
				return
			}
			if i++; at.Role() == "listmarker" {
				i = x.end[at.i]
			}
		}
	}
}

// Outermost gives the nodes in this one that have one of the roles (lower case),
// but for those that stand in another such node.
func (n Node) Outermost(roles ...string) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		x := n.p.indexed()
		for i := n.i + 1; i < x.end[n.i]; {
			at := Node{n.p, i}
			if !slices.Contains(roles, at.Role()) {
				i++
				continue
			}
			if !yield(at) {
				return
			}
			i = x.end[i]
		}
	}
}

// Reveal sets the values of fields by uid, as they were read beside the payload, in
// which they are hidden. It changes what views of this Page show and nothing that
// is stored.
func (p *Page) Reveal(values map[string]string) {
	p.revealed = map[int32]bool{}
	for uid, value := range values {
		n, ok := p.Find(uid)
		if !ok {
			continue
		}
		p.revealed[n.i] = true
		n.record().value = foldString(value)
		for inside := range n.All() {
			if inside.role().kind&staticText != 0 {
				inside.record().name = ""
			}
		}
	}
}
