// Package snapshot turns payloads into views that can be recovered: compress,
// count, record, report. It is the one path for files and for live pages.
//
// It promises that no view is given out before its payload is durably stored,
// and that the token counts it reports are exact o200k_base counts. It refuses
// to shorten what it cannot give back.
package snapshot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"handrail/compressor"
	"handrail/compressor/tokens"
	"handrail/host/wire"
	"handrail/recovery"
)

// Report says what compressing a payload did.
type Report struct {
	ContentType     string            `json:"content_type"` // "a11y"
	TokensBefore    int               `json:"tokens_before"`
	TokensAfter     int               `json:"tokens_after"` // of the view alone
	Ratio           float64           `json:"ratio"`        // (before − after) / before, 0 when nothing was saved
	Basis           string            `json:"basis"`        // "inferred"
	RecoveryHandle  string            `json:"recovery_handle,omitempty"`
	Method          string            `json:"method"` // "a11y"
	LosslessToModel bool              `json:"lossless_to_model"`
	Reason          compressor.Reason `json:"reason,omitempty"` // why the payload came back unchanged
	Detail          string            `json:"detail,omitempty"`
	Ephemeral       bool              `json:"ephemeral,omitempty"` // the handle ends with the process

	// Of a view that is given in part.
	TotalChars   int             `json:"total_chars,omitempty"`
	NextOffset   json.RawMessage `json:"next_offset,omitempty"`
	Truncated    bool            `json:"truncated,omitempty"`
	AutoDegraded bool            `json:"auto_degraded,omitempty"`
	TryDepth     int             `json:"try_depth,omitempty"`

	Structure       json.RawMessage `json:"structure,omitempty"`
	StructureReason string          `json:"structure_reason,omitempty"`
}

// file is the client to which views of files are delivered.
const file = "file"

// Compress gives the view of a payload, or the payload itself when the report
// has a Reason. Without a store the reason is no_store, unless nothing is to be
// recorded. The error says that an
// option cannot be.
func Compress(ctx context.Context, store *recovery.Store, payload []byte, req Request) ([]byte, Report, error) {
	report := Report{ContentType: "a11y", Basis: "inferred", Method: "a11y"}
	r, err := render(payload, req.Options)
	if _, bad := optionFault(err); bad {
		return nil, report, err
	}
	before, sinceErr := earlier(ctx, store, req.Since)
	if sinceErr != nil {
		return nil, report, sinceErr
	}
	if err == nil && !r.smaller() {
		err = &compressor.Decline{Reason: compressor.ReasonNotSmaller, Detail: fmt.Sprintf("the view has %d bytes, the payload %d", len(r.view.Text), len(payload))}
	}
	if err == nil && store == nil && !req.Unrecorded {
		err = &compressor.Decline{Reason: compressor.ReasonNoStore, Detail: recovery.ErrNoStore.Error()}
	}
	if err == nil && req.Unrecorded {
		r.count(file)
		r.row.Handle = ""
	} else if err == nil {
		err = store.Record(ctx, payload, &recovery.Snapshot{}, r.page.Targets(), r.count(file))
	}
	if err != nil {
		report.TokensBefore = r.tokensBefore()
		report.TokensAfter = report.TokensBefore
		report.Reason, report.Detail = compressor.ReasonNoStore, err.Error()
		if decline, ok := errors.AsType[*compressor.Decline](err); ok {
			report.Reason, report.Detail = decline.Reason, decline.Detail
		}
		return payload, report, nil
	}
	object := wire.Snapshot{}
	view := r.view
	if before != nil {
		view = compressor.Diff(before, r.page, req.Options)
	}
	if err := present(r.page, view, req, &object); err != nil {
		return nil, report, err
	}
	report.TokensBefore, report.TokensAfter = r.row.TokensBefore, object.ViewTokens
	report.Ratio = ratio(report.TokensBefore, report.TokensAfter)
	report.RecoveryHandle = r.row.Handle
	report.Structure, report.StructureReason = object.Structure, object.Reason
	if object.Truncated || req.Offset > 0 || req.Page > 0 {
		report.TotalChars, report.NextOffset, report.Truncated = object.TotalChars, object.NextOffset, object.Truncated
		report.AutoDegraded, report.TryDepth = object.AutoDegraded, object.TryDepth
	}
	return []byte(object.UIDs), report, nil
}

// Object is what an agent is handed.
type Object struct {
	wire.Snapshot
	Text []byte // the object exactly as it is delivered: compact JSON
}

// newDocument tells a client that the uids it knows of a tab say nothing here.
const newDocument = "new document: earlier uids are void"

// Live records a capture bundle and gives the object that an agent is handed.
// meta holds the capture's id, browser, tab and time; what the bundle itself
// says is filled in. err is a *compressor.Decline or one of recovery's.
func Live(ctx context.Context, store *recovery.Store, bundle []byte, meta recovery.Snapshot, client string, req Request) (*Object, error) {
	r, err := render(bundle, req.Options)
	if err != nil {
		return nil, err
	}
	if err := describe(&meta, r.page); err != nil {
		return nil, err
	}
	old, err := earlier(ctx, store, req.Since)
	if err != nil {
		return nil, err
	}
	before, err := previousDocument(ctx, store, meta, client)
	if err != nil {
		return nil, err
	}
	targets := r.page.Targets()
	if err := keep(ctx, store, bundle, &meta, r.page, targets, r.count(client)); err != nil {
		return nil, err
	}
	if req.Reveal != nil {
		if err := r.reveal(ctx, meta.Tab, targets, req); err != nil {
			return nil, err
		}
	}
	object := &wire.Snapshot{RecoveryHandle: r.row.Handle, Tab: meta.Tab, Basis: "inferred", TokensBefore: r.row.TokensBefore}
	if before != "" && before != meta.Document {
		object.Note = newDocument
	}
	return r.object(object, old, req)
}

// previousDocument returns the document of the tab that the client was shown
// last, "" when there is none.
func previousDocument(ctx context.Context, store *recovery.Store, meta recovery.Snapshot, client string) (string, error) {
	_, seen, err := store.Latest(ctx, client, meta.Browser, meta.Tab)
	if errors.Is(err, recovery.ErrUnknownHandle) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return seen.Document, nil
}

// Record records a capture bundle of which a client is shown single uids and no
// view: choose picks them from the targets. It returns the recovery handle.
func Record(ctx context.Context, store *recovery.Store, bundle []byte, meta recovery.Snapshot, client string, choose func([]compressor.Target) []string) (string, error) {
	page, err := compressor.Read(bundle)
	if err != nil {
		return "", err
	}
	if err := describe(&meta, page); err != nil {
		return "", err
	}
	targets := page.Targets()
	row := recovery.View{Handle: recovery.Handle(bundle, picked), Options: picked, UIDs: choose(targets), Client: client}
	return row.Handle, keep(ctx, store, bundle, &meta, page, targets, &row)
}

// picked stands for the options of a view that is a choice of uids.
const picked = `{"picked":true}`

// describe fills in what a bundle says of itself. A bundle of another capture
// would give its views handles that are not theirs alone.
func describe(meta *recovery.Snapshot, page *compressor.Page) error {
	if page.Shape != compressor.ShapeBundle || page.Capture != meta.Capture || page.Tab != meta.Tab {
		return wire.Fail(wire.CaptureFailed, "the extension gave another capture than the one asked for")
	}
	for _, f := range page.Frames {
		if f.Parent == "" {
			meta.Document, meta.Origin = f.LoaderID, f.Origin
			break
		}
	}
	if u, err := url.Parse(page.URL); err == nil {
		meta.Path = u.Path
	}
	meta.Title = page.Title
	return nil
}

// keep stores a live capture, and the session ordinals it used.
func keep(ctx context.Context, store *recovery.Store, bundle []byte, meta *recovery.Snapshot, page *compressor.Page, targets []compressor.Target, row *recovery.View) error {
	ordinals := map[string]int{}
	for _, f := range page.Frames {
		if f.Session > 0 {
			ordinals[f.TargetID] = f.Session
		}
	}
	if len(ordinals) > 0 {
		if err := store.SetOrdinals(ctx, meta.Browser, meta.Tab, ordinals); err != nil {
			return err
		}
	}
	return store.Record(ctx, bundle, meta, targets, row)
}

// rendering is a payload with its view, on the way into the store.
type rendering struct {
	payload      []byte
	tokensBefore func() int // counted beside the rest
	page         *compressor.Page
	view         *compressor.View
	row          recovery.View
}

// render never returns nil: a payload that is declined has a count all the same.
func render(payload []byte, opt compressor.Options) (*rendering, error) {
	r := &rendering{payload: payload, tokensBefore: sync.OnceValue(func() int { return tokens.Count(payload) })}
	go r.tokensBefore()
	var err error
	if r.page, err = compressor.Read(payload); err != nil {
		return r, err
	}
	if r.view, err = r.page.View(opt); err != nil {
		return r, err
	}
	r.row = recovery.View{Handle: recovery.Handle(payload, opt.Canonical()), Options: opt.Canonical(), UIDs: r.view.UIDs}
	return r, nil
}

func (r *rendering) smaller() bool { return len(r.view.Text) < len(r.payload) }

// count fills in the view's row for a client.
func (r *rendering) count(client string) *recovery.View {
	r.row.Client = client
	r.row.ViewTokens = tokens.CountString(r.view.Text)
	r.row.TokensBefore = r.tokensBefore()
	return &r.row
}

// reveal renders the page anew with the values of its secret fields. What is stored
// was stored before, without them.
func (r *rendering) reveal(ctx context.Context, tab int, targets []compressor.Target, req Request) error {
	secret := slices.DeleteFunc(slices.Clone(targets), func(t compressor.Target) bool { return !t.Secret })
	if len(secret) == 0 {
		return nil
	}
	values, err := req.Reveal(ctx, tab, secret)
	if err != nil {
		return err
	}
	r.page.Reveal(values)
	r.view, err = r.page.View(req.Options)
	return err
}

func ratio(before, after int) float64 {
	if after >= before {
		return 0
	}
	return float64(before-after) / float64(before)
}

// deliver writes the object. Its TokensAfter counts the text itself, TokensAfter
// included.
//
// The digits of that number and of the ratio change what they count, so some
// objects have no number that counts itself. There it is one more than the text
// has, and zeros at the end of the ratio make up for that.
func deliver(o *wire.Snapshot) *Object {
	var zeros int
	write := func(n int) (text []byte, count int) {
		o.TokensAfter, o.Ratio = n, ratio(o.TokensBefore, n)
		text = pad(encode(o), zeros)
		return text, tokens.Count(text)
	}
	n := 0
	text, count := write(n)
	for count > n {
		n = count
		text, count = write(n)
	}
	for count < n {
		zeros++
		text, count = write(n)
	}
	return &Object{*o, text}
}

// pad puts zeros behind the object's ratio, which do not change it.
func pad(text []byte, zeros int) []byte {
	if zeros == 0 {
		return text
	}
	const key = `,"ratio":` // nowhere else: in a string its quotes are escaped
	from := bytes.Index(text, []byte(key)) + len(key)
	to := from + bytes.IndexByte(text[from:], ',')
	digits := strings.Repeat("0", zeros)
	if !bytes.ContainsRune(text[from:to], '.') {
		digits = "." + digits
	}
	return slices.Insert(text, to, []byte(digits)...)
}

func encode(o *wire.Snapshot) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(o); err != nil {
		panic(err) // strings and numbers
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
