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
		f.Add([]byte(payload), "x 1", uint64(len(payload))*7919)
	}
	f.Fuzz(func(t *testing.T, data []byte, query string, choice uint64) {
		checkPayload(t, data, query, choice)
		checkPayload(t, payloadOf(data), query, choice)
	})
}

// TestRandomPayloads checks what FuzzView checks, for the same payloads each time.
func TestRandomPayloads(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 200)
	var before *Page
	for range 1000 {
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		if after, err := Read(payloadOf(data)); err == nil {
			if before != nil {
				checkDiff(t, before, after)
			}
			before = after
		}
		checkPayload(t, payloadOf(data), "a page", random.Uint64())
	}
}

// checkDiff checks that a diff says of every item of the page after whether it is
// new or changed, and that the uids it issues name nodes there.
func checkDiff(t testing.TB, before, after *Page) {
	t.Helper()
	d := Diff(before, after, Options{})
	signs, items, err := parseDiff(d.Text)
	if err != nil {
		t.Fatal(err)
	}
	var present []shownItem
	for i, it := range items {
		if signs[i] != '-' {
			present = append(present, it)
		}
	}
	checkUIDs(t, after, d, present)
	if again := Diff(before, after, Options{}); again.Text != d.Text {
		t.Fatal("two diffs differ")
	}
}

func checkPayload(t *testing.T, payload []byte, query string, choice uint64) {
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
	checkReading(t, p, mustRead(t, payload), query, choice)
}

// checkReading checks what holds of everything that can be asked of a page; choice
// picks among the options. again is the same page.
func checkReading(t testing.TB, p, again *Page, query string, choice uint64) {
	t.Helper()
	pick := func(n uint64) int {
		at := choice % n
		choice /= n
		return int(at)
	}
	base := Options{Depth: pick(5), Names: pick(3) * 4, Values: pick(3) * 4, Text: pick(3) * 4, URLs: pick(2) == 1, Bare: pick(2) == 1}
	if pick(2) == 1 {
		base.Handles = "all"
	}
	if len(p.layouts) > 0 || pick(2) == 1 {
		base.Filter = []string{"", "visible", "viewport", "interactive"}[pick(4)]
	}
	if len(p.layouts) == 0 && base.Filter != "interactive" {
		base.Filter = ""
	}
	if pick(3) == 0 {
		base.Query = query
	}
	if targets := p.Targets(); len(targets) > 0 && pick(3) == 0 {
		base.Under = targets[pick(uint64(len(targets)))].UID
	}
	for _, o := range []Options{{Profile: Balanced}, {Profile: Light}, {Profile: Balanced, Handles: "all"}, base} {
		if o == base {
			o.Profile = []string{Balanced, Light}[pick(2)]
		}
		items := checkShown(t, p, o)
		checkLimits(t, o, items)
		v, _ := p.View(o)
		if w, _ := again.View(o); v != nil && w.Text != v.Text {
			t.Fatalf("%+v: two views differ", o)
		}
		if v != nil {
			part := len(v.Text) / 9
			checkWindows(t, v, Limits{Chars: part + 210 + pick(300), Tail: pick(2) * 90})
			checkWindows(t, v, Limits{Tokens: part/3 + 70 + pick(100), Tail: pick(2) * 90})
			checkWindows(t, v, Limits{Chars: part + 400, Max: part + 10 + pick(300)})
		}
	}
	checkControls(t, p)

	base.Profile = Full
	if base.plain() != (Options{Query: base.Query}).plain() {
		checkLimits(t, base, checkShown(t, p, base))
	}

	for _, text := range []string{query, "a", "/./", "/(/"} {
		hits, err := p.Search(text)
		if err != nil {
			continue
		}
		items, err := parseHits(hits.Text)
		if err != nil {
			t.Fatal(err)
		}
		checkUIDs(t, p, &hits.View, items)
	}
	if d := Diff(p, again, base); d.Text != "unchanged" {
		t.Fatalf("a page differs from itself:\n%s", d.Text)
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
		"table", "columnheader", "cell", "LayoutTableRow", "LayoutTableCell", "combobox", "MenuListPopup", "listbox", "strong", "ListMarker",
		"paragraph", "image", "StaticText", "StaticText", "link", "tab", "menu",
	}
	texts := []string{`""`, `"a"`, `"A "`, `"a\n[u1] b"`, `"\ud800\u202e"`, `" \" = \"x\" {focused}"`, `1.50e2`, `true`, `null`, `["a",{"b":" "}]`, "\"\xff\"", `"page"`, `"Security code"`, `"👩‍👩‍👧‍👦 é́ שלום"`, `"|"`, `"Long words that go on and on"`}
	values := []string{`true`, `false`, `"mixed"`, `"richtext"`, `0`, `1`, `""`, `"?"`}
	properties := []string{"disabled", "checked", "expanded", "selected", "focused", "editable", "focusable", "clickable", "level", "pressed", "hasPopup", "invalid", "url", "valuetext", "valuemax"}
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
	layout := fmt.Sprintf(`"%d":{"clickable":true},"%d":{"clickable":true,"rendered":false}`, next(9), 20+next(9))
	for _, fact := range []string{`"box":[0,0,0,0]`, `"box":[1,2,3,4],"viewport":true`, `"opacity":0`, `"class":"fa fa-trash","box":[0,0,1,1]`, `"placeholder":"a","type":"password"`} {
		layout += fmt.Sprintf(`,"%d":{%s}`, next(9), fact)
	}
	return fmt.Appendf(nil, `{"v":1,"frames":[%s],"layout":{"%d":{%s}}}`, strings.Join(frames, ","), next(3), layout)
}
