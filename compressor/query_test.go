package compressor

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestQuery(t *testing.T) {
	t.Parallel()
	list := "[" + strings.Join([]string{
		ax(1, "RootWebArea", "Orders", 2, 10, 20, 30),
		ax(2, "list", "", 3, 5), ax(3, "listitem", "", 4), ax(4, "button", "Edit Ada"), ax(5, "listitem", "", 6, 7), ax(6, "button", "Edit Grace"), ax(7, "list", "", 8), ax(8, "listitem", "", 9), ax(9, "link", "Ship"),
		ax(10, "generic", "", 11), ax(11, "group", "Box", 12), ax(12, "StaticText", "Box", 13), ax(13, "textbox", "Straße"),
		ax(20, "checkbox", "Résumé 42"), ax(30, "WIDGET x", "odd"),
	}, ",") + "]"
	for _, test := range []struct{ name, query, view string }{
		{"an item comes whole, the nearest one", "grace", "page \"Orders\"\n  list\n    listitem\n      [u6] button \"Edit Grace\"\n      list\n        listitem\n          [u9] link \"Ship\""},
		{"in a nested item only that", "ship", "page \"Orders\"\n  list\n    listitem\n      list\n        listitem\n          [u9] link \"Ship\""},
		{"depths are closed up over what is removed", "straße", "page \"Orders\"\n  group \"Box\"\n    [ud] textbox \"Straße\""},
		{"terms are lower-cased and cut at what is no letter or digit", "  GRACE, *edit*", "page \"Orders\"\n  list\n    listitem\n      [u6] button \"Edit Grace\"\n      list\n        listitem\n          [u9] link \"Ship\""},
		{"in another alphabet's case", "RÉSUMÉ", "page \"Orders\"\n  [uk] checkbox \"Résumé 42\""},
		{"part of a word", "4", "page \"Orders\"\n  [uk] checkbox \"Résumé 42\""},
		{"by the role that is printed", "page", "page \"Orders\""},
		{"only records with every term when there is one", "edit ada", "page \"Orders\"\n  list\n    listitem\n      [u4] button \"Edit Ada\""},
		{"the best when there is none", "edit ada zzz", "page \"Orders\"\n  list\n    listitem\n      [u4] button \"Edit Ada\"\n    listitem\n      [u6] button \"Edit Grace\"\n      list\n        listitem\n          [u9] link \"Ship\""},
		{"a role that is quoted", "widget", "page \"Orders\"\n  [uu] \"widget x\" \"odd\""},
		{"no match", "zzz", "page \"Orders\"\n  note \"no accessible match\""},
		{"removed text is not found", "text box", "page \"Orders\"\n  group \"Box\"\n    [ud] textbox \"Straße\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := mustView(t, mustRead(t, []byte(list)), Options{Query: test.query})
			if v.Text != test.view {
				t.Errorf("view\n%s\nwant\n%s", v.Text, test.view)
			}
			items, err := parseView(v.Text)
			if err != nil {
				t.Fatal(err)
			}
			var uids []string
			for i, it := range items {
				if it.uid != "" {
					uids = append(uids, it.uid)
				}
				if i > 0 && it.depth > items[i-1].depth+1 {
					t.Errorf("line %d leaves a gap", i)
				}
			}
			if !slices.Equal(uids, v.UIDs) {
				t.Errorf("uids %q, the view's %q", v.UIDs, uids)
			}
		})
	}
}

// TestQueryKeepsTheBest: twelve records, best score first, in page order within a
// score; uids are spelt as on the whole page.
func TestQueryKeepsTheBest(t *testing.T) {
	t.Parallel()
	nodes := []string{}
	for i := 1; i <= 20; i++ {
		name := "red"
		if i > 15 {
			name = "red green"
		}
		nodes = append(nodes, strings.Replace(ax(i, "button", name), fmt.Sprintf(`NodeId":%d`, i), `NodeId":7`, 1))
	}
	v := mustView(t, mustRead(t, []byte("["+strings.Join(nodes, ",")+"]")), Options{Query: "red green blue"})
	want := "u7 u7_2 u7_3 u7_4 u7_5 u7_6 u7_7 u7_16 u7_17 u7_18 u7_19 u7_20"
	if got := strings.Join(v.UIDs, " "); got != want {
		t.Errorf("uids %s, want %s", got, want)
	}
}

// TestNoMatchHasNoUID: the map of a view without a match is empty, so its one
// record shows none.
func TestNoMatchHasNoUID(t *testing.T) {
	t.Parallel()
	v := mustView(t, mustRead(t, []byte("["+ax(1, "button", "Go")+"]")), Options{Query: "zzz"})
	if v.Text != "button \"Go\"\n  note \"no accessible match\"" || len(v.UIDs) != 0 {
		t.Errorf("view %q, uids %q", v.Text, v.UIDs)
	}
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		options Options
		want    string
	}{
		{Options{}, ""},
		{Options{Profile: "full"}, ""},
		{Options{Query: " -- "}, ""},
		{Options{Query: "Save"}, `{"query":"save"}`},
		{Options{Query: " save! <ORD-0173>"}, `{"query":"save ord 0173"}`},
		{Options{Filter: "all", Format: "text"}, ""},
		{Options{Profile: "balanced", Under: "u7", Filter: "visible", Handles: "all", Depth: 3, Names: 1, Values: 2, Text: 4, URLs: true, Bare: true, Format: "json"},
			`{"profile":"balanced","under":"u7","filter":"visible","handles":"all","max_depth":3,"truncate_names_at":1,"truncate_values_at":2,"truncate_text_at":4,"urls":true,"no_context":true,"format":"json"}`},
		{Options{Profile: "light", Query: "é\"x"}, `{"profile":"light","query":"é x"}`},
	} {
		if got := test.options.Canonical(); got != test.want {
			t.Errorf("%+v: %s, want %s", test.options, got, test.want)
		}
	}
}

func TestUnknownProfile(t *testing.T) {
	t.Parallel()
	if v, err := mustRead(t, []byte("["+ax(1, "button", "Go")+"]")).View(Options{Profile: "tiny"}); err == nil {
		t.Errorf("view %q", v.Text)
	}
}
