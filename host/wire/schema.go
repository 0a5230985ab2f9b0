package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Schema describes one struct of the protocol as both languages check it. It is
// derived from the Go struct: json names, omitempty for what may be absent, and
// the wire tag's enum and max.
type Schema struct {
	Name   string
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
}

// SchemaOf derives the schema of a struct type.
func SchemaOf(t reflect.Type) Schema {
	s := Schema{Name: t.Name()}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			s.Fields = append(s.Fields, SchemaOf(f.Type).Fields...)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		field := Field{Name: name, Optional: options == "omitempty"}
		field.Kind, field.Of, field.Len = kindOf(f.Type)
		for _, rule := range strings.Split(f.Tag.Get("wire"), ",") {
			switch key, value, _ := strings.Cut(rule, "="); key {
			case "enum":
				field.Enum = strings.Split(value, "|")
			case "max":
				field.Max, _ = strconv.Atoi(value)
			}
		}
		s.Fields = append(s.Fields, field)
	}
	return s
}

func kindOf(t reflect.Type) (kind, of string, length int) {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return "any", "", 0
	case t == reflect.TypeFor[[]byte]():
		return "bytes", "", 0
	}
	member := func() string {
		kind, of, _ := kindOf(t.Elem())
		if kind == "object" {
			return of
		}
		return kind
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
	case reflect.Slice:
		return "array", member(), 0
	case reflect.Array:
		return "array", member(), t.Len()
	case reflect.Map:
		return "map", member(), 0
	case reflect.Struct:
		return "object", t.Name(), 0
	}
	panic("no wire kind for " + t.String())
}

// Decode reads a request's params into the struct that into points to, and
// refuses with bad_request, naming the field, what is unknown, missing, of
// another type, not among the allowed values or too long. Absent params are {}.
func Decode(raw json.RawMessage, into any) error {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	return check(raw, reflect.TypeOf(into).Elem(), "", func() error {
		if err := json.Unmarshal(raw, into); err != nil {
			return badField("", "%v", err)
		}
		return nil
	})
}

func check(raw json.RawMessage, t reflect.Type, path string, then func() error) error {
	seen := map[string]bool{}
	schema := SchemaOf(t)
	types := fieldTypes(t)
	err := eachMember(raw, func(key string, value json.RawMessage) error {
		at := slices.IndexFunc(schema.Fields, func(f Field) bool { return f.Name == key })
		if at < 0 {
			return badField(path+key, "there is no field %q", path+key)
		}
		seen[key] = true
		return checkValue(value, schema.Fields[at], types[key], path+key)
	})
	if fault, ok := err.(*Fault); ok {
		return fault
	}
	if err != nil {
		return badField(path, "params that are %v", err)
	}
	for _, f := range schema.Fields {
		if !f.Optional && !seen[f.Name] {
			return badField(path+f.Name, "the field %q is missing", path+f.Name)
		}
	}
	return then()
}

func checkValue(raw json.RawMessage, f Field, t reflect.Type, path string) error {
	wrong := func() error { return badField(path, "the field %q must be of type %s", path, f.Kind) }
	switch f.Kind {
	case "any":
		return nil
	case "string", "bytes":
		var s string
		if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
			return wrong()
		}
		if f.Enum != nil && !slices.Contains(f.Enum, s) {
			return badField(path, "the field %q is %q and must be one of %s", path, clip(s), strings.Join(f.Enum, ", "))
		}
		if f.Max > 0 && len(s) > f.Max {
			return badField(path, "the field %q has %d bytes; at most %d are allowed", path, len(s), f.Max)
		}
	case "int":
		if _, err := strconv.ParseInt(string(raw), 10, 64); err != nil {
			return wrong()
		}
	case "number":
		if _, err := strconv.ParseFloat(string(raw), 64); err != nil || raw[0] == '"' {
			return wrong()
		}
	case "bool":
		if string(raw) != "true" && string(raw) != "false" {
			return wrong()
		}
	case "object":
		if raw[0] != '{' {
			return wrong()
		}
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		return check(raw, t, path+".", func() error { return nil })
	case "array", "map":
		if raw[0] != '[' && f.Kind == "array" || raw[0] != '{' && f.Kind == "map" {
			return wrong()
		}
		if err := json.Unmarshal(raw, reflect.New(t).Interface()); err != nil {
			return wrong()
		}
		if f.Kind == "array" && f.Len == 0 && t.Elem().Kind() == reflect.Struct {
			var items []json.RawMessage
			if err := json.Unmarshal(raw, &items); err != nil {
				return wrong()
			}
			for i, item := range items {
				if item = bytes.TrimSpace(item); len(item) == 0 || item[0] != '{' {
					return wrong()
				}
				if err := check(item, t.Elem(), fmt.Sprintf("%s[%d].", path, i), func() error { return nil }); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func fieldTypes(t reflect.Type) map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for name, typ := range fieldTypes(f.Type) {
				types[name] = typ
			}
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		types[name] = f.Type
	}
	return types
}

func badField(field, format string, args ...any) *Fault {
	f := Fail(BadRequest, format, args...)
	f.Field = field
	return f
}

// clip keeps what is quoted in an error short.
func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}
