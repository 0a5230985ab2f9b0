package exchange

import (
	"context"
	"encoding/json"
	"errors"

	"handrail/compressor/extract"
	"handrail/host/snapshot"
	"handrail/host/wire"
	"handrail/recovery"
)

// read gives another view, or window, of a stored snapshot.
func (l *link) read(ctx context.Context, p wire.ReadParams) (json.RawMessage, error) {
	req, err := snapshot.RequestOf(p.ViewOptions, nonce)
	if err != nil {
		return nil, err
	}
	store, handle, err := l.view(ctx, p.Handle)
	if err != nil {
		return nil, err
	}
	if req.Options, err = snapshot.OptionsOf(ctx, store, handle, p.ViewOptions); err != nil {
		return nil, err
	}
	object, err := snapshot.Read(ctx, store, handle, l.key(), req)
	if err != nil {
		return nil, err
	}
	return object.Text, nil
}

// find looks for a text in a stored snapshot.
func (l *link) find(ctx context.Context, p wire.FindParams) (*wire.Found, error) {
	store, handle, err := l.view(ctx, p.Handle)
	if err != nil {
		return nil, err
	}
	return snapshot.Find(ctx, store, handle, l.key(), p.Text)
}

// extract gives data of a stored snapshot by a schema.
func (l *link) extract(ctx context.Context, p wire.ExtractParams) (*wire.Extracted, error) {
	store, handle, err := l.view(ctx, p.Handle)
	if err != nil {
		return nil, err
	}
	if p.Fresh {
		if err := l.fresh(ctx, store, handle, p.Schema); err != nil {
			return nil, err
		}
	}
	return snapshot.Extract(ctx, store, handle, p.Schema, p.Locale)
}

// fresh refuses a schema of which a uid no longer is what it was.
func (l *link) fresh(ctx context.Context, store *recovery.Store, handle string, schema []byte) error {
	_, seen, err := l.lookup(ctx, store, handle)
	if err != nil {
		return err
	}
	var targets []wire.Target
	for _, uid := range extract.Refs(schema) {
		target, err := store.Target(ctx, handle, uid)
		if errors.Is(err, recovery.ErrUnknownUID) {
			continue // the extraction says which property that is
		}
		if err != nil {
			return err
		}
		targets = append(targets, wire.Target(*target))
	}
	if len(targets) == 0 {
		return nil
	}
	result, err := l.inspect(ctx, seen.Tab, targets)
	if err != nil {
		return err
	}
	for _, node := range result.Nodes {
		if node.State != "alive" {
			f := wire.Fail(wire.StaleUID, "the node of %s is not what it was when it was seen", node.UID)
			f.Field, f.Reason = "schema", node.Reason
			return f
		}
	}
	return nil
}

// view finds the view of a handle, else the newest shown to the client.
func (l *link) view(ctx context.Context, handle string) (*recovery.Store, string, error) {
	store, err := l.openStore()
	if err != nil || handle != "" {
		return store, handle, err
	}
	view, _, err := store.Latest(ctx, l.key(), l.browser.Instance, 0)
	if errors.Is(err, recovery.ErrUnknownHandle) {
		return nil, "", wire.Fail(wire.NoPage, "no view was shown to you yet")
	}
	if err != nil {
		return nil, "", err
	}
	return store, view.Handle, nil
}
