package exchange_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"handrail/host/exchange/faketest"
	"handrail/host/wire"
	"handrail/recovery"
)

var actID = strings.Repeat("0123456789abcdef", 2)

func TestSameIDActsOnce(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	c := w.client("c")
	c.snapshot(wire.SnapshotParams{URL: first})
	performed := w.browser.Asked("perform")
	click := wire.ActParams{UID: "u5", Action: "click", ActID: actID}
	got, again := c.act(click), c.act(click)
	if got.ActID != actID || again.ActID != actID || again.Dispatched != wire.DispatchedYes || again.Hit == nil {
		t.Errorf("first %+v\nagain %+v", got, again)
	}
	other := click
	other.UID = "u6"
	c.refused(wire.ActReused, "act", other)
	w.client("other").refused(wire.ActReused, "act", click)
	c.refused(wire.ActReused, "eval", wire.EvalParams{Expression: "1", ActID: actID})
	if n := w.browser.Asked("perform") - performed; n != 1 || w.browser.Events() != 1 {
		t.Errorf("%d acts sent, %d events", n, w.browser.Events())
	}

	// A failure is recorded too.
	w.browser.Change(0, func(tab *faketest.Tab) { tab.Page.Nodes[0].Disabled = true })
	click.ActID = strings.Repeat("f", 32)
	c.refused(wire.Disabled, "act", click)
	w.browser.Change(0, func(tab *faketest.Tab) { tab.Page.Nodes[0].Disabled = false })
	c.refused(wire.Disabled, "act", click)
	if n := w.browser.Events(); n != 1 {
		t.Errorf("%d events", n)
	}
}

// Two requests with one id at the same time are one act.
func TestSameIDAtOnce(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	c := w.client("c")
	c.snapshot(wire.SnapshotParams{URL: first})
	errs := make(chan error)
	for range 8 {
		go func() {
			errs <- c.call("act", wire.ActParams{UID: "u5", Action: "click", ActID: actID}, nil)
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := w.browser.Events(); n != 1 {
		t.Errorf("%d events", n)
	}
}

// A host that is killed while an act is on its way leaves the act 'sent'; the
// next one asks the extension what became of it.
func TestHostKilledBetweenSentAndDone(t *testing.T) {
	for _, tt := range []struct {
		name   string
		reach  bool // the act reaches the page before the host is killed
		events int
		code   wire.Code // of the retry, "" when it gives the result
		asked  int       // how often two retries ask the extension's ledger
	}{
		{"done", true, 1, "", 1},
		{"never arrived", false, 0, wire.Uncertain, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := start(t, dedicated)
			c := w.client("c")
			c.snapshot(wire.SnapshotParams{URL: first})
			sent := make(chan bool)
			w.browser.On("perform", func(ctx context.Context, params json.RawMessage) (any, error) {
				if tt.reach {
					w.browser.Own(ctx, "perform", params)
				}
				close(sent)
				<-ctx.Done()
				return nil, ctx.Err()
			})
			lost := make(chan error)
			click := wire.ActParams{UID: "u5", Action: "click", ActID: actID}
			go func() { lost <- c.call("act", click, nil) }()
			<-sent
			w.link.Signal(t, syscall.SIGKILL)
			w.link.Exit(t)
			if err := <-lost; err == nil {
				t.Error("an answer came from a dead host")
			}

			w.browser.On("perform", nil)
			w.restart()
			c = w.client("c")
			for range 2 {
				if tt.code == "" {
					if got := c.act(click); got.Dispatched != wire.DispatchedYes || got.ActID != actID || got.UID != "u5" {
						t.Errorf("retry %+v", got)
					}
				} else if f := c.refused(tt.code, "act", click); f.Dispatched != wire.DispatchedUncertain || f.Effect != "unknown" {
					t.Errorf("retry %+v", f)
				}
			}
			if n := w.browser.Events(); n != tt.events {
				t.Errorf("%d events, want %d", n, tt.events)
			}
			if n := w.browser.Asked("ledger"); n != tt.asked {
				t.Errorf("the ledger was asked %d times, want %d", n, tt.asked)
			}
		})
	}
}

func TestActInProgress(t *testing.T) {
	t.Parallel()
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
	if f := w.client("c").refused(wire.ActInProgress, "act", click); f.Dispatched != wire.DispatchedUncertain {
		t.Errorf("%+v", f)
	}
}

func TestLinkLostMidPerform(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	c := w.client("c")
	c.snapshot(wire.SnapshotParams{URL: first})
	stdin := w.link.Stdin
	w.browser.On("perform", func(ctx context.Context, params json.RawMessage) (any, error) {
		w.browser.Own(ctx, "perform", params)
		stdin.Close() // the worker is killed
		<-ctx.Done()
		return nil, ctx.Err()
	})
	click := wire.ActParams{UID: "u5", Action: "click", ActID: actID}
	if f := c.refused(wire.Uncertain, "act", click); f.Dispatched != wire.DispatchedUncertain || f.Effect != "unknown" || f.Retry != wire.RetryAfterSnapshot {
		t.Errorf("%+v", f)
	}
	if code := w.link.Exit(t); code != 0 {
		t.Errorf("exit status %d", code)
	}
	w.browser.On("perform", nil)
	w.restart()
	if got := w.client("c").act(click); got.Dispatched != wire.DispatchedYes {
		t.Errorf("retry %+v", got)
	}
	if n := w.browser.Events(); n != 1 {
		t.Errorf("%d events", n)
	}
}

// An old host whose extension has a newer port is told so, and does nothing.
func TestOldEpoch(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	old := w.client("c")
	old.snapshot(wire.SnapshotParams{URL: first})
	w.restart()
	old.refused(wire.OldEpoch, "act", wire.ActParams{UID: "u5", Action: "click"})
	w.client("c").act(wire.ActParams{UID: "u5", Action: "click"})
	if n := w.browser.Events(); n != 1 {
		t.Errorf("%d events", n)
	}
}

// After a navigation the new document has nodes of the old ids. An act on what
// was seen before must not reach them, whoever has looked meanwhile and however
// often it is tried.
func TestStaleDocument(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	a, b := w.client("a"), w.client("b")
	seen := a.snapshot(wire.SnapshotParams{URL: first})
	w.browser.Load(seen.Tab, second)
	b.snapshot(wire.SnapshotParams{Tab: seen.Tab})
	var f *wire.Fault
	for _, p := range []wire.ActParams{
		{UID: "u5", Action: "click"}, {UID: "u6", Action: "click"}, {UID: "u5", Action: "click"}, {UID: "u6", Action: "click"},
		{UID: "u5", Action: "click", Handle: seen.RecoveryHandle},
	} {
		f = a.refused(wire.StaleUID, "act", p)
		if f.Reason != "document" || f.Dispatched != wire.DispatchedNo {
			t.Errorf("%+v", f)
		}
	}
	if n := w.browser.Events(); n != 0 {
		t.Fatalf("%d events", n)
	}
	if len(f.Candidates) != 2 || f.Candidates[0] != (wire.Candidate{UID: "u5", Role: "button", Name: "Save"}) {
		t.Errorf("candidates %+v", f.Candidates)
	}
	_, handle, found := strings.Cut(f.Hint, "handle ")
	if !found {
		t.Fatalf("hint %q", f.Hint)
	}
	a.act(wire.ActParams{UID: "u5", Action: "click", Handle: handle})
	if n := w.browser.Events(); n != 1 {
		t.Errorf("%d events", n)
	}
	if note := a.snapshot(wire.SnapshotParams{}).Note; !strings.Contains(note, "new document") {
		t.Errorf("note %q", note)
	}
	a.act(wire.ActParams{UID: "u6", Action: "click"})
}

func TestStaleNode(t *testing.T) {
	for _, tt := range []struct {
		name, reason string
		change       func(*faketest.Tab)
		candidates   []wire.Candidate
	}{
		{"gone", "gone",
			func(tab *faketest.Tab) { tab.Page.Nodes[0].ID = 50 },
			[]wire.Candidate{{UID: "u1e", Role: "button", Name: "Review"}, {UID: "u6", Role: "button", Name: "Review"}}},
		{"renamed", "renamed",
			func(tab *faketest.Tab) { tab.Page.Nodes[0].Name = "Delete" },
			[]wire.Candidate{{UID: "u5", Role: "button", Name: "Delete"}, {UID: "u6", Role: "button", Name: "Review"}}},
		{"rows rebound", "moved_context",
			func(tab *faketest.Tab) {
				n := tab.Page.Nodes
				n[0].Context, n[1].Context = n[1].Context, n[0].Context
			},
			[]wire.Candidate{{UID: "u5", Role: "button", Name: "Review"}, {UID: "u6", Role: "button", Name: "Review"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := start(t, dedicated)
			c := w.client("c")
			c.snapshot(wire.SnapshotParams{URL: list})
			w.browser.Change(0, tt.change)
			for range 2 {
				f := c.refused(wire.StaleUID, "act", wire.ActParams{UID: "u5", Action: "click"})
				if f.Reason != tt.reason {
					t.Errorf("reason %q", f.Reason)
				}
				if got, want := must(json.Marshal(f.Candidates)), must(json.Marshal(tt.candidates)); !bytes.Equal(got, want) {
					t.Errorf("candidates %s\nwant %s", got, want)
				}
			}
			if n := w.browser.Events(); n != 0 {
				t.Errorf("%d events", n)
			}
		})
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// A candidate that the client never saw under another face can be used as it is.
func TestCandidateIsUsable(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	c := w.client("c")
	c.snapshot(wire.SnapshotParams{URL: list})
	w.browser.Change(0, func(tab *faketest.Tab) { tab.Page.Nodes[0].ID = 50 })
	f := c.refused(wire.StaleUID, "act", wire.ActParams{UID: "u5", Action: "click"})
	if strings.Contains(f.Hint, "hr_") {
		t.Errorf("hint %q", f.Hint)
	}
	c.act(wire.ActParams{UID: f.Candidates[0].UID, Action: "click"})
	w.browser.Change(0, func(tab *faketest.Tab) {
		if tab.Page.Nodes[0].Events != 1 {
			t.Error("the candidate did not receive the act")
		}
	})
}

func TestRenamedIsAcceptedWhenExpected(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	c := w.client("c")
	c.snapshot(wire.SnapshotParams{URL: first})
	w.browser.Change(0, func(tab *faketest.Tab) { tab.Page.Nodes[0].Name = "Saved" })
	if f := c.refused(wire.StaleUID, "act", wire.ActParams{UID: "u5", Action: "click"}); f.Now != "Saved" {
		t.Errorf("now %q", f.Now)
	}
	c.act(wire.ActParams{UID: "u5", Action: "click", Expect: text("Saved")})
}

func TestCoveredNamesTheCover(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	c := w.client("c")
	c.snapshot(wire.SnapshotParams{URL: first})
	w.browser.Change(0, func(tab *faketest.Tab) { tab.Page.Nodes[0].Cover = 6 })
	f := c.refused(wire.Covered, "act", wire.ActParams{UID: "u5", Action: "click"})
	if len(f.Candidates) != 1 || f.Candidates[0] != (wire.Candidate{UID: "u6", Role: "button", Name: "lid", Tag: "button"}) {
		t.Errorf("candidates %+v", f.Candidates)
	}
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	c := w.client("c")
	if f := c.refused(wire.UnknownUID, "act", wire.ActParams{UID: "u5", Action: "click"}); f.Retry != wire.RetryAfterSnapshot {
		t.Errorf("%+v", f)
	}
	s := c.snapshot(wire.SnapshotParams{URL: first})
	for _, handle := range []string{"", s.RecoveryHandle} {
		f := c.refused(wire.UnknownUID, "act", wire.ActParams{UID: "u55", Action: "click", Handle: handle})
		if len(f.Candidates) != 4 || f.Candidates[0] != (wire.Candidate{UID: "u5", Role: "button", Name: "Save"}) {
			t.Errorf("handle %q: candidates %+v", handle, f.Candidates)
		}
	}
	if f := c.refused(wire.UnknownUID, "act", wire.ActParams{UID: "f3u9zzz", Action: "click"}); len(f.Candidates) != 0 {
		t.Errorf("candidates %+v", f.Candidates)
	}
	none := "hr_" + strings.Repeat("0", 32)
	c.refused(wire.UnknownHandle, "act", wire.ActParams{UID: "u5", Action: "click", Handle: none})
	c.refused(wire.UnknownHandle, "recover", wire.RecoverParams{Handle: none})
	c.refused(wire.UnknownHandle, "recover", wire.RecoverParams{Handle: "x"})
	c.refused(wire.UnknownHandle, "resolve", wire.ResolveParams{All: true, Handle: none})

	other := faketest.NewBrowser(site)
	other.Instance = "other"
	theirs := &world{t: t, dir: w.dir, env: w.env, browser: other, link: other.Start(t, testBinary, w.env...)}
	o := theirs.client("c")
	o.refused(wire.UnknownUID, "act", wire.ActParams{UID: "u5", Action: "click"})
	if f := o.refused(wire.BadRequest, "act", wire.ActParams{UID: "u5", Action: "click", Handle: s.RecoveryHandle}); f.Field != "handle" {
		t.Errorf("field %q", f.Field)
	}
	if n := w.browser.Events() + other.Events(); n != 0 {
		t.Errorf("%d events", n)
	}
}

// Captures of one tab, and acts on one, go one after the other.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	c := w.client("c")
	s := c.snapshot(wire.SnapshotParams{URL: first})
	for _, tt := range []struct {
		asked  string
		method string
		params any
	}{
		{"capture", "snapshot", wire.SnapshotParams{Tab: s.Tab}},
		{"perform", "act", wire.ActParams{UID: "u5", Action: "click"}},
	} {
		var now, most atomic.Int32
		w.browser.On(tt.asked, func(ctx context.Context, params json.RawMessage) (any, error) {
			n := now.Add(1)
			defer now.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			return w.browser.Own(ctx, tt.asked, params)
		})
		errs := make(chan error)
		for range 10 {
			go func() { errs <- c.call(tt.method, tt.params, nil) }()
		}
		for range 10 {
			if err := <-errs; err != nil {
				t.Errorf("%s: %v", tt.method, err)
			}
		}
		if most.Load() != 1 {
			t.Errorf("%d of %s at once", most.Load(), tt.asked)
		}
	}
}

// Tabs do not wait for each other.
func TestTabsAtOnce(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	a, b := w.client("a"), w.client("b")
	one, two := a.snapshot(wire.SnapshotParams{URL: first}).Tab, b.snapshot(wire.SnapshotParams{URL: list}).Tab
	both := make(chan bool)
	w.browser.On("capture", func(ctx context.Context, params json.RawMessage) (any, error) {
		select { // each waits for the other
		case both <- true:
		case <-both:
		case <-ctx.Done():
		}
		return w.browser.Own(ctx, "capture", params)
	})
	errs := make(chan error)
	go func() { errs <- a.call("snapshot", wire.SnapshotParams{Tab: one}, nil) }()
	go func() { errs <- b.call("snapshot", wire.SnapshotParams{Tab: two}, nil) }()
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	c := w.client("c")
	c.snapshot(wire.SnapshotParams{URL: first})
	for _, tt := range []struct {
		asked, method string
		params        any
	}{
		{"capture", "snapshot", wire.SnapshotParams{}},
		{"perform", "act", wire.ActParams{UID: "u5", Action: "click"}},
	} {
		began, ended := make(chan bool), make(chan bool)
		w.browser.On(tt.asked, func(ctx context.Context, _ json.RawMessage) (any, error) {
			close(began)
			<-ctx.Done()
			close(ended)
			return nil, ctx.Err()
		})
		ctx, cancel := context.WithCancel(context.Background())
		errs := make(chan error)
		go func() { errs <- c.Call(ctx, tt.method, tt.params, nil) }()
		<-began
		cancel()
		<-errs
		<-ended // the extension was told
		w.browser.On(tt.asked, nil)
	}
	c.snapshot(wire.SnapshotParams{})
	c.act(wire.ActParams{UID: "u5", Action: "click"})
}

// A client that goes away takes its requests along.
func TestClientGone(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	c := w.client("c")
	c.snapshot(wire.SnapshotParams{URL: first})
	began, ended := make(chan bool), make(chan bool)
	w.browser.On("capture", func(ctx context.Context, _ json.RawMessage) (any, error) {
		close(began)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	})
	go c.call("snapshot", wire.SnapshotParams{}, nil)
	<-began
	c.Close()
	<-ended
	w.browser.On("capture", nil)
	w.client("c").snapshot(wire.SnapshotParams{})
}

// What happens to a tab, or may have while nobody watched, marks its snapshots.
func TestSuperseded(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		happen     func(*world, *client)
	}{
		{"input", "yes", func(w *world, c *client) { w.link.Notify("event", wire.Event{Tab: 1, Kind: "input"}) }},
		{"navigation", "yes", func(w *world, c *client) { w.link.Notify("event", wire.Event{Tab: 1, Kind: "navigated"}) }},
		{"another tab's", "", func(w *world, c *client) { w.link.Notify("event", wire.Event{Tab: 2, Kind: "input"}) }},
		{"detached", "unknown", func(w *world, c *client) {
			w.link.Notify("event", wire.Event{Tab: 1, Kind: "detached", Reason: "idle"})
		}},
		{"an act", "yes", func(w *world, c *client) { c.act(wire.ActParams{UID: "u5", Action: "click"}) }},
		{"a refused act", "", func(w *world, c *client) {
			w.browser.Change(0, func(tab *faketest.Tab) { tab.Page.Nodes[0].Disabled = true })
			c.refused(wire.Disabled, "act", wire.ActParams{UID: "u5", Action: "click"})
		}},
		{"another host", "unknown", func(w *world, c *client) { w.restart() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := start(t, dedicated)
			c := w.client("c")
			s := c.snapshot(wire.SnapshotParams{URL: first})
			tt.happen(w, c)
			store, err := recovery.Open(w.dir, recovery.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			eventually(t, "the snapshot is marked "+tt.want, func() bool {
				_, seen, err := store.Lookup(t.Context(), s.RecoveryHandle)
				if err != nil {
					t.Fatal(err)
				}
				return seen.Superseded == tt.want
			})
		})
	}
}

// The keeper reads from the registry when the host was used last.
func TestUseIsNoted(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	c := w.client("c")
	e := w.entry()
	before := time.Unix(1_000_000_000, 0)
	if err := os.Chtimes(strings.TrimSuffix(e.Socket, ".sock")+".json", before, before); err != nil {
		t.Fatal(err)
	}
	c.must("tabs", wire.TabsParams{}, nil)
	if use, err := e.LastUse(); err != nil || !use.After(before) {
		t.Errorf("last use %v, %v", use, err)
	}
}

// What is typed into a secret field is in the frames that carry the act, and
// nowhere else.
func TestTypedSecret(t *testing.T) {
	t.Parallel()
	const password = "hunter2"
	w := start(t, dedicated, "HANDRAIL_LOG=debug")
	panel := &client{t: t, Conn: w.link.Conn}
	s := panel.snapshot(wire.SnapshotParams{URL: first})
	var reply json.RawMessage
	panel.must("act", wire.ActParams{UID: "u8", Action: "type", Text: text(password), ActID: actID}, &reply)
	var again json.RawMessage
	panel.must("act", wire.ActParams{UID: "u8", Action: "type", Text: text(password), ActID: actID}, &again)
	after := panel.snapshot(wire.SnapshotParams{})
	if n := bytes.Count(w.link.Seen(), []byte(password)); n != 1 {
		t.Errorf("%d frames to the extension hold the password, want that of the act alone", n)
	}
	w.link.Stdin.Close()
	w.link.Exit(t)
	disk, names := everyFile(t, w.dir)
	if len(names) < 2 {
		t.Fatalf("only %q is on disk", names)
	}
	for where, b := range map[string][]byte{"reply": reply, "reply of the retry": again, "view": []byte(s.UIDs + after.UIDs), "disk": disk} {
		if bytes.Contains(b, []byte(password)) {
			t.Errorf("the password is in the %s", where)
		}
	}
}

// What covers a node may have come up after the page was read: it is named, and
// can be acted on at once.
func TestCoveredByWhatWasNotSeen(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	c := w.client("c")
	c.snapshot(wire.SnapshotParams{URL: first})
	w.browser.Change(0, func(tab *faketest.Tab) {
		tab.Page.Nodes[0].Cover = 77
		tab.Page.Nodes = append(tab.Page.Nodes, &faketest.Node{ID: 77, Role: "button", Name: "lid"})
	})
	f := c.refused(wire.Covered, "act", wire.ActParams{UID: "u5", Action: "click"})
	if len(f.Candidates) != 1 || f.Candidates[0] != (wire.Candidate{UID: "u25", Role: "button", Name: "lid", Tag: "button"}) {
		t.Fatalf("candidates %+v", f.Candidates)
	}
	c.act(wire.ActParams{UID: "u25", Action: "click"})
}
