package exchange

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"time"

	"handrail/host/bundle"
	"handrail/host/tools"
	"handrail/host/wire"
)

const defaultHistory = 100

// maxBundle bounds an exported bundle on its way to the panel, in bytes; the command
// line writes larger ones.
const maxBundle = 32 << 20

// history lists what was shown and done in this browser. Of an act's result only
// the outcome is told.
func (l *link) history(ctx context.Context, p wire.HistoryParams) (wire.HistoryResult, error) {
	result := wire.HistoryResult{Entries: []wire.HistoryEntry{}}
	store, err := l.openStore()
	if err != nil {
		return result, err
	}
	before := l.now().Add(time.Second)
	if p.Before > 0 {
		before = time.UnixMilli(p.Before)
	}
	entries, err := store.History(ctx, l.browser.Instance, p.Tab, before, cmp.Or(p.Limit, defaultHistory))
	if err != nil {
		return result, err
	}
	for _, e := range entries {
		entry := wire.HistoryEntry{
			At: e.At.UnixMilli(), Tab: e.Tab, Client: e.Client, Handle: e.Handle, Origin: e.Origin, Path: e.Path, Title: e.Title, Options: e.Options,
			TokensBefore: e.TokensBefore, ViewTokens: e.ViewTokens, Superseded: e.Superseded != "", Pinned: e.Pinned,
			ActID: e.ActID, UID: e.UID, Action: e.Kind, State: e.State,
		}
		var outcome struct{ Effect, Code string }
		if json.Unmarshal(e.Result, &outcome) == nil { // none while it is sent
			entry.Effect, entry.Code = outcome.Effect, outcome.Code
		}
		result.Entries = append(result.Entries, entry)
	}
	return result, nil
}

func (l *link) pin(ctx context.Context, p wire.PinParams) (wire.PinResult, error) {
	store, err := l.openStore()
	if err != nil {
		return wire.PinResult{}, err
	}
	return wire.PinResult{Pinned: !p.Off}, store.Pin(ctx, p.Handle, !p.Off)
}

func (l *link) purge(ctx context.Context, p wire.PurgeParams) (wire.PurgeResult, error) {
	if p.All == (p.OlderThanS > 0) {
		return wire.PurgeResult{}, badField("older_than_s", "say what age, or all")
	}
	store, err := l.openStore()
	if err != nil {
		return wire.PurgeResult{}, err
	}
	before := l.now().Add(-time.Duration(p.OlderThanS) * time.Second)
	gone, err := store.Purge(ctx, before, p.All)
	if err == nil && l.dir != "" && !l.ephemeral {
		err = tools.Forget(l.dir, before)
	}
	return wire.PurgeResult{Snapshots: gone}, err
}

// export gives views and payloads for use elsewhere.
func (l *link) export(ctx context.Context, p wire.ExportParams) (wire.ExportResult, error) {
	if len(p.Handles) == 0 {
		return wire.ExportResult{}, badField("handles", "say which")
	}
	store, err := l.openStore()
	if err != nil {
		return wire.ExportResult{}, err
	}
	var b bytes.Buffer
	if err := bundle.Write(ctx, &b, store, p.Handles); err != nil {
		return wire.ExportResult{}, err
	}
	if b.Len() > maxBundle {
		f := wire.Fail(wire.TooLarge, "the bundle has %d bytes", b.Len())
		f.Hint = "choose fewer, or write it by the command line: handrail export"
		return wire.ExportResult{}, f
	}
	return wire.ExportResult{Name: "handrail-" + l.now().UTC().Format("20060102-150405") + ".tar.zst", Bundle: b.Bytes()}, nil
}
