package snapshot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"handrail/compressor"
	"handrail/compressor/tokens"
	"handrail/host/wire"
	"handrail/recovery"
)

func openStore(t *testing.T) *recovery.Store {
	t.Helper()
	store, err := recovery.Open(t.TempDir(), recovery.Options{Ephemeral: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// payload is a tree of one button and some padding that no view shows.
func payload(name string, padding int) []byte {
	return fmt.Appendf(nil, `[{"nodeId":"1","role":{"value":"RootWebArea"},"name":{"value":"Page"},"childIds":["2"],"padding":%q},
	{"nodeId":"2","parentId":"1","backendDOMNodeId":7,"role":{"value":"button"},"name":{"value":%q}}]`, strings.Repeat("x", padding), name)
}

func bundle(capture string, tab int, loader, name string) []byte {
	return fmt.Appendf(nil, `{"v":1,"capture":%q,"tab":%d,"url":"http://site/path?q=1","title":"Page","time":0,"complete":true,"frames":[{"frameId":"F","parent":"","session":0,
	"targetId":"","loaderId":%q,"url":"http://site/path?q=1","origin":"http://site","nodes":%s,"error":null}],"layout":{},"redacted":0}`, capture, tab, loader, payload(name, 400))
}

func TestCompress(t *testing.T) {
	t.Parallel()
	ctx, store := context.Background(), openStore(t)
	broken, err := recovery.Open(t.TempDir(), recovery.Options{Ephemeral: true})
	if err != nil {
		t.Fatal(err)
	}
	broken.Close()
	const view = "page \"Page\"\n  [u7] button \"Save <&>\""
	for _, tt := range []struct {
		name    string
		store   *recovery.Store
		payload []byte
		reason  compressor.Reason
	}{
		{"compressed", store, payload("Save <&>", 400), ""},
		{"no JSON", store, []byte("text"), compressor.ReasonInvalidJSON},
		{"empty", store, nil, compressor.ReasonInvalidJSON},
		{"no tree", store, []byte(`{"a":1}`), compressor.ReasonNotAXTree},
		{"no store", nil, payload("Save <&>", 400), compressor.ReasonNoStore},
		{"a store that fails", broken, payload("Save <&>", 400), compressor.ReasonNoStore},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, r, _ := Compress(ctx, tt.store, tt.payload, Request{})
			if r.Reason != tt.reason || r.ContentType != "a11y" || r.Method != "a11y" || r.Basis != "inferred" || r.LosslessToModel {
				t.Errorf("report %+v", r)
			}
			if want := tokens.Count(tt.payload); r.TokensBefore != want {
				t.Errorf("tokens_before %d, want %d", r.TokensBefore, want)
			}
			if tt.reason != "" {
				if !bytes.Equal(out, tt.payload) || r.TokensAfter != r.TokensBefore || r.Ratio != 0 || r.RecoveryHandle != "" {
					t.Errorf("declined, but %q, %+v", out, r)
				}
				return
			}
			if string(out) != view {
				t.Errorf("view %q", out)
			}
			after := tokens.CountString(view)
			if r.TokensAfter != after || r.Ratio != float64(r.TokensBefore-after)/float64(r.TokensBefore) {
				t.Errorf("report %+v", r)
			}
			got, err := Recover(ctx, tt.store, r.RecoveryHandle, nil, false)
			if err != nil || !bytes.Equal(got, tt.payload) {
				t.Errorf("recovered %q, %v", got, err)
			}
			_, again, _ := Compress(ctx, tt.store, tt.payload, Request{})
			if !reflect.DeepEqual(again, r) {
				t.Errorf("again %+v, first %+v", again, r)
			}
			_, query, _ := Compress(ctx, tt.store, tt.payload, Request{Options: compressor.Options{Query: "save"}})
			if query.RecoveryHandle == r.RecoveryHandle {
				t.Error("two views have one handle")
			}
		})
	}
}

func TestNotSmaller(t *testing.T) {
	t.Parallel()
	// DEL is one byte in the payload and four in the view.
	tiny := fmt.Appendf(nil, `[{"nodeId":"1","role":{"value":"button"},"name":{"value":"a%sb"}}]`, strings.Repeat("\x7f", 200))
	out, r, _ := Compress(context.Background(), openStore(t), tiny, Request{})
	if r.Reason != compressor.ReasonNotSmaller || !bytes.Equal(out, tiny) || r.RecoveryHandle != "" {
		t.Errorf("%q, %+v", out, r)
	}
}

func TestLive(t *testing.T) {
	t.Parallel()
	ctx, store := context.Background(), openStore(t)
	take := func(capture string, tab int, loader, name, client string) *Object {
		t.Helper()
		b := bundle(capture, tab, loader, name)
		o, err := Live(ctx, store, b, recovery.Snapshot{Capture: capture, Browser: "b", Tab: tab}, client, Request{})
		if err != nil {
			t.Fatal(err)
		}
		if got := tokens.Count(o.Text); got != o.TokensAfter {
			t.Errorf("tokens_after %d, counted %d", o.TokensAfter, got)
		}
		if o.ViewTokens != tokens.CountString(o.UIDs) || o.TokensBefore != tokens.Count(b) || o.Tab != tab || o.Basis != "inferred" {
			t.Errorf("object %+v", o)
		}
		if got, err := Recover(ctx, store, o.RecoveryHandle, nil, false); err != nil || !bytes.Equal(got, b) {
			t.Errorf("recovered %q, %v", got, err)
		}
		return o
	}
	for _, tt := range []struct {
		name, capture string
		tab           int
		loader        string
		client        string
		note          string
	}{
		{"first", "c1", 1, "L1", "a", ""},
		{"same document", "c2", 1, "L1", "a", ""},
		{"another client", "c3", 1, "L2", "b", ""},
		{"another tab", "c4", 2, "L3", "a", ""},
		{"new document", "c5", 1, "L2", "a", newDocument},
		{"known by now", "c6", 1, "L2", "a", ""},
	} {
		if o := take(tt.capture, tt.tab, tt.loader, "Save", tt.client); o.Note != tt.note {
			t.Errorf("%s: note %q", tt.name, o.Note)
		}
	}
	o := take("c7", 1, "L2", `<&> "quoted" `+"\u2028", "a")
	if !bytes.Contains(o.Text, []byte(`<&>`)) || bytes.ContainsAny(o.Text, "\n\r") {
		t.Errorf("text %s", o.Text)
	}
	_, seen, err := store.Lookup(ctx, o.RecoveryHandle)
	if err != nil || seen.Document != "L2" || seen.Origin != "http://site" || seen.Path != "/path" || seen.Title != "Page" {
		t.Errorf("snapshot %+v, %v", seen, err)
	}

	for name, meta := range map[string]recovery.Snapshot{"another capture": {Capture: "x", Tab: 1}, "another tab": {Capture: "c8", Tab: 2}} {
		_, err := Live(ctx, store, bundle("c8", 1, "L", "Save"), meta, "a", Request{})
		if f, ok := errors.AsType[*wire.Fault](err); !ok || f.Code != wire.CaptureFailed {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRecoverUIDs(t *testing.T) {
	t.Parallel()
	ctx, store := context.Background(), openStore(t)
	_, r, _ := Compress(ctx, store, payload("Save", 400), Request{})
	got, err := Recover(ctx, store, r.RecoveryHandle, nil, true)
	if want := `{"uids":{"u7":{"backendDOMNodeId":7,"frameId":"","nodeId":"2"}}}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := Recover(ctx, store, "hr_0", nil, true); !errors.Is(err, recovery.ErrUnknownHandle) {
		t.Errorf("unknown handle: %v", err)
	}
}

// Objects of all lengths count themselves exactly, also those that no number
// counts by itself.
func TestTokensAfterIsExact(t *testing.T) {
	t.Parallel()
	padded := 0
	for i := range 3000 {
		o := deliver(&wire.Snapshot{
			UIDs: strings.Repeat("[u7] button \"Save\" ,\"ratio\":1\n", i%7), RecoveryHandle: fmt.Sprintf("hr_%032x", i*7919),
			TokensBefore: 400 + i%1000, Basis: "inferred", Tab: i, NextOffset: json.RawMessage("null"),
		})
		if got := tokens.Count(o.Text); got != o.TokensAfter {
			t.Errorf("%d: tokens_after %d, counted %d: %s", i, o.TokensAfter, got, o.Text)
		}
		var back wire.Snapshot
		if err := json.Unmarshal(o.Text, &back); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, o.Snapshot) || back.Ratio != ratio(o.TokensBefore, o.TokensAfter) {
			t.Errorf("%d: %+v is written as %s", i, o.Snapshot, o.Text)
		}
		if !bytes.Equal(o.Text, encode(&back)) {
			padded++
		}
	}
	if padded == 0 {
		t.Error("none was padded: the test shows less than it says")
	}
}

func TestPad(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		zeros      int
		want       string
	}{
		{"none", `{"a":1,"ratio":0.87,"b":2}`, 0, `{"a":1,"ratio":0.87,"b":2}`},
		{"decimals", `{"a":1,"ratio":0.87,"b":2}`, 2, `{"a":1,"ratio":0.8700,"b":2}`},
		{"no decimals", `{"a":1,"ratio":0,"b":2}`, 2, `{"a":1,"ratio":0.00,"b":2}`},
		{"in a string", `{"a":"\",\"ratio\":1,","ratio":0,"b":2}`, 1, `{"a":"\",\"ratio\":1,","ratio":0.0,"b":2}`},
	} {
		if got := pad([]byte(tt.text), tt.zeros); string(got) != tt.want {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}
