package exchange_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"handrail/host/wire"
)

// The panel sees what clients were shown and did, keeps it, takes it elsewhere and
// removes it.
func TestHistory(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.link.Allow(t, "always", "read", "act")
	panel, c := &client{t: t, Conn: w.link.Conn}, w.client("c")
	s := c.snapshot(wire.SnapshotParams{URL: first})
	c.act(wire.ActParams{UID: "u5", Action: "click"})
	c.refused(wire.UnknownUID, "act", wire.ActParams{UID: "uzz", Action: "click"})
	var h wire.HistoryResult
	panel.must("history", wire.HistoryParams{}, &h)
	if len(h.Entries) != 3 || h.Entries[2].Action != "navigate" {
		t.Fatalf("entries %+v", h.Entries)
	}
	act, view := h.Entries[0], h.Entries[1]
	if act.Action != "click" || act.UID != "u5" || act.State != "done" || act.Effect == "" || act.Client != "cli:c" || act.Tab != s.Tab {
		t.Errorf("act %+v", act)
	}
	if view.Handle != s.RecoveryHandle || view.Origin != "http://fake" || view.Title != "First" || view.ViewTokens == 0 || !view.Superseded || view.Pinned {
		t.Errorf("view %+v", view)
	}
	panel.must("pin", wire.PinParams{Handle: view.Handle}, nil)
	panel.must("history", wire.HistoryParams{Tab: s.Tab, Limit: 5}, &h)
	if !h.Entries[1].Pinned {
		t.Error("it is not pinned")
	}
	panel.must("history", wire.HistoryParams{Tab: s.Tab + 1}, &h)
	if len(h.Entries) != 0 {
		t.Errorf("of another tab: %+v", h.Entries)
	}
	var e wire.ExportResult
	panel.must("export", wire.ExportParams{Handles: []string{view.Handle}}, &e)
	if len(e.Bundle) == 0 || !strings.HasSuffix(e.Name, ".tar.zst") {
		t.Errorf("export %q of %d bytes", e.Name, len(e.Bundle))
	}
	panel.refused(wire.BadRequest, "export", wire.ExportParams{Handles: []string{}})
	panel.refused(wire.BadRequest, "purge", wire.PurgeParams{})
	var gone wire.PurgeResult
	panel.must("purge", wire.PurgeParams{All: true}, &gone)
	if gone.Snapshots != 1 {
		t.Errorf("%d snapshots were removed", gone.Snapshots)
	}
	for _, method := range []string{"history", "pin", "purge", "export", "activity", "disconnect"} {
		c.refused(wire.UnknownMethod, method, map[string]any{})
	}
}

// The panel sees who is connected and what they asked for, and sends one away.
func TestActivity(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.link.Allow(t, "always", "read", "act")
	panel, c, other := &client{t: t, Conn: w.link.Conn}, w.client("c"), w.client("d")
	page := c.snapshot(wire.SnapshotParams{URL: first})
	c.act(wire.ActParams{UID: "u5", Action: "click"})
	c.refused(wire.UnknownUID, "act", wire.ActParams{UID: "uzz", Action: "click"})
	var a wire.ActivityResult
	panel.must("activity", wire.ActivityParams{}, &a)
	if len(a.Clients) != 2 || a.Clients[0].Client != "cli:c" || a.Clients[0].Reads != 1 || a.Clients[0].Acts != 2 || a.Clients[1].Client != "cli:d" {
		t.Fatalf("clients %+v", a.Clients)
	}
	if len(a.Requests) != 3 || a.Requests[0].Code != "unknown_uid" || a.Requests[1].Action != "click" || a.Requests[1].Code != "" || a.Requests[2].Method != "snapshot" {
		t.Errorf("requests %+v", a.Requests)
	}
	panel.must("disconnect", wire.DisconnectParams{ID: a.Clients[0].ID}, nil)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		panel.must("activity", wire.ActivityParams{}, &a)
		if len(a.Clients) == 1 || time.Now().After(deadline) {
			break
		}
	}
	if len(a.Clients) != 1 || a.Clients[0].Client != "cli:d" || len(a.Blocked) != 1 || a.Blocked[0] != "cli:c" {
		t.Fatalf("after it was sent away: %+v", a)
	}
	other.snapshot(wire.SnapshotParams{Tab: page.Tab})
	err := w.hello("c")
	if f, ok := errors.AsType[*wire.Fault](err); !ok || f.Code != wire.NotApproved || !strings.Contains(f.Message, "disconnected") {
		t.Errorf("it came back: %v", err)
	}
	panel.must("disconnect", wire.DisconnectParams{Allow: "cli:c"}, nil)
	if err := w.hello("c"); err != nil {
		t.Errorf("allowed again: %v", err)
	}
	panel.refused(wire.BadRequest, "disconnect", wire.DisconnectParams{ID: 999})
}
