package exchange

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"handrail/compressor"
	"handrail/host/policy"
	"handrail/host/snapshot"
	"handrail/host/wire"
	"handrail/recovery"
)

// limits bound every capture.
var limits = wire.Limits{Frames: 16, FrameMs: 3_000, TotalMs: 12_000, StallMs: 10_000}

// silence is how long a capture may go without any frame from the extension.
// Its own limits are shorter: this ends the wait for one that does not answer.
const silence = 60 * time.Second

// snapshot captures a tab, records it and gives its view.
func (l *link) snapshot(ctx context.Context, p wire.SnapshotParams) (json.RawMessage, error) {
	if _, err := l.openStore(); err != nil {
		return nil, err // before a page is moved for nothing
	}
	req, err := snapshot.RequestOf(p.ViewOptions, nonce)
	if err != nil {
		return nil, err
	}
	bounds, err := boundsOf(p)
	if err != nil {
		return nil, err
	}
	if p.Reveal {
		if err := l.mayReveal(ctx); err != nil {
			return nil, err // before a page is moved for nothing
		}
		req.Reveal = l.reveal
	}
	tab, named := p.Tab, p.Tab != 0 || p.URL != ""
	switch {
	case p.URL != "":
		release, taken := l.visits.take(ctx, l.key())
		if taken != nil {
			return nil, taken
		}
		defer release()
		tab, err = l.visit(ctx, p)
	case p.Tab == 0:
		tab, err = l.tabToUse(ctx)
	}
	if err != nil {
		return nil, err
	}
	object, err := l.take(ctx, tab, req, bounds)
	if f, ok := errors.AsType[*wire.Fault](err); ok && f.Code == wire.UnknownTab && !named {
		// The client's current tab was closed.
		if tab, err = l.listedTab(ctx); err == nil {
			object, err = l.take(ctx, tab, req, bounds)
		}
	}
	if err != nil {
		return nil, err
	}
	l.setCurrentTab(ctx, currentTab{Tab: tab})
	return object.Text, nil
}

// boundsOf are the bounds of child frames that a client asks for.
func boundsOf(p wire.SnapshotParams) (wire.Limits, error) {
	b := limits
	if p.MaxFrames != nil {
		b.Frames = *p.MaxFrames
	}
	for _, ms := range []struct {
		name  string
		asked int
		to    *int
	}{{"frame_ms", p.FrameMs, &b.FrameMs}, {"frames_ms", p.FramesMs, &b.TotalMs}} {
		if ms.asked < 0 || ms.asked > 60_000 {
			return b, badField(ms.name, "the time for frames is 1 to 60000 ms")
		}
		if ms.asked > 0 {
			*ms.to = ms.asked
		}
	}
	if b.Frames < 0 || b.Frames > 200 {
		return b, badField("max_frames", "0 to 200 child frames are read")
	}
	return b, nil
}

// nonce is what a page cannot know.
func nonce() string { return randomHex(4) }

// mayReveal refuses what no rule could allow, whichever page it is.
func (l *link) mayReveal(ctx context.Context) error {
	if l.unasked() {
		return nil
	}
	rules, err := l.rules(ctx)
	if err != nil {
		return err
	}
	for _, r := range rules {
		if r.Kind == policy.Reveal && r.Verdict != policy.Never && r.Holds(l.now()) {
			return nil
		}
	}
	return forbidden(wire.Permit{Kind: policy.Reveal})
}

// reveal asks the extension for the values of secret fields, by uid: of those whose
// frame's origin the client may reveal.
func (l *link) reveal(ctx context.Context, tab int, targets []compressor.Target) (map[string]string, error) {
	p := wire.RevealParams{Tab: tab, Targets: []wire.Target{}}
	for _, t := range targets {
		if !l.unasked() {
			need := wire.Permit{Kind: policy.Reveal, Origin: cmp.Or(t.Origin, policy.Opaque)}
			if _, err := l.approved(ctx, need, tab, "see the values of secret fields"); err != nil {
				return nil, err
			}
		}
		p.Targets = append(p.Targets, wire.Target(t))
	}
	var r wire.RevealResult
	if err := l.call(ctx, "reveal", p, &r); err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, f := range r.Fields {
		values[f.UID] = f.Value
	}
	return values, nil
}

// visit opens the address of a snapshot and returns its tab.
func (l *link) visit(ctx context.Context, p wire.SnapshotParams) (int, error) {
	if err := l.checkURL(p.URL); err != nil {
		return 0, err
	}
	if p.Tab == 0 {
		if err := l.opening(ctx, p.URL); err != nil {
			return 0, err
		}
	}
	tab, opened := p.Tab, false
	if tab == 0 {
		var err error
		if tab, opened, err = l.tabToMove(ctx, true); err != nil {
			return 0, err
		}
	}
	moved, err := l.once(ctx, request{
		args: wire.NavigateParams{Tab: tab, URL: p.URL},
		act:  wire.Act{Kind: "navigate", URL: p.URL},
		tab:  tab,
	})
	if err != nil {
		if opened {
			// The tab is of no use to anyone; failing to close it changes nothing of that.
			l.callTabs(context.WithoutCancel(ctx), wire.TabsParams{Action: "close", Tab: tab})
		}
		return 0, err
	}
	return moved.Tab, nil
}

// take captures a tab and records it with the view that the client is given.
func (l *link) take(ctx context.Context, tab int, req snapshot.Request, bounds wire.Limits) (*snapshot.Object, error) {
	store, err := l.openStore()
	if err != nil {
		return nil, err
	}
	var object *snapshot.Object
	err = l.reading(ctx, tab, "read the page", func(scope *wire.Scope) error {
		release, err := l.captures.take(ctx, tab)
		if err != nil {
			return err
		}
		defer release()
		bundle, meta, err := l.capture(ctx, store, tab, bounds, scope)
		if err != nil {
			return err
		}
		object, err = snapshot.Live(ctx, store, bundle, meta, l.key(), req)
		return err
	})
	return object, err
}

// capture asks the extension for a tab's bundle. The caller has the tab's turn
// until the bundle is recorded, so that session ordinals are given out once.
func (l *link) capture(ctx context.Context, store *recovery.Store, tab int, bounds wire.Limits, scope *wire.Scope) ([]byte, recovery.Snapshot, error) {
	meta := recovery.Snapshot{Capture: randomHex(16), Browser: l.browser.Instance, Tab: tab, Taken: l.now()}
	ordinals, err := store.Ordinals(ctx, meta.Browser, tab)
	if err != nil {
		return nil, meta, err
	}
	p := wire.CaptureParams{Capture: meta.Capture, Tab: tab, Ordinals: map[string]int{}, Next: 1, Limits: bounds, Scope: scope}
	for target, n := range ordinals {
		p.Ordinals[target] = n
		p.Next = max(p.Next, n+1)
	}
	ctx, cancel := l.untilSilent(ctx)
	defer cancel()
	var r wire.CaptureResult
	if err := l.call(ctx, "capture", p, &r); err != nil {
		if silent, ok := errors.AsType[*wire.Fault](context.Cause(ctx)); ok {
			err = silent
		}
		return nil, meta, err
	}
	return r.Bundle, meta, nil
}

// untilSilent is a context that ends when the extension has sent nothing for
// a while: a big page has no other deadline as long as its parts come.
func (h *host) untilSilent(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	start := time.Now()
	go func() {
		for {
			last := time.Unix(0, h.stdin.last.Load())
			if last.Before(start) {
				last = start
			}
			left := silence - time.Since(last)
			if left <= 0 {
				cancel(wire.Fail(wire.Timeout, "the browser sent nothing for %v", silence))
				return
			}
			select {
			case <-time.After(left):
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}
