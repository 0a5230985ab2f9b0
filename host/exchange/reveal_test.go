package exchange_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"handrail/host/wire"
)

func TestReveal(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.browser.Load(1, first)
	w.browser.On("reveal", func(_ context.Context, params json.RawMessage) (any, error) {
		var p wire.RevealParams
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, err
		}
		if len(p.Targets) != 1 || p.Targets[0].UID != "u8" || !p.Targets[0].Secret {
			return nil, errors.New("other fields were asked for")
		}
		return wire.RevealResult{Fields: []wire.Revealed{{UID: "u8", Value: "canary 42"}}}, nil
	})
	c := w.client("c")
	if w.browser.Asked("reveal") != 0 {
		t.Fatal("asked before anyone did")
	}
	c.refused(wire.RevealOff, "snapshot", wire.SnapshotParams{Reveal: true})
	on := true
	(&client{t: t, Conn: w.link.Conn}).must("policy", wire.PolicyParams{Reveal: &on}, nil)

	shown := c.snapshot(wire.SnapshotParams{Reveal: true})
	if !strings.Contains(shown.UIDs, `"Password" = "canary 42"`) {
		t.Errorf("view\n%s", shown.UIDs)
	}
	var stored wire.RecoverResult
	c.must("recover", wire.RecoverParams{Handle: shown.RecoveryHandle}, &stored)
	again := wire.Snapshot{}
	c.must("read", wire.ReadParams{Handle: shown.RecoveryHandle}, &again)
	if bytes.Contains(stored.Payload, []byte("canary")) || strings.Contains(again.UIDs, "canary") {
		t.Error("the value was stored")
	}
	if next := c.snapshot(wire.SnapshotParams{}); strings.Contains(next.UIDs, "canary") {
		t.Error("the value is shown without being asked for")
	}
}
