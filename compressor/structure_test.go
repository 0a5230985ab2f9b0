package compressor

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// element is a node of a payload to be. Its uid says its place in page order.
type element struct {
	role, name, value string
	properties        []string
	children          []*element
}

func el(role, name string, children ...*element) *element {
	return &element{role: role, name: name, children: children}
}

func text(name string) *element { return el("StaticText", name) }

func (e *element) with(property, value string) *element {
	e.properties = append(e.properties, fmt.Sprintf(`{"name":%q,"value":{"value":%s}}`, property, value))
	return e
}

func (e *element) is(value string) *element {
	e.value = value
	return e
}

func link(name, url string, children ...*element) *element {
	return el("link", name, children...).with("url", fmt.Sprintf("%q", url))
}

// nodes spells a page of elements, whose ids count from 1 in page order.
func nodes(children ...*element) string {
	var all []string
	var add func(e *element) int
	add = func(e *element) int {
		at := len(all)
		all = append(all, "")
		var ids []string
		for _, c := range e.children {
			ids = append(ids, fmt.Sprintf(`"%d"`, add(c)))
		}
		all[at] = fmt.Sprintf(`{"nodeId":"%d","backendDOMNodeId":%[1]d,"role":{"value":%q},"name":{"value":%q},"value":{"value":%q},"properties":[%s],"childIds":[%s]}`,
			at+1, e.role, e.name, e.value, strings.Join(e.properties, ","), strings.Join(ids, ","))
		return at + 1
	}
	add(el("RootWebArea", "page", children...).with("url", `"https://a.example/list?q=1#top"`))
	return strings.Join(all, ",")
}

func structureOf(t testing.TB, children ...*element) *Structure {
	t.Helper()
	s := mustRead(t, []byte("["+nodes(children...)+"]")).Structure()
	return s
}

func many(n int, of func(i int) *element) (all []*element) {
	for i := range n {
		all = append(all, of(i))
	}
	return all
}

func wantJSON(t *testing.T, got any, want string) {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(got); err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(b.String()) != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		page []*element
		want string
	}{
		{"two forms with a button of one name", []*element{
			el("form", "Top", el("searchbox", "Find"), el("button", "Search")),
			el("search", "", el("heading", "Archive"), el("textbox", "Find").is("old"), el("button", "Search"), el("heading", "No label")),
		}, `[{"label":"Top","fields":[{"label":"Find","type":"searchbox","uid":"u3"}],"submits":[{"name":"Search","uid":"u4"}]},` +
			`{"label":"Archive","fields":[{"label":"Find","type":"textbox","uid":"u7","value":"old"}],"submits":[{"name":"Search","uid":"u8"}]}]`},
		{"states, a select, a check box", []*element{
			el("form", "",
				el("textbox", "Mail").with("required", "true").with("disabled", "true"),
				el("combobox", "Size", el("MenuListPopup", "", el("option", "S"), el("option", "M").with("selected", "true"), el("option", "L").with("disabled", "true"))).is("M"),
				el("checkbox", "News").with("checked", `"true"`), el("switch", "Dark").with("checked", `"false"`), el("checkbox", "All").with("checked", `"mixed"`),
				el("button", "Menu").with("expanded", "false"), el("button", "Bold").with("pressed", `"false"`), el("button", "Pick").with("hasPopup", `"menu"`)),
		}, `[{"label":"","fields":[{"label":"Mail","type":"textbox","uid":"u3","disabled":true,"required":true},` +
			`{"label":"Size","type":"combobox","uid":"u4","value":"M","options":[{"text":"S","uid":"u6"},{"text":"M","uid":"u7","selected":true},{"text":"L","uid":"u8","disabled":true}],"optionCount":3},` +
			`{"label":"News","type":"checkbox","uid":"u9","value":"checked"},{"label":"Dark","type":"switch","uid":"ua","value":"unchecked"},{"label":"All","type":"checkbox","uid":"ub","value":"mixed"}],"submits":[]}]`},
		{"a radio group is one field", []*element{
			el("form", "", el("radiogroup", "Crust", el("heading", "Crust"), el("radio", "Thin").with("checked", `"false"`), el("radio", "Deep").with("checked", `"true"`)).with("required", "true")),
		}, `[{"label":"","fields":[{"label":"Crust","type":"radio","uid":"u3","required":true,"value":"Deep","options":[{"text":"Thin","uid":"u5"},{"text":"Deep","uid":"u6","selected":true}],"optionCount":2}],"submits":[]}]`},
		{"radio buttons are one field a group", []*element{
			el("form", "", el("group", "Fruit", el("paragraph", "", el("radio", "Fig").with("disabled", "true")), el("paragraph", "", el("radio", "Plum").with("required", "true"))),
				el("group", "Day", el("radio", "Mon").with("disabled", "true"))),
		}, `[{"label":"","fields":[{"label":"Fruit","type":"radio","required":true,"options":[{"text":"Fig","uid":"u5","disabled":true},{"text":"Plum","uid":"u7"}],"optionCount":2},` +
			`{"label":"Day","type":"radio","disabled":true,"options":[{"text":"Mon","uid":"u9","disabled":true}],"optionCount":1}],"submits":[]}]`},
		{"loose fields, and the buttons beside them", []*element{
			el("banner", "", el("button", "Log in")),
			el("textbox", "Task"), el("button", "Add"),
			el("group", "More", el("checkbox", "Urgent")), el("slider", "Weight"),
		}, `[{"label":"","loose":true,"fields":[{"label":"Task","type":"textbox","uid":"u4"},{"label":"Urgent","type":"checkbox","uid":"u7","value":"unchecked"},{"label":"Weight","type":"slider","uid":"u8"}],"submits":[{"name":"Add","uid":"u5"}]}]`},
		{"a dialog, a region, a form in a region", []*element{
			el("region", "Side", el("textbox", "A"), el("form", "Inner", el("textbox", "B")), el("button", "Go")),
			el("dialog", "Ask", el("textbox", "C"), el("button", "OK")), el("dialog", "Tell", el("button", "Close")),
		}, `[{"label":"Side","fields":[{"label":"A","type":"textbox","uid":"u3"}],"submits":[{"name":"Go","uid":"u6"}]},` +
			`{"label":"Inner","fields":[{"label":"B","type":"textbox","uid":"u5"}],"submits":[]},` +
			`{"label":"Ask","fields":[{"label":"C","type":"textbox","uid":"u8"}],"submits":[{"name":"OK","uid":"u9"}]}]`},
		{"an editable part of the page, a field in a combobox", []*element{
			el("paragraph", "", text("Dear"), el("generic", "", text("you")).with("editable", `"richtext"`)).with("editable", `"richtext"`),
			el("combobox", "City", el("textbox", "").is("Rome"), el("listbox", "", el("option", "Rome").with("selected", "true"))),
		}, `[{"label":"","loose":true,"fields":[{"label":"","type":"paragraph","value":"Dear you"},` +
			`{"label":"City","type":"combobox","uid":"u7","value":"Rome","options":[{"text":"Rome","uid":"u9","selected":true}],"optionCount":1}],"submits":[]}]`},
		{"text in a page that is editable", []*element{text("Dear").with("editable", `"richtext"`)}, `[]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantJSON(t, structureOf(t, test.page...).Forms, test.want)
		})
	}
}

// TestFormFacts: layout knows types, which button submits, and names of radio groups.
func TestFormFacts(t *testing.T) {
	t.Parallel()
	layout := `{"0":{"2":{"tag":"form","method":"post","action":"/send"},"3":{"tag":"input","type":"email"},"4":{"tag":"input","type":"radio","name":"x"},"5":{"tag":"input","type":"radio","name":"y"},` +
		`"6":{"tag":"input","type":"radio","name":"x"},"7":{"tag":"input","type":"file"},"9":{"tag":"button"},"10":{"tag":"button","type":"button"},"11":{"tag":"input","type":"reset"},"12":{"tag":"input","type":"submit"},"14":{"tag":"input","type":"radio","name":"x"}}}`
	page := nodes(el("form", "", el("textbox", "Mail"), el("radio", "1"), el("radio", "2"), el("radio", "3"), el("button", "Choose file", text("No file")),
		el("button", "a"), el("button", "b"), el("button", "c"), el("button", "d").with("expanded", "false"), el("group", "", el("radio", "4"))))
	wantJSON(t, mustRead(t, bundle(layout, frame("A", "", 0, 0, "", page))).Structure().Forms,
		`[{"label":"","method":"post","action":"/send","fields":[{"label":"Mail","type":"email","uid":"u3"},{"label":"","type":"radio","options":[{"text":"1","uid":"u4"},{"text":"3","uid":"u6"},{"text":"4","uid":"ue"}],"optionCount":3},`+
			`{"label":"","type":"radio","options":[{"text":"2","uid":"u5"}],"optionCount":1},{"label":"Choose file","type":"file","uid":"u7"}],"submits":[{"name":"a","uid":"u9"},{"name":"d","uid":"uc"}]}]`)
}

// TestStructureHidesSecrets: not in a field, its options and label, nor in a cell or snippet.
func TestStructureHidesSecrets(t *testing.T) {
	t.Parallel()
	field := func(role, name, value string) *element {
		return el(role, name, el("generic", "", text(value))).is(value)
	}
	layout := `{"0":{"3":{"type":"password"},"6":{"autocomplete":"cc-exp-month"}}}`
	page := nodes(
		el("form", "",
			field("textbox", "First", "s3cr3t-a"),
			el("combobox", "Month", el("MenuListPopup", "", el("option", "s3cr3t-m").with("selected", "true"))).is("s3cr3t-m")),
		field("textbox", "Security code s3cr3t-b", "s3cr3t-b"), field("textbox", "Plain", "••••••"),
		el("generic", "API key", text("s3cr3t-d")).with("editable", `"richtext"`),
		el("table", "", el("row", "", el("cell", "", field("textbox", "Token", "s3cr3t-e"), el("generic", "API key", text("s3cr3t-g")).with("editable", `"richtext"`)))),
		el("list", "", many(3, func(i int) *element {
			return el("listitem", "", el("heading", "Title"), text("some text"), field("textbox", "CVC", "s3cr3t-f"))
		})...))
	s := mustRead(t, bundle(layout, frame("A", "", 0, 0, "", page))).Structure()
	all, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	// An option's text is the page's own; that it is the chosen one is the secret.
	if left := strings.ReplaceAll(string(all), `{"text":"s3cr3t-m","uid":"u8"}`, ""); strings.Contains(left, "s3cr3t") || strings.Contains(left, "•") {
		t.Errorf("secrets in %s", left)
	}
	if s.Forms[0].Fields[0].Value != hiddenValue || s.Forms[0].Fields[1].Value != hiddenValue || s.Tables[0].Rows[0].Cells[0].Text != hiddenValue {
		t.Errorf("not said to be hidden: %s", all)
	}
	if len(s.Results) != 3 || s.Results[0].Snippet != "some text "+hiddenValue {
		t.Errorf("results %+v", s.Results)
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	cells := func(role string, texts ...string) *element {
		row := el("row", "")
		for _, s := range texts {
			row.children = append(row.children, el(role, s, text(s)))
		}
		return row
	}
	for _, test := range []struct {
		name string
		page []*element
		want string
	}{
		{"with a head and a caption", []*element{
			el("table", "", el("caption", "", text("Stock")), el("rowgroup", "", cells("columnheader", "Item", "Count")), el("rowgroup", "", cells("cell", "Nut", "3"))),
		}, `[{"label":"Stock","headers":[{"text":"Item"},{"text":"Count"}],"rows":[{"cells":[{"text":"Nut"},{"text":"3"}]}],"rowCount":1,"columnCount":2}]`},
		{"without a head, the first row of column headers and a corner", []*element{
			el("table", "T", el("row", "", el("cell", ""), el("columnheader", "A"), el("columnheader", "B")), el("row", "", el("rowheader", "r"), el("cell", "1"), el("cell", "2"), el("cell", "3"))),
		}, `[{"label":"T","headers":[{"text":""},{"text":"A"},{"text":"B"}],"rows":[{"cells":[{"text":"r"},{"text":"1"},{"text":"2"},{"text":"3"}]}],"rowCount":1,"columnCount":4}]`},
		{"without headers", []*element{
			el("grid", "", cells("gridcell", "a", "b"), el("row", "", el("columnheader", "x"), el("cell", "y"))),
		}, `[{"label":"","headers":[],"rows":[{"cells":[{"text":"a"},{"text":"b"}]},{"cells":[{"text":"x"},{"text":"y"}]}],"rowCount":2,"columnCount":2}]`},
		{"controls and text in cells", []*element{
			el("treegrid", "", el("row", "", el("cell", "", link("Ann", "/ann", text("Ann")), text("(admin)"), text(", since May")),
				el("cell", "", el("button", "Edit"), el("combobox", "Role", el("MenuListPopup", "", el("option", "guest"))).is("guest")),
				el("cell", "Named", el("image", "")).with("focusable", "true")).with("focusable", "true")),
		}, `[{"label":"","headers":[],"rows":[{"uid":"u3","cells":[{"text":"Ann (admin), since May","uids":["u5"]},{"text":"Edit guest","uids":["ua","ub"]},{"text":"Named","uids":["ue"]}]}],"rowCount":1,"columnCount":3}]`},
		{"a table in a table, and one for layout", []*element{
			el("table", "Out", el("row", "", el("cell", "", el("table", "In", cells("cell", "1"), cells("cell", "2"), el("cell", "stray"))))), el("LayoutTable", "", cells("cell", "no")),
		}, `[{"label":"Out","headers":[],"rows":[{"cells":[{"text":"1 2 stray"}]}],"rowCount":1,"columnCount":1},{"label":"In","headers":[],"rows":[{"cells":[{"text":"1"}]},{"cells":[{"text":"2"}]}],"rowCount":2,"columnCount":1}]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantJSON(t, structureOf(t, test.page...).Tables, test.want)
		})
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	three := `[{"title":"Title 0","uid":"%s","url":"https://a.example/0","snippet":"Some text 0"},{"title":"Title 1","uid":"%s","url":"https://a.example/1","snippet":"Some text 1"},{"title":"Title 2","uid":"%s","url":"https://a.example/2","snippet":"Some text 2"}]`
	n := func(format string, i int) string { return fmt.Sprintf(format, i) }
	leads := func(i int) *element {
		return link(n("Title %d", i), n("https://a.example/%d", i), text(n("Title %d", i)))
	}
	flat := func(of func(i int) []*element) (all []*element) {
		for i := range 3 {
			all = append(all, of(i)...)
		}
		return all
	}
	for _, test := range []struct {
		name string
		page []*element
		want string
	}{
		{"list items with a heading that is a link", []*element{el("list", "", many(3, func(i int) *element {
			return el("listitem", "", el("ListMarker", "•"), el("heading", n("Title %d", i), leads(i)), el("paragraph", "", text(n("Some text %d", i))), el("button", "Save"))
		})...)}, fmt.Sprintf(three, "u6", "ue", "um")},
		{"articles that are led by a link", many(3, func(i int) *element {
			return el("article", "", leads(i), el("paragraph", "", text(n("Some text %d", i))))
		}), fmt.Sprintf(three, "u3", "u8", "ud")},
		{"cards that Chromium ignores: headings that repeat", flat(func(i int) []*element {
			return []*element{el("heading", n("Title %d", i), leads(i)).with("level", "3"), text(n("Some text %d", i))}
		}), fmt.Sprintf(three, "u3", "u7", "ub")},
		{"headings with lesser and more rare ones between", append(flat(func(i int) []*element {
			return []*element{el("heading", n("Title %d", i), leads(i)).with("level", "3"), el("heading", "Some").with("level", "4"), text(n("text %d", i))}
		}), el("heading", "Other things").with("level", "2"), text("Some more text")), fmt.Sprintf(three, "u3", "u8", "ud")},
		{"headings over results", append(flat(func(i int) []*element {
			return []*element{el("heading", "Part", link("Part", "/part")), el("list", "", many(3*(i%2), func(i int) *element { return el("listitem", "", leads(i), text(n("Some text %d", i))) })...), text("Some text")}
		}), el("heading", "Part", link("Part", "/part")), text("Some text")),
			`[{"title":"Part","uid":"u3","url":"/part","snippet":"Some text"},` + strings.Trim(fmt.Sprintf(three, "ua", "ue", "ui"), "[]") + `,{"title":"Part","uid":"un","url":"/part","snippet":"Some text"},{"title":"Part","uid":"ur","url":"/part","snippet":"Some text"}]`},
		{"links around headings", many(3, func(i int) *element {
			return link(n("Title %d Some text %[1]d", i), n("https://a.example/%d", i), el("heading", n("Title %d", i)), text(n("Some text %d", i)))
		}), fmt.Sprintf(three, "u2", "u5", "u8")},
		{"a list of definitions", []*element{el("DescriptionList", "", flat(func(i int) []*element {
			return []*element{el("term", "", leads(i)), el("definition", "", text(n("Some text %d", i)))}
		})...)}, fmt.Sprintf(three, "u4", "u9", "ue")},
		{"entries without a link have their own uid", many(3, func(i int) *element {
			return el("article", "", el("heading", "Title"), text("Some text")).with("focusable", "true")
		}), `[{"title":"Title","uid":"u2","snippet":"Some text"},{"title":"Title","uid":"u5","snippet":"Some text"},{"title":"Title","uid":"u8","snippet":"Some text"}]`},
		{"sections that hold results are none", many(3, func(i int) *element {
			if i > 0 {
				return el("region", "R", el("heading", "Part"), text("Some text"))
			}
			return el("region", "R", append([]*element{el("heading", "Part"), text("Some text")}, many(3, func(i int) *element {
				return el("article", "", leads(i), text(n("Some text %d", i)))
			})...)...)
		}), fmt.Sprintf(three, "u6", "ua", "ue")},
		{"two are no repeat", many(2, func(i int) *element { return el("article", "", leads(i), text("Some text")) }), `[]`},
		{"a menu", []*element{el("list", "", many(5, func(i int) *element { return el("listitem", "", el("ListMarker", "•"), leads(i)) })...)}, `[]`},
		{"navigation", []*element{el("navigation", "", many(5, func(i int) *element { return el("listitem", "", leads(i), text("Some text")) })...)}, `[]`},
		{"headings in navigation", []*element{el("navigation", "", flat(func(i int) []*element {
			return []*element{el("heading", n("Title %d", i), leads(i)), text("Some text")}
		})...)}, `[]`},
		{"few of a list", []*element{el("list", "", many(7, func(i int) *element {
			if i > 2 {
				return el("listitem", "", text("Some text"))
			}
			return el("listitem", "", leads(i), text("Some text"))
		})...)}, `[]`},
		{"links without words", many(5, func(i int) *element { return el("listitem", "", link("→", "/a"), text("Some text")) }), `[]`},
		{"rows", []*element{el("table", "", many(5, func(i int) *element { return el("row", "", el("cell", "", leads(i)), el("cell", "Some text")) })...)}, `[]`},
		{"headings of which few are links", append(flat(func(i int) []*element {
			return []*element{el("heading", n("Title %d", i), leads(i)), text("Some text"), el("heading", "Part"), text("Some text")}
		}), el("heading", "Part"), text("Some text")), `[]`},
		{"prose with links in it", many(5, func(i int) *element { return el("listitem", "", text("Some text with"), leads(i)) }), `[]`},
		{"a table of contents", many(5, func(i int) *element {
			return el("listitem", "", link("Part", "https://a.example/list?q=1#part"), text("Some text"))
		}), `[]`},
		{"sections of a text, whose headings have a link to edit them", flat(func(i int) []*element {
			return []*element{el("heading", "A part of the text [edit]", link("edit", "/edit")).with("level", "2"), el("paragraph", "", text("Some text"))}
		}), `[]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantJSON(t, structureOf(t, test.page...).Results, test.want)
		})
	}
}

// TestLastRun: a run's last entry is no longer than the others.
func TestLastRun(t *testing.T) {
	t.Parallel()
	var page []*element
	for i := range 3 {
		page = append(page, el("heading", "Title", link("Title", "/a")).with("level", "2"), text(fmt.Sprint("Some text ", i)))
	}
	page = append(page, text("All rights reserved"))
	results := structureOf(t, page...).Results
	if len(results) != 3 || results[2].Snippet != "Some text 2" {
		t.Errorf("results %+v", results)
	}
}

func TestStructureBounds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("wörd ", 100)
	item := func(i int) *element {
		return el("article", "", link(long, "https://a.example/"+strings.Repeat("x", 300), text(long)), text(long))
	}
	page := []*element{el("form", long, many(60, func(i int) *element { return el("textbox", long).is(long) })...)}
	page = append(page, el("form", "", el("combobox", "", el("MenuListPopup", "", many(300, func(i int) *element { return el("option", long) })...))))
	page[1].children = append(page[1].children, many(60, func(i int) *element { return el("button", long) })...)
	page = append(page, many(25, func(i int) *element { return el("form", "", el("textbox", "")) })...)
	page = append(page, el("table", long, many(61, func(i int) *element {
		return el("row", "", many(25, func(j int) *element {
			if i == 0 {
				return el("columnheader", "h")
			}
			return el("cell", "", many(30, func(int) *element { return el("button", long) })...)
		})...)
	})...))
	page = append(page, many(15, func(i int) *element { return el("table", "", el("row", "", el("cell", "x"))) })...)
	page = append(page, el("main", "", many(70, item)...))
	s := structureOf(t, page...)
	checkStructure(t, nil, s)

	type flags map[string]any
	f, o, table := s.Forms[0], s.Forms[1].Fields[0], s.Tables[0]
	for _, test := range []struct{ got, want flags }{
		{flags{"forms": len(s.Forms), "cut": s.FormsTruncated}, flags{"forms": maxForms, "cut": true}},
		{flags{"fields": len(f.Fields), "cut": f.FieldsTruncated, "text": f.TextTruncated}, flags{"fields": maxFields, "cut": true, "text": true}},
		{flags{"field text": f.Fields[0].TextTruncated, "value": utf8.RuneCountInString(f.Fields[0].Value)}, flags{"field text": true, "value": maxText}},
		{flags{"options": len(o.Options), "count": o.OptionCount, "cut": o.OptionsTruncated, "text": o.Options[0].TextTruncated}, flags{"options": maxOptions, "count": 300, "cut": true, "text": true}},
		{flags{"submits": len(s.Forms[1].Submits), "cut": s.Forms[1].SubmitsTruncated, "text": s.Forms[1].Submits[0].TextTruncated}, flags{"submits": maxFields, "cut": true, "text": true}},
		{flags{"tables": len(s.Tables), "cut": s.TablesTruncated}, flags{"tables": maxTables, "cut": true}},
		{flags{"rows": len(table.Rows), "count": table.RowCount, "cut": table.RowsTruncated, "text": table.TextTruncated}, flags{"rows": maxRows, "count": 60, "cut": true, "text": true}},
		{flags{"headers": len(table.Headers), "cut": table.CellsTruncated}, flags{"headers": maxCells, "cut": true}},
		{flags{"cells": len(table.Rows[0].Cells), "columns": table.ColumnCount, "cut": table.Rows[0].CellsTruncated}, flags{"cells": maxCells, "columns": 25, "cut": true}},
		{flags{"uids": len(table.Rows[0].Cells[0].UIDs), "cut": table.Rows[0].Cells[0].UIDsTruncated, "text": table.Rows[0].Cells[0].TextTruncated}, flags{"uids": maxCells, "cut": true, "text": true}},
		{flags{"results": len(s.Results), "cut": s.ResultsTruncated, "text": s.Results[0].TextTruncated, "url": s.Results[0].URL}, flags{"results": maxResults, "cut": true, "text": true, "url": ""}},
	} {
		if !reflect.DeepEqual(test.got, test.want) {
			t.Errorf("got %v, want %v", test.got, test.want)
		}
	}
	wantJSON(t, structureOf(t), `{"forms":[],"tables":[],"results":[]}`)
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text, want string
		truncated        bool
	}{
		{"at the bound", strings.Repeat("ö", maxText), strings.Repeat("ö", maxText), false},
		{"over it", strings.Repeat("ö", maxText+1), strings.Repeat("ö", maxText-1) + "…", true},
		{"at a space", strings.Repeat("ö", maxText-2) + " ööö", strings.Repeat("ö", maxText-2) + "…", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			truncated := false
			if got := bound(test.text, &truncated); got != test.want || truncated != test.truncated {
				t.Errorf("got %q, %v", got, truncated)
			}
		})
	}
}

// TestSummaryFails: what goes wrong in a summary is a reason, not a panic.
func TestSummaryFails(t *testing.T) {
	t.Parallel()
	p := mustRead(t, []byte("["+nodes(el("form", "", el("textbox", "a")))+"]"))
	if s, reason := p.Summary(); s == nil || len(s.Forms) != 1 || reason != "" {
		t.Errorf("summary %+v, reason %q", s, reason)
	}
	p.records[1].parent = 1 << 20
	if s, reason := p.Summary(); s != nil || reason != "internal" {
		t.Errorf("summary %+v, reason %q", s, reason)
	}
}

// TestStructureStaysInItsFrame: a form around an iframe has none of its fields.
func TestStructureStaysInItsFrame(t *testing.T) {
	t.Parallel()
	s := mustRead(t, bundle("",
		frame("A", "", 0, 0, "", nodes(el("form", "Outer", el("Iframe", ""), el("textbox", "a")))),
		frame("B", "A", 3, 2, "", nodes(el("textbox", "b"))))).Structure()
	wantJSON(t, s.Forms, `[{"label":"Outer","fields":[{"label":"a","type":"textbox","uid":"u4"}],"submits":[]},{"label":"","loose":true,"fields":[{"label":"b","type":"textbox","uid":"f2u2"}],"submits":[]}]`)
}

// TestStructureOfDeepPages: neither depth nor nesting of what is summarized is a danger.
func TestStructureOfDeepPages(t *testing.T) {
	t.Parallel()
	const depth = 200_000
	for _, roles := range [][]string{{"generic"}, {"form"}, {"table", "row", "cell"}, {"listitem"}, {"group", "textbox"}, {"link", "heading"}, {"DescriptionList", "term"}} {
		t.Run(roles[0], func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			for i := 1; i <= depth; i++ {
				fmt.Fprintf(&b, `{"nodeId":"%d","backendDOMNodeId":%[1]d,"role":{"value":%q},"name":{"value":"x"},"childIds":["%d"]},`, i, roles[i%len(roles)], i+1)
			}
			p := mustRead(t, []byte("["+b.String()+ax(depth+1, "textbox", "end")+"]"))
			if s, reason := p.Summary(); s == nil {
				t.Errorf("no summary: %s", reason)
			}
		})
	}
}

// checkStructure checks the bounds of a summary, and that a page's uids are targets.
func checkStructure(t *testing.T, p *Page, s *Structure) {
	t.Helper()
	known := map[string]bool{}
	if p != nil {
		for _, target := range p.Targets() {
			known[target.UID] = true
		}
	}
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var all any
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	bounds := map[string]int{
		"forms": maxForms, "fields": maxFields, "submits": maxFields, "options": maxOptions, "tables": maxTables, "rows": maxRows,
		"headers": maxCells, "cells": maxCells, "uids": maxCells, "results": maxResults,
	}
	var check func(key string, v any)
	check = func(key string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, v := range v {
				check(key, v)
			}
		case []any:
			if bound, ok := bounds[key]; !ok || len(v) > bound {
				t.Errorf("%d %s", len(v), key)
			}
			for _, v := range v {
				check(key, v)
			}
		case string:
			if utf8.RuneCountInString(v) > maxText {
				t.Errorf("%s of %d code points", key, utf8.RuneCountInString(v))
			}
			if p != nil && (key == "uid" || key == "uids") && !known[v] {
				t.Errorf("uid %q is no target", v)
			}
		}
	}
	check("", all)
}

// TestStructureOfCorpus: every page has a summary within the bounds, and a second
// reading has the same.
func TestStructureOfCorpus(t *testing.T) {
	t.Parallel()
	for _, file := range corpusFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			payload := gunzip(t, file)
			p := mustRead(t, payload)
			s := p.Structure()
			checkStructure(t, p, s)
			if again := mustRead(t, payload).Structure(); !reflect.DeepEqual(again, s) {
				t.Error("two summaries differ")
			}
		})
	}
}

// TestStructureIsDeterministic: lists of one page that are found by different rules
// come in page order each time.
func TestStructureIsDeterministic(t *testing.T) {
	t.Parallel()
	var page []*element
	for i := range 30 {
		role := []string{"article", "listitem", "figure", "region", "group"}[i%5]
		page = append(page, el(role, "", el("heading", fmt.Sprint("Title ", i)), text("Some text")), el("form", fmt.Sprint("Form ", i/2), el("textbox", "")))
	}
	first := structureOf(t, page...)
	if len(first.Results) != 30 {
		t.Fatalf("%d results", len(first.Results))
	}
	for i, r := range first.Results {
		if r.Title != fmt.Sprint("Title ", i) {
			t.Errorf("result %d is %q", i, r.Title)
		}
	}
	for range 10 {
		if again := structureOf(t, page...); !reflect.DeepEqual(again, first) {
			t.Fatal("two summaries differ")
		}
	}
}
