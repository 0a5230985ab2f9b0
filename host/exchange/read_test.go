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
	w.link.Allow(t, "always", "read")
	c.refused(wire.RevealOff, "snapshot", wire.SnapshotParams{Reveal: true})
	w.link.Allow(t, "always", "reveal")

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

// The bounds of child frames reach the extension; those that cannot be are refused.
func TestFrameBounds(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	c := w.client("c")
	c.snapshot(wire.SnapshotParams{URL: first})
	var asked wire.CaptureParams
	w.browser.On("capture", func(_ context.Context, params json.RawMessage) (any, error) {
		if err := json.Unmarshal(params, &asked); err != nil {
			return nil, err
		}
		return nil, wire.Fail(wire.CaptureFailed, "enough")
	})
	none := 0
	c.refused(wire.CaptureFailed, "snapshot", wire.SnapshotParams{MaxFrames: &none, FrameMs: 50, FramesMs: 700})
	if asked.Limits.Frames != 0 || asked.Limits.FrameMs != 50 || asked.Limits.TotalMs != 700 {
		t.Errorf("limits %+v", asked.Limits)
	}
	many := 201
	for field, p := range map[string]wire.SnapshotParams{"max_frames": {MaxFrames: &many}, "frame_ms": {FrameMs: -1}, "frames_ms": {FramesMs: 60_001}} {
		if f := c.refused(wire.BadRequest, "snapshot", p); f.Field != field {
			t.Errorf("field %q, want %q", f.Field, field)
		}
	}
}
