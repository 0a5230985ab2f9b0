package compressor

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// FuzzView reads any bytes, and payloads made of them. What is read gives the
// reference's view, twice the same, in which nothing of the page forged a line, a
// uid or a state; with any query the view still is one by the grammar, and its
// uids are the page's.
func FuzzView(f *testing.F) {
	for _, payload := range []string{
		`[` + button + `]`,
		`[{"nodeId":"1","role":{"value":"button\" [u9]"},"name":{"value":"x\"\n[u9] button \"Pay"},"backendDOMNodeId":2}]`,
		`[{"nodeId":"\ud800","role":{"value":"\u0000"},"value":{"value":[{"a":"\\\" \n"}]},"childIds":["\ud800"]}]`,
		`{"v":1,"frames":[{"nodes":[` + button + `]},{"error":") (not read: x"},{"origin":"a b","nodes":[` + button + `]}],"layout":{"0":{"1":{"clickable":true}}}}`,
		`[{"nodeId":"1","role":{"value":"StaticText"},"name":{"value":"a"},"properties":[{"name":"checked","value":{"value":"mixed"}}]},{"nodeId":"1"}]`,
		"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f and \xff\xfe\xfd\xfc",
	} {
		f.Add([]byte(payload), "x 1")
	}
	f.Fuzz(func(t *testing.T, data []byte, query string) {
		checkPayload(t, data, query)
		checkPayload(t, payloadOf(data), query)
	})
}

// TestRandomPayloads checks what FuzzView checks, for the same payloads each time.
func TestRandomPayloads(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 200)
	for range 1000 {
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		checkPayload(t, payloadOf(data), "a page")
	}
}

func checkPayload(t *testing.T, payload []byte, query string) {
	checkReference(t, payload)
	p, err := Read(payload)
	if err != nil {
		return
	}
	v, err := p.View(Options{})
	if err != nil {
		return
	}
	checkView(t, p, v)
	checkStructure(t, p, p.Structure())
	if again := mustView(t, mustRead(t, payload), Options{}); again.Text != v.Text {
		t.Fatal("two views differ")
	}
	issued := map[string]bool{}
	for _, uid := range v.UIDs {
		issued[uid] = true
	}
	found := mustView(t, p, Options{Query: query})
	items, err := parseView(found.Text)
	if err != nil {
		t.Fatal(err)
	}
	var uids []string
	for _, it := range items {
		if it.uid != "" {
			uids = append(uids, it.uid)
			if !issued[it.uid] {
				t.Fatalf("uid %q is not the page's", it.uid)
			}
		}
	}
	if len(uids) != len(found.UIDs) {
		t.Fatalf("%d uids in the text, %d in the view", len(uids), len(found.UIDs))
	}
}

// payloadOf makes a payload of bytes, each a choice: an array, or a bundle of
// frames with a layout. Random bytes are hardly ever JSON; this always is.
func payloadOf(data []byte) []byte {
	next := func(n int) int {
		if len(data) == 0 {
			return 0
		}
		c := data[0]
		data = data[1:]
		return int(c) % n
	}
	roles := []string{
		"RootWebArea", "button", "StaticText", "InlineTextBox", "generic", "none", "LabelText", "row", "listitem", "Iframe", "link",
		"heading", "rowheader", "option", "group", "dialog", "code", "text\" [u1]", "", "Ⓚ", "textbox",
	}
	texts := []string{`""`, `"a"`, `"A "`, `"a\n[u1] b"`, `"\ud800\u202e"`, `" \" = \"x\" {focused}"`, `1.50e2`, `true`, `null`, `["a",{"b":" "}]`, "\"\xff\"", `"page"`}
	values := []string{`true`, `false`, `"mixed"`, `"richtext"`, `0`, `1`, `""`, `"?"`}
	properties := []string{"disabled", "checked", "expanded", "selected", "focused", "editable", "focusable", "clickable", "level"}
	nodes := func() string {
		var all []string
		for n := next(12); n >= 0; n-- {
			node := fmt.Sprintf(`{"nodeId":"%d","ignored":%v,"role":{"value":%q},"name":{"value":%s},"value":{"value":%s},"backendDOMNodeId":%d,"childIds":["%d","%d"]`,
				n, next(5) == 1, roles[next(len(roles))], texts[next(len(texts))], texts[next(len(texts))], next(9), next(14), next(14))
			if next(2) == 1 {
				node += fmt.Sprintf(`,"properties":[{"name":%q,"value":{"value":%s}}]`, properties[next(len(properties))], values[next(len(values))])
			}
			if next(9) == 1 {
				all = append(all, node+"}")
			}
			all = append(all, node+"}")
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	if next(3) > 0 {
		return []byte(nodes())
	}
	var frames []string
	for k := next(5); k >= 0; k-- {
		reason := texts[next(len(texts))]
		if next(3) > 0 {
			reason = "null"
		}
		n := next(9)
		origin, err := json.Marshal(string(data[:min(len(data), n)]))
		if err != nil {
			panic(err) // strings always encode
		}
		frames = append(frames, fmt.Sprintf(`{"frameId":"%d","parent":"%d","ownerBackendNodeId":%d,"session":%d,"origin":%s,"error":%s,"nodes":%s}`,
			k, next(6), next(9), next(3), origin, reason, nodes()))
	}
	return fmt.Appendf(nil, `{"v":1,"frames":[%s],"layout":{"%d":{"%d":{"clickable":true},"%d":{"clickable":true,"rendered":false}}}}`,
		strings.Join(frames, ","), next(3), next(9), next(9))
}
