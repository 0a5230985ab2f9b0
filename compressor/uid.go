package compressor

// UIDOf spells a node's uid, when no other node of the page is spelt alike.
func UIDOf(session int, backend int64) string {
	return string(appendAddress(nil, address{session, backend, 1}))
}

// recordOf returns the record that a uid names, none when no record does. A record
// without a uid of its own, a heading, cell or text, is named by the uid it would
// have, unless that is another's.
func (p *Page) recordOf(uid string) int32 {
	if n, ok := p.Find(uid); ok {
		return n.i
	}
	return none
}

// spare says for each record without a uid of its own whether it can be named by
// the one it would have: no other record has that.
func (p *Page) spare() []bool {
	free := make([]bool, len(p.records))
	for i := range p.records {
		r := &p.records[i]
		a := p.address(r)
		if r.nth > 0 || a.backend <= 0 || p.tree.roles[r.role].kind&document != 0 {
			continue
		}
		a.nth = 1
		free[i] = p.indexed().at[a] == int32(i)
	}
	return free
}
