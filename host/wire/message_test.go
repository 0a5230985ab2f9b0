package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestParseMessage(t *testing.T) {
	t.Parallel()
	nested := func(depth int) string {
		return `{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + `}`
	}
	tests := []struct {
		name, text string
		ok         bool
	}{
		{"a request", `{"jsonrpc":"2.0","id":1,"method":"tabs","params":{}}`, true},
		{"a request without params", `{"jsonrpc":"2.0","id":0,"method":"tabs"}`, true},
		{"a notification", `{"jsonrpc":"2.0","method":"event","params":{}}`, true},
		{"a result", `{"jsonrpc":"2.0","id":1,"result":{}}`, true},
		{"a result of null", `{"jsonrpc":"2.0","id":1,"result":null}`, true},
		{"an error", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"x"}}`, true},
		{"an error that answers nothing", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, true},
		{"members that are not known", `{"jsonrpc":"2.0","id":1,"method":"tabs","meta":[{}]}`, true},
		{"spaces", " {\n\"jsonrpc\" : \"2.0\" , \"id\":1,\t\"result\":1 }\r\n", true},
		{"512 levels", nested(512), true},
		{"513 levels", nested(513), false},
		{"100,000 levels", nested(100_000), false},
		{"nothing", ``, false},
		{"garbage", "\x00\xff\x17", false},
		{"no object", `[]`, false},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"tabs"}]`, false},
		{"no UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", false},
		{"a surrogate as bytes", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xed\xa0\x80\"}", false},
		{"no version", `{"id":1,"method":"tabs"}`, false},
		{"another version", `{"jsonrpc":"1.0","id":1,"method":"tabs"}`, false},
		{"the version as a number", `{"jsonrpc":2.0,"id":1,"method":"tabs"}`, false},
		{"an id that is a word", `{"jsonrpc":"2.0","id":"1","method":"tabs"}`, false},
		{"an id that is a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"tabs"}`, false},
		{"an id that is too large", `{"jsonrpc":"2.0","id":9223372036854775808,"method":"tabs"}`, false},
		{"a method that is a number", `{"jsonrpc":"2.0","id":1,"method":7}`, false},
		{"a method without a name", `{"jsonrpc":"2.0","id":1,"method":""}`, false},
		{"neither request nor response", `{"jsonrpc":"2.0","id":1}`, false},
		{"a result that answers nothing", `{"jsonrpc":"2.0","result":1}`, false},
		{"request and response", `{"jsonrpc":"2.0","id":1,"method":"tabs","result":1}`, false},
		{"result and error", `{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}`, false},
		{"an error that is a word", `{"jsonrpc":"2.0","id":1,"error":"x"}`, false},
		{"an error that is null", `{"jsonrpc":"2.0","id":1,"error":null}`, false},
		{"a key twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"tabs"}`, false},
		{"two messages", `{"jsonrpc":"2.0","id":1,"method":"tabs"}{}`, false},
		{"params that are no JSON", `{"jsonrpc":"2.0","id":1,"method":"tabs","params":{"a":tru}}`, false},
		{"a cut message", `{"jsonrpc":"2.0","id":1,"method":"tabs","params":{"a":"`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := ParseMessage([]byte(tt.text))
			if !tt.ok {
				if codeOf(err) != BadRequest {
					t.Fatalf("got %+v, %v", m, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			again, err := m.text()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ParseMessage(again); err != nil {
				t.Errorf("spelt as %s: %v", again, err)
			}
		})
	}
}

func TestParseMessageKeepsBytes(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		`{ "b":1, "a":[ 1.0,1e2,-0 ] }`, "\"<&>\u2028 \\u2028 \\ud800 \\u0000\"", `{"a":1,"a":2}`, `null`, `"\/"`,
	} {
		text, err := Message{ID: new(int64), Result: json.RawMessage(value)}.text()
		if err != nil {
			t.Fatal(err)
		}
		if m, err := ParseMessage(text); err != nil || string(m.Result) != value {
			t.Errorf("%s came out as %s, %v", value, m.Result, err)
		}
	}
}

// What was read before a fault is told, so that it can be answered.
func TestParseMessageTellsTheID(t *testing.T) {
	t.Parallel()
	m, err := ParseMessage([]byte(`{"jsonrpc":"2.0","id":7,"method":"tabs","params":{"a":tru}}`))
	if codeOf(err) != BadRequest || m.ID == nil || *m.ID != 7 || m.Method != "tabs" {
		t.Errorf("got %+v, %v", m, err)
	}
}

// The scanner and encoding/json accept the same texts.
func FuzzScan(f *testing.F) {
	for _, text := range []string{`{}`, `[1,-0.5e+7,"a\u00e9\"",true,false,null]`, ` {"a":{"b":[]}} `, `01`, `"\x"`, `[1,]`, `{"a"}`, "\"\x1f\"", `-`, `1.`, `1e`, `tru`, "\x00"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		err := wellFormed(text)
		if err == errTooDeep {
			return
		}
		if (err == nil) != json.Valid(text) {
			t.Fatalf("%q: %v, encoding/json says %v", text, err, json.Valid(text))
		}
	})
}

// bundle is like that of a page of n AX nodes.
func bundle(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"v":1,"capture":"00112233445566778899aabbccddeeff","tab":7,"frames":[{"frameId":"F","nodes":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"nodeId":"%d","ignored":false,"role":{"type":"role","value":"link"},"chromeRole":{"type":"internalRole","value":110},"name":{"type":"computedString","value":"Review order %d","sources":[{"type":"relatedElement","attribute":"aria-labelledby"},{"type":"attribute","attribute":"aria-label"},{"type":"contents","value":{"type":"computedString","value":"Review order %d"}}]},"properties":[{"name":"focusable","value":{"type":"booleanOrUndefined","value":true}}],"parentId":"%d","childIds":["%d"],"backendDOMNodeId":%d}`, i, i, i, i/2, i+1, i)
	}
	b.WriteString(`]}]}`)
	return b.Bytes()
}

// BenchmarkBundle is what an answer to capture costs the host before it is read.
func BenchmarkBundle(b *testing.B) {
	text, err := Message{ID: new(int64), Result: append(append([]byte(`{"bundle":`), bundle(10_000)...), '}')}.text()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("wire", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			m, err := ParseMessage(text)
			if err != nil {
				b.Fatal(err)
			}
			var r CaptureResult
			if err := Decode(m.Result, &r); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			var m struct{ Result json.RawMessage }
			if err := json.Unmarshal(text, &m); err != nil {
				b.Fatal(err)
			}
			var r CaptureResult
			if err := json.Unmarshal(m.Result, &r); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkParts is what a bundle that needs parts costs beside that.
func BenchmarkParts(b *testing.B) {
	text := bundle(100_000)
	frames, err := Parts(text, PartToHost)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("split", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := Parts(text, PartToHost); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("join", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			var join Joiner
			for _, frame := range frames {
				if _, _, err := join.Add(frame); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
