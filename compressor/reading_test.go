package compressor

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"handrail/compressor/tokens"
)

const shop = `
1 RootWebArea "Shop"
 2 banner
  3 heading "Menu" level=1
  4 button "Open"
 5 main @{"box":[0,0,800,4000]}
  6 heading "Cart" level=2
  7 list
   8 listitem @{"box":[0,0,800,40],"viewport":true}
    9 StaticText "Tea pot"
    10 button "Remove" @{"box":[0,0,80,40],"viewport":true}
   11 listitem @{"box":[0,3000,800,40]}
    12 StaticText "Lid"
    13 button "Remove" @{"box":[0,3000,80,40]}
  14 region "Pay" @{"box":[0,0,800,40],"viewport":true}
   15 textbox "Card holder" = "Ada" @{"box":[0,0,80,40],"viewport":true}
   16 button "Pay now" @{"box":[0,0,80,40],"rendered":false}
   17 link "Terms" url="https://a.test/terms" @{"box":[0,0,0,0]}`

const overlaid = `
1 RootWebArea "P"
 2 main
  3 combobox "City" expanded=true hasPopup="listbox" controls=20
  4 button "Save"
 5 dialog "Sure?" modal=true
  6 StaticText "This cannot be undone."
  7 button "Delete"
  8 menu
   9 menuitem "Copy"
 10 dialog "Cookies"
  11 button "Accept"
 12 dialog "Shell"
 13 dialog "Hidden" @{"rendered":false}
  14 button "Gone"
 15 menu
  16 menuitem "Closed"
 20 listbox "Cities"
  21 option "Paris"
  22 option "Rome"`

func TestReading(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, drawing string
		o             Options
		view          string
	}{
		{"light", shop, Options{Profile: Light}, `h1 "Menu"
[u4] button "Open"
h2 "Cart"
[ua] button "Remove"
[ud] button "Remove"
region "Pay"
[uf] textbox "Card holder" = "Ada"
[ug] button "Pay now"
[uh] link "Terms"`},
		{"light without what stands above", shop, Options{Profile: Light, Bare: true}, `[u4] button "Open"
[ua] button "Remove"
[ud] button "Remove"
[uf] textbox "Card holder" = "Ada"
[ug] button "Pay now"
[uh] link "Terms"`},
		{"light says what stands before a field", "1 RootWebArea\n 2 paragraph\n  3 StaticText \"Every\"\n  4 spinbutton = \"1\"\n  5 StaticText \"month(s)\"", Options{Profile: Light}, `[u4] spinbutton = "1" hint "Every"`},
		{"depth, with an anchor where there is no uid", shop, Options{Profile: Balanced, Depth: 2}, `page "Shop"
 [u2] header … 2 nodes, 1 controls below
 [u5] main … 9 nodes, 5 controls below`},
		{"depth one", shop, Options{Profile: Balanced, Depth: 1}, `page "Shop" … 13 nodes, 6 controls below`},
		{"depth in full", shop, Options{Depth: 3}, `page "Shop"
  banner
    heading "Menu"
    [u4] button "Open"
  main
    heading "Cart"
    [u7] list … 6 nodes, 2 controls below
    [ue] region "Pay" … 3 nodes, 3 controls below`},
		{"under a control", shop, Options{Profile: Balanced, Under: "ua"}, `[ua] button "Remove"`},
		{"under a list item, which the filter would not keep", shop, Options{Profile: Balanced, Under: "ub", Filter: "viewport"}, `li`},
		{"under what says nothing", shop, Options{Profile: Balanced, Under: "u7"}, `list
 li "Tea pot" · [ua] button "Remove"
 li "Lid" · [ud] button "Remove"`},
		{"visible", shop, Options{Profile: Balanced, Filter: "visible"}, `page "Shop"
 header
  h1 "Menu"
  [u4] button "Open"
 main
  h2 "Cart"
  li "Tea pot" · [ua] button "Remove"
  li "Lid" · [ud] button "Remove"
  region "Pay"
   [uf] textbox "Card holder" = "Ada"`},
		{"viewport", shop, Options{Profile: Balanced, Filter: "viewport"}, `page "Shop"
 header
  h1 "Menu"
  [u4] button "Open"
 li "Tea pot" · [ua] button "Remove"
 region "Pay"
  [uf] textbox "Card holder" = "Ada"`},
		{"interactive", shop, Options{Profile: Balanced, Filter: "interactive"}, `page "Shop"
 header
  [u4] button "Open"
 main
  li "Tea pot" · [ua] button "Remove"
  li "Lid" · [ud] button "Remove"
  region "Pay"
   [uf] textbox "Card holder" = "Ada"
   [ug] button "Pay now"
   [uh] link "Terms"`},
		{"interactive, in a line at the top", "1 generic\n 2 StaticText \"Every\"\n 3 textbox\n 4 StaticText \"days\"", Options{Profile: Balanced, Filter: "interactive"}, "\"Every\" · [u3] textbox · \"days\""},
		{"interactive in full", shop, Options{Filter: "interactive"}, `page "Shop"
  banner
    [u4] button "Open"
  main
    list
      listitem
        [ua] button "Remove"
      listitem
        [ud] button "Remove"
    region "Pay"
      [uf] textbox "Card holder" = "Ada"
      [ug] button "Pay now"
      [uh] link "Terms"`},
		{"handles", shop, Options{Profile: Balanced, Handles: "all", Under: "u5"}, `[u5] main
 [u6] h2 "Cart"
 [u7] list
  [u8] li · [u9] "Tea pot" · [ua] button "Remove"
  [ub] li · [uc] "Lid" · [ud] button "Remove"
 [ue] region "Pay"
  [uf] textbox "Card holder" = "Ada"
  [ug] button "Pay now"
  [uh] link "Terms"`},
		{"addresses", shop, Options{Profile: Balanced, URLs: true, Under: "uh"}, `[uh] link "Terms" url "https://a.test/terms"`},
		{"addresses under the page's", "1 RootWebArea url=\"https://a.test/x\"\n 2 link \"A\" url=\"https://a.test\"\n 3 link \"B\" url=\"https://a.test/y?z\"\n 4 link \"C\" url=\"https://a.test/x#d\"\n 5 link \"D\" url=\"https://a.testy/x\"", Options{Profile: Balanced, URLs: true}, `page
 [u2] link "A" url "/"
 [u3] link "B" url "/y?z"
 [u4] link "C" url "#d"
 [u5] link "D" url "https://a.testy/x"`},
		{"light keeps the last heading", "1 RootWebArea\n 2 heading \"A\" level=1\n 3 heading \"B\" level=2\n 4 button \"Go\"\n 5 heading \"C\" level=2", Options{Profile: Light}, `h2 "B"
[u4] button "Go"`},
		{"a combobox opens a listbox that it does not name", "1 RootWebArea\n 2 combobox \"City\" expanded=true hasPopup=\"menu\"\n 3 listbox\n  4 option \"Paris\"\n 5 menu\n  6 menuitem \"Copy\"\n 7 tree\n  8 treeitem \"x\"", Options{Profile: Balanced}, `[open overlays]
 listbox
  [u4] option "Paris"
 menu
  [u6] menuitem "Copy"
page
 [u2] combobox "City" {expanded}
 tree
  [u8] treeitem "x"`},
		{"a query for the page", shop, Options{Profile: Balanced, Query: "shop"}, "page \"Shop\""},
		{"a query", shop, Options{Profile: Balanced, Query: "lid"}, `page "Shop"
 main
  li "Lid" · [ud] button "Remove"`},
		{"a query for a uid", shop, Options{Profile: Balanced, Query: "uf"}, `page "Shop"
 main
  region "Pay"
   [uf] textbox "Card holder" = "Ada"`},
		{"a query for an address", shop, Options{Profile: Balanced, Query: "terms test"}, `page "Shop"
 main
  region "Pay"
   [uh] link "Terms"`},
		{"a query that finds nothing", shop, Options{Profile: Balanced, Query: "zzz"}, `page "Shop"
 note "no accessible match"`},
		{"json", shop, Options{Profile: Balanced, Format: "json", Under: "u8"}, `{"role":"li","name":"Tea pot","level":0}
{"uid":"ua","role":"button","name":"Remove","level":1}`},
		{"overlays", overlaid, Options{Profile: Balanced}, `[open overlays]
 dialog "Sure?" {modal}
  "This cannot be undone." · [u7] button "Delete"
  menu
   [u9] menuitem "Copy"
 dialog "Cookies"
  [ub] button "Accept"
 listbox "Cities"
  [ul] option "Paris"
  [um] option "Rome"
page "P"
 main
  [u3] combobox "City" {expanded}
  [u4] button "Save"
 dialog "Shell"
 dialog "Hidden"
  [ue] button "Gone"
 menu
  [ug] menuitem "Closed"`},
		{"overlays in json", overlaid, Options{Profile: Balanced, Format: "json", Depth: 2}, `{"role":"note","name":"open overlays","level":0}
{"uid":"u5","role":"dialog","name":"Sure?","states":["modal"],"level":1,"below":{"nodes":4,"controls":2}}
{"uid":"ua","role":"dialog","name":"Cookies","level":1,"below":{"nodes":1,"controls":1}}
{"uid":"uk","role":"listbox","name":"Cities","level":1,"below":{"nodes":2,"controls":2}}
{"role":"page","name":"P","level":0}
{"uid":"u2","role":"main","level":1,"below":{"nodes":2,"controls":2}}
{"role":"dialog","name":"Shell","level":1}
{"uid":"ud","role":"dialog","name":"Hidden","level":1,"below":{"nodes":1,"controls":1}}
{"uid":"uf","role":"menu","level":1,"below":{"nodes":1,"controls":1}}`},
		{"full lifts no overlays", overlaid, Options{Under: "u5", Filter: "interactive"}, `[u5] dialog "Sure?"
  [u7] button "Delete"
  [u8] menu
    [u9] menuitem "Copy"`},
		{"cut names", "1 RootWebArea\n 2 button \"Add to cart\"\n 3 button \"👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦\"\n 4 button \"שלום עולם\"\n 5 button \"e\u0301e\u0301e\u0301e\u0301e\u0301\"\n 6 button \"\\ud800\\ud800\\ud800\\ud800\\ud800\"\n 7 button \"four\"", Options{Profile: Balanced, Names: 4}, `page
 [u2] button "Add…"
 [u3] button "👩\u200d👩\u200d👧\u200d👦👩\u200d👩\u200d👧\u200d👦👩\u200d👩\u200d👧\u200d👦…"
 [u4] button "שלו…"
 [u5] button "ééé…"
 [u6] button "���…"
 [u7] button "four"`},
		{"cut values and texts", "1 RootWebArea\n 2 textbox \"A\" = \"123456\"\n 3 paragraph\n  4 StaticText \"123456\"\n 5 paragraph\n  6 StaticText \"1234\"", Options{Profile: Balanced, Values: 4, Text: 4}, `page
 [u2] textbox "A" = "123…"
 "123…"
 "1234"`},
		{"secret values", "1 RootWebArea\n 2 textbox \"Security code\" = \"123456\" valuetext=\"123456\"\n  3 StaticText \"123456\"\n 4 textbox \"Author\" = \"Ada\"\n 5 textbox \"Postcard\" = \"x\"\n 6 textbox \"Compass\" = \"N\"\n 7 spinbutton \"Password\" = \"9\"\n 8 textbox \"PIN code\"", Options{Profile: Balanced}, `page
 [u2] textbox "Security code" = "‹hidden›"
 [u4] textbox "Author" = "Ada"
 [u5] textbox "Postcard" = "x"
 [u6] textbox "Compass" = "N"
 [u7] spinbutton "Password" = "‹hidden›"
 [u8] textbox "PIN code"`},
		{"secret values in light", "1 RootWebArea\n 2 textbox \"Security code\" = \"123456\"\n  3 StaticText \"123456\"", Options{Profile: Light}, `[u2] textbox "Security code" = "‹hidden›"`},
		{"secret values are not found", "1 RootWebArea \"P\"\n 2 textbox \"Security code\" = \"123456\"", Options{Profile: Balanced, Query: "1234"}, `page "P"
 note "no accessible match"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := mustRead(t, drawn(t, test.drawing))
			v := mustView(t, p, test.o)
			if v.Text != test.view {
				t.Errorf("view\n%s\nwant\n%s", v.Text, test.view)
			}
			if test.o.Format == "" {
				checkShown(t, p, test.o)
			}
		})
	}
}

// TestSelect: a long select shows its first options and says how many there are more.
func TestSelect(t *testing.T) {
	t.Parallel()
	drawing := "1 RootWebArea\n 2 combobox \"Year\"\n  3 MenuListPopup"
	for i := range 60 {
		drawing += fmt.Sprintf("\n   %d option \"y%d\"", 4+i, i)
	}
	p := mustRead(t, drawn(t, drawing))
	v := mustView(t, p, Options{Profile: Balanced})
	if !strings.HasSuffix(v.Text, `| "y49"`) || !strings.Contains(v.Text, "\n  options … 10 more · \"y0\" | \"y1\" |") || strings.Count(v.Text, " | ") != 49 {
		t.Error(v.Text)
	}
	checkShown(t, p, Options{Profile: Balanced})
}

func TestOptionsThatCannotBe(t *testing.T) {
	t.Parallel()
	p := mustRead(t, []byte("["+ax(1, "button", "Go")+"]"))
	for _, test := range []struct {
		o    Options
		want error
	}{
		{Options{Under: "u9"}, ErrUnknownUID},
		{Options{Under: "x"}, ErrUnknownUID},
		{Options{Filter: "visible"}, ErrNoLayout},
		{Options{Profile: Light, Filter: "viewport"}, ErrNoLayout},
		{Options{Profile: "tiny"}, &OptionError{Option: "profile", Value: "tiny", Want: "full, balanced, light"}},
		{Options{Filter: "some"}, &OptionError{Option: "filter", Value: "some", Want: "all, visible, viewport, interactive"}},
		{Options{Handles: "none"}, &OptionError{Option: "handles", Value: "none", Want: "all"}},
		{Options{Format: "xml"}, &OptionError{Option: "format", Value: "xml", Want: "text, json"}},
		{Options{Depth: -1}, &OptionError{Option: "max_depth", Value: "-1", Want: "0 for no limit, or a number above"}},
		{Options{Names: -1}, &OptionError{Option: "truncate_names_at", Value: "-1", Want: "0 for no limit, or a number above"}},
	} {
		if _, err := p.View(test.o); err == nil || err.Error() != test.want.Error() {
			t.Errorf("%+v: %v, want %v", test.o, err, test.want)
		}
	}
}

// TestDeepReading: no profile's indentation, and no diff's, grows without bound.
func TestDeepReading(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	const depth = 50_000
	for i := 1; i <= depth; i++ {
		fmt.Fprintf(&b, ",%s", ax(i, "group", "g"+fmt.Sprint(i), i+1))
	}
	p := mustRead(t, []byte("["+b.String()[1:]+"]"))
	for _, o := range []Options{{Profile: Balanced}, {Depth: depth}} {
		_, err := p.View(o)
		if d, ok := errors.AsType[*Decline](err); !ok || d.Reason != ReasonNotSmaller {
			t.Errorf("%+v: %v", o, err)
		}
	}
	empty := mustRead(t, []byte("["+ax(depth+1, "button", "b")+"]"))
	if d := Diff(empty, p, Options{}); len(d.Text) > 200*depth {
		t.Errorf("a diff of %d bytes", len(d.Text))
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	line := func(n int) string { return `"` + strings.Repeat("é", n-2) + `"` }
	lines := strings.Repeat(line(99)+"\n", 799)
	for _, test := range []struct {
		name   string
		text   string
		limits Limits
		cut    bool
	}{
		{"79,999 characters", lines + line(99), Limits{Chars: 80_000, Tail: 5000}, false},
		{"80,000 characters", lines + line(100), Limits{Chars: 80_000, Tail: 5000}, false},
		{"80,001 characters", lines + line(101), Limits{Chars: 80_000, Tail: 5000}, true},
		{"no limits", lines + lines, Limits{}, false},
		{"tokens without characters", lines, Limits{Tokens: 20_000, Tail: 5000}, true},
		{"one line larger than the window", line(3000), Limits{Chars: 1000, Tail: 300}, true},
		{"one line larger than the window, in tokens", line(3000), Limits{Tokens: 500, Tail: 300}, true},
		{"a line that fits, but not beside tail and marker", line(900) + "\n" + line(100) + "\n" + line(100), Limits{Chars: 1000, Tail: 300}, true},
		{"a tail larger than the page", strings.Repeat(line(50)+"\n", 30), Limits{Chars: 1000, Tail: 100_000}, true},
		{"no tail", lines, Limits{Chars: 1000}, true},
		{"a hard cap", lines, Limits{Chars: 1000, Tail: 300, Max: 700}, true},
		{"a hard cap smaller than a line", lines[:2000], Limits{Chars: 1000, Max: 60}, true},
		{"a window smaller than its marker", line(30), Limits{Chars: 10}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := &View{Text: test.text}
			w := v.Window(0, test.limits)
			if w.Truncated != test.cut || (w.Next >= 0) != test.cut || !test.cut && w.Text != test.text {
				t.Fatalf("truncated %v, next %d", w.Truncated, w.Next)
			}
			if max := test.limits.Max; w.Degraded != (max > 0) || max > 0 && len([]rune(w.Text)) > max {
				t.Errorf("degraded %v, %d characters", w.Degraded, len([]rune(w.Text)))
			}
			if c := test.limits.Chars; c > 200 && len([]rune(w.Text)) > c {
				t.Errorf("%d characters", len([]rune(w.Text)))
			}
			if n := test.limits.Tokens; n > 0 && tokens.CountString(w.Text) > n {
				t.Errorf("%d tokens", tokens.CountString(w.Text))
			}
			checkWindows(t, v, test.limits)
		})
	}
}

func TestWindowOffsets(t *testing.T) {
	t.Parallel()
	v := &View{Text: "main\n [u1] button \"One\"\n [u2] button \"Two\""}
	for _, test := range []struct{ offset, want int }{{-5, 0}, {0, 0}, {3, 0}, {4, 0}, {5, 5}, {9, 5}, {24, 24}, {30, 24}, {1000, 24}} {
		if w := v.Window(test.offset, Limits{}); w.Offset != test.want || w.Text != v.Text[test.want:] || w.Next != -1 {
			t.Errorf("offset %d: %+v", test.offset, w)
		}
	}
}

// TestMarker: it counts what is left out, says which limit cut, and stands above the tail.
func TestMarker(t *testing.T) {
	t.Parallel()
	items := ""
	for i := range 30 {
		items += fmt.Sprintf(" [u%d] button \"not a [u7] control %d\"\n", i+1, i)
	}
	v := &View{Text: "main\n" + items + " \"end\""}
	w := v.Window(0, Limits{Chars: 600, Tail: 300})
	body, tail, marker := splitWindow(w.Text)
	left := v.Text[w.Next : len(v.Text)-len(tail)]
	if marker == nil || marker[2] != fmt.Sprint(strings.Count(left, "] button")) || marker[3] != "600 characters" || strings.Count(tail, "\n") != 3 || !strings.HasSuffix(tail, "\n \"end\"") {
		t.Errorf("marker %q\n%s", marker, w.Text)
	}
	if !strings.HasPrefix(body, "main\n") {
		t.Error(body)
	}
	if w := v.Window(0, Limits{Tokens: 200, Tail: 300}); !strings.Contains(w.Text, "left out by the limit of 200 tokens") {
		t.Error(w.Text)
	}
	json := &View{Text: strings.Repeat(`{"uid":"u1","role":"button","name":"x {\"uid\":\"u2\"","level":0}`+"\n", 40)}
	if w := json.Window(0, Limits{Chars: 600}); !strings.HasSuffix(w.Text, `, 34 controls left out by the limit of 600 characters, next offset 396","level":0}`) {
		t.Error(w.Text)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	v := &View{Text: strings.TrimSuffix(strings.Repeat("\"0123456789\"\n", 100), "\n")}
	l := Limits{Chars: 500, Tail: 100}
	_, pages, ok := v.Page(1000, l)
	if ok || pages < 3 {
		t.Fatalf("%d pages", pages)
	}
	offset := 0
	for n := 1; n <= pages; n++ {
		w, _, ok := v.Page(n, l)
		if !ok || w.Offset != offset || (w.Next < 0) != (n == pages) {
			t.Errorf("page %d: %v %+v", n, ok, w)
		}
		offset = w.Next
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		from, to string // what is another in shop
		o        Options
		diff     string
	}{
		{"nothing", "", "", Options{}, "unchanged"},
		{"a value", `= "Ada"`, `= "Grace"`, Options{}, `~ [uf] textbox "Card holder" = "Grace" in region "Pay"`},
		{"a text", `"Tea pot"`, `"Kettle"`, Options{}, `~ li "Kettle"`},
		{"one more", ` 14 region`, "  30 group \"Gifts\"\n   31 button \"Wrap\"\n   32 StaticText \"free\"\n 14 region", Options{}, `+ group "Gifts"
+ [uv] button "Wrap"
+ "free"`},
		{"one less", "\n   11 listitem @{\"box\":[0,3000,800,40]}\n    12 StaticText \"Lid\"\n    13 button \"Remove\" @{\"box\":[0,3000,80,40]}", "", Options{}, `- li "Lid" … 1 nodes, 1 controls below`},
		{"cut names", `"Pay now"`, `"Pay it all now"`, Options{Names: 6}, `~ [ug] button "Pay i…" in region "Pay"`},
		{"what a filter leaves out", `"Lid"`, `"Cap"`, Options{Filter: "viewport"}, "unchanged"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			before, after := mustRead(t, drawn(t, shop)), mustRead(t, drawn(t, strings.Replace(shop, test.from, test.to, 1)))
			d := Diff(before, after, test.o)
			if d.Text != test.diff {
				t.Errorf("view\n%s\nwant\n%s", d.Text, test.diff)
			}
			if _, _, err := parseDiff(d.Text); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDiffOfOrder: what stands elsewhere among its like is said, with as few lines as do.
func TestDiffOfOrder(t *testing.T) {
	t.Parallel()
	list := func(order ...int) *Page {
		b := "1 RootWebArea \"P\"\n 2 list"
		for _, n := range order {
			b += fmt.Sprintf("\n  %d listitem\n   %d StaticText \"i%d\"", 10*n, 10*n+1, n)
		}
		return mustRead(t, drawn(t, b))
	}
	for _, test := range []struct {
		name     string
		from, to []int
		diff     string
	}{
		{"one to the end", []int{1, 2, 3}, []int{2, 3, 1}, `> li "i1" behind "li i3"`},
		{"one to the front", []int{1, 2, 3}, []int{3, 1, 2}, `> li "i3" first`},
		{"as before, but for one that is gone", []int{1, 2, 3}, []int{1, 3}, `- li "i2"`},
	} {
		d := Diff(list(test.from...), list(test.to...), Options{})
		if d.Text != test.diff {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, d.Text, test.diff)
		}
		if _, _, err := parseDiff(d.Text); err != nil {
			t.Error(err)
		}
	}
}

// TestDiffOfDialog: a page that a dialog takes out of reach is one line.
func TestDiffOfDialog(t *testing.T) {
	t.Parallel()
	page := "1 RootWebArea \"P\""
	for n := range 30 {
		page += fmt.Sprintf("\n %d button \"b%d\"", n+10, n)
	}
	d := Diff(mustRead(t, drawn(t, page)), mustRead(t, drawn(t, "1 RootWebArea \"P\"\n 2 dialog \"Sure?\" modal=true\n  3 button \"Yes\"")), Options{})
	if want := "+ dialog \"Sure?\" {modal}\n+  [u3] button \"Yes\"\n- note \"what else was there\" … 30 nodes, 30 controls below"; d.Text != want {
		t.Errorf("%s\nwant\n%s", d.Text, want)
	}
}

// TestSearchIsShort: of long texts and lines what was found is enough.
func TestSearchIsShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("lorem ipsum ", 5000)
	h, err := mustRead(t, drawn(t, "1 RootWebArea \"P\"\n 2 paragraph\n  3 StaticText \""+long+"needle "+long+"\"")).Search("needle")
	if err != nil || len(h.Text) > 400 || !strings.Contains(h.Text, "needle") {
		t.Errorf("%d bytes, %v: %.200s", len(h.Text), err, h.Text)
	}
	links := "1 RootWebArea \"P\"\n 2 paragraph\n  3 StaticText \"See\""
	for n := range 30 {
		links += fmt.Sprintf("\n  %d link \"l%d\"", n+10, n)
	}
	h, err = mustRead(t, drawn(t, links)).Search("l17")
	if err != nil || h.Text != `[ur] link "l17"` {
		t.Errorf("%v: %s", err, h.Text)
	}
}

// TestDiffIsSmall: nothing changed is a word, one field changed a line.
func TestDiffIsSmall(t *testing.T) {
	t.Parallel()
	draw := func(first, second string) *Page {
		return mustRead(t, drawn(t, "1 RootWebArea \"P\"\n 2 radiogroup \"Shipping method of the order\"\n  3 radio \"Express, next day\" checked=\""+first+"\"\n  4 radio \"Standard, three days\" checked=\""+second+"\""))
	}
	if n := tokens.CountString(Diff(draw("true", "false"), draw("true", "false"), Options{}).Text); n > 15 {
		t.Errorf("nothing changed: %d tokens", n)
	}
	d := Diff(draw("true", "false"), draw("false", "true"), Options{})
	want := "~ [u3] radio \"Express, next day\" {unchecked} in radiogroup \"Shipping method of the order\"\n~ [u4] radio \"Standard, three days\" {checked}"
	if n := tokens.CountString(d.Text); n > 60 || d.Text != want || !slices.Equal(d.UIDs, []string{"u3", "u4"}) {
		t.Errorf("%d tokens, uids %q\n%s", n, d.UIDs, d.Text)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	p := mustRead(t, drawn(t, shop))
	for _, test := range []struct{ name, text, lines string }{
		{"a text in any case", "REMOVE", `li "Tea pot" · [ua] button "Remove"
li "Lid" · [ud] button "Remove"`},
		{"a heading has a uid here", "cart", `[u6] h2 "Cart"`},
		{"a text in a list item", "tea", `[u8] li "Tea pot" · [ua] button "Remove"`},
		{"a field by its value", "Ada", `[uf] textbox "Card holder" = "Ada" in region "Pay"`},
		{"an expression", "/^(Lid|Pay)/", `[ub] li "Lid" · [ud] button "Remove"
[ue] region "Pay"
[ug] button "Pay now" in region "Pay"`},
		{"no hits", "zzz", `note "nothing found"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			hits, err := p.Search(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if hits.Text != test.lines {
				t.Errorf("view\n%s\nwant\n%s", hits.Text, test.lines)
			}
			items, err := parseHits(hits.Text)
			if err != nil {
				t.Fatal(err)
			}
			checkUIDs(t, p, &hits.View, items)
		})
	}
	for _, text := range []string{"", " \n", "/(/"} {
		if _, err := p.Search(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func TestSearchGivesFifty(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("1 RootWebArea")
	for i := range 60 {
		fmt.Fprintf(&b, "\n %d button \"Go %d\"", i+2, i)
	}
	hits, err := mustRead(t, drawn(t, b.String())).Search("go")
	if err != nil || hits.Total != 60 || len(hits.UIDs) != 50 || strings.Count(hits.Text, "\n") != 49 {
		t.Errorf("%v, %d found, %d uids", err, hits.Total, len(hits.UIDs))
	}
}
