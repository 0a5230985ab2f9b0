package compressor

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"
)

// Object is one record as a view shows it. In format json it stands on a line of its own.
type Object struct {
	UID         string   `json:"uid,omitempty"`
	Role        string   `json:"role"` // as printed; text for what has no other
	Name        string   `json:"name,omitempty"`
	Value       string   `json:"value,omitempty"`
	States      []string `json:"states,omitempty"`
	Level       int      `json:"level"`                 // of indentation
	Hint        string   `json:"hint,omitempty"`        // what tells a control without a name from others
	Placeholder string   `json:"placeholder,omitempty"` // of a field, where it is not the name
	ValueText   string   `json:"value_text,omitempty"`  // how the page words the value
	URL         string   `json:"url,omitempty"`         // where a link leads, when asked for; under the page's origin without it
	More        int      `json:"more,omitempty"`        // options left out behind it
	Below       *Below   `json:"below,omitempty"`       // what max_depth left out under it
	Origin      string   `json:"origin,omitempty"`      // of the frame in an iframe, when it is another
	NotRead     string   `json:"not_read,omitempty"`    // why that frame was not read
}

// Below counts what was left out under a record.
type Below struct {
	Nodes    int `json:"nodes"`
	Controls int `json:"controls"`
}

// longLine is from how many bytes on a flow goes on in a line of its own.
const longLine = 1000

// maxHint is how long a hint may be, in graphemes.
const maxHint = 40

// lightNames is where light cuts names.
const lightNames = 80

// writer writes the items of an outline as lines.
type writer struct {
	*outline
	keep  []bool // by item, nil for all
	text  strings.Builder
	b     []byte
	uids  []string
	names int
	named bool     // all that can be has a uid
	base  []string // by frame: its address

	indented int // bytes of indentation written
	began    int // where the present line begins
}

// writer makes one that cuts names where the options or the profile say so.
func (o *outline) writer() *writer {
	w := &writer{outline: o, names: o.opt.Names, named: o.opt.Handles == "all"}
	if o.opt.Profile == Light && w.names == 0 {
		w.names = lightNames
	}
	return w
}

// shown renders a page by options that the base rules have not.
func (p *Page) shown(o Options) (*View, error) {
	root := int32(none)
	if o.Under != "" {
		if root = p.recordOf(o.Under); root == none {
			return nil, ErrUnknownUID
		}
	}
	out := p.outline(o, root)
	w := out.writer()
	if terms := termsOf(o.Query); len(terms) > 0 {
		if w.keep = out.find(terms); w.keep == nil {
			if out.top.first != none {
				first := w.describe(&out.items[out.top.first])
				first.UID = "" // it was not found
				w.object(first, ownLine)
			}
			w.object(&Object{Role: "note", Name: "no accessible match", Level: 1}, ownLine)
			return w.view(), nil
		}
	} else if o.Filter == "interactive" {
		w.keep = out.keepWith(func(it *item) bool { return it.flags&hasUIDShown != 0 })
	}
	switch {
	case o.Profile == Light:
		w.flat()
	default:
		if o.Profile == Balanced && root == none && w.keep == nil && o.Depth != 1 {
			w.overlays()
		}
		w.nested(out.top, 0)
	}
	if limit := len(p.tree.src) + slack; w.indented > limit {
		return nil, decline(ReasonNotSmaller, "more than %d bytes of indentation", limit)
	}
	if w.text.Len() == 0 {
		w.object(&Object{Role: "note", Name: "nothing to show"}, ownLine)
	}
	return w.view(), nil
}

func (w *writer) view() *View { return &View{Text: w.text.String(), UIDs: w.uids} }

// nested writes items and what stands under them.
func (w *writer) nested(l list, level int) {
	type place struct {
		item  int32
		level int
		cells bool // of a row, which is one line
	}
	todo := []place{{item: l.first, level: level}}
	for len(todo) > 0 && w.indented <= len(w.tree.src)+slack {
		at := &todo[len(todo)-1]
		if at.item == none {
			todo = todo[:len(todo)-1]
			continue
		}
		k, level := at.item, at.level
		it := &w.items[k]
		at.item = it.next
		if it.flags&isHoisted != 0 || w.keep != nil && !w.keep[k] {
			continue
		}
		cut := w.opt.Depth > 0 && level+1 >= w.opt.Depth && it.kids.first != none
		var below *Below
		if cut {
			k := it.kids.first
			for k != none && w.items[k].join != ownLine { // it stands on this line
				k = w.items[k].next
			}
			below = w.count(k)
		}
		join := it.join
		if join == inFlow && !at.cells && w.text.Len()-w.began > longLine {
			join = ownLine // a flow without end would be a line without end
		}
		w.line(k, level, join, below)
		if cut {
			for j := it.kids.first; j != none && w.items[j].join != ownLine; j = w.items[j].next {
				w.line(j, level+1, w.items[j].join, nil)
			}
			continue
		}
		todo = append(todo, place{it.kids.first, level + 1, it.record != none && w.tree.roles[w.records[it.record].role].kind&tableRow != 0})
	}
}

// count counts the items from one on, and what stands under them; nil for nothing.
func (w *writer) count(k int32) *Below {
	n := &Below{}
	w.each(list{first: k}, func(k int32) bool {
		it := &w.items[k]
		if it.record == none || it.flags&isHoisted != 0 {
			return false
		}
		n.Nodes++
		if it.flags&hasUIDShown != 0 {
			n.Controls++
		}
		return true
	})
	if n.Nodes == 0 {
		return nil
	}
	return n
}

// flat writes the items with a uid one to a line, under the headings and names of
// regions and dialogs that stand over them.
func (w *writer) flat() {
	var above []int32
	w.each(w.top, func(k int32) bool {
		it := &w.items[k]
		switch {
		case w.keep != nil && !w.keep[k]:
		case it.flags&hasUIDShown != 0 || it.record == w.root && it.record != none:
			for _, k := range above {
				w.line(k, 0, ownLine, nil)
			}
			above = above[:0]
			w.line(k, 0, ownLine, nil)
		case w.opt.Bare || it.name == "" || it.record == none:
		case it.flags&isHeading != 0:
			if n := len(above); n > 0 && w.items[above[n-1]].flags&isHeading != 0 {
				above = above[:n-1] // nothing that can be acted on stood under it
			}
			above = append(above, k)
		case w.tree.roles[w.records[it.record].role].kind&namedItem != 0:
			above = append(above, k)
		}
		return true
	})
}

// line writes an item: on a line of its own, or behind the one before it.
func (w *writer) line(k int32, level int, join join, below *Below) {
	it := &w.items[k]
	if it.record == none { // a cell without content
		if w.opt.Format != "json" {
			w.text.WriteString(" |")
		}
		return
	}
	o := w.describe(it)
	o.Level, o.Below = level, below
	if below != nil && o.UID == "" {
		o.UID = w.anchor(it.record)
	}
	w.object(o, join)
}

// anchor is the uid by which a record without one can be asked for, "" when there is none.
func (w *writer) anchor(i int32) string {
	r := &w.records[i]
	if r.nth == 0 {
		if w.spare == nil {
			w.spare = w.Page.spare()
		}
		if !w.spare[i] {
			return ""
		}
	}
	return string(w.appendUID(nil, r))
}

// object writes what is shown of one record.
func (w *writer) object(o *Object, join join) {
	if o.UID != "" {
		w.uids = append(w.uids, o.UID)
	}
	if o.Role == "" && (o.Name == "" || w.opt.Format == "json") {
		o.Role = "text"
	}
	b := w.b[:0]
	if w.opt.Format == "json" {
		if w.text.Len() > 0 {
			b = append(b, '\n')
		}
		w.text.Write(b)
		var line bytes.Buffer
		e := json.NewEncoder(&line)
		e.SetEscapeHTML(false)
		if err := e.Encode(o); err != nil {
			panic(err) // strings and numbers always encode
		}
		w.text.Write(bytes.TrimSuffix(line.Bytes(), []byte("\n")))
		return
	}
	switch {
	case join == inFlow:
		b = append(b, " · "...)
	case join == nextCell:
		b = append(b, " | "...)
	case w.text.Len() > 0:
		b = append(b, '\n')
	}
	if join == ownLine {
		w.began = w.text.Len()
		for range o.Level {
			b = append(b, w.indent()...)
		}
		w.indented += len(b)
	}
	if o.UID != "" {
		b = append(append(append(b, '['), o.UID...), "] "...)
	}
	from := len(b)
	b = append(b, o.Role...)
	quoted := func(before, text string) {
		if text == "" {
			return
		}
		if len(b) > from {
			b = append(b, ' ')
		}
		b = appendQuote(append(b, before...), text)
	}
	if o.Name == "" && b[len(b)-1] == '"' && !w.opt.isFull() {
		b = append(b, ` ""`...) // else a role in quotes would be a text
	}
	quoted("", o.Name)
	quoted("= ", o.Value)
	for n, state := range o.States {
		if n == 0 {
			b = append(b, " {"...)
		} else {
			b = append(b, ',')
		}
		b = append(b, state...)
	}
	if len(o.States) > 0 {
		b = append(b, '}')
	}
	quoted("text ", o.ValueText)
	quoted("placeholder ", o.Placeholder)
	quoted("hint ", o.Hint)
	quoted("url ", o.URL)
	if o.More > 0 {
		b = append(strconv.AppendInt(append(b, " … "...), int64(o.More), 10), " more"...)
	}
	if o.Below != nil {
		b = append(strconv.AppendInt(append(b, " … "...), int64(o.Below.Nodes), 10), " nodes, "...)
		b = append(strconv.AppendInt(b, int64(o.Below.Controls), 10), " controls below"...)
	}
	b = appendFrame(b, o.Origin, o.NotRead)
	w.text.Write(b)
	w.b = b
}

func (w *writer) indent() string {
	if w.opt.isFull() {
		return "  "
	}
	return " "
}

// describe gives what is shown of an item.
func (w *writer) describe(it *item) *Object {
	r := &w.records[it.record]
	o := &Object{Role: it.role, Name: it.name, Value: it.value, More: int(it.more)}
	k := w.tree.roles[r.role].kind
	if it.flags&hasUIDShown != 0 || w.named && it.flags&isLine == 0 && (w.spare[it.record] || r.nth > 0) {
		o.UID = string(w.appendUID(nil, r))
	}
	if f, ok := w.below[it.record]; ok {
		if frame := &w.Frames[f]; frame.Origin != w.Frames[r.frame].Origin {
			o.Origin = frame.Origin
		}
		o.NotRead = w.Frames[f].Err
	}
	if k&control != 0 && it.block == none && it.role == "options" { // it stands for several
		return o
	}
	if it.flags&isText != 0 {
		o.Name = cut(o.Name, w.opt.Text)
		if it.flags&isUnseen != 0 && !w.opt.isFull() {
			o.States = append(o.States, "hidden")
		}
		if !w.opt.isFull() && k&control != 0 { // an option
			o.States = append(o.States, stateLabels(r.state&(disabled|selected))...)
		}
		return o
	}
	if k&document == 0 {
		o.Name = cut(o.Name, w.names)
	}
	o.Value = cut(o.Value, w.opt.Values)
	shown := r.state & printed
	if w.opt.isFull() {
		o.States = stateLabels(shown)
		return o
	}
	if k&field != 0 || it.role == "textbox" {
		shown &^= editable
	}
	if r.node == none || k&document != 0 {
		return o
	}
	m := w.tree.more(&w.tree.nodes[r.node])
	if f, err := strconv.ParseFloat(o.Value, 64); err == nil && len(o.Value) > 12 && strings.Contains(o.Value, ".") {
		o.Value = strconv.FormatFloat(f, 'f', -1, 32) // Chromium keeps ranges in 32 bits: 0.30000001192092896
	}
	o.States = stateLabels(shown)
	if m.checked == "mixed" {
		if at := slices.Index(o.States, "checked"); at >= 0 {
			o.States[at] = "mixed"
		}
	}
	add := func(is bool, label string) {
		if is {
			o.States = append(o.States, label)
		}
	}
	add(m.pressed == "true", "pressed")
	add(m.pressed == "false", "unpressed")
	add(m.pressed == "mixed", "pressed-mixed")
	add(m.required && k&labelled != 0, "required")
	add(m.readonly && k&labelled != 0, "readonly")
	add(m.invalid != "", "invalid")
	add(m.hasPopup != "" && k&field == 0, "popup")
	add(m.modal, "modal")
	add(m.busy, "busy")
	add(w.facts(&w.Frames[r.frame], &w.tree.nodes[r.node])&layoutCurrent != 0, "current")
	add(m.multiselect, "multiselectable")
	if low, high := number(raw(m.valueMin)), number(raw(m.valueMax)); low < high {
		add(true, plainNumber(low)+".."+plainNumber(high))
	}
	// A box that its label draws is transparent itself and can be pressed all the same.
	add(it.flags&isUnseen != 0 && r.state&(checked|unchecked) == 0, "hidden")
	if m.valueText != o.Value && m.valueText != o.Name && !w.isSecret(r) {
		o.ValueText = m.valueText
	}
	if k&field != 0 || it.role == "textbox" {
		a := w.attributes(&w.Frames[r.frame], &w.tree.nodes[r.node])
		add(inputKinds[a.kind], a.kind)
		if a.placeholder != o.Name {
			o.Placeholder = a.placeholder
		}
	}
	if o.UID != "" && isGlyph(o.Name) && o.Placeholder == "" {
		if o.Hint = w.hint(r); o.Hint == "" && (it.join != inFlow || w.opt.Profile == Light) {
			o.Hint = it.near
		}
		o.Hint = cut(o.Hint, maxHint)
	}
	if w.opt.URLs && m.url != "" {
		o.URL = shortURL(m.url, w.addressOf(r.frame))
	}
	return o
}

// inputKinds are the types of an input that its role does not say.
var inputKinds = map[string]bool{
	"email": true, "tel": true, "url": true, "password": true, "file": true, "date": true, "datetime-local": true, "month": true, "week": true, "time": true,
}

// addressOf is where a frame is: what a bundle says, else what its document says.
func (w *writer) addressOf(frame int32) string {
	if w.base == nil {
		w.base = make([]string, len(w.Frames))
		for i := range w.Frames {
			w.base[i] = w.Frames[i].URL
		}
		for i := range w.records {
			r := &w.records[i]
			if r.node != none && w.base[r.frame] == "" && w.tree.roles[r.role].kind&document != 0 {
				w.base[r.frame] = w.tree.more(&w.tree.nodes[r.node]).url
			}
		}
	}
	return w.base[frame]
}

func plainNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func stateLabels(s state) (labels []string) {
	for _, one := range printedStates {
		if s&one.state != 0 {
			labels = append(labels, one.label)
		}
	}
	return labels
}

// cut shortens a text to n graphemes, the last of them "…"; 0 is no limit.
func cut(s string, n int) string {
	if n == 0 || len(s) <= n || uniseg.GraphemeClusterCount(s) <= n {
		return s
	}
	rest, state, to := s, -1, 0
	for range n - 1 {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		to += len(cluster)
	}
	return strings.TrimRight(s[:to], " ") + "…"
}
