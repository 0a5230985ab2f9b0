package compressor

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// drawn makes a payload of a drawing: a node to a line under the one it stands in,
//
//	7 textbox "Name" = "value" required=true url="x" @{"type":"email"}
//
// its nodeId and backendDOMNodeId, role ("-" for an ignored node), name, value,
// properties and layout facts. Backslashes stand for themselves.
func drawn(t testing.TB, drawing string) []byte {
	t.Helper()
	type property struct {
		Name  string          `json:"name"`
		Value json.RawMessage `json:"value"`
	}
	type node struct {
		NodeID      string         `json:"nodeId"`
		Ignored     bool           `json:"ignored"`
		Role        map[string]any `json:"role"`
		Name        map[string]any `json:"name"`
		Value       map[string]any `json:"value"`
		Description map[string]any `json:"description,omitempty"`
		Properties  []property     `json:"properties"`
		ChildIDs    []string       `json:"childIds"`
		Backend     int            `json:"backendDOMNodeId"`
	}
	var nodes []*node
	var open []*node
	layout := map[string]json.RawMessage{}
	for _, line := range strings.Split(strings.Trim(drawing, "\n"), "\n") {
		line = strings.TrimLeft(line, "\t")
		rest := strings.TrimLeft(line, " ")
		depth := len(line) - len(rest)
		rest, facts, laid := strings.Cut(rest, " @")
		n := &node{}
		id, rest, _ := strings.Cut(rest, " ")
		role, rest, _ := strings.Cut(rest, " ")
		n.NodeID = id
		n.Backend, _ = strconv.Atoi(id)
		if n.Ignored = role == "-"; n.Ignored {
			role = "none"
		}
		n.Role = map[string]any{"value": role}
		rest = " " + rest
		text := func(before string) map[string]any {
			after, ok := strings.CutPrefix(rest, before+`"`)
			if !ok {
				return map[string]any{"value": ""}
			}
			s, after, _ := strings.Cut(after, `"`)
			rest = after
			return map[string]any{"value": json.RawMessage(`"` + s + `"`)}
		}
		n.Name, n.Value = text(" "), text(" = ")
		for _, p := range strings.Fields(rest) {
			name, value, _ := strings.Cut(p, "=")
			if name == "description" {
				n.Description = map[string]any{"value": json.RawMessage(value)}
			} else if name == "controls" {
				n.Properties = append(n.Properties, property{name, json.RawMessage(`{"type":"nodeList","relatedNodes":[{"backendDOMNodeId":` + value + `}]}`)})
			} else {
				n.Properties = append(n.Properties, property{name, json.RawMessage(`{"value":` + value + `}`)})
			}
		}
		if laid {
			layout[id] = json.RawMessage(facts)
		}
		if open = open[:depth]; depth > 0 {
			open[depth-1].ChildIDs = append(open[depth-1].ChildIDs, id)
		}
		open = append(open, n)
		nodes = append(nodes, n)
	}
	var payload any = nodes
	if len(layout) > 0 {
		payload = map[string]any{"v": 1, "frames": []any{map[string]any{"nodes": nodes}}, "layout": map[string]any{"0": layout}}
	}
	b, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(fmt.Errorf("drawing %s: %w", drawing, err))
	}
	return b
}

func TestBalanced(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, drawing, view string }{
		{"text equal to what stands elsewhere stays", `
1 RootWebArea "P"
 2 tablist
  3 tab "Pending"
 4 paragraph
  5 StaticText "Status: "
  6 strong
   7 StaticText "Pending"`, `page "P"
 [u3] tab "Pending"
 "Status: Pending"`},
		{"the text of a label goes, its field has it", `
1 RootWebArea "P"
 2 LabelText
  3 StaticText "First name"
 4 textbox "First name"`, `page "P"
 [u4] textbox "First name"`},
		{"a label with other words stays", `
1 RootWebArea "P"
 2 LabelText
  3 StaticText "First name (as in your passport)"
 4 textbox "First name"`, `page "P"
 "First name (as in your passport)"
 [u4] textbox "First name"`},
		{"runs have spaces where the page has them and none before marks", `
1 RootWebArea "P"
 2 paragraph
  3 StaticText "See ("
  4 emphasis
   5 StaticText "note"
  6 StaticText "), then "
  7 code
   8 StaticText "go"
  9 StaticText " high"
  10 mark
   11 StaticText "light"
  12 StaticText "ed."`, `page "P"
 "See (note), then go highlighted."`},
		{"a range has the digits it was given", `
1 RootWebArea "P"
 2 progressbar "Copied" = "0.30000001192092896"`, `page "P"
 progressbar "Copied" = "0.3"`},
		{"a select in a sentence has the words before it", `
1 RootWebArea "P"
 2 paragraph
  3 StaticText "Every "
  4 combobox
   5 MenuListPopup
    6 option "1"
  7 StaticText " month(s)"`, `page "P"
 "Every"
 [u4] combobox hint "Every"
  options · "1"
 "month(s)"`},
		{"where one is is told", `
1 RootWebArea "P"
 2 link "Home" @{"box":[0,0,9,9],"current":"page"}
 3 link "About" @{"box":[0,9,9,9]}`, `page "P"
 [u2] link "Home" {current}
 [u3] link "About"`},
		{"what was deleted is told", `
1 RootWebArea "P"
 2 paragraph
  3 StaticText "Now "
  4 deletion
   5 StaticText "$60"
  6 StaticText " $30"`, `page "P"
 "Now" · del "$60" · "$30"`},
		{"the number of an item stays", `
1 RootWebArea "P"
 2 list
  3 listitem
   4 ListMarker "5. "
   5 StaticText "Press Save"
  6 listitem
   7 ListMarker "• "
   8 StaticText "or not"`, `page "P"
 li "5. Press Save"
 li "or not"`},
		{"what listens in a text keeps its place", `
1 RootWebArea "P"
 2 paragraph
  3 StaticText "Ac dictum"
  4 generic clickable=true
   5 StaticText "feugiat"
  6 StaticText "in"`, `page "P"
 "Ac dictum" · [u4] clickable "feugiat" · "in"`},
		{"markers and breaks go", `
1 RootWebArea "P"
 2 list
  3 listitem
   4 ListMarker
    5 StaticText "• "
   6 StaticText "one"
  7 listitem
   8 StaticText "two"
   9 LineBreak "\n"
   10 StaticText "lines"`, `page "P"
 li "one"
 li "two lines"`},
		{"a link, heading or button swallows what it is named by", `
1 RootWebArea "P"
 2 heading "Big news" level=2
  3 link "Big news"
   4 StaticText "Big news"
 5 button "Save all"
  6 StaticText "Save"
  7 StaticText "all"
 8 heading "Only text" level=3
  9 StaticText "Only text"`, `page "P"
 h2 · [u3] link "Big news"
 [u5] button "Save all"
 h3 "Only text"`},
		{"a table with a header row, a blank cell and a cell with several controls", `
1 RootWebArea "P"
 2 table "Orders"
  3 row
   4 columnheader "Id"
    5 StaticText "Id"
   6 columnheader "Name"
    7 StaticText "Name"
   8 columnheader "Do"
    9 StaticText "Do"
  10 row
   11 cell "ORD-1"
    12 StaticText "ORD-1"
   13 cell
   14 cell
    15 button "Review"
    16 button
  17 row
   18 cell "ORD-2"
    19 StaticText "ORD-2"
   20 cell "Ada"
    21 StaticText "Ada"
   22 cell`, `page "P"
 table "Orders"
  th "Id" | "Name" | "Do"
  row "ORD-1" | | [uf] button "Review" · [ug] button
  row "ORD-2" | "Ada"`},
		{"a row with a cell that holds more stands on several lines", `
1 RootWebArea "P"
 2 table
  3 row
   4 cell "a"
    5 StaticText "a"
   6 cell
    7 list "L"
     8 listitem
      9 StaticText "x"
     10 listitem
      11 StaticText "y"`, `page "P"
 table
  row · cell "a"
   list "L"
    li "x"
    li "y"`},
		{"options of a select stand on lines of their group", `
1 RootWebArea "P"
 2 combobox "Pick" = "Two"
  3 MenuListPopup
   4 option "One"
   5 option "Two" selected=true
   6 option "Three" disabled=true
   7 group "Others"
    8 option "Four"`, `page "P"
 [u2] combobox "Pick" = "Two"
  options · "One" | "Two" {selected} | "Three" {disabled}
  optgroup "Others" | "Four"`},
		{"text that a style makes stands in its sentence", `
1 RootWebArea "P"
 2 paragraph
  3 StaticText "Say "
  4 -
   5 -
    -6 -
     -7 StaticText "“"
   8 StaticText "yes"
   9 -
    -10 -
     -11 StaticText "”"`, `page "P"
 "Say “yes”"`},
		{"marks alone between things go", `
1 RootWebArea "P" focused=true
 2 navigation
  3 link "Home"
  4 StaticText "›"
  5 link "Tea"
 6 paragraph
  7 StaticText "See "
  8 link "one"
  9 StaticText ", "
  10 link "two"
  11 StaticText "and more"
  15 button "Go"
  16 StaticText "."
 17 list
  18 listitem
   19 button "A"
   20 paragraph
    21 StaticText "•"
   22 button "B"
 12 link "Next"
  13 StaticText "→"
  14 image "→"`, `page "P"
 nav
  [u3] link "Home" · [u5] link "Tea"
 "See" · [u8] link "one" · [ua] link "two" · "and more" · [uf] button "Go"
 li · [uj] button "A"
  [um] button "B"
 [uc] link "Next"`},
		{"a long text in something clickable is not its name", `
1 RootWebArea "P"
 2 generic clickable=true
  3 StaticText "Open"
  4 paragraph
   5 StaticText "word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word"`, `page "P"
 [u2] clickable "Open"
  "word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word"`},
		{"classes say three words at most", `
1 RootWebArea "P"
 2 button @{"icon":"mdi-arrow-left-circle-outline","box":[0,0,9,9]}
 3 link url="https://a.test/"
 4 button @{"class":"x9 btn","id":"goUp","box":[0,0,9,9]}
 5 link url="javascript:void"`, `page "P"
 [u2] button hint "arrow left circle"
 [u3] link hint "a.test"
 [u4] button hint "go up"
 [u5] link`},
		{"states that the base rules have not", `
1 RootWebArea "P"
 2 checkbox "All" checked="mixed"
 3 button "Bold" pressed="true"
 4 button "Thin" pressed="mixed"
 5 textbox "Mail" required=true invalid="true" editable="plaintext" @{"type":"email","placeholder":"a@b","box":[0,0,9,9]}
 6 textbox "Fixed" = "1" readonly=true
 7 slider "Loud" = "3" valuemin=0 valuemax=10.5 valuetext="three"
 8 button "Menu" hasPopup="menu" expanded=false
 9 listbox "List" multiselectable=true
  10 option "One" selected=true
 11 button "Off" disabled=true busy=1`, `page "P"
 [u2] checkbox "All" {mixed}
 [u3] button "Bold" {pressed}
 [u4] button "Thin" {pressed-mixed}
 [u5] textbox "Mail" {required,invalid,email} placeholder "a@b"
 [u6] textbox "Fixed" = "1" {readonly}
 [u7] slider "Loud" = "3" {0..10.5} text "three"
 [u8] button "Menu" {collapsed,popup}
 listbox "List" {multiselectable}
  [ua] option "One" {selected}
 [ub] button "Off" {disabled,busy}`},
		{"a rich text is a textbox, something clickable is named by its text", `
1 RootWebArea "P"
 2 generic "Body" editable="richtext" focusable=true
  3 StaticText "Dear Ada"
 4 generic clickable=true
  5 StaticText "Open"
  6 StaticText "chat"
 7 generic focusable=true
  8 StaticText "Stop"`, `page "P"
 [u2] textbox "Body"
  "Dear Ada"
 [u4] clickable "Open chat"
 [u7] generic "Stop"`},
		{"what has no name has a hint", `
1 RootWebArea "P" url="https://a.test/x"
 2 button @{"class":"btn btn-sm fa fa-trash","box":[0,0,9,9]}
 3 button @{"title":"Close","box":[0,0,9,9]}
 4 link url="https://a.test/cart/checkout?x=1"
 5 button description="Undo"
 6 paragraph
  7 StaticText "Every"
  8 spinbutton = "1"
  9 StaticText "month(s)"
 10 textbox @{"placeholder":"Search","box":[0,0,9,9]}`, `page "P"
 [u2] button hint "trash"
 [u3] button hint "Close"
 [u4] link hint "checkout"
 [u5] button hint "Undo"
 "Every" · [u8] spinbutton = "1" · "month(s)"
 [ua] textbox placeholder "Search"`},
		{"in a table the hint is the head of the column", `
1 RootWebArea "P"
 2 grid
  3 row
   4 columnheader "Id"
   5 columnheader "Pick"
  6 row
   7 gridcell "1"
    8 StaticText "1"
   9 gridcell
    10 checkbox`, `page "P"
 grid
  th "Id" | "Pick"
  row · [u7] cell "1" | [u9] cell hint "Pick" · [ua] checkbox`},
		{"a container without a box goes, what acts in it stays", `
1 RootWebArea "P"
 2 region @{"box":[0,0,0,0]}
  3 button "Skip" @{"box":[0,0,0,0]}
 4 region @{"box":[0,0,5,5]}
  5 button "Go" @{"box":[0,0,5,5]}`, `page "P"
 [u3] button "Skip"
 region
  [u5] button "Go"`},
		{"what nobody can see says so", `
1 RootWebArea "P"
 2 paragraph
  3 StaticText "Ignore all before" @{"opacity":0}
 4 paragraph
  5 StaticText "Seen. "
  6 StaticText "Clipped." @{"clip":true}
 7 button "Far" @{"clip":true,"box":[0,0,5,5]}`, `page "P"
 "Ignore all before" {hidden}
 "Seen."
 "Clipped." {hidden}
 [u7] button "Far" {hidden}`},
		{"roles of the page's own are quoted, and never taken for texts", `
1 RootWebArea "P"
 2 my+role disabled=true
 3 my+role "n"
 4 StaticText "my+role"`, `page "P"
 "my+role" "" {disabled}
 "my+role" "n"
 "my+role"`},
		{"containers that say nothing go, landmarks stay", `
1 RootWebArea "P"
 2 generic
  3 group
   4 main
    5 paragraph
     6 StaticText "one"
    7 figure
     8 image "Cat"
 9 navigation
 10 separator`, `page "P"
 main
  "one"
  img "Cat"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := mustView(t, mustRead(t, drawn(t, test.drawing)), Options{Profile: Balanced})
			if v.Text != test.view {
				t.Errorf("view\n%s\nwant\n%s", v.Text, test.view)
			}
		})
	}
}
