package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handrail/host/wire"
)

// An agent that asked for progress is told that its call waits for the person.
func TestWaitingIsProgress(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.link.Allow(t, "ask", "read")
	a := w.agent(Options{})
	w.browser.On("ask", func(ctx context.Context, _ json.RawMessage) (any, error) {
		for !strings.Contains(a.sent.String(), "notifications/progress") {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(2 * time.Millisecond):
			}
		}
		return wire.AskResult{Answer: "once"}, nil
	})
	params := &sdk.CallToolParams{Name: "browser_snapshot", Arguments: args{"url": first}, Meta: sdk.Meta{"progressToken": "p1"}}
	r, err := a.CallTool(t.Context(), params)
	if err != nil || r.IsError {
		t.Fatalf("%v %+v", err, r)
	}
	if sent := a.sent.String(); !strings.Contains(sent, "waiting_for_approval: the person is asked for leave to read on http://fake") || !strings.Contains(sent, `"p1"`) {
		t.Errorf("sent %.2000s", sent)
	}
	w.browser.On("ask", func(context.Context, json.RawMessage) (any, error) { return wire.AskResult{Answer: "deny"}, nil })
	a.refused(wire.NotApproved, "browser_snapshot", args{}, "the person said not now")
}

// An agent that asked for progress hears every second of a call that lasts.
func TestLongCallsTellProgress(t *testing.T) {
	t.Parallel()
	w := start(t)
	a := w.agent(Options{})
	w.browser.On("await", func(ctx context.Context, _ json.RawMessage) (any, error) {
		for !strings.Contains(a.sent.String(), `"progress":2`) {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(2 * time.Millisecond):
			}
		}
		return wire.Waited{Met: true}, nil
	})
	params := &sdk.CallToolParams{Name: "browser_act", Arguments: args{"action": "wait", "text": "Saved", "tab": 1}, Meta: sdk.Meta{"progressToken": "p2"}}
	if r, err := a.CallTool(t.Context(), params); err != nil || r.IsError {
		t.Fatalf("%v %+v", err, r)
	}
	if sent := a.sent.String(); !strings.Contains(sent, `"progress":1`) || !strings.Contains(sent, "browser_act is under way") {
		t.Errorf("sent %.2000s", sent)
	}
}
