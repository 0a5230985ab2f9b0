package compressor

import (
	"slices"
	"strings"
)

// Form is a form, a search, or a dialog, group or region with fields.
type Form struct {
	Label            string   `json:"label"`
	Loose            bool     `json:"loose,omitempty"`  // not a form: the fields of the page that stand in none
	Method           string   `json:"method,omitempty"` // where layout knows it; likewise action
	Action           string   `json:"action,omitempty"`
	Fields           []Field  `json:"fields"`
	FieldsTruncated  bool     `json:"fieldsTruncated,omitempty"`
	Submits          []Submit `json:"submits"`
	SubmitsTruncated bool     `json:"submitsTruncated,omitempty"`
	TextTruncated    bool     `json:"textTruncated,omitempty"`
}

// Field is one thing to fill in. A radio group is one field.
type Field struct {
	Label            string   `json:"label"`
	Type             string   `json:"type"`          // input type where layout knows it, else the role; "radio"
	UID              string   `json:"uid,omitempty"` // absent for radio buttons without a group that has one
	Disabled         bool     `json:"disabled,omitempty"`
	Required         bool     `json:"required,omitempty"`
	Value            string   `json:"value,omitempty"` // "‹hidden›" when secret; "checked", "unchecked" or "mixed"; what is chosen
	Options          []Option `json:"options,omitempty"`
	OptionCount      int      `json:"optionCount,omitempty"`
	OptionsTruncated bool     `json:"optionsTruncated,omitempty"`
	TextTruncated    bool     `json:"textTruncated,omitempty"`
}

// Option is what can be chosen in a field.
type Option struct {
	Text          string `json:"text"`
	UID           string `json:"uid,omitempty"`
	Selected      bool   `json:"selected,omitempty"` // never said of a secret field
	Disabled      bool   `json:"disabled,omitempty"`
	TextTruncated bool   `json:"textTruncated,omitempty"`
}

// Submit is a button that sends a form.
type Submit struct {
	Name          string `json:"name"`
	UID           string `json:"uid"`
	Disabled      bool   `json:"disabled,omitempty"`
	TextTruncated bool   `json:"textTruncated,omitempty"`
}

// hiddenValue stands for the value of a secret field.
const hiddenValue = "‹hidden›"

// fieldRoles are the roles of what can be filled in.
var fieldRoles = map[string]bool{
	"textbox": true, "searchbox": true, "combobox": true, "spinbutton": true, "slider": true, "checkbox": true, "switch": true,
	"listbox": true, "radiogroup": true, "radio": true, "date": true, "datetime": true, "inputtime": true, "colorwell": true,
}

// isField says that a record is a field, as far as none around it is.
func (o *skeleton) isField(i int32) bool {
	switch r := &o.records[i]; {
	case fieldRoles[o.role(i)] || r.state&editable != 0 && o.kind(i)&(staticText|document) == 0:
		return true
	case o.role(i) == "button":
		return o.attributes(i).kind == "file"
	}
	return false
}

// isSecret says that a field's value must not be shown (as in Targets).
func (o *skeleton) isSecret(i int32) bool {
	r := &o.records[i]
	if r.node == none {
		return false
	}
	return o.facts(&o.Frames[r.frame], &o.tree.nodes[r.node])&layoutSecret != 0 ||
		(o.kind(i)&field != 0 || r.state&editable != 0) && isSecretText(r.name) ||
		r.value != "" && strings.Trim(r.value, "•●") == "" // as Chromium gives a password
}

// shown is a field's value as far as it may be shown.
func (o *skeleton) shown(i int32) string {
	if v := o.records[i].value; v == "" || !o.isSecret(i) {
		return v
	}
	return hiddenValue
}

// draft is a form to be.
type draft struct {
	at      int32 // its record, or the first field of the loose ones
	fields  []int32
	submits []int32
}

// drafts collects what belongs to which form.
type drafts struct {
	*skeleton
	form    []int32 // the form around a record, or itself
	group   []int32 // what names the radio buttons below it
	all     map[int32]*draft
	options map[int32][]int32 // by field
	radios  map[radios]int32  // the first radio button stands for its group
	inner   map[int32]int32   // the text field in a combobox
}

// radios are radio buttons that exclude each other.
type radios struct {
	form, group int32
	name        string
}

func (o *skeleton) forms() (forms []Form, truncated bool) {
	d := &drafts{
		skeleton: o, form: make([]int32, len(o.records)), group: make([]int32, len(o.records)),
		all: map[int32]*draft{}, options: map[int32][]int32{}, radios: map[radios]int32{}, inner: map[int32]int32{},
	}
	for i := range o.records {
		d.take(int32(i))
	}
	d.settle()
	order := make([]int32, 0, len(d.all))
	for form, draft := range d.all {
		if len(draft.fields)+len(draft.submits) > 0 {
			order = append(order, form)
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return int(d.all[a].at) - int(d.all[b].at) })
	forms = []Form{}
	for _, form := range most(order, maxForms, &truncated) {
		forms = append(forms, d.build(form))
	}
	return forms, truncated
}

func (d *drafts) of(form int32) *draft {
	if d.all[form] == nil {
		d.all[form] = &draft{at: form}
	}
	return d.all[form]
}

func (d *drafts) take(i int32) {
	form, group := int32(none), int32(none)
	if up := d.above(i); up != none {
		form, group = d.form[up], d.group[up]
	}
	switch d.role(i) {
	case "form", "search", "dialog", "alertdialog":
		form, group = i, i
	case "group", "region":
		group = i
		if form == none {
			form = i
		}
	case "toolbar":
		group = i
	}
	d.form[i], d.group[i] = form, group

	switch f := d.field[i]; {
	case f == i && d.role(i) == "radio":
		key := radios{form, group, d.attributes(i).name}
		if key.name != "" {
			key.group = none
		}
		first, known := d.radios[key]
		if !known {
			first = i
			d.radios[key] = i
			d.of(form).fields = append(d.of(form).fields, i)
		}
		d.options[first] = append(d.options[first], i)
	case f == i:
		d.of(form).fields = append(d.of(form).fields, i)
	case f == none:
		if d.role(i) == "button" && d.uid(i) != "" && (form == none || d.submits(i)) {
			d.of(form).submits = append(d.of(form).submits, i)
		}
	case d.role(i) == "option", d.role(i) == "radio":
		d.options[f] = append(d.options[f], i)
	case d.role(f) == "combobox" && (d.role(i) == "textbox" || d.role(i) == "searchbox"):
		if _, known := d.inner[f]; !known {
			d.inner[f] = i
		}
	}
}

// submits says whether a button sends its form. Where layout does not say so, a
// button does that neither opens nor toggles anything.
func (d *drafts) submits(i int32) bool {
	switch a := d.attributes(i); {
	case a.tag == "button" && a.kind == "", a.kind == "submit", a.kind == "image":
		return true
	case a.kind == "button", a.kind == "reset":
		return false
	}
	m := d.more(i)
	return d.records[i].state&(expanded|collapsed) == 0 && m.pressed == "" && m.hasPopup == ""
}

// settle lets go of what has too little for a form, and gives the loose fields the
// buttons beside them.
func (d *drafts) settle() {
	loose := d.of(none)
	for form, draft := range d.all {
		if form == none {
			continue
		}
		few := false
		switch d.role(form) {
		case "group", "region":
			few = len(draft.fields) == 0 || len(draft.fields)+len(draft.submits) < 2
		case "dialog", "alertdialog":
			few = len(draft.fields) == 0
		}
		if few {
			loose.fields = append(loose.fields, draft.fields...)
			delete(d.all, form)
		}
	}
	slices.Sort(loose.fields)
	beside := map[int32]bool{}
	for _, i := range loose.fields {
		beside[d.records[i].parent] = true
	}
	loose.submits = slices.DeleteFunc(loose.submits, func(i int32) bool { return !beside[d.records[i].parent] || !d.submits(i) })
	if len(loose.fields) > 0 {
		loose.at = loose.fields[0]
	}
}

func (d *drafts) build(form int32) Form {
	draft := d.all[form]
	f := Form{Loose: form == none, Fields: []Field{}, Submits: []Submit{}}
	if form != none {
		f.Label = bound(d.label(form), &f.TextTruncated)
		a := d.attributes(form)
		f.Method, f.Action = a.method, bound(a.action, &f.TextTruncated)
	}
	for _, i := range most(draft.fields, maxFields, &f.FieldsTruncated) {
		f.Fields = append(f.Fields, d.buildField(i))
	}
	for _, i := range most(draft.submits, maxFields, &f.SubmitsTruncated) {
		s := Submit{UID: d.uid(i), Disabled: d.records[i].state&disabled != 0}
		s.Name = bound(d.records[i].name, &s.TextTruncated)
		f.Submits = append(f.Submits, s)
	}
	return f
}

// label names a form: its own name, else a heading before its first field.
func (d *drafts) label(form int32) string {
	label := d.records[form].name
	if label != "" || !d.headed[form] {
		return label
	}
	done := false
	d.each(form, func(i int32) bool {
		if !done && d.role(i) == "heading" {
			label = d.textOf(i)
		}
		done = done || label != "" || d.field[i] != none
		return !done
	})
	return label
}

func (d *drafts) buildField(i int32) Field {
	r, m, a := &d.records[i], d.more(i), d.attributes(i)
	f := Field{Type: d.role(i), UID: d.uid(i), Disabled: r.state&disabled != 0, Required: m.required}
	if a.tag == "input" && a.kind != "" || a.kind == "file" {
		f.Type = a.kind
	}
	secret := d.isSecret(i)
	label, value := r.name, d.shown(i)
	if secret && r.value != "" {
		label = strings.ReplaceAll(label, r.value, hiddenValue)
	}
	switch d.role(i) {
	case "checkbox", "switch":
		value = "unchecked"
		if r.state&checked != 0 {
			value = "checked"
		}
		if m.checked == "mixed" {
			value = m.checked
		}
	case "radiogroup":
		f.Type = "radio"
	case "radio":
		f.Type, f.UID, label, value = "radio", "", "", ""
		if group := d.group[i]; group != none && group != d.form[i] || group != none && d.role(group) == "group" {
			label = d.records[group].name
		}
	case "combobox":
		if inner, ok := d.inner[i]; ok && d.uid(inner) != "" {
			f.UID = d.uid(inner)
			secret = secret || d.isSecret(inner)
			if value == "" {
				value = d.shown(inner)
			}
		}
	default:
		if !fieldRoles[d.role(i)] && value == "" && a.kind != "file" && !secret {
			value = d.textOf(i) // of an editable part of the page
		}
	}
	d.choose(&f, i, secret)
	for _, o := range f.Options {
		if f.Type == "radio" && o.Selected {
			value = o.Text
		}
	}
	f.Label, f.Value = bound(label, &f.TextTruncated), bound(value, &f.TextTruncated)
	return f
}

// choose adds the options of a field.
func (d *drafts) choose(f *Field, field int32, secret bool) {
	options := d.options[field]
	f.OptionCount = len(options)
	for _, i := range most(options, maxOptions, &f.OptionsTruncated) {
		r := &d.records[i]
		o := Option{UID: d.uid(i), Selected: r.state&(selected|checked) != 0 && !secret, Disabled: r.state&disabled != 0}
		o.Text = bound(r.name, &o.TextTruncated)
		f.Options = append(f.Options, o)
		if d.role(i) == "radio" {
			f.Required = f.Required || d.more(i).required
		}
	}
	if d.role(field) == "radio" {
		f.Disabled = !slices.ContainsFunc(options, func(i int32) bool { return d.records[i].state&disabled == 0 })
	}
}
