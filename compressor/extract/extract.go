// Package extract reads data out of a page by a JSON Schema whose properties say
// by uid where each value stands.
//
// It is a pure function of the page, the schema and the options. What it gives
// validates against the schema once the nulls of optional properties are left
// out; a text is never taken for a number or a bool that it may not mean, and a
// field whose value is secret is never read. It does not follow $ref or allOf to
// find references, and does not guess where a value might stand.
//
// The keywords and the rules of conversion are in docs/FORMAT.md.
package extract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"handrail/compressor"
)

// Codes of a Failure; host/wire has them in its table.
const (
	InvalidSchema = "invalid_schema"
	NoRefs        = "no_refs"
	UnresolvedRef = "unresolved_ref"
	BadType       = "bad_type"
)

// Secret is the Reason of a reference to a field whose value must not be read.
const Secret = "secret"

// Options say how texts are read.
type Options struct {
	Locale string // of numbers: en ("" too), de, fr or ch
}

// Failure says why nothing was extracted.
type Failure struct {
	Code     string // one of the constants above
	Property string // JSON pointer into the result, or into the schema for invalid_schema
	UID      string // the node it was read from, "" for none
	Reason   string // lower case, of the page at most a quoted piece

	required bool // it is of a required property: no optional one around it is null instead
}

func (f *Failure) Error() string {
	at := f.Property
	if f.UID != "" {
		at += " (" + f.UID + ")"
	}
	return fmt.Sprintf("extract %s: %s: %s", at, f.Code, f.Reason)
}

// Extract reads the page by the schema. The error is a *Failure: of the schema, or
// of the first required property in the order of names that has no fitting value.
// An unknown locale is an error too.
func Extract(p *compressor.Page, schema []byte, opt Options) (json.RawMessage, error) {
	spoken, known := locales[opt.Locale]
	if !known {
		return nil, fmt.Errorf("extract: unknown locale %q", opt.Locale)
	}
	root, failure := plan(schema)
	if failure != nil {
		return nil, failure
	}
	e := &extraction{page: p, locale: spoken, headers: map[compressor.Node][][]string{}, columns: map[heading]place{}}
	v, failure := e.value(root, nil, "")
	if failure != nil {
		return nil, failure
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("extract: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

type extraction struct {
	page    *compressor.Page
	locale  locale
	headers map[compressor.Node][][]string // by table: the texts of its header rows
	columns map[heading]place
}

// value is what a property has on the page, in an item or in none. It fits the
// property's schema.
func (e *extraction) value(p *property, in *item, path string) (v any, f *Failure) {
	uid := p.each
	switch {
	case !p.refers:
		f = &Failure{Code: UnresolvedRef, Reason: "the schema does not say where it stands"}
	case p.kind == "object":
		v, f = e.object(p, in, path)
	case p.kind == "array":
		v, f = e.array(p, path)
	default:
		v, uid, f = e.scalar(p, in)
	}
	if f != nil {
		if f.Property == "" {
			f.Property = path
		}
		return nil, f
	}
	if p.schema == nil {
		return v, nil
	}
	if err := p.schema.Validate(withoutNulls(v)); err != nil {
		return nil, &Failure{Code: BadType, Property: path, UID: uid, Reason: reasonOf(err)}
	}
	return v, nil
}

func (e *extraction) object(p *property, in *item, path string) (any, *Failure) {
	object := map[string]any{}
	for _, q := range p.properties {
		v, f := e.value(q, in, path+"/"+escape(q.name))
		if f != nil && (f.required || q.required) {
			f.required = true
			return nil, f
		}
		object[q.name] = v
	}
	return object, nil
}

func (e *extraction) array(p *property, path string) (any, *Failure) {
	list, found := e.page.Find(p.each)
	if !found {
		return nil, &Failure{Code: UnresolvedRef, UID: p.each, Reason: noSuchNode}
	}
	items := itemsOf(list)
	if items == nil && !slices.Contains(lists, list.Role()) {
		return nil, &Failure{Code: UnresolvedRef, UID: p.each, Reason: "no rows or list items stand in it"}
	}
	array := []any{}
	for _, node := range items {
		if isHeader(node) {
			continue
		}
		v, f := e.value(p.item, &item{Node: node, list: list}, path+"/"+strconv.Itoa(len(array)))
		if f != nil {
			return nil, f
		}
		array = append(array, v)
	}
	return array, nil
}

const noSuchNode = "the page has no such node"

// scalar also gives the uid of the node that it read.
func (e *extraction) scalar(p *property, in *item) (v any, uid string, f *Failure) {
	var node compressor.Node
	if p.ref != "" {
		at, found := e.page.Find(p.ref)
		if !found {
			return nil, "", &Failure{Code: UnresolvedRef, UID: p.ref, Reason: noSuchNode}
		}
		node = at
	} else {
		at, reason := e.inItem(p, in)
		if reason != "" {
			return nil, "", &Failure{Code: UnresolvedRef, UID: in.UID(), Reason: reason}
		}
		node = at
	}
	uid = node.UID()
	text, reason := textOf(node, p.attr)
	if reason != "" {
		return nil, uid, &Failure{Code: UnresolvedRef, UID: uid, Reason: reason}
	}
	if v, reason = e.locale.coerce(text, p.kind); reason != "" {
		return nil, uid, &Failure{Code: BadType, UID: uid, Reason: reason}
	}
	return v, uid, nil
}

// textOf is an attribute of a node; without one its name, and where it has none
// its text.
func textOf(n compressor.Node, attr string) (text, reason string) {
	if n.Secret() {
		return "", Secret
	}
	mayLack := false
	switch attr {
	case "name":
		text = n.Name()
	case "value":
		text = n.Value()
	case "text":
		text = n.Text()
	case "url":
		text, mayLack = n.URL(), true
	case "description":
		text, mayLack = n.Description(), true
	case "checked":
		text, mayLack = n.Checked(), true
	default:
		if text = n.Name(); text == "" {
			text = n.Text()
		}
	}
	if mayLack && text == "" {
		return "", "the node has no " + attr
	}
	if saysSecret(n, text) {
		return "", Secret
	}
	return text, ""
}

// hidden is what a secret value is blanked with before it leaves the browser.
const hidden = "‹hidden›"

// saysSecret says that a text repeats what stands in a secret field in the node:
// the name of a label around a field holds the field's value.
func saysSecret(n compressor.Node, text string) bool {
	if strings.Contains(text, hidden) {
		return true
	}
	for at := range n.All() {
		if !at.Secret() {
			continue
		}
		said := at.Value()
		if at.Is("statictext") {
			said = at.Name()
		}
		if said != "" && strings.Contains(text, said) {
			return true
		}
	}
	return false
}

// withoutNulls copies a value without the properties that are null: only optional
// ones are.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, in := range v {
			if in != nil {
				object[name] = withoutNulls(in)
			}
		}
		return object
	case []any:
		array := make([]any, len(v))
		for i, in := range v {
			array[i] = withoutNulls(in)
		}
		return array
	}
	return v
}

var english = message.NewPrinter(language.English)

// reasonOf is the first of the library's findings that has no cause of its own.
func reasonOf(err error) string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return clip(err.Error())
	}
	for len(invalid.Causes) > 0 {
		invalid = invalid.Causes[0]
	}
	reason := invalid.ErrorKind.LocalizedString(english)
	if len(invalid.InstanceLocation) > 0 {
		reason = "at /" + strings.Join(invalid.InstanceLocation, "/") + ": " + reason
	}
	return clip(reason)
}

// escape makes a name a part of a JSON pointer.
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// Refs lists the uids that a schema names, each once, as far as it can be read.
func Refs(schema []byte) []string {
	var root any
	if json.Unmarshal(schema, &root) != nil {
		return nil
	}
	var uids []string
	todo := []any{root}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch at := at.(type) {
		case map[string]any:
			for _, key := range []string{"x-ref", "x-each"} {
				if uid, ok := at[key].(string); ok && !slices.Contains(uids, uid) {
					uids = append(uids, uid)
				}
			}
			for _, one := range at {
				todo = append(todo, one)
			}
		case []any:
			todo = append(todo, at...)
		}
	}
	slices.Sort(uids)
	return uids
}
