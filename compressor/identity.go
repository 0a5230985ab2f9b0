package compressor

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxContext bounds a context, in code points.
const maxContext = 200

// Targets returns what every uid of the page names, in walk order.
func (p *Page) Targets() []Target {
	var targets []Target
	var items []int32 // of each target, -1 for none
	keys := map[int32]*keys{}
	for i := range p.records {
		r := &p.records[i]
		if r.uid == "" {
			continue
		}
		f, n, is := &p.Frames[r.frame], p.nodeOf(r), p.role(r)
		item := p.itemOf(r.node)
		if item >= 0 && keys[item] == nil {
			keys[item] = p.keysOf(f, item)
		}
		targets = append(targets, Target{
			UID: r.uid, Session: f.Session, TargetID: f.TargetID, FrameID: p.frameID(f, r.node), LoaderID: f.LoaderID, Origin: f.Origin,
			BackendDOMNodeID: n.backend, NodeID: n.id, Role: is.name, Name: r.name, Context: p.contextOf(keys[item], r.node),
			Secret: p.facts(f, n)&layoutSecret != 0 || is.kind&field != 0 && isSecretText(r.name),
		})
		items = append(items, item)
	}
	p.markExact(targets, items, keys)
	return targets
}

// frameID returns the frame of a node: CDP puts it on a frame's root alone.
func (p *Page) frameID(f *Frame, node int32) string {
	if f.ID != "" {
		return f.ID
	}
	for ; node >= 0; node = p.place[node].up {
		if id := p.tree.nodes[node].frameID; id != "" {
			return id
		}
	}
	return ""
}

// itemOf returns the nearest row, list item, option, article or named group above
// a node, -1 without one.
func (p *Page) itemOf(node int32) int32 {
	for up := p.place[node].up; up >= 0; up = p.place[up].up {
		n := &p.tree.nodes[up]
		if n.ignored {
			continue
		}
		kind := p.tree.roles[n.role].kind
		if kind&keyedItem != 0 || kind&namedItem != 0 && p.tree.text(n.name) != "" {
			return up
		}
	}
	return -1
}

// keys are what an item may be known by: its own name, or the names of what
// stands in it, by kind, in document order.
type keys struct {
	own   string
	named bool
	list  [4][]key // row headers, headings, links, texts
}

type key struct {
	first int32 // place in the walk
	name  string
}

// keysOf collects the keys of an item, once for all nodes in it.
func (p *Page) keysOf(f *Frame, item int32) *keys {
	t := &p.tree
	n := &t.nodes[item]
	if t.roles[n.role].kind&namedItem != 0 {
		return &keys{own: clip(t.text(n.name)), named: true}
	}
	k := &keys{}
	type visit struct {
		node      int32
		inControl bool
	}
	var open []visit
	push := func(above int32, inControl bool) {
		n := &t.nodes[above]
		for c := n.end - 1; c >= n.kid; c-- {
			if kid := t.kids[c]; kid >= 0 && p.place[kid].up == above {
				open = append(open, visit{kid, inControl})
			}
		}
	}
	push(item, false)
	for len(open) > 0 {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		n := &t.nodes[v.node]
		if !n.ignored {
			is := &t.roles[n.role]
			if is.kind&inner != 0 {
				continue
			}
			if at := keyKind(is, v.inControl); at >= 0 {
				if name := t.text(n.name); name != "" {
					k.list[at] = append(k.list[at], key{p.place[v.node].first, name})
				}
			}
			v.inControl = v.inControl || n.backend > 0 && (is.kind&control != 0 || n.state&focusable != 0)
		}
		push(v.node, v.inControl)
	}
	return k
}

func keyKind(is *role, inControl bool) int {
	switch is.name {
	case "rowheader":
		return 0
	case "heading":
		return 1
	case "link":
		return 2
	case "statictext":
		if !inControl {
			return 3
		}
	}
	return -1
}

// contextOf returns the first key that is not the node itself or in it.
func (p *Page) contextOf(k *keys, node int32) string {
	if k == nil {
		return ""
	}
	if k.named {
		return k.own
	}
	from, to := p.place[node].first, p.place[node].last
	for _, list := range k.list {
		if len(list) == 0 {
			continue
		}
		at := 0
		if list[0].first >= from && list[0].first <= to {
			at = sort.Search(len(list), func(i int) bool { return list[i].first > to })
		}
		if at < len(list) {
			return clip(list[at].name)
		}
	}
	return ""
}

// itemKey is an item's key as seen from outside.
func (k *keys) itemKey() string {
	if k.named {
		return k.own
	}
	for _, list := range k.list {
		if len(list) > 0 {
			return clip(list[0].name)
		}
	}
	return ""
}

// markExact marks the names and contexts that another one of the frame differs
// from in its trailing count alone: there the count is all that tells them apart.
func (p *Page) markExact(targets []Target, items []int32, all map[int32]*keys) {
	type kindOf struct {
		frame, role, normal string
	}
	add := func(seen map[kindOf]map[string]bool, at kindOf, text string) {
		if seen[at] == nil {
			seen[at] = map[string]bool{}
		}
		seen[at][text] = true
	}
	names, contexts := map[kindOf]map[string]bool{}, map[kindOf]map[string]bool{}
	for _, t := range targets {
		add(names, kindOf{t.FrameID, t.Role, Normalize(t.Name)}, t.Name)
	}
	role := func(item int32) string { return p.tree.roles[p.tree.nodes[item].role].name }
	for i, item := range items {
		if item >= 0 {
			text := all[item].itemKey()
			add(contexts, kindOf{targets[i].FrameID, role(item), Normalize(text)}, text)
			add(contexts, kindOf{targets[i].FrameID, role(item), Normalize(targets[i].Context)}, targets[i].Context)
		}
	}
	for i := range targets {
		t := &targets[i]
		t.NameExact = len(names[kindOf{t.FrameID, t.Role, Normalize(t.Name)}]) > 1
		if items[i] >= 0 {
			t.ContextExact = len(contexts[kindOf{t.FrameID, role(items[i]), Normalize(t.Context)}]) > 1
		}
	}
}

// Normalize is what names and contexts are compared by: white space folded, and
// one count in parentheses or brackets taken off the end.
func Normalize(text string) string {
	text = foldString(text)
	last := len(text) - 1
	if last < 0 || text[last] != ')' && text[last] != ']' {
		return text
	}
	at := strings.TrimRightFunc(text[:last], unicode.IsSpace)
	at = strings.TrimSuffix(at, "+")
	body := strings.TrimRightFunc(at, func(c rune) bool { return '0' <= c && c <= '9' || c == '.' || c == ',' || unicode.IsSpace(c) })
	digits := strings.TrimLeftFunc(at[len(body):], unicode.IsSpace)
	if digits == "" || digits[0] < '0' || digits[0] > '9' || body == "" || body[len(body)-1] != '(' && body[len(body)-1] != '[' {
		return text
	}
	return strings.TrimRightFunc(body[:len(body)-1], unicode.IsSpace)
}

// clip cuts a context to its bound.
func clip(s string) string {
	if len(s) <= maxContext || utf8.RuneCountInString(s) <= maxContext {
		return s
	}
	n := 0
	for i := range s {
		if n == maxContext {
			return s[:i]
		}
		n++
	}
	return s
}
