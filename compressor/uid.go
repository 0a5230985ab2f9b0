package compressor

import (
	"strconv"
	"strings"
)

// named is what a uid names: the nth node of a session with a backendDOMNodeId.
type named struct {
	session int
	backend int64
	nth     int32
}

// parseUID reads a uid; ok is false for what is none.
func parseUID(uid string) (n named, ok bool) {
	n.nth = 1
	if rest, found := strings.CutPrefix(uid, "f"); found {
		number, after, _ := strings.Cut(rest, "u")
		session, err := strconv.ParseInt(number, 10, 32)
		if err != nil || session <= 0 || number[0] == '0' || number[0] == '+' {
			return n, false
		}
		n.session, uid = int(session), "u"+after
	}
	rest, found := strings.CutPrefix(uid, "u")
	if !found {
		return n, false
	}
	node, count, counted := strings.Cut(rest, "_")
	backend, err := strconv.ParseInt(node, 36, 64)
	if err != nil || backend <= 0 || node != strconv.FormatInt(backend, 36) {
		return n, false
	}
	n.backend = backend
	if counted {
		nth, err := strconv.ParseInt(count, 10, 32)
		if err != nil || nth < 2 || count != strconv.FormatInt(nth, 10) {
			return n, false
		}
		n.nth = int32(nth)
	}
	return n, true
}

// recordOf returns the record that a uid names, none when no record does. A record
// without a uid of its own, a heading, cell or text, is named by the uid it would
// have, unless that is another's.
func (p *Page) recordOf(uid string) int32 {
	n, ok := parseUID(uid)
	if !ok {
		return none
	}
	first := int32(none)
	for i := range p.records {
		r := &p.records[i]
		if r.node == none || p.tree.nodes[r.node].backend != n.backend || p.Frames[r.frame].Session != n.session {
			continue
		}
		if r.nth == n.nth {
			return int32(i)
		}
		if first == none && r.nth == 0 && n.nth == 1 {
			first = int32(i)
		}
	}
	return first
}

// Has says whether a uid names a node of the page, be it a heading, cell or text
// that no view shows a uid of unless all are asked for.
func (p *Page) Has(uid string) bool { return p.recordOf(uid) != none }

// spare says for each record without a uid of its own whether it can be named by
// the one it would have: no other record has that.
func (p *Page) spare() []bool {
	taken := map[named]bool{}
	for i := range p.records {
		if r := &p.records[i]; r.nth > 0 {
			taken[named{p.Frames[r.frame].Session, p.tree.nodes[r.node].backend, 1}] = true
		}
	}
	free := make([]bool, len(p.records))
	for i := range p.records {
		r := &p.records[i]
		if r.node == none || r.nth > 0 || p.tree.nodes[r.node].backend <= 0 || p.tree.roles[r.role].kind&document != 0 {
			continue
		}
		n := named{p.Frames[r.frame].Session, p.tree.nodes[r.node].backend, 1}
		free[i] = !taken[n]
		taken[n] = true
	}
	return free
}
