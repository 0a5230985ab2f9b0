// Package faketest is a browser with Handrail's extension, for tests of what
// stands on the other side of the native port: no browser, but pages that
// change, cover and replace their nodes and count what reaches them, and a
// ledger that outlives the host as storage.session does.
//
// It keeps the extension's promises (docs/PROTOCOL.md) unless a test tells it
// not to, with Browser.On.
package faketest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"handrail/compressor"
	"handrail/host/wire"
)

// Node is a node of a fake page.
type Node struct {
	ID      int64 // backendDOMNodeId
	Role    string
	Name    string
	Context string // name of the group around it
	Value   string

	Secret   bool  // its value is never told
	Disabled bool  //
	Submits  bool  // a click on it submits a form
	Cover    int64 // ID of the node that covers it
	Events   int   // acts that reached it
}

// Page is a document.
type Page struct {
	Title string
	Nodes []*Node
	Fill  int // plain text nodes on top of Nodes, to make the page big
}

// Tab is a tab and what is loaded in it.
type Tab struct {
	ID     int
	URL    string
	Active bool
	Page   Page
	Loader string // loaderId
}

// Browser is one profile with the extension. Its fields are set before it is
// started, its tabs changed only within Change.
type Browser struct {
	Instance string
	Part     int             // largest frame in which it sends, default wire.PartToHost
	Site     map[string]Page // what an address shows; others cannot be loaded

	mu      sync.Mutex
	tabs    []*Tab
	loaders int
	epoch   int64
	ledger  map[string]wire.LedgerRow
	on      map[string]Answer
	asked   []string
	bundle  []byte
}

// Answer answers a request of the host's.
type Answer func(ctx context.Context, params json.RawMessage) (any, error)

// NewBrowser makes a browser with one blank tab.
func NewBrowser(site map[string]Page) *Browser {
	b := &Browser{Instance: "fake", Site: site, ledger: map[string]wire.LedgerRow{}, on: map[string]Answer{}}
	b.open("about:blank")
	return b
}

// On makes the browser answer a method in another way; nil is its own way again.
func (b *Browser) On(method string, answer Answer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.on[method] = answer
}

// Change runs f while nothing else looks at the browser. Tab 0 is the first.
func (b *Browser) Change(tab int, f func(*Tab)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if tab == 0 {
		tab = b.tabs[0].ID
	}
	f(b.tab(tab))
}

// Load opens an address in a tab, as a user would.
func (b *Browser) Load(tab int, address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.load(b.tab(tab), address)
}

// Events counts the acts that reached any node of any tab.
func (b *Browser) Events() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.tabs {
		for _, node := range t.Page.Nodes {
			n += node.Events
		}
	}
	return n
}

// Asked counts the requests of a method that came.
func (b *Browser) Asked(method string) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.asked {
		if m == method {
			n++
		}
	}
	return n
}

// Bundle is the last bundle that was made.
func (b *Browser) Bundle() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bundle
}

// Started notes an act in the ledger that began and never ended, as a worker
// that was killed leaves it.
func (b *Browser) Started(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ledger[id] = wire.LedgerRow{ID: id, State: "started"}
}

// Own is the browser's own answer to a method.
func (b *Browser) Own(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch method {
	case "capture":
		return decoded(params, b.capture)
	case "perform":
		return decoded(params, b.perform)
	case "ledger":
		return decoded(params, b.acts)
	case "inspect":
		return decoded(params, b.inspect)
	case "mark":
		return decoded(params, func(wire.HighlightParams) (any, error) { return wire.HighlightResult{}, nil })
	case "tabs":
		return decoded(params, b.change)
	case "ask": // nobody answers
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, wire.Fail(wire.UnknownMethod, "")
}

func (b *Browser) handle(ctx context.Context, method string, params json.RawMessage) (any, error) {
	b.mu.Lock()
	answer := b.on[method]
	b.asked = append(b.asked, method)
	b.mu.Unlock()
	if answer != nil {
		return answer(ctx, params)
	}
	return b.Own(ctx, method, params)
}

func decoded[P any](params json.RawMessage, answer func(P) (any, error)) (any, error) {
	var p P
	if err := wire.Decode(params, &p); err != nil {
		return nil, err
	}
	return answer(p)
}

func (b *Browser) tab(id int) *Tab {
	for _, t := range b.tabs {
		if t.ID == id {
			return t
		}
	}
	return nil
}

func (b *Browser) open(address string) *Tab {
	t := &Tab{ID: 1, Active: len(b.tabs) == 0}
	for _, other := range b.tabs {
		t.ID = max(t.ID, other.ID+1)
	}
	b.tabs = append(b.tabs, t)
	b.load(t, address)
	return t
}

// load gives the tab a new document, whose nodes count for themselves.
func (b *Browser) load(t *Tab, address string) {
	b.loaders++
	page := b.Site[address]
	t.URL, t.Loader = address, fmt.Sprintf("loader%d", b.loaders)
	t.Page = Page{Title: page.Title, Fill: page.Fill}
	for _, n := range page.Nodes {
		copied := *n
		t.Page.Nodes = append(t.Page.Nodes, &copied)
	}
}

func (b *Browser) change(p wire.TabsParams) (any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var result wire.TabsResult
	switch t := b.tab(p.Tab); p.Action {
	case "open":
		result.Tab = b.open(p.URL).ID
	case "close", "select":
		if t == nil {
			return nil, wire.Fail(wire.UnknownTab, "")
		}
		if p.Action == "select" {
			result.Tab = t.ID
			break
		}
		for i := range b.tabs {
			if b.tabs[i] == t {
				b.tabs = append(b.tabs[:i], b.tabs[i+1:]...)
				break
			}
		}
	}
	for _, t := range b.tabs {
		result.Tabs = append(result.Tabs, wire.Tab{Tab: t.ID, Window: 1, Active: t.Active, Focused: t.Active, URL: t.URL, Title: t.Page.Title})
	}
	return result, nil
}

func (b *Browser) capture(p wire.CaptureParams) (any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.tab(p.Tab)
	if t == nil {
		return nil, wire.Fail(wire.UnknownTab, "")
	}
	made := bundleOf(t, p.Capture)
	if origin := "http://fake"; p.Scope != nil && strings.HasPrefix(t.URL, origin+"/") && p.Scope.Origin != origin {
		f := wire.Fail(wire.NotApproved, "")
		f.Need = &wire.Permit{Kind: "read", Origin: origin}
		return nil, f
	}
	b.bundle = made
	return wire.CaptureResult{Bundle: made}, nil
}

// bundleOf is the page as docs/FORMAT.md says.
func bundleOf(t *Tab, capture string) json.RawMessage {
	nodes := []map[string]any{axNode("1", "", 1, "RootWebArea", t.Page.Title, "")}
	add := func(parent int, n map[string]any) int {
		n["nodeId"], n["parentId"] = strconv.Itoa(len(nodes)+1), nodes[parent]["nodeId"]
		children, _ := nodes[parent]["childIds"].([]string)
		nodes[parent]["childIds"] = append(children, n["nodeId"].(string))
		nodes = append(nodes, n)
		return len(nodes) - 1
	}
	for _, n := range t.Page.Nodes {
		parent := 0
		if n.Context != "" {
			parent = add(0, axNode("", "", 10_000+n.ID, "group", n.Context, ""))
		}
		value := n.Value
		if n.Secret {
			value = ""
		}
		add(parent, axNode("", "", n.ID, n.Role, n.Name, value))
	}
	for i := range t.Page.Fill {
		add(0, axNode("", "", 100_000+int64(i), "StaticText", fmt.Sprintf("filler <%d> \"é\"", i), ""))
	}
	text, err := json.Marshal(map[string]any{
		"v": 1, "capture": capture, "tab": t.ID, "url": t.URL, "title": t.Page.Title, "time": 0, "complete": true,
		"frames": []any{map[string]any{
			"frameId": "F", "parent": "", "session": 0, "targetId": "", "loaderId": t.Loader, "url": t.URL,
			"origin": "http://fake", "nodes": nodes, "error": nil,
		}},
		"layout": map[string]any{}, "redacted": 0,
	})
	if err != nil {
		panic(err)
	}
	return text
}

func axNode(id, parent string, backend int64, role, name, value string) map[string]any {
	n := map[string]any{
		"nodeId": id, "ignored": false, "backendDOMNodeId": backend,
		"role": map[string]any{"type": "role", "value": role},
		"name": map[string]any{"type": "computedString", "value": name},
	}
	if value != "" {
		n["value"] = map[string]any{"type": "string", "value": value}
	}
	return n
}

func (b *Browser) perform(p wire.PerformParams) (any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case p.Epoch != b.epoch:
		return nil, wire.Fail(wire.OldEpoch, "")
	case p.Expires < time.Now().UnixMilli():
		return nil, wire.Fail(wire.Expired, "")
	case !granted(p):
		return nil, wire.Fail(wire.NotApproved, "the grant is not of this act")
	}
	if row, ok := b.ledger[p.Act.ID]; ok {
		return nil, wire.Fail(wire.ActInProgress, "the ledger has %q", row.State)
	}
	t := b.tab(p.Tab)
	if t == nil {
		return nil, wire.Fail(wire.UnknownTab, "")
	}
	if need := b.lacking(t, p); need != nil {
		f := wire.Fail(wire.NotApproved, "")
		f.Need = need
		return nil, f
	}
	evidence, err := b.do(t, p)
	if err != nil {
		b.ledger[p.Act.ID] = wire.LedgerRow{ID: p.Act.ID, State: "failed", Fault: err}
		return nil, err
	}
	b.ledger[p.Act.ID] = wire.LedgerRow{ID: p.Act.ID, State: "done", Result: evidence}
	return evidence, nil
}

// granted tells whether a grant speaks of an act on a node.
func granted(p wire.PerformParams) bool {
	if p.Grant.By == "dedicated" || p.Target == nil {
		return p.Grant.By != ""
	}
	kind := "act"
	if p.Act.Kind == "upload" {
		kind = "upload"
	}
	return slices.Contains(p.Grant.Permits, wire.Permit{Kind: kind, Origin: p.Target.Origin})
}

// lacking is the permit that an act turns out to need.
func (b *Browser) lacking(t *Tab, p wire.PerformParams) *wire.Permit {
	if p.Target == nil || p.Grant.By == "dedicated" {
		return nil
	}
	for _, n := range t.Page.Nodes {
		need := wire.Permit{Kind: "submit", Origin: p.Target.Origin}
		if n.ID == p.Target.BackendDOMNodeID && n.Submits && !slices.Contains(p.Grant.Permits, need) {
			return &need
		}
	}
	return nil
}

func (b *Browser) do(t *Tab, p wire.PerformParams) (*wire.Evidence, *wire.Fault) {
	e := &wire.Evidence{Dispatched: wire.DispatchedYes, Effect: "seen", Method: p.Act.Kind, Tab: t.ID}
	switch p.Act.Kind {
	case "navigate":
		if _, ok := b.Site[p.Act.URL]; !ok {
			return nil, wire.Fail(wire.NavigationFailed, "")
		}
		b.load(t, p.Act.URL)
		e.URL, e.NewDocument = t.URL, true
		return e, nil
	case "reload":
		b.load(t, t.URL)
		return e, nil
	case "eval":
		e.Value, _ = json.Marshal(len(p.Act.Expression))
		return e, nil
	}
	node, state := find(t, *p.Target, p.Act.Expect)
	if state.State == "stale" {
		f := wire.Fail(wire.StaleUID, "")
		f.Reason, f.Now = state.Reason, state.Name
		return nil, f
	}
	if node.Disabled {
		return nil, wire.Fail(wire.Disabled, "")
	}
	if node.Cover != 0 {
		f := wire.Fail(wire.Covered, "")
		f.Candidates = []wire.Candidate{{Role: "button", Name: "lid", Tag: "button", BackendDOMNodeID: node.Cover, FrameID: "F"}}
		return nil, f
	}
	node.Events++
	e.Hit = &wire.Hit{Tag: "button", Role: node.Role, Name: node.Name}
	if p.Act.Kind == "type" {
		node.Value += p.Act.Text
		if p.Act.Clear {
			node.Value = p.Act.Text
		}
		value := node.Value
		e.ValueNow = &value
	}
	return e, nil
}

// find compares a target with the page (docs/FORMAT.md, Targets).
func find(t *Tab, target wire.Target, expect *string) (*Node, wire.NodeState) {
	stale := func(reason, now string) (*Node, wire.NodeState) {
		return nil, wire.NodeState{UID: target.UID, State: "stale", Reason: reason, Name: now}
	}
	if target.LoaderID != t.Loader {
		return stale("document", "")
	}
	for _, n := range t.Page.Nodes {
		if n.ID != target.BackendDOMNodeID {
			continue
		}
		name := target.Name
		if expect != nil {
			name = *expect
		}
		switch {
		case compressor.Normalize(n.Name) != compressor.Normalize(name):
			return stale("renamed", n.Name)
		case n.Context != target.Context:
			return stale("moved_context", n.Name)
		}
		return n, wire.NodeState{UID: target.UID, State: "alive", Role: n.Role, Name: n.Name, Frame: "http://fake"}
	}
	return stale("gone", "")
}

func (b *Browser) acts(p wire.LedgerParams) (any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	result := wire.LedgerResult{Acts: []wire.LedgerRow{}}
	for _, id := range p.IDs {
		if row, ok := b.ledger[id]; ok {
			result.Acts = append(result.Acts, row)
		}
	}
	return result, nil
}

func (b *Browser) inspect(p wire.InspectParams) (any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.tab(p.Tab)
	if t == nil {
		return nil, wire.Fail(wire.UnknownTab, "")
	}
	var result wire.InspectResult
	for _, target := range p.Targets {
		_, state := find(t, target, nil)
		result.Nodes = append(result.Nodes, state)
	}
	return result, nil
}
