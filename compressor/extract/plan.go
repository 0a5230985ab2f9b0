package extract

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// property is what the schema says of one value of the result.
type property struct {
	name     string
	kind     string // string, number, integer, boolean, object or array
	required bool
	refers   bool // it, or something in it, says where it stands

	ref    string  // x-ref
	attr   string  // x-attr; "" is the name, else the text
	each   string  // x-each
	role   string  // x-role, in an item
	nth    int     // x-nth, from 1
	column *column // x-column, in an item

	properties []*property // of an object, by name
	item       *property   // of an array
	schema     *jsonschema.Schema
}

// column is told by its number, from 1, or else by its header.
type column struct {
	number int
	header string // folded, lower case
}

const (
	maxDepth    = 64  // of a schema: objects and arrays in each other
	maxExponent = 308 // of a number in a schema
)

var attributes = []string{"name", "value", "text", "url", "description", "checked"}

// plan reads a schema, validating it against its metaschema.
func plan(schema []byte) (*property, *Failure) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, invalid("", clip(err.Error()))
	}
	if reason := unbounded(doc, 0); reason != "" {
		return nil, invalid("", reason)
	}
	object, isObject := doc.(map[string]any)
	if !isObject {
		return nil, invalid("", "it is no object")
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	const address = "schema:///"
	if err := compiler.AddResource(address, doc); err != nil {
		return nil, invalid("", clip(err.Error()))
	}
	compiled, err := compiler.Compile(address)
	if err != nil {
		if told := (*jsonschema.SchemaValidationError)(nil); errors.As(err, &told) {
			err = told.Err
		}
		return nil, invalid("", reasonOf(err))
	}
	root, failure := read(object, compiled, "", false)
	switch {
	case failure != nil:
		return nil, failure
	case root.kind != "object":
		return nil, invalid("", "it is of type "+root.kind+", not object")
	case !root.refers:
		return nil, &Failure{Code: NoRefs, Reason: "no property has an x-ref or x-each"}
	}
	return root, nil
}

// noLoader loads no other schema than the one given and the standard ones.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("other schemas are not loaded") }

func invalid(at, reason string) *Failure {
	return &Failure{Code: InvalidSchema, Property: at, Reason: reason}
}

// unbounded says what of a schema would cost more than it is worth.
func unbounded(v any, depth int) string {
	if depth > maxDepth {
		return "it is more than 64 levels deep"
	}
	switch v := v.(type) {
	case map[string]any:
		for _, in := range v {
			if reason := unbounded(in, depth+1); reason != "" {
				return reason
			}
		}
	case []any:
		for _, in := range v {
			if reason := unbounded(in, depth+1); reason != "" {
				return reason
			}
		}
	case json.Number:
		_, exponent, _ := strings.Cut(strings.ToLower(v.String()), "e")
		if n, err := strconv.Atoi(exponent); exponent != "" && (err != nil || max(n, -n) > maxExponent) {
			return "a number of it is too large or too small"
		}
	}
	return ""
}

// read reads the schema of one value. inItem says that it stands in an x-each.
func read(doc map[string]any, compiled *jsonschema.Schema, at string, inItem bool) (*property, *Failure) {
	p := &property{schema: compiled, nth: 1}
	var reason string
	if p.kind, reason = kindOf(doc); reason != "" {
		return nil, invalid(at+"/type", reason)
	}
	for _, keyword := range []struct {
		name string
		into *string
	}{{"x-ref", &p.ref}, {"x-attr", &p.attr}, {"x-each", &p.each}, {"x-role", &p.role}} {
		v, given := doc[keyword.name]
		text, isString := v.(string)
		if given && (!isString || text == "") {
			return nil, invalid(at+"/"+keyword.name, "it is no text")
		}
		*keyword.into = text
	}
	if p.attr != "" && !slices.Contains(attributes, p.attr) {
		return nil, invalid(at+"/x-attr", "it is none of "+strings.Join(attributes, ", "))
	}
	if v, given := doc["x-nth"]; given {
		if p.nth = ordinal(v); p.nth == 0 {
			return nil, invalid(at+"/x-nth", "it is no whole number from 1")
		}
	}
	if v, given := doc["x-column"]; given {
		header, _ := v.(string)
		p.column = &column{ordinal(v), folded(header)}
		if p.column.number == 0 && p.column.header == "" {
			return nil, invalid(at+"/x-column", "it is neither a header nor a whole number from 1")
		}
	}
	byItem := p.role != "" || p.column != nil
	scalar := p.kind != "object" && p.kind != "array"
	switch {
	case p.each != "" && p.kind != "array":
		return nil, invalid(at+"/x-each", "it is only of an array")
	case p.each != "" && inItem:
		return nil, invalid(at+"/x-each", "it stands in another x-each")
	case !scalar && (p.ref != "" || p.attr != "" || byItem):
		return nil, invalid(at, "an "+p.kind+" has x-ref, x-attr, x-role or x-column")
	case byItem && !inItem:
		return nil, invalid(at, "x-role and x-column are only in an x-each")
	case byItem && p.ref != "":
		return nil, invalid(at, "x-ref stands beside x-role or x-column")
	}
	p.refers = p.ref != "" || byItem || inItem && p.attr != ""

	switch {
	case p.kind == "object":
		return p, p.readProperties(doc, at, inItem)
	case p.each != "":
		items, _ := doc["items"].(map[string]any)
		if items == nil {
			return nil, invalid(at+"/items", "an x-each has no items object")
		}
		var failure *Failure
		if p.item, failure = read(items, itemsOfSchema(compiled), at+"/items", true); failure != nil {
			return nil, failure
		}
		if k := p.item.kind; k != "object" && k != "array" {
			p.item.refers = true // the item itself
		}
		p.refers = p.item.refers
	}
	return p, nil
}

func (p *property) readProperties(doc map[string]any, at string, inItem bool) *Failure {
	given, _ := doc["properties"].(map[string]any)
	required := map[string]bool{}
	names, _ := doc["required"].([]any)
	for _, name := range names {
		if name, ok := name.(string); ok {
			required[name] = true
		}
	}
	all := maps.Clone(required)
	for name := range given {
		all[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		in, _ := given[name].(map[string]any) // a bool schema says nothing either
		var compiled *jsonschema.Schema
		if p.schema != nil {
			compiled = p.schema.Properties[name]
		}
		q, failure := read(in, compiled, at+"/properties/"+escape(name), inItem)
		if failure != nil {
			return failure
		}
		q.name, q.required = name, required[name]
		p.refers = p.refers || q.refers
		p.properties = append(p.properties, q)
	}
	return nil
}

// kindOf is the one type of a schema, beside null.
func kindOf(doc map[string]any) (kind, reason string) {
	var types []any
	switch v := doc["type"].(type) {
	case string:
		types = []any{v}
	case []any:
		types = v
	default:
		switch {
		case doc["properties"] != nil:
			return "object", ""
		case doc["x-each"] != nil:
			return "array", ""
		}
		return "string", ""
	}
	for _, v := range types {
		if v == "null" {
			continue
		}
		if kind != "" {
			return "", "it is of several types"
		}
		kind, _ = v.(string)
	}
	if kind == "" {
		return "", "it is null alone"
	}
	return kind, ""
}

// itemsOfSchema is the schema of all items of an array, in any draft; nil for none.
func itemsOfSchema(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil {
		return nil
	}
	if items, ok := s.Items.(*jsonschema.Schema); ok {
		return items
	}
	return s.Items2020
}

// ordinal is a whole number from 1; 0 for anything else.
func ordinal(v any) int {
	number, _ := v.(json.Number)
	if r, ok := new(big.Rat).SetString(number.String()); ok && r.IsInt() && r.Sign() > 0 && r.Num().BitLen() < 31 {
		return int(r.Num().Int64())
	}
	return 0
}
