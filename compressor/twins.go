package compressor

import (
	"strings"
	"unicode"
)

// maxTwinItem bounds the nodes of a part of the page that tells a target from its
// twins: the check at the act reads all of it.
const maxTwinItem = 200

// twins are targets that share role and name and stand in no item: cards made of
// plain boxes, say. What tells one from the others is the part of the page around
// it that holds none of them (docs/FORMAT.md, Targets).
type twins struct {
	*Page
	up   []int32 // by node: the node above it
	size []int32 // by node: the nodes in it
	item map[int32]int32
	// By record: how many texts of its item tell it from its twins, where the key does not.
	texts map[int32]int
}

// twins finds the items of the records that have twins, by record.
func (c *contexts) twins() *twins {
	groups := map[variant][]int32{}
	for i := range c.records {
		r := &c.records[i]
		if r.nth == 0 || r.repeat || c.around[i].item != none {
			continue
		}
		k := variant{r.frame, c.tree.roles[r.role].name, Normalize(r.name)}
		groups[k] = append(groups[k], int32(i))
	}
	t := &twins{Page: c.Page, item: map[int32]int32{}, texts: map[int32]int{}}
	for _, members := range groups {
		if len(members) > 1 {
			t.tell(members)
			t.tellApart(members)
		}
	}
	return t
}

// tell finds the item of each member of a group: the highest node above it that
// holds no other member and is not too large.
func (t *twins) tell(members []int32) {
	if t.up == nil {
		t.measure()
	}
	holds := map[int32]int{}
	for _, i := range members {
		for at := t.records[i].node; at != none && t.size[at] <= maxTwinItem; at = t.up[at] {
			holds[at]++
		}
	}
	for _, i := range members {
		at := t.records[i].node
		for up := t.up[at]; up != none && holds[up] == 1; up = t.up[at] {
			at = up
		}
		if at != t.records[i].node && t.tree.nodes[at].backend > 0 {
			t.item[i] = at
		}
	}
}

// measure fills in up and size; nodes in a cycle count as large.
func (t *twins) measure() {
	t.up, t.size = make([]int32, len(t.tree.nodes)), make([]int32, len(t.tree.nodes))
	open := make([]int32, len(t.tree.nodes)) // children that are not counted yet
	for i := range t.up {
		t.up[i], t.size[i] = none, maxTwinItem+1
	}
	for i := range t.tree.nodes {
		for _, kid := range t.kids(int32(i)) {
			if t.up[kid] == none && kid != int32(i) {
				t.up[kid] = int32(i)
				open[i]++
			}
		}
	}
	var ready []int32
	for i := range open {
		if open[i] == 0 {
			ready = append(ready, int32(i))
		}
	}
	sum := make([]int32, len(t.tree.nodes))
	for len(ready) > 0 {
		at := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		sum[at]++
		t.size[at] = sum[at]
		if up := t.up[at]; up != none {
			sum[up] += sum[at]
			if open[up]--; open[up] == 0 {
				ready = append(ready, up)
			}
		}
	}
}

// kids are the children of a node that are in its frame.
func (t *twins) kids(at int32) (kids []int32) {
	n := &t.tree.nodes[at]
	for _, kid := range t.tree.kids[n.kid:n.end] {
		if kid >= 0 && !n.repeat {
			kids = append(kids, kid)
		}
	}
	return kids
}

// tellApart finds how many texts tell the members of a group that have the same key.
func (t *twins) tellApart(members []int32) {
	groups := map[string][]int32{}
	texts := map[int32][]string{}
	for _, i := range members {
		if root, found := t.item[i]; found {
			var key string
			key, texts[i] = t.read(i, root)
			groups[key] = append(groups[key], i)
		}
	}
	for key, alike := range groups {
		if key == "" {
			continue
		}
		apart(alike, func(i int32, n int) string { return joinFirst(texts[i], n) }, t.texts)
	}
}

func joinFirst(texts []string, n int) string {
	return clip(strings.Join(texts[:min(n, len(texts))], " "))
}

// key is what a record's item is known by, and which node that is.
func (t *twins) key(i int32) (context string, item int64) {
	root, found := t.item[i]
	if !found {
		return "", 0
	}
	context, texts := t.read(i, root)
	if n := t.texts[i]; n > 0 {
		context = joinFirst(texts, n)
	}
	if context == "" {
		return "", 0
	}
	return context, t.tree.nodes[root].backend
}

// read returns the key of a record's item: the first row header, else heading, link or
// text in it that has a letter, as a number alone is more likely a count; and its
// first texts.
func (t *twins) read(i, root int32) (key string, texts []string) {
	var first [4]string
	type visit struct {
		node      int32
		inControl bool
	}
	open := []visit{{root, false}}
	seen := map[int32]bool{t.records[i].node: true} // what stands in the target is no key of it
	for len(open) > 0 {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		if seen[v.node] {
			continue
		}
		seen[v.node] = true
		n := &t.tree.nodes[v.node]
		if !n.ignored && v.node != root {
			kind := t.tree.roles[n.role].kind
			if kind&entry != 0 {
				continue
			}
			name := t.tree.text(n.name)
			if at := keyOfRole(t.tree.roles[n.role].name); at >= 0 && name != "" && !(at == textKey && v.inControl) {
				if first[at] == "" && strings.ContainsFunc(name, unicode.IsLetter) {
					first[at] = name
				}
				if at == textKey && len(texts) < maxTexts {
					texts = append(texts, name)
				}
			}
			v.inControl = v.inControl || n.backend > 0 && (kind&control != 0 || n.state&focusable != 0)
		}
		kids := t.kids(v.node)
		for k := len(kids) - 1; k >= 0; k-- {
			open = append(open, visit{kids[k], v.inControl})
		}
	}
	for _, name := range first {
		if name != "" {
			return clip(name), texts
		}
	}
	return "", texts
}

// keyOfRole says what kind of key a node of the role is, -1 for none.
func keyOfRole(role string) int {
	switch role {
	case "rowheader":
		return rowHeaderKey
	case "heading":
		return headingKey
	case "link":
		return linkKey
	case "statictext":
		return textKey
	}
	return -1
}
