//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"handrail/host/wire"
)

// widgets is a page of one library's widgets, built by make widgets.
type widgets struct {
	*handrail
	*site
	do chooser
}

func newWidgets(t *testing.T, library string) *widgets {
	t.Helper()
	w := &widgets{handrail: newClient(t), site: newSite(t)}
	w.snapshot(t, w.main("widgets/"+library+".html"))
	w.do = w.chooser(t)
	return w
}

// serveWidgets serves the bundles, and a page for each.
func serveWidgets(mux *http.ServeMux) {
	mux.HandleFunc("/widgets/{page}", func(w http.ResponseWriter, r *http.Request) {
		library, ok := strings.CutSuffix(r.PathValue("page"), ".html")
		if !ok {
			http.ServeFile(w, r, "../../bin/widgets/"+r.PathValue("page"))
			return
		}
		fmt.Fprintf(w, `<!doctype html><meta charset="utf-8"><title>%s</title><link rel="stylesheet" href="%[1]s.css"><body><script src="%[1]s.js"></script>`, library)
	})
}

// uid finds a node in a fresh view.
func (w *widgets) uid(t *testing.T, text string) string {
	t.Helper()
	return uidOf(t, w.snapshot(t).UIDs, text)
}

// held is what a widget itself holds.
func (w *widgets) held(t *testing.T, widget string) string {
	t.Helper()
	return w.evalText(t, fmt.Sprintf(`document.getElementById(%q).textContent`, widget))
}

// wantHeld waits until a widget holds a value: frameworks render when they will.
func (w *widgets) wantHeld(t *testing.T, widget, want string) {
	t.Helper()
	var held string
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if held = w.held(t, widget); held == want {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%s holds %q, want %q", widget, held, want)
			return
		}
	}
}

// field acts on a field with a text, and compares what was read back with what the
// widget holds.
type field struct {
	text   string // its line
	act    wire.ActParams
	widget string
	held   string // what the widget holds then
	shown  string // what the field shows then, "" the same
	back   bool   // the page took it back
}

func (w *widgets) try(t *testing.T, f field) {
	t.Helper()
	f.act.UID = w.uid(t, f.text)
	r := w.do.must(t, f.act)
	w.wantHeld(t, f.widget, f.held)
	shown := f.shown
	if shown == "" {
		shown = f.held
	}
	if r.ValueNow == nil || *r.ValueNow != shown || r.Reverted != f.back || r.Dispatched != "yes" {
		t.Errorf("%s: %s, value now %q, reverted %v, want %q, %v", f.text, r.Dispatched, text(r.ValueNow), r.Reverted, shown, f.back)
	}
}

func typing(action, what string) wire.ActParams { return wire.ActParams{Action: action, Text: &what} }

func keyed(what string) wire.ActParams {
	p := typing("type", what)
	p.Keys = true
	return p
}

func TestReactFields(t *testing.T) {
	w := newWidgets(t, "react")
	for _, f := range []field{
		{`"Name"`, typing("type", "Ada"), "plain", "Ada", "", false},
		{`"Name"`, typing("set_field", "Grace"), "plain", "Grace", "", false},
		{`"Name"`, keyed(" H"), "plain", "Grace H", "", false},
		{`"Name"`, typing("set_field", ""), "plain", "", "", false},
		{`"Code"`, typing("set_field", "abc"), "upper", "ABC", "", true},
		{`"Fixed"`, typing("set_field", "other"), "fixed", "fixed", "", true},
		{`"Phone"`, keyed("1234567"), "card", "123 456 7", "", true},
		{`"Notes"`, typing("set_field", "one\ntwo"), "notes", "one\ntwo", "", false},
		{`"Amount"`, typing("set_field", "12.5"), "amount", "12.5", "", false},
		{`date "Day"`, wire.ActParams{Action: "set_value", Values: []string{"2026-03-04"}}, "day", "2026-03-04", "", false},
		{`"Level"`, wire.ActParams{Action: "set_value", Values: []string{"8"}}, "level", "8", "", false},
	} {
		w.try(t, f)
	}
	search := typing("set_field", "boots")
	search.UID, search.Submit = w.uid(t, `textbox "Search"`), true
	w.do.must(t, search)
	w.wantHeld(t, "sent", "boots")
	w.wantCounts(t, map[string]int{"search": 1})

	on, off := true, false
	w.do.must(t, wire.ActParams{UID: w.uid(t, `"Agree"`), Action: "check", On: &on})
	w.wantHeld(t, "agree", "true")
	w.do.must(t, wire.ActParams{UID: w.uid(t, `"Agree"`), Action: "check", On: &off})
	w.wantHeld(t, "agree", "false")
	if r := w.do.must(t, wire.ActParams{UID: w.uid(t, `"Country"`), Action: "select", Values: []string{"Germany"}}); !slices.Equal(r.Chosen, []string{"Germany"}) || r.Reverted {
		t.Errorf("country: %+v", r)
	}
	w.wantHeld(t, "country", "de")
}

func TestVueFields(t *testing.T) {
	w := newWidgets(t, "vue")
	for _, f := range []field{
		{`"Name"`, typing("set_field", "Ada"), "plain", "Ada", "", false},
		{`"Trimmed"`, typing("set_field", "  trim  "), "trim", "trim", "  trim  ", false},
		{`"Number"`, typing("set_field", "42"), "number", "42", "", false},
	} {
		w.try(t, f)
	}
	lazy := w.uid(t, `"Lazy"`)
	w.do.must(t, typingAt(lazy, "later"))
	w.wantHeld(t, "lazy", "") // taken as the field is left, as when a person types
	w.do.must(t, wire.ActParams{UID: lazy, Action: "blur"})
	w.wantHeld(t, "lazy", "later")
	on := true
	w.do.must(t, wire.ActParams{UID: w.uid(t, `"Agree"`), Action: "check", On: &on})
	w.wantHeld(t, "agree", "true")
	w.do.must(t, wire.ActParams{UID: w.uid(t, `"Large"`), Action: "check", On: &on})
	w.wantHeld(t, "size", "l")
	w.do.must(t, wire.ActParams{UID: w.uid(t, `"Colours"`), Action: "select", Values: []string{"Red", "Blue"}})
	w.wantHeld(t, "colours", `["Red","Blue"]`)
}

// Editors keep a model of their own: what is read back is what that holds.
func TestEditors(t *testing.T) {
	w := newWidgets(t, "editors")
	for _, editor := range []struct{ text, widget string }{{`"Prose"`, "prose"}, {`"Code"`, "code"}, {`"Rich"`, "rich"}} {
		for _, f := range []field{
			{editor.text, typing("type", "Hello"), editor.widget, "Hello", "", false},
			{editor.text, keyed(" you"), editor.widget, "Hello you", "", false},
			{editor.text, typing("set_field", "Anew"), editor.widget, "Anew", "", false},
		} {
			w.try(t, f)
		}
		w.do.must(t, wire.ActParams{UID: w.uid(t, editor.text), Action: "press", Key: "Enter"})
		w.do.must(t, typingAt(w.uid(t, editor.text), "below"))
		if held := w.held(t, editor.widget); strings.Join(strings.Fields(held), " ") != "Anew below" {
			t.Errorf("%s holds %q", editor.widget, held)
		}
		w.do.must(t, wire.ActParams{UID: w.uid(t, editor.text), Action: "press", Key: "Control+z"})
		if held := w.held(t, editor.widget); strings.Contains(held, "below") {
			t.Errorf("undone, %s holds %q", editor.widget, held)
		}
	}
}

func typingAt(uid, what string) wire.ActParams {
	p := typing("type", what)
	p.UID = uid
	return p
}

// Popups in portals, with the page behind them inert.
func TestRadixAndHeadless(t *testing.T) {
	w := newWidgets(t, "radix")
	for _, test := range []struct{ text, choice, widget, held string }{
		{`"Fruit"`, "Blueberry", "fruit", "blueberry"},
		{`"Fruit"`, "Apple", "fruit", "apple"},
		{`"Assignee"`, "Person 27", "person", "Person 27"},
		{`"Status"`, "In progress", "status", "In progress"},
	} {
		r := w.do.must(t, wire.ActParams{UID: w.uid(t, test.text), Action: "select", Values: []string{test.choice}})
		w.wantHeld(t, test.widget, test.held)
		if !slices.Equal(r.Chosen, []string{test.choice}) || r.Reverted {
			t.Errorf("%s: %+v", test.text, r)
		}
	}
	p := typing("set_field", "Person 31")
	p.UID, p.Submit = w.uid(t, `"Assignee"`), true
	w.do.must(t, p)
	w.wantHeld(t, "person", "Person 31")

	on := true
	w.do.must(t, wire.ActParams{UID: w.uid(t, `checkbox "Accept terms"`), Action: "check", On: &on})
	w.wantHeld(t, "terms", "true")
	w.do.must(t, wire.ActParams{UID: w.uid(t, `switch "Airplane mode"`), Action: "check", On: &on})
	w.wantHeld(t, "airplane", "true")

	w.act(t, w.uid(t, `"Edit menu"`), "click")
	w.refused(t, wire.Disabled, "act", w.uid(t, `"Unavailable"`), "click")
	w.act(t, w.uid(t, `"Archive"`), "click")
	w.wantHeld(t, "menu", "archive")
	w.wantCounts(t, map[string]int{"archive": 1})

	w.act(t, w.uid(t, `"Edit profile"`), "click")
	w.do.must(t, typingAt(w.uid(t, `"Display name"`), "Ada L."))
	w.act(t, w.uid(t, `"Save profile"`), "click")
	w.wantHeld(t, "dialog", "Ada L.")
	w.wantCounts(t, map[string]int{"save": 1})
}

func TestDatePickers(t *testing.T) {
	w := newWidgets(t, "dates")
	arrival := w.uid(t, `"Arrival"`)
	w.do.must(t, func() wire.ActParams { p := typing("set_field", "2026-04-05"); p.UID = arrival; return p }())
	w.do.must(t, wire.ActParams{UID: arrival, Action: "press", Key: "Enter"})
	w.wantHeld(t, "typed", "2026-04-05")
	w.act(t, w.uid(t, `"Departure"`), "click")
	w.act(t, w.uid(t, `March 24, 2026`), "click")
	w.wantHeld(t, "picked", "2026-03-24")
	w.act(t, w.uid(t, `Friday, March 20th, 2026`), "click")
	w.wantHeld(t, "calendar", "2026-3-20")
	w.act(t, w.uid(t, `Next Month`), "click")
	w.act(t, w.uid(t, `Thursday, April 9th, 2026`), "click")
	w.wantHeld(t, "calendar", "2026-4-9")
}

// A row far down a virtual list is reached, and the nodes of one that left are not
// taken for it when they show another.
func TestVirtualList(t *testing.T) {
	w := newWidgets(t, "lists")
	list := w.uid(t, `"Orders"`)
	seen := w.snapshot(t).UIDs
	third := uidInRow(t, seen, "Order 3")
	r := w.do.must(t, wire.ActParams{UID: list, Action: "scroll", Until: "Order 777", TimeoutMs: 60_000})
	if r.Scroll == nil || !r.Scroll.Found {
		t.Fatalf("scroll: %+v", r)
	}
	w.act(t, uidInRow(t, w.snapshot(t).UIDs, "Order 777"), "click")
	w.wantCounts(t, map[string]int{"order 777": 1})
	if f := w.do.refused(t, wire.StaleUID, "", wire.ActParams{UID: third, Action: "click"}); f.Dispatched != "no" {
		t.Errorf("%+v", f)
	}
	w.wantCounts(t, map[string]int{})
	w.do.must(t, wire.ActParams{UID: w.uid(t, `"Beta"`), Action: "drag", To: w.uid(t, `"Delta"`)})
	w.wantHeld(t, "sorted", "Alpha Gamma Delta Beta")
}

// uidInRow finds the one uid on the line that says a text.
func uidInRow(t *testing.T, view, text string) string {
	t.Helper()
	for line := range strings.Lines(view) {
		if m := regexp.MustCompile(`\[(\w+)\]`).FindAllStringSubmatch(line, -1); strings.Contains(line, `"`+text+`"`) && len(m) == 1 {
			return m[0][1]
		}
	}
	t.Fatalf("no line with a uid says %q in\n%s", text, view)
	return ""
}
