package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// types are the protocol's structs by name.
func types() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, m := range Methods {
		for _, v := range []any{m.Params, m.Result} {
			if v != nil {
				Walk(reflect.TypeOf(v), func(t reflect.Type) { all[t.Name()] = t })
			}
		}
	}
	return all
}

func TestDecodeVectors(t *testing.T) {
	t.Parallel()
	type vector struct {
		Name, Type string
		Value      json.RawMessage
		Fill       *struct {
			Field string
			With  json.RawMessage
			Times int
		}
		Refused *string
	}
	byName := types()
	for _, tt := range vectors[vector](t, "params.json", "params") {
		t.Run(tt.Type+": "+tt.Name, func(t *testing.T) {
			t.Parallel()
			if f := tt.Fill; f != nil {
				long := bytes.Repeat(bytes.Trim(f.With, `"`), f.Times)
				tt.Value = append(bytes.TrimSuffix(tt.Value, []byte("}")), `,"`+f.Field+`":"`+string(long)+`"}`...)
			}
			into := reflect.New(byName[tt.Type])
			err := Decode(tt.Value, into.Interface())
			if tt.Refused == nil {
				checkDecoded(t, tt.Value, into, err)
				return
			}
			fault, ok := err.(*Fault)
			if !ok || fault.Code != BadRequest || fault.Field != *tt.Refused {
				t.Fatalf("got %v, want a bad_request at %q", err, *tt.Refused)
			}
		})
	}
}

// checkDecoded fails unless text was decoded to what encoding/json makes of it.
func checkDecoded(t *testing.T, text []byte, into reflect.Value, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	want := reflect.New(into.Type().Elem())
	err = json.Unmarshal(text, want.Interface())
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && strings.HasPrefix(wrong.Value, "number ") {
		return // 1.0 and 1e3 are whole numbers to JavaScript and here
	}
	if err != nil {
		t.Fatalf("accepted what encoding/json refuses: %v", err)
	}
	got1, _ := encode(into.Interface())
	want1, _ := encode(want.Interface())
	if !bytes.Equal(got1, want1) {
		t.Fatalf("got %s, want %s", got1, want1)
	}
}

func TestDecodeText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		field      string
		ok         bool
	}{
		{name: "absent params", text: "", ok: true},
		{name: "spaces", text: " {\n\t\"tab\" : 7 }\r\n", ok: true},
		{name: "an escaped key", text: `{"t\u0061b":7}`, ok: true},
		{name: "a key twice", text: `{"tab":1,"tab":2}`},
		{name: "a comma too many", text: `{"tab":1,}`},
		{name: "no value", text: `{"tab":}`},
		{name: "no end", text: `{"tab":1`},
		{name: "more after the end", text: `{} {}`},
		{name: "garbage", text: `tab=1`},
		{name: "NaN", text: `{"tab":NaN}`},
		{name: "a leading zero", text: `{"tab":01}`},
		{name: "hex", text: `{"tab":0x1}`},
		{name: "a raw line break in a string", text: "{\"url\":\"a\nb\"}"},
		{name: "a bad escape", text: `{"url":"\x"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var text json.RawMessage
			if tt.text != "" {
				text = json.RawMessage(tt.text)
			}
			var p SnapshotParams
			if err := Decode(text, &p); (err == nil) != tt.ok || !tt.ok && codeOf(err) != BadRequest {
				t.Errorf("got %+v, %v", p, err)
			}
		})
	}
}

// An embedded struct's fields stand among the others.
func TestDecodeEmbedded(t *testing.T) {
	t.Parallel()
	want := ActResult{ActID: "a", Evidence: Evidence{Dispatched: DispatchedYes, Effect: "seen", Method: "mouse", Hit: &Hit{Tag: "a", Rect: [4]float64{1, 2.5, 3, 4}}, Changes: []string{"url"}, Value: json.RawMessage(`[1, 2]`)}}
	text := []byte(`{"act_id":"a","dispatched":"yes","effect":"seen","settled":false,"method":"mouse","hit":{"tag":"a","role":"","name":"","rect":[1,2.5,3,4]},"changes":["url"],"value":[1, 2]}`)
	var got ActResult
	if err := Decode(text, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestSchemas(t *testing.T) {
	t.Parallel()
	for name, typ := range types() {
		s := SchemaOf(typ)
		if s.Name != name {
			t.Errorf("%s is called %s", name, s.Name)
		}
		seen := map[string]bool{}
		for _, f := range s.Fields {
			if f.Name == "" || f.Name == "-" || seen[f.Name] {
				t.Errorf("%s has the field %q without a name of its own", name, f.Name)
			}
			seen[f.Name] = true
			if f.Kind == "object" && types()[f.Of] == nil {
				t.Errorf("%s.%s is of the unknown type %s", name, f.Name, f.Of)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"tab":1,"url":"https://a.test","query":"x","profile":"full"}`))
	f.Add([]byte(`{"uid":"e1","action":"type","text":"\ud800","clear":true}`))
	f.Add([]byte(`{"tab":1,"targets":[{"uid":"e1","session":0}]}`))
	f.Add([]byte(`{"capture":"c","tab":1,"ordinals":{"T":1},"next":1,"limits":{"frames":1,"frameMs":1,"totalMs":1,"stallMs":1}}`))
	f.Add([]byte(`{"min":1,"max":1,"version":"","client":{"kind":"cli","name":"x"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, m := range Methods {
			into := reflect.New(reflect.TypeOf(m.Params))
			if err := Decode(text, into.Interface()); err == nil {
				checkDecoded(t, text, into, nil)
			} else if codeOf(err) != BadRequest {
				t.Fatalf("%s: %v", m.Name, err)
			}
		}
	})
}
