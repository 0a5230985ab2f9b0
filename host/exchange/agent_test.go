package exchange_test

import (
	"encoding/json"
	"strings"
	"testing"

	"handrail/host/wire"
)

// The panel's agent has MCP's tools, apart from what the panel itself was shown.
func TestAgentOfThePanel(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	w.browser.Load(1, first)
	panel := &client{t: t, Conn: w.link.Conn}
	var list wire.ToolsResult
	panel.must("tools", wire.ToolsParams{}, &list)
	if len(list.Tools) != 7 || list.Instructions == "" || !json.Valid(list.Tools[0].InputSchema) {
		t.Fatalf("tools %+v", list)
	}
	call := func(name, arguments, id string) (r wire.ToolResult) {
		t.Helper()
		panel.must("tool", wire.ToolParams{Name: name, Arguments: json.RawMessage(arguments), ActID: id}, &r)
		return r
	}
	if r := call("browser_act", `{"action":"click","uid":"u5"}`, ""); r.Fault == nil || r.Fault.Code != wire.UnknownUID || !strings.Contains(r.Text, "nothing reached the page") {
		t.Errorf("before it saw the page: %+v", r)
	}
	panel.snapshot(wire.SnapshotParams{Tab: 1})
	if r := call("browser_act", `{"action":"click","uid":"u5"}`, ""); r.Fault == nil || r.Fault.Code != wire.UnknownUID {
		t.Errorf("after the panel saw the page: %+v", r)
	}
	if r := call("browser_snapshot", `{}`, ""); r.Fault != nil || !strings.Contains(r.Text, "[u5] button") || !strings.HasPrefix(r.Text, "<page ") || len(r.Object) == 0 {
		t.Errorf("snapshot %+v", r)
	}
	id := strings.Repeat("ab", 16)
	for range 2 {
		if r := call("browser_act", `{"action":"click","uid":"u5"}`, id); r.Fault != nil || !strings.Contains(r.Text, "dispatched: yes") {
			t.Errorf("act %+v", r)
		}
	}
	if n := w.browser.Events(); n != 1 {
		t.Errorf("the same act was done %d times", n)
	}
	if r := call("browser_dance", `{}`, ""); r.Fault == nil || r.Fault.Code != wire.UnknownMethod {
		t.Errorf("no such tool: %+v", r)
	}
	if r := call("browser_act", `{"action":"upload","uid":"u5","files":["/etc/passwd"]}`, ""); r.Fault == nil || r.Fault.Code != wire.BadRequest {
		t.Errorf("upload: %+v", r)
	}
	w.client("a").refused(wire.UnknownMethod, "tool", wire.ToolParams{Name: "browser_tabs"})
}
