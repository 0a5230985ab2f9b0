package exchange

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"handrail/host/snapshot"
	"handrail/host/wire"
	"handrail/recovery"
)

// resolve says whether a uid, or each one that a view showed, still is what it was.
func (l *link) resolve(ctx context.Context, p wire.ResolveParams) (wire.InspectResult, error) {
	var none wire.InspectResult
	if (p.UID == "") == !p.All {
		return none, badField("uid", "say which uid, or all")
	}
	store, err := l.openStore()
	if err != nil {
		return none, err
	}
	if p.All {
		return l.resolveAll(ctx, store, p.Handle)
	}
	at, err := l.target(ctx, store, p.UID, p.Handle)
	if f, ok := errors.AsType[*wire.Fault](err); ok && f.Code == wire.UnknownUID {
		return wire.InspectResult{Nodes: []wire.NodeState{{UID: p.UID, State: "unknown"}}}, nil
	}
	if err != nil {
		return none, err
	}
	return l.inspect(ctx, at.tab, []wire.Target{*at.target})
}

func (l *link) resolveAll(ctx context.Context, store *recovery.Store, handle string) (wire.InspectResult, error) {
	var none wire.InspectResult
	var view *recovery.View
	var seen *recovery.Snapshot
	var err error
	if handle != "" {
		view, seen, err = l.lookup(ctx, store, handle)
	} else {
		view, seen, err = store.Latest(ctx, l.key(), l.browser.Instance, 0)
	}
	if errors.Is(err, recovery.ErrUnknownHandle) && handle == "" {
		return none, wire.Fail(wire.NoPage, "no view was shown to you yet")
	}
	if err != nil {
		return none, err
	}
	all, err := store.Targets(ctx, view.Handle)
	if err != nil {
		return none, err
	}
	var targets []wire.Target
	for _, t := range among(all, view.UIDs) {
		targets = append(targets, wire.Target(t))
	}
	if len(targets) == 0 {
		return wire.InspectResult{Nodes: []wire.NodeState{}}, nil
	}
	return l.inspect(ctx, seen.Tab, targets)
}

func (l *link) inspect(ctx context.Context, tab int, targets []wire.Target) (wire.InspectResult, error) {
	var result wire.InspectResult
	err := l.reading(ctx, tab, "look at nodes of the page", func(scope *wire.Scope) error {
		return l.call(ctx, "inspect", wire.InspectParams{Tab: tab, Targets: targets, Scope: scope}, &result)
	})
	return result, err
}

// highlight draws a uid's node in its page; without a uid the drawing goes.
func (l *link) highlight(ctx context.Context, p wire.HighlightUIDParams) (wire.HighlightResult, error) {
	var none wire.HighlightResult
	mark := wire.HighlightParams{Tab: p.Tab}
	if p.UID != "" {
		store, err := l.openStore()
		if err != nil {
			return none, err
		}
		at, err := l.target(ctx, store, p.UID, p.Handle)
		if err != nil {
			return none, err
		}
		mark = wire.HighlightParams{Tab: at.tab, Target: at.target, Scroll: p.Scroll}
	}
	if mark.Tab == 0 {
		var err error
		if mark.Tab, err = l.tabToUse(ctx); err != nil {
			return none, err
		}
	}
	return none, l.reading(ctx, mark.Tab, "point at a node of the page", func(*wire.Scope) error { return l.call(ctx, "mark", mark, &none) })
}

// recover gives a stored payload byte for byte.
func (l *link) recover(ctx context.Context, p wire.RecoverParams) (wire.RecoverResult, error) {
	store, err := l.openStore()
	if err != nil {
		return wire.RecoverResult{}, err
	}
	b, err := snapshot.Recover(ctx, store, p.Handle, p.Frame, p.UIDs)
	if err != nil {
		return wire.RecoverResult{}, err
	}
	sum := sha256.Sum256(b)
	return wire.RecoverResult{SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(b)), Payload: b}, nil
}

// event notes what happened to a tab that was seen.
func (l *link) event(ctx context.Context, p wire.Event) (any, error) {
	store, err := l.openStore()
	if err != nil {
		return nil, nil // what was never recorded is not superseded
	}
	how := "yes"
	if p.Kind == "detached" {
		how = "unknown" // nobody watches the tab from here on
	}
	return nil, store.Supersede(ctx, l.browser.Instance, p.Tab, how)
}
