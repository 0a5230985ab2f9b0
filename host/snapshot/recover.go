package snapshot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"handrail/compressor"
	"handrail/host/wire"
	"handrail/recovery"
)

// Node is one row of a uid map.
type Node struct {
	BackendDOMNodeID int64  `json:"backendDOMNodeId"`
	FrameID          string `json:"frameId"`
	NodeID           string `json:"nodeId"`
}

// Recover gives the payload of a view byte for byte; with frame that frame's
// node array, with uids the map of the uids that the view showed:
// {"uids":{"u9":{"backendDOMNodeId":9,"frameId":"…","nodeId":"…"}}}.
func Recover(ctx context.Context, store *recovery.Store, handle string, frame *int, uids bool) ([]byte, error) {
	if uids {
		return uidMap(ctx, store, handle)
	}
	payload, err := store.Payload(ctx, handle)
	if err != nil || frame == nil {
		return payload, err
	}
	page, err := compressor.Read(payload)
	if err != nil {
		return nil, fmt.Errorf("read stored payload: %w", err)
	}
	nodes, ok := page.FrameNodes(*frame)
	if !ok {
		return nil, field(wire.Fail(wire.BadRequest, "the payload has no frame %d, its frames are 0 to %d", *frame, len(page.Frames)-1), "frame")
	}
	return nodes, nil
}

func uidMap(ctx context.Context, store *recovery.Store, handle string) ([]byte, error) {
	view, _, err := store.Lookup(ctx, handle)
	if err != nil {
		return nil, err
	}
	targets, err := store.Targets(ctx, handle)
	if err != nil {
		return nil, err
	}
	shown := make(map[string]bool, len(view.UIDs))
	for _, uid := range view.UIDs {
		shown[uid] = true
	}
	nodes := map[string]Node{}
	for _, t := range targets {
		if shown[t.UID] {
			nodes[t.UID] = Node{t.BackendDOMNodeID, t.FrameID, t.NodeID}
		}
	}
	return json.Marshal(map[string]any{"uids": nodes})
}

func field(f *wire.Fault, name string) *wire.Fault {
	f.Field = name
	return f
}

// storeCodes are the codes of recovery's errors.
var storeCodes = []struct {
	err  error
	code wire.Code
}{
	{recovery.ErrUnknownHandle, wire.UnknownHandle},
	{recovery.ErrUnknownUID, wire.UnknownUID},
	{recovery.ErrActReused, wire.ActReused},
	{recovery.ErrFull, wire.StoreFull},
	{recovery.ErrIO, wire.StoreIO},
	{recovery.ErrReadOnly, wire.StoreReadOnly},
	{recovery.ErrNewer, wire.StoreNewer},
	{recovery.ErrCorrupt, wire.StoreCorrupt},
	{recovery.ErrBusy, wire.Busy},
	{recovery.ErrNoStore, wire.NoStore},
}

// Fault returns the failure that a client is told for an error of this package,
// of compressor or of recovery; ok is false when there is no code for it.
func Fault(err error) (f *wire.Fault, ok bool) {
	if f, ok := errors.AsType[*wire.Fault](err); ok {
		return f, true
	}
	if decline, ok := errors.AsType[*compressor.Decline](err); ok {
		f := wire.Fail(wire.Declined, "the payload cannot be compressed: %s", decline.Reason)
		f.Reason = string(decline.Reason)
		return f, true
	}
	if f, ok := optionFault(err); ok {
		return f, true
	}
	for _, row := range storeCodes {
		if errors.Is(err, row.err) {
			return wire.Fail(row.code, ""), true
		}
	}
	return nil, false
}
