package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"handrail/compressor"
	"handrail/host/snapshot"
	"handrail/host/wire"
	"handrail/recovery"
)

const (
	// maxCandidates is how many nodes a failure points to at most.
	maxCandidates = 6
	// patience is how long a refused act waits for them.
	patience = 10 * time.Second
)

// target looks a uid up: in the snapshot of the handle, else in the newest view
// delivered to this client that showed it.
func (l *link) target(ctx context.Context, store *recovery.Store, uid, handle string) (aim, error) {
	if handle == "" {
		view, seen, target, err := l.shown(ctx, store, 0, uid)
		if errors.Is(err, recovery.ErrUnknownUID) {
			return aim{}, l.unknownUID(ctx, store, uid)
		}
		if err != nil {
			return aim{}, err
		}
		t := wire.Target(*target)
		return aim{tab: seen.Tab, target: &t, handle: view.Handle}, nil
	}
	view, seen, err := l.lookup(ctx, store, handle)
	if err != nil {
		return aim{}, err
	}
	target, err := store.Target(ctx, handle, uid)
	if err == nil {
		t := wire.Target(*target)
		return aim{tab: seen.Tab, target: &t, handle: handle}, nil
	}
	if !errors.Is(err, recovery.ErrUnknownUID) {
		return aim{}, err
	}
	targets, err := store.Targets(ctx, handle)
	if err != nil {
		return aim{}, err
	}
	f := wire.Fail(wire.UnknownUID, "the snapshot of %s has no uid %q", handle, uid)
	f.Candidates = nearest(uid, among(targets, view.UIDs))
	return aim{}, f
}

// shown finds the newest view, or else the newest offer, that showed a uid to
// this client; tab 0 is any tab.
func (l *link) shown(ctx context.Context, store *recovery.Store, tab int, uid string) (*recovery.View, *recovery.Snapshot, *compressor.Target, error) {
	view, seen, target, err := store.Shown(ctx, l.key(), l.browser.Instance, tab, uid)
	if errors.Is(err, recovery.ErrUnknownUID) {
		return store.Shown(ctx, l.offeredKey(), l.browser.Instance, tab, uid)
	}
	return view, seen, target, err
}

// lookup finds the view of a handle, which must be of this browser.
func (l *link) lookup(ctx context.Context, store *recovery.Store, handle string) (*recovery.View, *recovery.Snapshot, error) {
	view, seen, err := store.Lookup(ctx, handle)
	if err != nil {
		return nil, nil, err
	}
	if seen.Browser != l.browser.Instance {
		return nil, nil, badField("handle", "the view of %s is not of this browser", handle)
	}
	return view, seen, nil
}

// unknownUID suggests uids of the client's newest view that are spelt alike.
func (l *link) unknownUID(ctx context.Context, store *recovery.Store, uid string) error {
	f := wire.Fail(wire.UnknownUID, "no view shown to you has uid %q", uid)
	view, _, err := store.Latest(ctx, l.key(), l.browser.Instance, 0)
	if err != nil {
		return f // nothing was shown yet
	}
	if targets, err := store.Targets(ctx, view.Handle); err == nil {
		f.Candidates = nearest(uid, among(targets, view.UIDs))
	}
	return f
}

// among keeps the targets whose uid is one of uids.
func among(targets []compressor.Target, uids []string) []compressor.Target {
	set := make(map[string]bool, len(uids))
	for _, uid := range uids {
		set[uid] = true
	}
	return slices.DeleteFunc(slices.Clone(targets), func(t compressor.Target) bool { return !set[t.UID] })
}

// nearest returns the targets whose uid is one or two slips away, nearest first.
func nearest(uid string, targets []compressor.Target) []wire.Candidate {
	const slips = 2
	var found []compressor.Target
	for _, t := range targets {
		if distance(uid, t.UID) <= slips {
			found = append(found, t)
		}
	}
	slices.SortStableFunc(found, func(a, b compressor.Target) int {
		return cmp.Compare(distance(uid, a.UID), distance(uid, b.UID))
	})
	return candidates(found)
}

func candidates(targets []compressor.Target) []wire.Candidate {
	var cs []wire.Candidate
	for _, t := range targets[:min(len(targets), maxCandidates)] {
		cs = append(cs, wire.Candidate{UID: t.UID, Role: t.Role, Name: t.Name})
	}
	return cs
}

// distance is the number of bytes to insert, delete or replace between two
// uids; 99 when they are of very different lengths or long.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 || len(a)-len(b) > 2 || len(b)-len(a) > 2 {
		return 99
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// point completes a failed act's failure: what covers the node gets its uid,
// and a stale uid brings the nodes that may be meant now.
func (l *link) point(ctx context.Context, store *recovery.Store, f *wire.Fault, at aim) {
	if at.target == nil {
		return
	}
	switch f.Code {
	case wire.StaleUID:
		if err := l.offer(ctx, store, f, at); err != nil {
			l.log.Info().Err(err).Msg("found no candidates for a stale uid")
		}
	default:
		l.nameCandidates(ctx, store, f, at)
	}
	for i := range f.Candidates {
		f.Candidates[i].BackendDOMNodeID, f.Candidates[i].FrameID = 0, ""
	}
}

// nameCandidates gives the extension's candidates the uids that the snapshot
// has for their nodes. What came up since, or was in no view (a banner, a plain
// box), is offered from a fresh capture.
func (l *link) nameCandidates(ctx context.Context, store *recovery.Store, f *wire.Fault, at aim) {
	if len(f.Candidates) == 0 {
		return
	}
	targets, err := store.Targets(ctx, at.handle)
	if err != nil {
		return
	}
	named := true
	for i := range f.Candidates {
		c := &f.Candidates[i]
		k := slices.IndexFunc(targets, func(t compressor.Target) bool { return isNode(t, c) })
		if k < 0 {
			named = false
			continue
		}
		_, _, before, err := l.shown(ctx, store, at.tab, targets[k].UID)
		if err != nil || !sameNode(*before, targets[k]) {
			named = false // the client may not use it
			continue
		}
		c.UID = targets[k].UID
	}
	if named {
		return
	}
	if err := l.offerNodes(ctx, store, f, at); err != nil {
		l.log.Info().Err(err).Msg("found no uid for what is in the way")
	}
}

func isNode(t compressor.Target, c *wire.Candidate) bool {
	return t.BackendDOMNodeID == c.BackendDOMNodeID && t.FrameID == c.FrameID
}

// afresh captures a tab for what a failure offers; the tab's turn is taken until use ends.
func (l *link) afresh(ctx context.Context, store *recovery.Store, tab int, use func(context.Context, []byte, recovery.Snapshot) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	scope, err := l.scopeNow(ctx, tab)
	if err != nil {
		return err
	}
	release, err := l.captures.take(ctx, tab)
	if err != nil {
		return err
	}
	defer release()
	bundle, meta, err := l.capture(ctx, store, tab, limits, scope)
	if err != nil {
		return err
	}
	return use(ctx, bundle, meta)
}

// offerNodes reads the tab afresh for the uids of candidates that have none yet.
func (l *link) offerNodes(ctx context.Context, store *recovery.Store, f *wire.Fault, at aim) error {
	return l.afresh(ctx, store, at.tab, func(ctx context.Context, bundle []byte, meta recovery.Snapshot) error {
		return l.nameNodes(ctx, store, f, at, bundle, meta)
	})
}

// nameNodes gives the candidates the uids that the fresh capture has for their nodes.
func (l *link) nameNodes(ctx context.Context, store *recovery.Store, f *wire.Fault, at aim, bundle []byte, meta recovery.Snapshot) error {
	page, err := compressor.Read(bundle)
	if err != nil {
		return err
	}
	var fresh []string
	found, known := false, false
	for i := range f.Candidates {
		c := &f.Candidates[i]
		if c.UID != "" {
			continue
		}
		k := slices.IndexFunc(page.Frames, func(frame compressor.Frame) bool { return frame.ID == c.FrameID })
		if k < 0 {
			continue
		}
		t, ok := page.Target(compressor.UIDOf(page.Frames[k].Session, c.BackendDOMNodeID))
		if !ok || !isNode(t, c) {
			continue
		}
		c.UID, found = t.UID, true
		if _, _, before, err := l.shown(ctx, store, at.tab, t.UID); errors.Is(err, recovery.ErrUnknownUID) {
			fresh = append(fresh, t.UID)
		} else if err != nil || !sameNode(*before, t) {
			known = true
		}
	}
	if !found {
		return nil
	}
	handle, err := snapshot.Record(ctx, store, bundle, meta, l.offeredKey(), func([]compressor.Target) []string { return fresh })
	if err == nil && known {
		f.Hint += fmt.Sprintf("; its uid is valid with handle %s", handle)
	}
	return err
}

// offer reads the tab afresh and adds the nodes that may be meant by a uid that
// went stale: first the node itself under its present name, then the others of
// its role, those of the same name and context first.
//
// The client may use a candidate's uid at once, unless it knows that uid of
// another node already: an act on what it saw must not reach what it has not
// seen. Such a uid works with the handle of the fresh capture, which the hint
// then names.
func (l *link) offer(ctx context.Context, store *recovery.Store, f *wire.Fault, at aim) error {
	return l.afresh(ctx, store, at.tab, func(ctx context.Context, bundle []byte, meta recovery.Snapshot) error {
		return l.offerLike(ctx, store, f, at, bundle, meta)
	})
}

// offerLike adds the nodes of the fresh capture that are like the one that was meant.
func (l *link) offerLike(ctx context.Context, store *recovery.Store, f *wire.Fault, at aim, bundle []byte, meta recovery.Snapshot) error {
	lost := compressor.Target(*at.target)
	offered, known := candidatesFor(lost, f), false
	handle, err := snapshot.Record(ctx, store, bundle, meta, l.offeredKey(), func(targets []compressor.Target) (fresh []string) {
		for _, t := range resembling(lost, targets) {
			if len(offered) == maxCandidates {
				break
			}
			if len(offered) > 0 && t.UID == offered[0].UID {
				continue
			}
			offered = append(offered, wire.Candidate{UID: t.UID, Role: t.Role, Name: t.Name})
			_, _, before, err := l.shown(ctx, store, at.tab, t.UID)
			switch {
			case errors.Is(err, recovery.ErrUnknownUID):
				fresh = append(fresh, t.UID)
			case err != nil || !sameNode(*before, t):
				known = true
			}
		}
		return fresh
	})
	if err != nil {
		return err
	}
	f.Candidates = offered
	if known {
		f.Hint = fmt.Sprintf("take a new snapshot, or use a candidate given with handle %s", handle)
	}
	return nil
}

// candidatesFor starts the candidates with the node itself when it lives on
// under another name or in another place.
func candidatesFor(lost compressor.Target, f *wire.Fault) []wire.Candidate {
	if f.Reason != "renamed" && f.Reason != "moved_context" {
		return nil
	}
	return []wire.Candidate{{UID: lost.UID, Role: lost.Role, Name: cmp.Or(f.Now, lost.Name)}}
}

// resembling returns the targets of lost's role, likeliest first.
func resembling(lost compressor.Target, targets []compressor.Target) []compressor.Target {
	name := compressor.Normalize(lost.Name)
	score := func(t compressor.Target) (n int) {
		if compressor.Normalize(t.Name) == name {
			n += 4
		}
		if t.Context == lost.Context {
			n += 2
		}
		if t.FrameID == lost.FrameID {
			n++
		}
		return n
	}
	var alike []compressor.Target
	for _, t := range targets {
		if t.Role == lost.Role {
			alike = append(alike, t)
		}
	}
	slices.SortStableFunc(alike, func(a, b compressor.Target) int { return cmp.Compare(score(b), score(a)) })
	return alike
}

// sameNode tells whether two targets are one node that looks the same.
func sameNode(a, b compressor.Target) bool {
	a.NodeID, b.NodeID = "", ""
	a.NameExact, b.NameExact = false, false
	a.ContextExact, b.ContextExact = false, false
	return a == b
}
