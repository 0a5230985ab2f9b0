package compressor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// nest puts a value into n arrays.
func nest(n int, value string) string {
	return strings.Repeat("[", n) + value + strings.Repeat("]", n)
}

const button = `{"nodeId":"1","role":{"value":"button"},"name":{"value":"Go"},"backendDOMNodeId":1}`

func TestDecline(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		payload string
		reason  Reason
	}{
		{"empty", "", ReasonInvalidJSON},
		{"white space alone", " \n", ReasonInvalidJSON},
		{"byte order mark", "\ufeff[" + button + "]", ReasonInvalidJSON},
		{"two values", "[" + button + "] []", ReasonInvalidJSON},
		{"trailing comma", "[" + button + ",]", ReasonInvalidJSON},
		{"truncated", "[" + button[:40], ReasonInvalidJSON},
		{"NUL behind", "[" + button + "]\x00", ReasonInvalidJSON},
		{"control byte in a string", `[{"nodeId":"` + "\x01" + `"}]`, ReasonInvalidJSON},
		{"unknown escape", `[{"nodeId":"\x"}]`, ReasonInvalidJSON},
		{"short escape", `[{"nodeId":"\u12"}]`, ReasonInvalidJSON},
		{"escape at the end", `"\`, ReasonInvalidJSON},
		{"number with a leading zero", `[{"x":01}]`, ReasonInvalidJSON},
		{"number without digits behind the point", `[{"x":1.}]`, ReasonInvalidJSON},
		{"number without an exponent", `[{"x":1e}]`, ReasonInvalidJSON},
		{"plus", `[{"x":+1}]`, ReasonInvalidJSON},
		{"wrong word", `[{"x":nul}]`, ReasonInvalidJSON},
		{"key without quotes", `[{x:1}]`, ReasonInvalidJSON},
		{"missing colon", `[{"x" 1}]`, ReasonInvalidJSON},
		{"wrong bracket", `[{"x":[1}]`, ReasonInvalidJSON},
		{"513 deep", nest(513, ""), ReasonInvalidJSON},
		{"513 deep in what is skipped", `[{"nodeId":"1","x":` + nest(511, "") + `}]`, ReasonInvalidJSON},
		{"invalid behind what is no tree", `{"a":1`, ReasonInvalidJSON},

		{"512 deep", nest(512, ""), ReasonNotAXTree},
		{"a string", `"nodes"`, ReasonNotAXTree},
		{"a number", `-0.5e+3`, ReasonNotAXTree},
		{"null", `null`, ReasonNotAXTree},
		{"empty array", `[]`, ReasonNotAXTree},
		{"empty object", `{}`, ReasonNotAXTree},
		{"no nodes", `{"nodes":[]}`, ReasonNotAXTree},
		{"nodes is no array", `{"nodes":{}}`, ReasonNotAXTree},
		{"an element is no object", `[` + button + `,1]`, ReasonNotAXTree},
		{"the last nodes count", `{"nodes":[` + button + `],"nodes":[]}`, ReasonNotAXTree},
		{"other keys", `{"Nodes":[` + button + `]}`, ReasonNotAXTree},
		{"bundle of another version", `{"v":2,"frames":[{"nodes":[` + button + `]}]}`, ReasonNotAXTree},
		{"bundle without a version", `{"frames":[{"nodes":[` + button + `]}]}`, ReasonNotAXTree},
		{"bundle without frames", `{"v":1,"frames":[]}`, ReasonNotAXTree},
		{"bundle with a frame that is none", `{"v":1,"frames":[7]}`, ReasonNotAXTree},
		{"the root frame was not read", `{"v":1,"frames":[{"frameId":"A","nodes":[` + button + `],"error":"timeout"}]}`, ReasonNotAXTree},

		{"no nodeId", `[{"role":{"value":"button"}}]`, ReasonMissingNodeID},
		{"empty nodeId", `[{"nodeId":"","role":{"value":"button"}}]`, ReasonMissingNodeID},
		{"nodeId is a number", `[{"nodeId":1,"role":{"value":"button"}}]`, ReasonMissingNodeID},
		{"the last nodeId counts", `[{"nodeId":"1","nodeId":null,"role":{"value":"button"}}]`, ReasonMissingNodeID},
		{"missing comes before duplicate", `[` + button + `,{"nodeId":"1"},{}]`, ReasonMissingNodeID},

		{"duplicate", `[` + button + `,{"nodeId":"1","role":{"value":"link"}}]`, ReasonDuplicateNodeID},
		{"duplicate by an escape", `[` + button + `,{"nodeId":"\u0031","role":{"value":"link"}}]`, ReasonDuplicateNodeID},
		{"differs in the parent", `[` + button + `,` + button[:len(button)-1] + `,"parentId":"7"}]`, ReasonDuplicateNodeID},
		{"differs in the description", `[` + button + `,` + button[:len(button)-1] + `,"description":{"value":"d"}}]`, ReasonDuplicateNodeID},
		{"differs in a property that is not shown", `[` + button + `,` + button[:len(button)-1] + `,"properties":[{"name":"level","value":{"value":1}}]}]`, ReasonDuplicateNodeID},
		{"differs in the children", `[` + button + `,` + button[:len(button)-1] + `,"childIds":["7"]}]`, ReasonDuplicateNodeID},
		{"differs in the spelling of the role", `[` + button + `,` + strings.Replace(button, "button", "Button", 1) + `]`, ReasonDuplicateNodeID},
		{"duplicate comes before empty role", `[` + button + `,{"nodeId":"1"}]`, ReasonDuplicateNodeID},

		{"no role", `[{"nodeId":"1"}]`, ReasonEmptyRole},
		{"blank role", `[{"nodeId":"1","role":{"value":" \n"}}]`, ReasonEmptyRole},
		{"role is no AXValue", `[{"nodeId":"1","role":"button"}]`, ReasonEmptyRole},
		{"role is null", `[{"nodeId":"1","role":{"value":null}}]`, ReasonEmptyRole},
		{"ignored is no bool", `[{"nodeId":"1","ignored":"true"}]`, ReasonEmptyRole},

		{"all ignored", `[{"nodeId":"1","ignored":true,"role":{"value":"button"}}]`, ReasonNoLiveNodes},
		{"nothing to say", `[{"nodeId":"1","role":{"value":"generic"}},{"nodeId":"2","role":{"value":"InlineTextBox"},"name":{"value":"x"}}]`, ReasonNoRecords},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, err := Read([]byte(test.payload))
			var d *Decline
			if !errors.As(err, &d) {
				t.Fatalf("error %v, page %v", err, p)
			}
			if d.Reason != test.reason {
				t.Errorf("%v, want %s", d, test.reason)
			}
			if !strings.HasPrefix(d.Error(), string(test.reason)) {
				t.Errorf("%q does not name its reason", d)
			}
			checkReference(t, []byte(test.payload))
		})
	}
}

// TestRead holds payloads whose view differs from what a careless reader makes of them.
// A payload that ends anywhere, within an escape too, is declined.
func TestTruncated(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bundle", "caveman", "hostile"} {
		payload, err := os.ReadFile("../testdata/payloads/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		payload = bytes.TrimSpace(payload)
		for n := range payload {
			_, err := Read(payload[:n])
			if d, ok := errors.AsType[*Decline](err); !ok || d.Reason != ReasonInvalidJSON {
				t.Fatalf("%s cut at %d: %v", name, n, err)
			}
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	node := func(fields string) string {
		return `[{"nodeId":"1","role":{"value":"button"},"backendDOMNodeId":1,` + fields + `}]`
	}
	for _, test := range []struct{ name, payload, view string }{
		{"white space everywhere", "\r\n\t [ { \"nodeId\" : \"1\" , \"role\" : { \"value\" : \"button\" } , \"childIds\" : [ ] } ] ", `button`},
		{"unknown fields, deep", node(`"x":` + nest(510, "") + `,"y":{"z":[{},[],1e9,null,true,false,"s"]}`), `[u1] button`},
		{"key by escapes", node(`"n\u0061me":{"v\u0061lue":"Go"}`), `[u1] button "Go"`},
		{"keys differ in case", node(`"Name":{"value":"Go"},"name":{"Value":"No"}`), `[u1] button`},
		{"the last of equal keys counts whole", node(`"name":{"value":"a"},"name":{"type":"x"},"value":{"value":"1","value":"2"}`), `[u1] button = "2"`},
		{"the last null counts", node(`"name":{"value":"a"},"name":null`), `[u1] button`},
		{"the last properties count", node(`"properties":[{"name":"disabled","value":{"value":true}}],"properties":[]`), `[u1] button`},
		{"both spellings, the last counts", node(`"backendDOMNodeID":35`), `[uz] button`},
		{"backend id as a float", node(`"backendDOMNodeId":3.5e1`), `[uz] button`},
		{"backend id with a fraction", node(`"backendDOMNodeId":3.5`), `button`},
		{"backend id as a string", node(`"backendDOMNodeId":"35"`), `button`},
		{"backend id over 53 bits", node(`"backendDOMNodeId":9007199254740993`), `[u2gosa7pa2gx] button`},
		{"backend id over 64 bits", node(`"backendDOMNodeId":36893488147419103232`), `button`},
		{"bool, number and null", node(`"name":{"value":true},"value":{"value":null}`), `[u1] button "true"`},
		{"number", node(`"name":{"value":-1.50e3},"value":{"value":0.10}`), `[u1] button "-1500" = "0.1"`},
		{"number with zeros", node(`"name":{"value":100},"value":{"value":1.0}`), `[u1] button "100" = "1"`},
		{"numbers out of range", node(`"name":{"value":1e-400},"value":{"value":-1e400}`), `[u1] button "0" = "-1e400"`},
		{"large number", node(`"name":{"value":1e21},"value":{"value":12345678901234567890}`), `[u1] button "1000000000000000000000" = "12345678901234567000"`},
		{"arrays and objects in the payload's order", node(`"name":{"value":[ 1 , "a  b", {"z":1, "a":[ ]} ]},"value":{"value":{ }}`), `[u1] button "[1,\"a b\",{\"z\":1,\"a\":[]}]" = "{}"`},
		{"white space of Unicode", node(`"name":{"value":"\u00a0a\u2003\u3000b\u0085\u2028c\ufeff"}`), `[u1] button "a b c\ufeff"`},
		{"all escapes", node(`"name":{"value":"\"\\\/\b\f\n\r\t\u0041\u00e9"}`), `[u1] button "\"\\/\b Aé"`},
		{"surrogates", node(`"name":{"value":"\ud83d\ude00 \ud83d \ude00 \ud83dx \ud83d\u0041 \ud83d\ud83d\ude00"}`), "[u1] button \"😀 � � �x �A �😀\""},
		{"invalid UTF-8", node("\"name\":{\"value\":\"a\xff\xfeb\xc3\"}"), `[u1] button "a��b�"`},
		{"invalid UTF-8 in an array", node("\"name\":{\"value\":[\"\xff\"]}"), `[u1] button "[\"�\"]"`},
		{"value equal to the name when folded", node(`"name":{"value":" a  b "},"value":{"value":"a b"}`), `[u1] button "a b"`},
		{"identical repeats in other bytes", `[` + button + `,{"role":{"value":"button"},"nodeId":"1","backendDOMNodeId":1.0,"name":{"x":1,"value":"G\u006f"}}]`, `[u1] button "Go"`},
		{"children that are no strings", node(`"childIds":[1,null,"1",{}]`), `[u1] button`},
		{"role in any case", `[{"nodeId":"1","role":{"value":"BUTTON"},"backendDOMNodeId":1}]`, `[u1] button`},
		{"role by Unicode folding", `[{"nodeId":"1","role":{"value":"lin\u212a"},"backendDOMNodeId":1}]`, `[u1] "link"`},
		{"role of 64 letters", `[{"nodeId":"1","role":{"value":"` + strings.Repeat("a", 64) + `"}}]`, strings.Repeat("a", 64)},
		{"role of 65 letters", `[{"nodeId":"1","role":{"value":"` + strings.Repeat("a", 65) + `"}}]`, `"` + strings.Repeat("a", 65) + `"`},
		{"role that begins with a digit", `[{"nodeId":"1","role":{"value":"1st"}}]`, `"1st"`},
		{"role with a hyphen", `[{"nodeId":"1","role":{"value":"Doc-Toc_2"}}]`, `doc-toc_2`},
		{"role with folded space", `[{"nodeId":"1","role":{"value":" My\n role "}}]`, `"my role"`},
		{"role as a number", `[{"nodeId":"1","role":{"value":5}}]`, `"5"`},
		{"empty text stays", `[{"nodeId":"1","role":{"value":"group"}},{"nodeId":"2","role":{"value":"StaticText"},"name":{"value":" "}}]`, "group\ntext"},
		{"a text's state and value", `[{"nodeId":"1","role":{"value":"StaticText"},"name":{"value":"a"},"value":{"value":"b"},"properties":[{"name":"disabled","value":{"value":true}}]}]`, `text "a" = "b"`},
		{"repeated text as in another case", `[{"nodeId":"1","role":{"value":"heading"},"name":{"value":"ÉTÉ"}},{"nodeId":"2","role":{"value":"StaticText"},"name":{"value":" été"}}]`, `heading "ÉTÉ"`},
		{"text that only another text repeats", `[{"nodeId":"1","role":{"value":"StaticText"},"name":{"value":"a"}},{"nodeId":"2","role":{"value":"StaticText"},"name":{"value":"a"}}]`, "text \"a\"\ntext \"a\""},
		{"below a text that is removed the depth stays", `[{"nodeId":"1","role":{"value":"heading"},"name":{"value":"a"},"childIds":["2"]},{"nodeId":"2","role":{"value":"StaticText"},"name":{"value":"a"},"childIds":["3"]},{"nodeId":"3","role":{"value":"list"}}]`, "heading \"a\"\n    list"},
		{"a label without a word, but focusable", `[{"nodeId":"1","role":{"value":"LabelText"},"backendDOMNodeId":7,"properties":[{"name":"focusable","value":{"value":true}}],"childIds":["2"]},{"nodeId":"2","role":{"value":"button"},"backendDOMNodeId":7}]`, `[u7_2] button`},
		{"a label with a state", `[{"nodeId":"1","role":{"value":"LabelText"},"properties":[{"name":"focused","value":{"value":true}}]}]`, `label {focused}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := mustRead(t, []byte(test.payload))
			v := mustView(t, p, Options{})
			if v.Text != test.view {
				t.Errorf("view\n%s\nwant\n%s", v.Text, test.view)
			}
			checkReference(t, []byte(test.payload))
			if strings.Contains(v.Text, "[u7_2]") {
				return // its first is no record
			}
			checkView(t, p, v)
		})
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ property, value, states string }{
		{"disabled", `true`, "{disabled}"}, {"disabled", `"TRUE"`, "{disabled}"}, {"disabled", `" yes "`, "{disabled}"}, {"disabled", `1`, "{disabled}"},
		{"disabled", `false`, ""}, {"disabled", `"maybe"`, ""}, {"disabled", `"mixed"`, ""}, {"disabled", `null`, ""}, {"disabled", `[true]`, ""},
		{"checked", `"mixed"`, "{checked}"}, {"checked", `"Mixed"`, "{checked}"}, {"checked", `""`, "{unchecked}"}, {"checked", `"no"`, "{unchecked}"}, {"checked", `-0.0e5`, "{unchecked}"},
		{"checked", `1e-999`, "{checked}"}, {"checked", `-1`, "{checked}"}, {"checked", `"undefined"`, ""},
		{"expanded", `0`, "{collapsed}"}, {"expanded", `"1"`, "{expanded}"}, {"expanded", `"0"`, "{collapsed}"}, {"expanded", `"mixed"`, ""},
		{"selected", `true`, "{selected}"}, {"selected", `"false"`, ""}, {"focused", `2`, "{focused}"},
		{"editable", `"plaintext"`, "{editable}"}, {"editable", `"RichText"`, "{editable}"}, {"editable", `true`, "{editable}"}, {"editable", `"yes"`, "{editable}"},
		{"editable", `1`, ""}, {"editable", `"discrete"`, ""}, {"checked", `"richtext"`, ""},
		{"pressed", `"true"`, ""}, {"Disabled", `true`, ""},
	} {
		payload := fmt.Sprintf(`[{"nodeId":"1","role":{"value":"x"},"properties":[null,7,{},{"name":%q},{"name":%q,"value":{"type":"t","value":%s}}]}]`, test.property, test.property, test.value)
		want := strings.TrimSpace("x " + test.states)
		if v := mustView(t, mustRead(t, []byte(payload)), Options{}); v.Text != want {
			t.Errorf("%s %s: %s, want %s", test.property, test.value, v.Text, want)
		}
		checkReference(t, []byte(payload))
	}
	twice := `[{"nodeId":"1","role":{"value":"x"},"properties":[{"name":"checked","value":{"value":true}},{"name":"checked","value":{"value":false}},{"name":"checked","value":{"value":"?"}}]}]`
	if v := mustView(t, mustRead(t, []byte(twice)), Options{}); v.Text != "x {unchecked}" {
		t.Errorf("twice: %s", v.Text)
	}
}

// TestAllocations: text is cut from the payload or shares blocks.
func TestAllocations(t *testing.T) {
	payload := tablePayload(4000)
	allocs := testing.AllocsPerRun(1, func() { mustRead(t, payload) })
	if perMB := allocs / (float64(len(payload)) / 1e6); perMB > 10 {
		t.Errorf("%.0f allocations for each MB", perMB)
	}
}

// TestDeep walks nodes that no recursion would survive, and declines a view that
// would be quadratic in them.
func TestDeep(t *testing.T) {
	t.Parallel()
	const depth = 200_000
	chain := func(role string) []byte {
		var b bytes.Buffer
		b.WriteString(`[{"nodeId":"0","role":{"value":"RootWebArea"},"childIds":["1"]}`)
		for i := 1; i < depth; i++ {
			fmt.Fprintf(&b, `,{"nodeId":"%d","role":{"value":%q},"childIds":["%d"]}`, i, role, i+1)
		}
		fmt.Fprintf(&b, `,{"nodeId":"%d","role":{"value":"button"},"backendDOMNodeId":5,"childIds":["0","7"]}]`, depth)
		return b.Bytes()
	}
	v := mustView(t, mustRead(t, chain("generic")), Options{})
	if v.Text != "page\n  [u5] button" {
		t.Errorf("view %.100q", v.Text)
	}
	p := mustRead(t, chain("group"))
	_, err := p.View(Options{})
	var d *Decline
	if !errors.As(err, &d) || d.Reason != ReasonNotSmaller {
		t.Errorf("200,000 levels: %v", err)
	}
	if targets := p.Targets(); len(targets) != 1 || targets[0].UID != "u5" {
		t.Errorf("targets %v", targets)
	}
}

// TestManyTargetsInOneItem asks for the context of each.
func TestManyTargetsInOneItem(t *testing.T) {
	t.Parallel()
	const links = 100_000
	var b bytes.Buffer
	b.WriteString(`[{"nodeId":"r","role":{"value":"row"},"childIds":["1"`)
	for i := 2; i <= links; i++ {
		fmt.Fprintf(&b, `,"%d"`, i)
	}
	b.WriteString(`]}`)
	for i := 1; i <= links; i++ {
		fmt.Fprintf(&b, `,{"nodeId":"%d","role":{"value":"link"},"name":{"value":"L%d"},"backendDOMNodeId":%d}`, i, i, i)
	}
	b.WriteString(`]`)
	targets := mustRead(t, b.Bytes()).Targets()
	if len(targets) != links || targets[0].Context != "L2" || targets[1].Context != "L1" || targets[links-1].Context != "L1" {
		t.Errorf("%d targets, contexts %q, %q", len(targets), targets[0].Context, targets[1].Context)
	}
}

func TestNodesAndFrameNodes(t *testing.T) {
	t.Parallel()
	const array = `[ {"nodeId":"1","role":{"value":"button"}}, {"nodeId":"2","ignored":true} ]`
	for _, test := range []struct {
		name, payload string
		shape         Shape
	}{
		{"array", " " + array + " ", ShapeArray},
		{"object", `{"a":[1],"nodes": ` + array + ` ,"b":2}`, ShapeObject},
		{"bundle", `{"frames":[{"nodes":` + array + `},{"error":"timeout"}],"v":1}`, ShapeBundle},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := mustRead(t, []byte(test.payload))
			if p.Shape != test.shape || p.Nodes() != 1 {
				t.Errorf("shape %s, %d nodes", p.Shape, p.Nodes())
			}
			if got, ok := p.FrameNodes(0); !ok || string(got) != array {
				t.Errorf("frame 0: %q, %v", got, ok)
			}
			for _, k := range []int{-1, 1, 2} {
				if got, ok := p.FrameNodes(k); ok {
					t.Errorf("frame %d: %q", k, got)
				}
			}
		})
	}
}

// TestNumbersLikeEncodingJSON checks every number of a few signs.
func TestNumbersLikeEncodingJSON(t *testing.T) {
	t.Parallel()
	const signs = "-+.eE019"
	var try func(s string, left int)
	try = func(s string, left int) {
		r := newReader(s, []byte(s))
		r.skip()
		if valid := r.failed < 0 && r.at == len(s); valid != json.Valid([]byte(s)) {
			t.Errorf("%q: valid %v", s, valid)
		}
		for i := 0; left > 0 && i < len(signs); i++ {
			try(s+signs[i:i+1], left-1)
		}
	}
	try("", 5)
}
