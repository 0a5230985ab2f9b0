package exchange_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	hostclient "handrail/host/client"
	"handrail/host/exchange/faketest"
	"handrail/host/keeper"
	"handrail/host/snapshot"
	"handrail/host/wire"
	"handrail/recovery"
)

// codeCases are the codes that the host, or the client before it, is the one to
// give, each with a case that gives it. extension/test/codes.test.js has the others.
var codeCases = map[wire.Code]func(t *testing.T) error{
	wire.BadRequest: asked("snapshot", map[string]any{"nonsense": 1}),
	wire.BadVersion: said(helloFrame(9, 9)),
	wire.BadFrame:   said([]byte{1, 0}),
	wire.TooLarge:   said([]byte{0xff, 0xff, 0xff, 0xff}),
	wire.ForbiddenOrigin: func(t *testing.T) error {
		p := faketest.Spawn(t, testBinary, []string{"chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/"}, "HANDRAIL_HOME="+home(t))
		return firstFault(p.Frames(t))
	},
	wire.NoStore: func(t *testing.T) error {
		file := filepath.Join(home(t), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			return err
		}
		link := faketest.NewBrowser(site).Start(t, testBinary, "HANDRAIL_HOME="+file)
		return (&client{t: t, Conn: link.Conn}).call("snapshot", wire.SnapshotParams{}, nil)
	},
	// The store's own tests bring these about (recovery); here is what a client is told.
	wire.StoreFull:     stored(recovery.ErrFull),
	wire.StoreIO:       stored(recovery.ErrIO),
	wire.StoreReadOnly: stored(recovery.ErrReadOnly),
	wire.StoreNewer:    stored(recovery.ErrNewer),
	wire.StoreCorrupt:  stored(recovery.ErrCorrupt),
	wire.Busy:          stored(recovery.ErrBusy),

	wire.UnknownHandle: asked("recover", wire.RecoverParams{Handle: "hr_00000000000000000000000000000000"}),
	wire.Declined: func(t *testing.T) error {
		w := start(t, dedicated)
		w.browser.On("capture", func(context.Context, json.RawMessage) (any, error) {
			return map[string]any{"bundle": map[string]any{"a": 1}}, nil
		})
		return w.client("c").call("snapshot", wire.SnapshotParams{Tab: 1}, nil)
	},
	wire.NoBrowser: func(t *testing.T) error {
		t.Setenv("HANDRAIL_CHROMIUM", "/nowhere/chromium")
		_, err := keeper.Find()
		return err
	},
	wire.BrowserFailed: func(t *testing.T) error {
		t.Setenv("HANDRAIL_CHROMIUM", "/bin/false")
		return keeper.Run(t.Context(), keeper.Config{Dir: home(t), Binary: testBinary, Extension: t.TempDir()})
	},
	wire.AmbiguousBrowser: func(t *testing.T) error {
		w := start(t)
		w.entry()
		other := faketest.NewBrowser(site)
		other.Instance = "other"
		second := &world{t: t, dir: w.dir, browser: other, env: w.env}
		second.restart()
		second.entry()
		_, err := hostclient.Connect(t.Context(), hostclient.Choice{Dir: w.dir, Client: wire.Client{Kind: "cli", Name: "c"}, Warn: func(string) {}})
		return err
	},
	wire.NoPage:     asked("resolve", wire.ResolveParams{All: true}),
	wire.UnknownUID: asked("act", wire.ActParams{UID: "u99", Action: "click"}),
	wire.ActReused: func(t *testing.T) error {
		c := onPage(t, dedicated)
		c.act(wire.ActParams{UID: "u5", Action: "click", ActID: actID})
		return c.call("act", wire.ActParams{UID: "u6", Action: "click", ActID: actID}, nil)
	},
	wire.ActInProgress: func(t *testing.T) error {
		w := start(t, dedicated)
		c := w.client("c")
		c.snapshot(wire.SnapshotParams{URL: first})
		sent := make(chan bool)
		w.browser.On("perform", func(ctx context.Context, _ json.RawMessage) (any, error) {
			w.browser.Started(actID)
			close(sent)
			<-ctx.Done()
			return nil, ctx.Err()
		})
		click := wire.ActParams{UID: "u5", Action: "click", ActID: actID}
		go c.call("act", click, nil)
		<-sent
		w.link.Signal(t, syscall.SIGKILL)
		w.link.Exit(t)
		w.restart()
		return w.client("c").call("act", click, nil)
	},
	wire.NotApproved: func(t *testing.T) error {
		w := start(t, "HANDRAIL_APPROVAL=50ms") // nobody answers
		return w.client("c").call("navigate", wire.NavigateParams{URL: first}, nil)
	},
	wire.EvalOff:       asked("eval", wire.EvalParams{Expression: "1", Tab: 1}),
	wire.RevealOff:     asked("snapshot", wire.SnapshotParams{Reveal: true}),
	wire.InvalidSchema: extracting(`{"type":"money"}`),
	wire.NoRefs:        extracting(`{"type":"object","properties":{"a":{"type":"string"}}}`),
	wire.UnresolvedRef: extracting(`{"type":"object","required":["a"],"properties":{"a":{"type":"string","x-ref":"u99"}}}`),
	wire.BadType:       extracting(`{"type":"object","required":["a"],"properties":{"a":{"type":"number","x-ref":"u5"}}}`),
}

// asked is a call of a client in a person's own browser.
func asked(method string, params any) func(*testing.T) error {
	return func(t *testing.T) error { return start(t).client("c").call(method, params, nil) }
}

// said is what an extension sends before anything else.
func said(input []byte) func(*testing.T) error {
	return func(t *testing.T) error {
		p := faketest.Spawn(t, testBinary, nil, "HANDRAIL_HOME="+home(t))
		if _, err := p.Stdin.Write(input); err != nil {
			return err
		}
		p.Stdin.Close()
		return firstFault(p.Frames(t))
	}
}

func firstFault(frames []wire.Message) error {
	for _, m := range frames {
		if m.Error != nil {
			return m.Error.Data
		}
	}
	return errors.New("no failure was told")
}

func stored(err error) func(*testing.T) error {
	return func(*testing.T) error {
		fault, ok := snapshot.Fault(fmt.Errorf("record: %w", err))
		if !ok {
			return err
		}
		return fault
	}
}

func onPage(t *testing.T, env ...string) *client {
	c := start(t, env...).client("c")
	c.snapshot(wire.SnapshotParams{URL: first})
	return c
}

func extracting(schema string) func(*testing.T) error {
	return func(t *testing.T) error {
		return onPage(t, dedicated).call("extract", wire.ExtractParams{Schema: json.RawMessage(schema)}, nil)
	}
}

// Every code is given by the host or the extension, in a case that is run.
func TestEveryCodeIsGiven(t *testing.T) {
	text, err := os.ReadFile("../../testdata/codes.json")
	if err != nil {
		t.Fatal(err)
	}
	var by struct{ Host, Extension []wire.Code }
	if err := json.Unmarshal(text, &by); err != nil {
		t.Fatal(err)
	}
	var all, here []wire.Code
	for _, e := range wire.Codes {
		all = append(all, e.Code)
	}
	for code := range codeCases {
		here = append(here, code)
	}
	given := append(slices.Clone(by.Host), by.Extension...)
	for _, codes := range [][]wire.Code{all, here, given, by.Host} {
		slices.Sort(codes)
	}
	if !slices.Equal(given, all) {
		t.Errorf("testdata/codes.json has %v, the table of codes %v", given, all)
	}
	if !slices.Equal(here, by.Host) {
		t.Errorf("there are cases for %v, the host gives %v", here, by.Host)
	}
	for _, code := range here {
		t.Run(string(code), func(t *testing.T) {
			err := codeCases[code](t)
			f, ok := errors.AsType[*wire.Fault](err)
			if !ok || f.Code != code || f.Retry != code.Entry().Retry {
				t.Errorf("got %v", err)
			}
		})
	}
}
