package wire

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Schema describes one struct of the protocol as both languages check it. It is
// derived from the Go struct: json names, omitempty for what may be absent, and
// the wire tag's enum and max.
type Schema struct {
	Name   string
	Open   bool // fields that it does not name are passed over
	Fields []Field
}

// Field is one member of a Schema.
type Field struct {
	Name     string
	Kind     string   // string, bytes, int, number, bool, any, object, array, map
	Of       string   // object: the struct's name; array and map: the kind, or the struct's name, of each member
	Optional bool     // may be absent
	Enum     []string // allowed strings
	Max      int      // string: UTF-8 bytes at most; 0 is no bound
	Len      int      // array: exact length; 0 is any

	index []int // in the struct
}

var schemas sync.Map // reflect.Type → *Schema

// SchemaOf derives the schema of a struct type.
func SchemaOf(t reflect.Type) *Schema {
	if s, ok := schemas.Load(t); ok {
		return s.(*Schema)
	}
	s := &Schema{Name: t.Name(), Open: !closed()[t]}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue // its own fields are listed too
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		field := Field{Name: name, Optional: options == "omitempty", index: f.Index}
		field.Kind, field.Of, field.Len = kindOf(f.Type)
		for rule := range strings.SplitSeq(f.Tag.Get("wire"), ",") {
			switch key, value, _ := strings.Cut(rule, "="); key {
			case "enum":
				field.Enum = strings.Split(value, "|")
			case "max":
				field.Max, _ = strconv.Atoi(value)
			}
		}
		s.Fields = append(s.Fields, field)
	}
	schemas.Store(t, s)
	return s
}

// closed lists the structs in which an unknown field is a fault: all that stand
// in params, but for those of hello, by which releases find out that they do not
// fit. Results may grow within a version of the protocol.
var closed = sync.OnceValue(func() map[reflect.Type]bool {
	set := map[reflect.Type]bool{}
	for _, m := range Methods {
		if m.Name != "hello" {
			Walk(reflect.TypeOf(m.Params), func(t reflect.Type) { set[t] = true })
		}
	}
	Walk(reflect.TypeFor[partFrame](), func(t reflect.Type) { set[t] = true })
	return set
})

// Walk calls f with t's structs, each after those it is made of.
func Walk(t reflect.Type, f func(reflect.Type)) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		Walk(t.Elem(), f)
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(t) {
			if !field.Anonymous {
				Walk(field.Type, f)
			}
		}
		f(t)
	}
}

func kindOf(t reflect.Type) (kind, of string, length int) {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return "any", "", 0
	case t == reflect.TypeFor[[]byte]():
		return "bytes", "", 0
	}
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.String:
		return "string", "", 0
	case reflect.Int, reflect.Int64:
		return "int", "", 0
	case reflect.Float64:
		return "number", "", 0
	case reflect.Bool:
		return "bool", "", 0
	case reflect.Struct:
		return "object", t.Name(), 0
	case reflect.Slice, reflect.Array, reflect.Map:
		kind, of, _ := kindOf(t.Elem())
		if kind == "object" {
			kind = of
		}
		switch t.Kind() {
		case reflect.Array:
			return "array", kind, t.Len()
		case reflect.Map:
			return "map", kind, 0
		}
		return "array", kind, 0
	}
	panic("no wire kind for " + t.String())
}

// Decode reads params, or a result, into the struct that into points to. What is
// missing, of another type, not among the allowed values or too long is refused
// with bad_request naming the field, and so is, in params, an unknown field.
// null is only allowed where anything is. Absent params are {}. A RawMessage in
// the struct shares the memory of text.
func Decode(text json.RawMessage, into any) error {
	if text == nil {
		text = json.RawMessage("{}")
	}
	return decodeStruct(text, reflect.ValueOf(into).Elem(), "")
}

func decodeStruct(text json.RawMessage, into reflect.Value, path string) error {
	schema := SchemaOf(into.Type())
	prefix := path
	if path != "" {
		prefix += "."
	}
	seen := make([]bool, len(schema.Fields))
	err := eachMember(text, func(key string, value json.RawMessage) error {
		at := slices.IndexFunc(schema.Fields, func(f Field) bool { return f.Name == key })
		if at < 0 {
			if schema.Open {
				return nil
			}
			return badField(prefix+clip(key), "is unknown")
		}
		seen[at] = true
		f := schema.Fields[at]
		return f.decode(value, into.FieldByIndex(f.index), prefix+key)
	})
	if err != nil {
		return asBadField(err, path)
	}
	for i, f := range schema.Fields {
		if !f.Optional && !seen[i] {
			return badField(prefix+f.Name, "is missing")
		}
	}
	return nil
}

// decode reads one value; f's rules hold for it.
func (f Field) decode(text json.RawMessage, into reflect.Value, path string) error {
	wrong := func() error { return badField(path, "must be of type %s", f.Kind) }
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	member := func(text json.RawMessage, into reflect.Value, path string) error {
		m := Field{Max: f.Max}
		m.Kind, m.Of, m.Len = kindOf(into.Type())
		return m.decode(text, into, path)
	}
	switch f.Kind {
	case "any":
		into.SetBytes(text)
	case "string", "bytes":
		var s string
		if text[0] != '"' || json.Unmarshal(text, &s) != nil {
			return wrong()
		}
		if f.Enum != nil && !slices.Contains(f.Enum, s) {
			return badField(path, "must be one of %s", strings.Join(f.Enum, ", "))
		}
		if f.Max > 0 && len(s) > f.Max {
			return badField(path, "has %d bytes; at most %d are allowed", len(s), f.Max)
		}
		if f.Kind == "string" {
			into.SetString(s)
		} else if json.Unmarshal(text, into.Addr().Interface()) != nil {
			return wrong()
		}
	case "int", "number":
		n, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			return wrong()
		}
		if f.Kind == "number" {
			into.SetFloat(n)
			return nil
		}
		if n != math.Trunc(n) || math.Abs(n) > 1<<53-1 {
			return wrong()
		}
		into.SetInt(int64(n))
	case "bool":
		if s := string(text); s != "true" && s != "false" {
			return wrong()
		}
		into.SetBool(text[0] == 't')
	case "object":
		if text[0] != '{' {
			return wrong()
		}
		return decodeStruct(text, into, path)
	case "array":
		if text[0] != '[' {
			return wrong()
		}
		slice := reflect.MakeSlice(reflect.SliceOf(into.Type().Elem()), 0, f.Len)
		err := eachElement(text, func(text json.RawMessage) error {
			n := slice.Len()
			slice = reflect.Append(slice, reflect.Zero(slice.Type().Elem()))
			return member(text, slice.Index(n), fmt.Sprintf("%s[%d]", path, n))
		})
		if err != nil {
			return asBadField(err, path)
		}
		if f.Len == 0 {
			into.Set(slice)
		} else if slice.Len() != f.Len {
			return badField(path, "must have %d elements", f.Len)
		} else {
			reflect.Copy(into, slice)
		}
	case "map":
		if text[0] != '{' {
			return wrong()
		}
		into.Set(reflect.MakeMap(into.Type()))
		err := eachMember(text, func(key string, text json.RawMessage) error {
			value := reflect.New(into.Type().Elem()).Elem()
			if err := member(text, value, path+"."+clip(key)); err != nil {
				return err
			}
			into.SetMapIndex(reflect.ValueOf(key), value)
			return nil
		})
		return asBadField(err, path)
	}
	return nil
}

// asBadField gives an error of the scanner its field.
func asBadField(err error, path string) error {
	if syntax, ok := err.(syntaxError); ok {
		return badField(path, "is %v", syntax)
	}
	return err
}

func badField(path, format string, args ...any) *Fault {
	what := "the field " + strconv.Quote(path) + " "
	if path == "" {
		what = "what was sent "
	}
	f := Fail(BadRequest, "%s", what+fmt.Sprintf(format, args...))
	f.Field = path
	return f
}

// clip keeps a key from outside short.
func clip(s string) string { return fmt.Sprintf("%.60s", s) }
