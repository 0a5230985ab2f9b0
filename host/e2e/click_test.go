//go:build e2e

package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"handrail/host/wire"
)

// How long a click takes is reported, and no matter of passing; a page that told
// its console much must not make it longer.
func TestClickPace(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("first.html")).UIDs
	save, p := uidOf(t, view, `"Save"`), h.direct(t)
	for _, page := range []string{"quiet", "chatty"} {
		if page == "chatty" {
			h.eval(t, "for (let i = 0; i < 1000; i++) console.log('line', { a: { i }, b: document.body })")
			web.take()
		}
		p.act(t, wire.ActParams{UID: save, Action: "click"})
		var took []time.Duration
		for range 30 {
			began := time.Now()
			p.act(t, wire.ActParams{UID: save, Action: "click"})
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		t.Logf("30 clicks on a %s page: median %v, from %v to %v", page, took[15], took[0], took[29])
		web.wantCounts(t, map[string]int{"first save": 31})
	}
}

func TestClickKinds(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("click.html")).UIDs
	p := h.direct(t)
	for _, test := range []struct {
		key  string
		act  wire.ActParams
		want string
	}{
		{"pad", wire.ActParams{}, "mousedown 0 1, mouseup 0 1, click 0 1"},
		{"pad", wire.ActParams{Button: "left", Count: 1}, "mousedown 0 1, mouseup 0 1, click 0 1"},
		{"pad", wire.ActParams{Count: 2}, "mousedown 0 1, mouseup 0 1, click 0 1, mousedown 0 2, mouseup 0 2, click 0 2, dblclick 0 2"},
		{"pad", wire.ActParams{Count: 3}, "mousedown 0 1, mouseup 0 1, click 0 1, mousedown 0 2, mouseup 0 2, click 0 2, dblclick 0 2, mousedown 0 3, mouseup 0 3, click 0 3"},
		{"pad", wire.ActParams{Button: "middle"}, "mousedown 1 1, mouseup 1 1, auxclick 1 1"},
		{"pad", wire.ActParams{Modifiers: []string{"Shift"}}, "mousedown 0 1 shift, mouseup 0 1 shift, click 0 1 shift"},
		{"pad", wire.ActParams{Modifiers: []string{"Alt", "Control", "Meta", "Shift"}}, "mousedown 0 1 alt+ctrl+meta+shift, mouseup 0 1 alt+ctrl+meta+shift, click 0 1 alt+ctrl+meta+shift"},
		{"menu", wire.ActParams{Button: "right"}, "mousedown 2 1, contextmenu 2 0, mouseup 2 1, auxclick 2 1"},
	} {
		test.act.UID, test.act.Action = uidOf(t, view, `"`+test.key+`"`), "click"
		r := p.act(t, test.act)
		if got := h.eval(t, "take('"+test.key+"')"); got != `"`+test.want+`"` {
			t.Errorf("%s %+v: received %s, want %s", test.key, test.act, got, test.want)
		}
		if seen := slices.Contains(r.Changes, "contextmenu"); seen != (test.act.Button == "right") || seen != (r.Effect == "seen") {
			t.Errorf("%s %+v: %+v", test.key, test.act, r)
		}
	}
	// What comes in the node's place after the first of two clicks gets none.
	_, fault := p.try(t, wire.ActParams{UID: uidOf(t, view, `"replaced"`), Action: "click", Count: 2})
	if fault == nil || fault.Code != wire.StaleUID || fault.Dispatched != "yes" {
		t.Errorf("replaced: %+v", fault)
	}
	if got := h.eval(t, "[take('replaced'), take('other')]"); got != `["mousedown 0 1, mouseup 0 1, click 0 1",""]` {
		t.Errorf("received %s", got)
	}
}

func TestClickEvidence(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("click.html")).UIDs
	p := h.direct(t)
	for _, test := range []struct {
		text string
		want string // what the evidence must hold, as its JSON spells it
		not  string
	}{
		{`checkbox "Checked"`, `"before":["unchecked"],"after":["checked"]`, ``},
		{`checkbox "Native"`, `"before":["unchecked"],"after":["checked"]`, ``},
		{`button "Expand"`, `"before":["collapsed"],"after":["expanded"]`, ``},
		{`button "Press"`, `"before":["unpressed"],"after":["pressed"]`, ``},
		{`tab "Tab"`, `"before":["unselected","not current"],"after":["selected","current"]`, ``},
		{`button "Disable"`, `"before":["enabled"],"after":["disabled"]`, ``},
		{`"Details"`, `"before":["collapsed"],"after":["expanded"]`, ``},
		{`textbox "Amount"`, `"before":["value \"1\""],"after":["value \"2\""]`, `hint`},
		{`textbox "Card number"`, `"effect":"`, `canary`},
		{`button "Focus city"`, `"focus":"textbox \"City\""`, ``},
		{`button "Add two"`, `"changed_nodes":2`, ``},
		{`button "Fail"`, `"console_errors":3`, ``},
		{`button "Nothing"`, `"hint":"nothing was seen to change`, `console_errors`},
		{`link "A fragment"`, `"url":"` + web.main("click.html") + `#here"`, `navigates`},
		{`link "A download"`, `"download":"given name.js"`, `navigates`},
	} {
		r := p.act(t, wire.ActParams{UID: uidOf(t, view, test.text), Action: "click"})
		got, _ := json.Marshal(r)
		if !strings.Contains(string(got), test.want) || test.not != "" && strings.Contains(string(got), test.not) {
			t.Errorf("%s: %s\nwant %s, and no %q", test.text, got, test.want, test.not)
		}
	}
	for _, test := range []struct {
		text      string
		act       wire.ActParams
		navigates bool
	}{
		{`link "A blank link"`, wire.ActParams{}, true},
		{`link "A link"`, wire.ActParams{Button: "middle"}, true},
		{`link "A link"`, wire.ActParams{Modifiers: []string{"Control"}}, true},
		{`button "Open a window"`, wire.ActParams{}, false},
		{`button "Open a popup"`, wire.ActParams{}, false},
	} {
		test.act.UID, test.act.Action = uidOf(t, view, test.text), "click"
		r := p.act(t, test.act)
		if r.NewTab == 0 || !slices.Contains(r.Changes, "new_tab") || r.Navigates != test.navigates || r.NewDocument {
			t.Errorf("%s %+v: %+v", test.text, test.act, r)
			continue
		}
		if tabs := string(h.must(t, "tabs", "--json").stdout); !strings.Contains(tabs, fmt.Sprintf(`"tab":%d`, r.NewTab)) {
			t.Errorf("%s: no tab %d in %s", test.text, r.NewTab, tabs)
		}
	}
	r := p.act(t, wire.ActParams{UID: uidOf(t, view, `"Send form"`), Action: "click"})
	if !r.Navigates || !slices.Contains(r.Changes, "document") && !slices.Contains(r.Changes, "navigation") {
		t.Errorf("form: %+v", r)
	}
}

// A tab that is not in front receives its input too.
func TestClickInBackground(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("first.html")).UIDs
	h.must(t, "tabs", "open", web.main("second.html"))
	r := h.act(t, uidOf(t, view, `"Save"`), "click")
	if r.Dispatched != "yes" {
		t.Errorf("%+v", r)
	}
	web.wantCounts(t, map[string]int{"first save": 1})
}

func TestSettle(t *testing.T) {
	h, web := newClient(t), newSite(t)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ms, _ := strconv.Atoi(r.FormValue("ms"))
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
		case <-r.Context().Done():
		}
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>Arrived</title>arrived")
	}))
	t.Cleanup(slow.Close)
	h.snapshot(t, web.main("settle.html?0"))
	p := h.direct(t)
	for _, test := range []struct {
		name    string
		does    string
		settled bool
		then    string // what the page says when the reply is there
	}{
		{"nothing", "0", true, `"waiting"`},
		{"an answer", "fetch('" + slow.URL + "?ms=350').then(() => { out.textContent = 'answered' })", true, `"answered"`},
		{"timers", "setTimeout(() => { out.title = 'soon'; setTimeout(() => { out.textContent = 'timed' }, 60) }, 60)", true, `"timed"`},
		{"an answer that does not come", "fetch('" + slow.URL + "?ms=5000')", false, `"waiting"`},
		{"no rest", "setInterval(() => { out.title = Math.random() }, 50)", false, `"waiting"`},
		{"another page", "location.href = '" + slow.URL + "?ms=200'", true, `"Arrived"`},
		{"a page that does not come", "location.href = '" + slow.URL + "?ms=5000'", false, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			view := h.snapshot(t, web.main("settle.html?"+url.QueryEscape(test.does))).UIDs
			r := p.act(t, wire.ActParams{UID: uidOf(t, view, `"Do it"`), Action: "click", Settle: true})
			if r.Settled != test.settled || r.NewDocument != (test.then == `"Arrived"`) {
				t.Errorf("%+v", r)
			}
			if test.then == "" {
				return
			}
			if got := h.eval(t, "globalThis.out?.textContent ?? document.title"); got != test.then {
				t.Errorf("the page says %s, want %s", got, test.then)
			}
		})
	}
	view := h.snapshot(t, web.main("settle.html?0")).UIDs
	if r := p.act(t, wire.ActParams{UID: uidOf(t, view, `"Do it"`), Action: "click"}); r.Settled {
		t.Errorf("settled, and nobody waited: %+v", r)
	}
}

// A second click is made on plain boxes, where nothing came of the first.
func TestSecondClick(t *testing.T) {
	h, web := newClient(t), newSite(t)
	h.must(t, "navigate", web.main("twice.html"))
	var keys []string
	if err := json.Unmarshal([]byte(h.eval(t, "Object.keys(rows)")), &keys); err != nil {
		t.Fatal(err)
	}
	again := []string{"deaf", "class only", "style only", "label only", "churn elsewhere", "reads in the background", "tells telemetry", "telemetry beacon", "a child in it"}
	view := h.snapshot(t).UIDs
	tab := currentTab(t, h)
	p := h.direct(t)
	for _, key := range keys {
		r, fault := p.try(t, wire.ActParams{UID: uidOfKey(t, view, key), Action: "click", Second: true})
		if fault != nil {
			t.Errorf("%s: %v", key, fault)
			continue
		}
		if r.Dialog != "" {
			h.must(t, "dialog", "dismiss")
		}
		if r.NewTab != 0 {
			h.must(t, "tabs", "select", tab)
		}
		method, want := "mouse", 1
		if slices.Contains(again, key) {
			method, want = "synthetic", 2
		}
		got := h.eval(t, fmt.Sprintf("clicks[%q]", key))
		if r.Method != method || got != fmt.Sprint(want) {
			t.Errorf("%s: %s clicks by %s, want %d by %s: %+v", key, got, r.Method, want, method, r)
		}
		if method == "mouse" && r.Effect == "none_seen" && !strings.Contains(r.Hint, "no second click: ") {
			t.Errorf("%s: hint %q", key, r.Hint)
		}
	}
	view = h.snapshot(t).UIDs
	if r := p.act(t, wire.ActParams{UID: uidOfKey(t, view, "deaf"), Action: "click"}); r.Method != "mouse" || r.Effect != "none_seen" {
		t.Errorf("not asked for: %+v", r)
	}
	if got := h.eval(t, "clicks.deaf"); got != "3" {
		t.Errorf("%s clicks, want 3", got)
	}
}

// uidOfKey finds the uid of the row of twice.html that says the key.
func uidOfKey(t *testing.T, view, key string) string {
	t.Helper()
	text := map[string]string{"holds a button": "holds one", "icon that deletes": "icon", "deletes it": "takes it away"}[key]
	if text == "" {
		text = key
	}
	return uidAround(t, view, `"`+text)
}

// What covers a node is named with a uid, also when it came up after the page was
// read or is a plain box; that uid can be acted on.
func TestCovers(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("covers.html?cross="+url.QueryEscape(strings.TrimSuffix(web.cross(""), "/")))).UIDs
	p := h.direct(t)
	for _, test := range []struct{ text, before, by string }{
		{`"under banner"`, "", `dialog "Cookies"`},
		{`"under region"`, "", `region "Consent"`},
		{`"under chat"`, "", `iframe "Chat"`},
		{`"under bubble"`, "", `generic "Chat with us"`},
		{`"under bare"`, "", `generic "Loading"`},
		{`"under empty"`, "", `generic ""`},
		{`"framed button"`, "lid.hidden = false", `dialog "Lid"`},
		{`"under bare"`, "late()", `dialog "Newsletter"`},
	} {
		h.eval(t, "void ("+cmp.Or(test.before, "0")+")")
		_, fault := p.try(t, wire.ActParams{UID: uidOf(t, view, test.text), Action: "click"})
		if fault == nil || fault.Code != wire.Covered || fault.Dispatched != "no" || len(fault.Candidates) != 1 {
			t.Errorf("%s: %+v", test.text, fault)
			continue
		}
		c := fault.Candidates[0]
		if by := fmt.Sprintf("%s %q", c.Role, c.Name); by != test.by || (c.UID == "") != (c.Name == "") {
			t.Errorf("%s: covered by %s with uid %q, want %s", test.text, by, c.UID, test.by)
		}
		web.wantCounts(t, map[string]int{})
		if c.UID == "" || c.Role == "iframe" {
			continue // of an empty box nothing is known; a frame takes no click itself
		}
		p.act(t, wire.ActParams{UID: c.UID, Action: "click"})
		web.wantCounts(t, map[string]int{"cover": 1})
	}
}

// A node is scrolled out from under a bar that stays at an end of what scrolls.
func TestUnderABar(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("bars.html")).UIDs
	h.act(t, uidOf(t, view, `"Below a bar"`), "click")
	web.wantCounts(t, map[string]int{"below": 1})
	h.act(t, uidOf(t, view, `"Above a bar"`), "click")
	web.wantCounts(t, map[string]int{"above": 1})
}

// A node that its own press takes away is said to be gone, not covered.
func TestGoesWhenPressed(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("bars.html")).UIDs
	out := h.refused(t, wire.StaleUID, "act", uidOf(t, view, `"Goes when pressed"`), "click")
	if !strings.Contains(out.stderr, "gone") || !strings.Contains(out.stderr, "reached the page") {
		t.Error(out.stderr)
	}
	web.wantCounts(t, map[string]int{"press": 1})
}

// The areas of an image map are where their image draws them.
func TestImageMap(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("bars.html")).UIDs
	for _, name := range []string{"North", "Circle", "Triangle", "Rest"} {
		h.act(t, uidOf(t, view, `link "`+name+`"`), "click")
		web.wantCounts(t, map[string]int{strings.ToLower(name): 1})
	}
}
