package compressor

import (
	"strings"
	"unicode/utf8"
)

// Structure is a bounded summary of what a page asks for and lists: its forms, its
// tables and its result-like repeats, all in page order. What a bound cuts is
// flagged beside it; counts are always those of the page (docs/FORMAT.md, Structure).
type Structure struct {
	Forms            []Form   `json:"forms"`
	FormsTruncated   bool     `json:"formsTruncated,omitempty"`
	Tables           []Table  `json:"tables"`
	TablesTruncated  bool     `json:"tablesTruncated,omitempty"`
	Results          []Result `json:"results"`
	ResultsTruncated bool     `json:"resultsTruncated,omitempty"`
}

const (
	maxForms   = 20
	maxFields  = 50 // of a form; likewise its submit controls
	maxOptions = 50 // of a field
	maxTables  = 10
	maxRows    = 50 // of a table
	maxCells   = 20 // of a row; likewise the uids of a cell
	maxResults = 50
	maxText    = 300 // code points
)

// Structure summarizes the page. A value of a secret field is never in it.
func (p *Page) Structure() *Structure {
	o := p.skeleton()
	s := &Structure{}
	s.Forms, s.FormsTruncated = o.forms()
	s.Tables, s.TablesTruncated = o.tables()
	s.Results, s.ResultsTruncated = o.results()
	return s
}

// Summary is Structure for callers who must go on without it: when it fails it
// gives nil and the reason, "internal".
func (p *Page) Summary() (s *Structure, reason string) {
	defer func() {
		if recover() != nil {
			s, reason = nil, "internal"
		}
	}()
	return p.Structure(), ""
}

// skeleton is the tree of the records, each frame for itself.
type skeleton struct {
	*Page
	first, next []int32 // child and sibling
	headed      []bool  // a heading stands below
	field       []int32 // the field that a record is part of, or is
}

func (p *Page) skeleton() *skeleton {
	n := len(p.records)
	o := &skeleton{Page: p, first: make([]int32, n), next: make([]int32, n), headed: make([]bool, n), field: make([]int32, n)}
	for i := range o.first {
		o.first[i], o.next[i] = none, none
	}
	for i := int32(n) - 1; i >= 0; i-- {
		if up := o.above(i); up != none {
			o.next[i], o.first[up] = o.first[up], i
			o.headed[up] = o.headed[up] || o.headed[i] || o.role(i) == "heading"
		}
	}
	for i := range o.field {
		i, up := int32(i), o.above(int32(i))
		o.field[i] = none
		if up != none && o.field[up] != none {
			o.field[i] = o.field[up]
		} else if o.isField(i) {
			o.field[i] = i
		}
	}
	return o
}

// above returns the record that one stands under in its frame.
func (o *skeleton) above(i int32) int32 {
	if up := o.records[i].parent; up != none && o.records[up].frame == o.records[i].frame {
		return up
	}
	return none
}

func (o *skeleton) role(i int32) string { return o.tree.roles[o.records[i].role].name }

func (o *skeleton) kind(i int32) kind { return o.tree.roles[o.records[i].role].kind }

// uid returns the uid of a record, "" when it has none.
func (o *skeleton) uid(i int32) string {
	if r := &o.records[i]; r.nth > 0 && !r.repeat {
		return string(o.appendUID(nil, r))
	}
	return ""
}

func (o *skeleton) more(i int32) more {
	if n := o.records[i].node; n != none {
		return o.tree.more(&o.tree.nodes[n])
	}
	return more{}
}

func (o *skeleton) attributes(i int32) attributes {
	r := &o.records[i]
	if r.node == none {
		return attributes{}
	}
	return o.Page.attributes(&o.Frames[r.frame], &o.tree.nodes[r.node])
}

// each visits a record and what stands below it, in page order; visit says whether
// to go below.
func (o *skeleton) each(top int32, visit func(i int32) bool) {
	for i := top; ; {
		if visit(i) && o.first[i] != none {
			i = o.first[i]
			continue
		}
		for i != top && o.next[i] == none {
			i = o.above(i)
		}
		if i == top {
			return
		}
		i = o.next[i]
	}
}

// gather collects the text that stands in records.
type gather struct {
	*skeleton
	skip    int32 // leave this record out
	buttons bool  // with the names of buttons
	text    strings.Builder
	n       int // code points in text
}

// textOf returns all text that stands in a record.
func (o *skeleton) textOf(i int32) string {
	g := gather{skeleton: o, skip: none, buttons: true}
	g.add(i)
	return g.text.String()
}

func (g *gather) add(top int32) {
	g.each(top, func(i int32) bool {
		r, kind := &g.records[i], g.kind(i)
		leaf := g.first[i] == none
		switch {
		case i == g.skip || g.n > maxText || g.role(i) == "listmarker":
			return false
		case g.field[i] == i && (leaf || fieldRoles[g.role(i)] || g.isSecret(i)):
			switch g.role(i) {
			case "checkbox", "switch", "radio", "radiogroup":
			default:
				g.say(g.shown(i))
			}
			return false
		case kind&control != 0 && r.name != "" && !g.headed[i]:
			if g.buttons || g.role(i) != "button" {
				g.say(r.name)
			}
			return false
		case kind&staticText != 0 || leaf:
			g.say(r.name)
			return false
		}
		return true
	})
}

func (g *gather) say(text string) {
	if text == "" {
		return
	}
	if g.n > 0 && !strings.ContainsRune(".,;:!?)", rune(text[0])) {
		g.text.WriteByte(' ')
		g.n++
	}
	g.text.WriteString(text)
	g.n += utf8.RuneCountInString(text)
}

// bound cuts a text to its bound, and notes it.
func bound(text string, truncated *bool) string {
	if len(text) <= maxText || utf8.RuneCountInString(text) <= maxText {
		return text
	}
	*truncated = true
	n := 0
	for i := range text {
		if n == maxText-1 {
			return strings.TrimRight(text[:i], " ") + "…"
		}
		n++
	}
	return text
}

// most returns the first so many of a list, and notes when there are more.
func most(list []int32, bound int, truncated *bool) []int32 {
	if len(list) > bound {
		*truncated = true
		return list[:bound]
	}
	return list
}
