package exchange

import (
	"context"
	"errors"
	"strings"
	"time"

	"handrail/host/wire"
	"handrail/recovery"
)

const defaultPatience = 10 * time.Second // of a wait

// wait waits until one thing holds.
func (l *link) wait(ctx context.Context, p wire.WaitParams) (wire.Waited, error) {
	var none wire.Waited
	given := 0
	for _, is := range []bool{p.Text != "", p.Gone != "", p.UID != "", p.URL != "", p.Stable, p.Quiet, p.Ms != 0} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return none, badField("text", "say one of text, gone, uid, url, stable, quiet and ms")
	case p.State != "" && p.UID == "":
		return none, badField("state", "a state is of a uid")
	case p.TimeoutMs < 0 || p.TimeoutMs > int(maxWait.Milliseconds()):
		return none, badField("timeout_ms", "the time to wait is 0 to %d ms", maxWait.Milliseconds())
	case p.Ms < 0 || p.Ms > int(maxWait.Milliseconds()):
		return none, badField("ms", "the time to wait is 0 to %d ms", maxWait.Milliseconds())
	case strings.TrimSpace(p.Text+p.Gone) == "" && p.Text+p.Gone != "":
		return none, badField("text", "the text is nothing but white space")
	}
	ask := wire.AwaitParams{Tab: p.Tab, Text: p.Text, Gone: p.Gone, State: p.State, URL: p.URL, Stable: p.Stable, Quiet: p.Quiet, Ms: p.Ms, TimeoutMs: p.TimeoutMs}
	if ask.TimeoutMs == 0 {
		ask.TimeoutMs = max(int(defaultPatience.Milliseconds()), p.Ms+1000)
	}
	at, err := l.aimed(ctx, p.UID, p.Handle, p.Tab)
	if err != nil {
		return none, err
	}
	ask.Tab, ask.Target = at.tab, at.target
	var result wire.Waited
	err = l.reading(ctx, at.tab, "wait for the page", func(scope *wire.Scope) error {
		ctx, cancel := context.WithTimeout(ctx, time.Duration(ask.TimeoutMs)*time.Millisecond+grace)
		defer cancel()
		ask.Scope = scope
		return l.call(ctx, "await", ask, &result)
	})
	return result, err
}

// screenshot takes a picture of a tab or a node.
func (l *link) screenshot(ctx context.Context, p wire.ScreenshotParams) (wire.Picture, error) {
	var none wire.Picture
	if p.UID != "" && p.Full {
		return none, badField("full", "give a uid or full, not both")
	}
	at, err := l.aimed(ctx, p.UID, p.Handle, p.Tab)
	if err != nil {
		return none, err
	}
	ask := wire.ShootParams{Tab: at.tab, Target: at.target, Full: p.Full}
	if p.Marks {
		if ask.Marks, err = l.marks(ctx, at.tab, p.Handle); err != nil {
			return none, err
		}
	}
	var picture wire.Picture
	err = l.reading(ctx, at.tab, "take a picture of the page", func(scope *wire.Scope) error {
		ctx, cancel := context.WithTimeout(ctx, grace)
		defer cancel()
		ask.Scope = scope
		return l.call(ctx, "shoot", ask, &picture)
	})
	return picture, err
}

// maxMarks bounds how many uids are drawn.
const maxMarks = 500

// marks are the targets of the newest view of a tab that was shown to the client.
func (l *link) marks(ctx context.Context, tab int, handle string) ([]wire.Target, error) {
	store, err := l.openStore()
	if err != nil {
		return nil, err
	}
	var view *recovery.View
	if handle != "" {
		view, _, err = l.lookup(ctx, store, handle)
	} else {
		view, _, err = store.Latest(ctx, l.key(), l.browser.Instance, tab)
	}
	if errors.Is(err, recovery.ErrUnknownHandle) && handle == "" {
		return nil, wire.Fail(wire.NoPage, "no view of this tab was shown to you yet")
	}
	if err != nil {
		return nil, err
	}
	all, err := store.Targets(ctx, view.Handle)
	if err != nil {
		return nil, err
	}
	var targets []wire.Target
	for _, t := range among(all, view.UIDs) {
		if len(targets) < maxMarks {
			targets = append(targets, wire.Target(t))
		}
	}
	return targets, nil
}

// aimed finds the node of a uid, or else the tab that is meant.
func (l *link) aimed(ctx context.Context, uid, handle string, tab int) (aim, error) {
	if uid == "" {
		if tab != 0 {
			return aim{tab: tab}, nil
		}
		tab, err := l.tabToUse(ctx)
		return aim{tab: tab}, err
	}
	store, err := l.openStore()
	if err != nil {
		return aim{}, err
	}
	return l.target(ctx, store, uid, handle)
}
