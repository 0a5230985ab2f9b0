package exchange_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"handrail/compressor/tokens"
	"handrail/host/wire"
)

func TestVerbs(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	c := w.client("one")
	if !c.welcome.Dedicated || c.welcome.Policy.Wide["eval"] != "always" || c.welcome.Browser == nil || c.welcome.Browser.Instance != "fake" {
		t.Errorf("welcome %+v", c.welcome)
	}

	var raw json.RawMessage
	c.must("snapshot", wire.SnapshotParams{URL: first}, &raw)
	var s wire.Snapshot
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	want := "page \"First\"\n [u5] button \"Save\"\n [u6] button \"Cancel\"\n [u7] textbox \"Email\" = \"ops@example.com\"\n [u8] textbox \"Password\""
	if s.UIDs != want {
		t.Errorf("view\n%s\nwant\n%s", s.UIDs, want)
	}
	bundle := w.browser.Bundle()
	if got := tokens.Count(raw); got != s.TokensAfter {
		t.Errorf("tokens_after = %d, the object has %d", s.TokensAfter, got)
	}
	if got := tokens.CountString(s.UIDs); got != s.ViewTokens {
		t.Errorf("view_tokens = %d, the view has %d", s.ViewTokens, got)
	}
	if got := tokens.Count(bundle); got != s.TokensBefore {
		t.Errorf("tokens_before = %d, the bundle has %d", s.TokensBefore, got)
	}
	if want := float64(s.TokensBefore-s.TokensAfter) / float64(s.TokensBefore); s.Ratio != want || s.Smaller != nil || s.Note != "" {
		t.Errorf("ratio %v, want %v; %+v", s.Ratio, want, s)
	}

	var r wire.RecoverResult
	c.must("recover", wire.RecoverParams{Handle: s.RecoveryHandle}, &r)
	sum := sha256.Sum256(bundle)
	if !bytes.Equal(r.Payload, bundle) || r.Bytes != int64(len(bundle)) || r.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("recovered %d bytes, sent %d", r.Bytes, len(bundle))
	}
	c.must("recover", wire.RecoverParams{Handle: s.RecoveryHandle, Frame: new(int)}, &r)
	if !bytes.Contains(bundle, append([]byte(`"nodes":`), r.Payload...)) {
		t.Errorf("frame 0 is not in the bundle: %.80s", r.Payload)
	}
	beyond := 1
	if f := c.refused(wire.BadRequest, "recover", wire.RecoverParams{Handle: s.RecoveryHandle, Frame: &beyond}); f.Field != "frame" {
		t.Errorf("field %q", f.Field)
	}
	c.must("recover", wire.RecoverParams{Handle: s.RecoveryHandle, UIDs: true}, &r)
	if want := `{"uids":{"u5":{"backendDOMNodeId":5,"frameId":"F","nodeId":"2"},"u6":{"backendDOMNodeId":6,`; !strings.HasPrefix(string(r.Payload), want) {
		t.Errorf("uid map %s", r.Payload)
	}

	click := c.act(wire.ActParams{UID: "u5", Action: "click"})
	if click.Dispatched != wire.DispatchedYes || click.UID != "u5" || len(click.ActID) != 32 || w.browser.Events() != 1 {
		t.Errorf("click %+v, %d events", click, w.browser.Events())
	}
	typed := c.act(wire.ActParams{UID: "u7", Action: "type", Text: text("a@b"), Clear: true})
	if typed.ValueNow == nil || *typed.ValueNow != "a@b" {
		t.Errorf("type %+v", typed)
	}

	var states wire.InspectResult
	c.must("resolve", wire.ResolveParams{All: true}, &states)
	if len(states.Nodes) != 4 || states.Nodes[0].State != "alive" || states.Nodes[0].Name != "Save" {
		t.Errorf("resolve --all %+v", states)
	}
	c.must("resolve", wire.ResolveParams{UID: "uzz"}, &states)
	if len(states.Nodes) != 1 || states.Nodes[0].State != "unknown" {
		t.Errorf("resolve of an unknown uid %+v", states)
	}
	c.must("highlight", wire.HighlightUIDParams{UID: "u5"}, nil)
	c.must("highlight", wire.HighlightUIDParams{}, nil)
	if n := w.browser.Asked("mark"); n != 2 {
		t.Errorf("%d marks", n)
	}

	var value wire.ActResult
	c.must("eval", wire.EvalParams{Expression: "1 + 1"}, &value)
	if string(value.Value) != "5" {
		t.Errorf("eval %s", value.Value)
	}

	var moved wire.ActResult
	c.must("navigate", wire.NavigateParams{URL: second}, &moved)
	if moved.URL != second || !moved.NewDocument {
		t.Errorf("navigate %+v", moved)
	}
	c.must("resolve", wire.ResolveParams{UID: "u5"}, &states)
	if states.Nodes[0].State != "stale" || states.Nodes[0].Reason != "document" {
		t.Errorf("resolve after navigation %+v", states)
	}
	again := c.snapshot(wire.SnapshotParams{})
	if again.Tab != s.Tab || again.Note != "new document: earlier uids are void" {
		t.Errorf("after navigation: tab %d, note %q", again.Tab, again.Note)
	}
	if note := c.snapshot(wire.SnapshotParams{}).Note; note != "" {
		t.Errorf("same document: note %q", note)
	}

	var tabs wire.TabsResult
	c.must("tabs", wire.TabsParams{Action: "open", URL: list}, &tabs)
	opened := tabs.Tab
	if len(tabs.Tabs) != 2 || !tabs.Tabs[1].Current || tabs.Tabs[0].Current {
		t.Errorf("open %+v", tabs)
	}
	if got := c.snapshot(wire.SnapshotParams{}); got.Tab != opened || got.Note != "" {
		t.Errorf("the opened tab is current: %+v", got)
	}
	c.must("tabs", wire.TabsParams{Action: "select", Tab: s.Tab}, &tabs)
	if got := c.snapshot(wire.SnapshotParams{}); got.Tab != s.Tab {
		t.Errorf("the selected tab is current: %+v", got)
	}
	c.must("tabs", wire.TabsParams{Action: "close", Tab: opened}, &tabs)
	if len(tabs.Tabs) != 1 {
		t.Errorf("close %+v", tabs)
	}
}

// The panel speaks the same verbs over the extension's own link.
func TestPanel(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.browser.Load(1, first)
	panel := &client{t: t, Conn: w.link.Conn}
	s := panel.snapshot(wire.SnapshotParams{Tab: 1, ViewOptions: wire.ViewOptions{Query: "save"}})
	if !strings.Contains(s.UIDs, "[u5]") || strings.Contains(s.UIDs, "[u7]") {
		t.Errorf("view\n%s", s.UIDs)
	}
	panel.act(wire.ActParams{UID: "u5", Action: "click"})
	if w.browser.Events() != 1 {
		t.Errorf("%d events", w.browser.Events())
	}
}

func TestTwoClientsTwoQueries(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	a, b := w.client("a"), w.client("b")
	save := a.snapshot(wire.SnapshotParams{URL: first, ViewOptions: wire.ViewOptions{Query: "save"}})
	email := a.snapshot(wire.SnapshotParams{ViewOptions: wire.ViewOptions{Query: "email"}})
	theirs := b.snapshot(wire.SnapshotParams{Tab: save.Tab, ViewOptions: wire.ViewOptions{Query: "cancel"}})
	if strings.Contains(save.UIDs, "u7") || strings.Contains(email.UIDs, "u5") || !strings.Contains(theirs.UIDs, "u6") {
		t.Errorf("views\n%s\n%s\n%s", save.UIDs, email.UIDs, theirs.UIDs)
	}
	a.act(wire.ActParams{UID: "u5", Action: "click"})
	a.act(wire.ActParams{UID: "u7", Action: "click"})
	b.act(wire.ActParams{UID: "u6", Action: "click"})
	a.refused(wire.UnknownUID, "act", wire.ActParams{UID: "u6", Action: "click"})
	a.act(wire.ActParams{UID: "u6", Action: "click", Handle: theirs.RecoveryHandle})
	if n := w.browser.Events(); n != 4 {
		t.Errorf("%d events", n)
	}
}

func TestCurrentTab(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	a, b := w.client("a"), w.client("b")
	a.refused(wire.NoPage, "snapshot", wire.SnapshotParams{}) // there is a blank tab only
	one := a.snapshot(wire.SnapshotParams{URL: first}).Tab
	if one != 1 {
		t.Errorf("the blank tab was not used: tab %d", one)
	}
	if got := a.snapshot(wire.SnapshotParams{URL: list}).Tab; got != one {
		t.Errorf("the current tab was not moved: tab %d", got)
	}
	two := b.snapshot(wire.SnapshotParams{URL: second}).Tab
	if two == one {
		t.Error("another client's tab was moved")
	}
	if got := a.snapshot(wire.SnapshotParams{}).Tab; got != one {
		t.Errorf("a reads tab %d, not %d", got, one)
	}
	w.link.Signal(t, syscall.SIGKILL)
	w.link.Exit(t)
	w.restart()
	if got := w.client("b").snapshot(wire.SnapshotParams{}).Tab; got != two {
		t.Errorf("after a restart b reads tab %d, not %d", got, two)
	}
	b = w.client("b")
	b.must("tabs", wire.TabsParams{Action: "close", Tab: two}, nil)
	if got := b.snapshot(wire.SnapshotParams{}).Tab; got != one {
		t.Errorf("with its tab closed b reads tab %d, not the active one, %d", got, one)
	}
	b.must("tabs", wire.TabsParams{Action: "open"}, nil)
	if got := b.snapshot(wire.SnapshotParams{}).Tab; got != one {
		t.Errorf("a blank tab was read: %d", got)
	}
	b.refused(wire.UnknownTab, "snapshot", wire.SnapshotParams{Tab: 99})
}

// Clients that come at once do not share the one blank tab.
func TestBlankTabIsTakenOnce(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	tabs := make(chan int)
	for _, name := range []string{"a", "b", "c", "d"} {
		c := w.client(name)
		go func() {
			var s wire.Snapshot
			if err := c.call("snapshot", wire.SnapshotParams{URL: first}, &s); err != nil {
				t.Error(err)
			}
			tabs <- s.Tab
		}()
	}
	seen := map[int]bool{}
	for range 4 {
		seen[<-tabs] = true
	}
	if len(seen) != 4 {
		t.Errorf("4 clients use the tabs %v", seen)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	own := start(t, dedicated).client("c")
	for _, address := range []string{
		"javascript:alert(1)", " javascript:alert(1)", "JavaScript:alert(1)", "java\nscript:alert(1)", "chrome://settings", "chrome-extension://abc/x.html",
		"devtools://x", "view-source:http://fake/first", "data:text/plain,x", "data:image/svg+xml,<svg/>", "blob:http://fake/1", "about:config", "fake/first", "http:", "http:///x",
		"data:text/html," + strings.Repeat("x", 1<<20), "",
	} {
		f := own.refused(wire.BadURL, "navigate", wire.NavigateParams{URL: address})
		if f.Field != "url" {
			t.Errorf("%.40q: field %q", address, f.Field)
		}
		if address != "" {
			own.refused(wire.BadURL, "snapshot", wire.SnapshotParams{URL: address})
			own.refused(wire.BadURL, "tabs", wire.TabsParams{Action: "open", URL: address})
		}
	}
	// Allowed ones reach the browser, which has no such page.
	for _, address := range []string{"http://x.example/a?b#c", "https://x.example", "data:text/html,<p>hi", "file:///tmp/x.html"} {
		own.refused(wire.NavigationFailed, "navigate", wire.NavigateParams{URL: address})
	}
	w := start(t)
	w.link.Allow(t, "always", "act", "read")
	w.client("c").refused(wire.BadURL, "navigate", wire.NavigateParams{URL: "file:///etc/passwd"})
}

func TestBadParams(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	c := w.client("c")
	c.snapshot(wire.SnapshotParams{URL: first})
	before := w.browser.Asked("perform")
	for _, tt := range []struct {
		name, method, field string
		params              any
	}{
		{"unknown act", "act", "action", map[string]any{"uid": "u5", "action": "kick"}},
		{"no uid", "act", "uid", map[string]any{"action": "click"}},
		{"empty uid", "act", "uid", map[string]any{"action": "click", "uid": ""}},
		{"type without text", "act", "text", map[string]any{"uid": "u7", "action": "type"}},
		{"click with text", "act", "text", map[string]any{"uid": "u5", "action": "click", "text": "x"}},
		{"text too long", "act", "text", map[string]any{"uid": "u7", "action": "type", "text": strings.Repeat("x", wire.MaxText+1)}},
		{"act id is no 128 bits", "act", "act_id", map[string]any{"uid": "u5", "action": "click", "act_id": "1"}},
		{"negative wait", "act", "timeout_ms", map[string]any{"uid": "u5", "action": "click", "timeout_ms": -1}},
		{"back with an address", "navigate", "url", map[string]any{"action": "back", "url": first}},
		{"nothing to run", "eval", "expression", map[string]any{"expression": ""}},
		{"nothing to resolve", "resolve", "uid", map[string]any{}},
		{"which tab", "tabs", "tab", map[string]any{"action": "close"}},
		{"unknown profile", "snapshot", "profile", map[string]any{"profile": "tiny"}},
		{"unknown field", "snapshot", "depth", map[string]any{"depth": 1}},
	} {
		if f := c.refused(wire.BadRequest, tt.method, tt.params); f.Field != tt.field {
			t.Errorf("%s: field %q, want %q", tt.name, f.Field, tt.field)
		}
	}
	c.refused(wire.UnknownMethod, "kick", map[string]any{})
	c.refused(wire.UnknownMethod, "event", wire.Event{Tab: 1, Kind: "input"})
	if n := w.browser.Asked("perform"); n != before {
		t.Errorf("%d acts went to the page", n-before)
	}
}
