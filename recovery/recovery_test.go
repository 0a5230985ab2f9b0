package recovery

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"handrail/compressor"
)

var ctx = context.Background()

func openStore(t *testing.T, dir string, opt Options) *Store {
	t.Helper()
	s, err := Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// page is a small payload whose node has the uid u<n>.
func page(n int) []byte {
	return fmt.Appendf(nil, `{"nodes":[{"nodeId":"1","role":{"value":"button"},"name":{"value":"Page %d"},"backendDOMNodeId":%d}]}`, n, n)
}

func targetsOf(uids ...string) (targets []compressor.Target) {
	for i, uid := range uids {
		targets = append(targets, compressor.Target{UID: uid, BackendDOMNodeID: int64(i + 1), Role: "button", Name: uid})
	}
	return targets
}

// record stores a live snapshot that showed the uids to a client and gives its handle.
func record(t *testing.T, s *Store, capture, client string, tab int, uids ...string) string {
	t.Helper()
	payload := []byte(`{"capture":"` + capture + `"}`)
	view := &View{Handle: Handle(payload, ""), UIDs: uids, Client: client, TokensBefore: 10, ViewTokens: 2}
	if err := s.Record(ctx, payload, &Snapshot{Capture: capture, Browser: "b", Tab: tab, Document: "doc " + capture}, targetsOf(uids...), view); err != nil {
		t.Fatal(err)
	}
	return view.Handle
}

func TestPayloadComesBack(t *testing.T) {
	t.Parallel()
	for _, ephemeral := range []bool{false, true} {
		s := openStore(t, t.TempDir(), Options{Ephemeral: ephemeral})
		for _, payload := range [][]byte{{}, []byte("x"), bytes.Repeat([]byte("long "), 1<<18), {0, 0xff, '"'}} {
			view := &View{Handle: Handle(payload, "")}
			snap := &Snapshot{}
			if err := s.Record(ctx, payload, snap, nil, view); err != nil {
				t.Fatal(err)
			}
			got, err := s.Payload(ctx, view.Handle)
			if err != nil || !bytes.Equal(got, payload) {
				t.Errorf("%d bytes came back as %d: %v", len(payload), len(got), err)
			}
			if snap.Digest != sha256.Sum256(payload) || snap.Bytes != int64(len(payload)) {
				t.Errorf("snapshot %+v", snap)
			}
		}
		if _, err := s.Payload(ctx, "hr_0"); !errors.Is(err, ErrUnknownHandle) {
			t.Errorf("unknown handle: %v", err)
		}
	}
}

func TestRecordTwiceIsOne(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), Options{})
	first, again := record(t, s, "c1", "x", 1, "u1"), record(t, s, "c1", "x", 1, "u1")
	if first != again {
		t.Errorf("handles %s and %s", first, again)
	}
	if st, err := s.Stats(ctx); err != nil || st.Snapshots != 1 || st.Views != 1 || st.Payloads != 1 || st.TokensSaved != 8 {
		t.Errorf("stats %+v, %v", st, err)
	}
}

func TestHandle(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, payload := range []string{"a", "b"} {
		for _, options := range []string{"", `{"query":"x"}`} {
			h := Handle([]byte(payload), options)
			if len(h) != 35 || !strings.HasPrefix(h, "hr_") || seen[h] {
				t.Errorf("handle %q", h)
			}
			seen[h] = true
		}
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), Options{})
	old := record(t, s, "c1", "cli", 1, "u1", "u10")
	record(t, s, "c2", "other", 1, "u1")
	tab2 := record(t, s, "c3", "cli", 2, "u2")

	view, snap, target, err := s.Shown(ctx, "cli", "b", 0, "u1")
	if err != nil || view.Handle != old || snap.Document != "doc c1" || target.UID != "u1" {
		t.Fatalf("another client's newer view counts: %v %v %v %v", view, snap, target, err)
	}
	for _, test := range []struct {
		name, client, browser string
		tab                   int
		uid                   string
	}{
		{"part of a uid", "cli", "b", 0, "u"},
		{"not shown", "cli", "b", 0, "u3"},
		{"two uids", "cli", "b", 0, "u1 u10"},
		{"none", "cli", "b", 0, ""},
		{"another tab", "cli", "b", 1, "u2"},
		{"another browser", "cli", "x", 0, "u1"},
		{"another client", "nobody", "b", 0, "u1"},
	} {
		if _, _, _, err := s.Shown(ctx, test.client, test.browser, test.tab, test.uid); !errors.Is(err, ErrUnknownUID) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if latest, _, err := s.Latest(ctx, "cli", "b", 0); err != nil || latest.Handle != tab2 {
		t.Errorf("latest %v, %v", latest, err)
	}
	if latest, _, err := s.Latest(ctx, "cli", "b", 1); err != nil || latest.Handle != old {
		t.Errorf("latest of tab 1: %v, %v", latest, err)
	}
	record(t, s, "c4", "cli", 2)
	if _, _, _, err := s.Shown(ctx, "cli", "b", 0, ""); !errors.Is(err, ErrUnknownUID) {
		t.Errorf("no uid, in a view without uids: %v", err)
	}
	// A view that is delivered again is the newest; to another client it is theirs too.
	again, _, err := s.Lookup(ctx, old)
	if err != nil {
		t.Fatal(err)
	}
	for _, client := range []string{"cli", "third"} {
		again.Client, again.Delivered = client, time.Time{}
		if err := s.AddView(ctx, again); err != nil {
			t.Fatal(err)
		}
		if latest, _, err := s.Latest(ctx, client, "b", 0); err != nil || latest.Handle != old {
			t.Errorf("%s: latest %v, %v", client, latest, err)
		}
	}
}

func TestSecondViewOfASnapshot(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), Options{})
	payload, snap := page(1), &Snapshot{Capture: "c"}
	first := &View{Options: "1", UIDs: []string{"u1"}, Client: "cli"}
	if err := s.Record(ctx, payload, snap, targetsOf("u1", "u2"), first); err != nil {
		t.Fatal(err)
	}
	second := &View{Options: "2", Snapshot: snap.ID, UIDs: []string{"u2"}, Client: "cli"}
	if err := s.AddView(ctx, second); err != nil {
		t.Fatal(err)
	}
	for _, uid := range []string{"u1", "u2"} {
		if _, _, _, err := s.Shown(ctx, "cli", "", 0, uid); err != nil {
			t.Errorf("%s: %v", uid, err)
		}
	}
	for options, view := range map[string]*View{"1": first, "2": second} {
		if got, of, err := s.Lookup(ctx, Handle(payload, options)); err != nil || got.Handle != view.Handle || of.ID != snap.ID {
			t.Errorf("options %s: %+v, %v", options, got, err)
		}
		if got, err := s.Payload(ctx, view.Handle); err != nil || !bytes.Equal(got, payload) {
			t.Errorf("options %s: %q, %v", options, got, err)
		}
	}
	if err := s.AddView(ctx, &View{Snapshot: 999}); !errors.Is(err, ErrUnknownHandle) {
		t.Errorf("a view of no snapshot: %v", err)
	}
}

func TestTargetsAreMadeAgain(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), Options{})
	payload := page(7)
	view := &View{Handle: Handle(payload, "")}
	if err := s.Record(ctx, payload, &Snapshot{}, nil, view); err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.Exec("UPDATE snapshots SET targets = x'00'"); err != nil {
		t.Fatal(err)
	}
	targets, err := s.Targets(ctx, view.Handle)
	if err != nil || len(targets) != 1 || targets[0].UID != "u7" {
		t.Errorf("targets %+v, %v", targets, err)
	}
}

func TestSupersede(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), Options{})
	one, two := record(t, s, "c1", "x", 1), record(t, s, "c2", "x", 2)
	want := func(handle, how string) {
		t.Helper()
		if _, snap, err := s.Lookup(ctx, handle); err != nil || snap.Superseded != how {
			t.Errorf("superseded %q, want %q (%v)", snap.Superseded, how, err)
		}
	}
	for _, step := range []struct {
		tab      int
		how      string
		one, two string
	}{{1, "unknown", "unknown", ""}, {1, "yes", "yes", ""}, {0, "unknown", "unknown", "unknown"}} {
		if step.tab == 0 {
			step.one = "unknown"
		}
		if err := s.Supersede(ctx, "b", step.tab, step.how); err != nil {
			t.Fatal(err)
		}
		if step.tab == 0 {
			want(two, "unknown")
			continue
		}
		want(one, step.one)
		want(two, step.two)
	}
	want(one, "yes") // what is known stays known
	if err := s.Supersede(ctx, "b", 1, "perhaps"); err == nil {
		t.Error("perhaps was taken")
	}
}

func TestLedger(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), Options{})
	act := func(id, args string) *Act {
		return &Act{ID: id, Client: "cli", Kind: "type", Args: s.ArgsMAC([]byte(args))}
	}
	if known, err := s.BeginAct(ctx, act("1", "hunter2")); known != nil || err != nil {
		t.Fatal(known, err)
	}
	known, err := s.BeginAct(ctx, act("1", "hunter2"))
	if err != nil || known == nil || known.State != "sent" {
		t.Fatalf("again: %+v, %v", known, err)
	}
	if _, err := s.BeginAct(ctx, act("1", "other")); !errors.Is(err, ErrActReused) {
		t.Errorf("other arguments: %v", err)
	}
	if err := s.FinishAct(ctx, "1", "done", []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	if a, err := s.Act(ctx, "1"); err != nil || a.State != "done" || string(a.Result) != "{}" {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := s.Act(ctx, "2"); !errors.Is(err, ErrUnknownAct) {
		t.Errorf("unknown act: %v", err)
	}
	for _, late := range []string{"uncertain", "failed"} {
		if err := s.FinishAct(ctx, "1", late, []byte(`"late"`)); err != nil {
			t.Error(err)
		}
	}
	if a, err := s.Act(ctx, "1"); err != nil || a.State != "done" || string(a.Result) != "{}" {
		t.Errorf("what was done is now %+v, %v", a, err)
	}
	if err := s.FinishAct(ctx, "2", "done", nil); !errors.Is(err, ErrUnknownAct) {
		t.Errorf("unknown act's end: %v", err)
	}
}

func TestSettingsAndOrdinals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	if v, err := s.Setting(ctx, "k"); v != "" || err != nil {
		t.Errorf("%q, %v", v, err)
	}
	for _, v := range []string{"1", "2", ""} {
		if err := s.SetSetting(ctx, "k", v); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Setting(ctx, "k"); got != v || err != nil {
			t.Errorf("%q, %v; want %q", got, err, v)
		}
	}
	if err := s.SetOrdinals(ctx, "b", 1, map[string]int{"T": 1}); err != nil {
		t.Fatal(err)
	}
	if err := s.SetOrdinals(ctx, "b", 1, map[string]int{"T": 9, "U": 2}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s = openStore(t, dir, Options{})
	if got, err := s.Ordinals(ctx, "b", 1); err != nil || got["T"] != 1 || got["U"] != 2 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := s.Ordinals(ctx, "b", 2); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestRetention(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	s := openStore(t, t.TempDir(), Options{Now: func() time.Time { return now }, MaxAge: time.Hour, MaxBytes: 1 << 20})
	old := record(t, s, "old", "x", 1)
	now = now.Add(2 * time.Hour)
	record(t, s, "new", "x", 1)
	if _, err := s.Payload(ctx, old); !errors.Is(err, ErrUnknownHandle) {
		t.Errorf("an old snapshot stayed: %v", err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	var handles []string
	for range 40 {
		noise := make([]byte, 100<<10)
		for i := range noise {
			noise[i] = byte(r.Uint32())
		}
		now = now.Add(time.Second)
		view := &View{Handle: Handle(noise, "")}
		if err := s.Record(ctx, noise, &Snapshot{}, nil, view); err != nil {
			t.Fatal(err)
		}
		handles = append(handles, view.Handle)
		if _, err := s.Payload(ctx, view.Handle); err != nil {
			t.Fatalf("the newest went: %v", err)
		}
	}
	if _, err := s.Payload(ctx, handles[0]); !errors.Is(err, ErrUnknownHandle) {
		t.Errorf("the oldest stayed: %v", err)
	}
	st, err := s.Stats(ctx)
	if err != nil || st.StoredBytes > 1<<20 {
		t.Errorf("%+v, %v", st, err)
	}
}

func TestEphemeralLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	s := openStore(t, dir, Options{Ephemeral: true})
	record(t, s, "c", "x", 1, "u1")
	if _, _, _, err := s.Shown(ctx, "x", "b", 0, "u1"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something is on the disk: %v", err)
	}
	other := openStore(t, dir, Options{Ephemeral: true})
	if st, err := other.Stats(ctx); err != nil || st.Snapshots != 0 {
		t.Errorf("two ephemeral stores share %+v, %v", st, err)
	}
}

func TestNewerStoreIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		killed bool // what makes it newer is in the log alone
	}{{"closed", false}, {"killed", true}} {
		dir := t.TempDir()
		s := openStore(t, dir, Options{})
		record(t, s, "c", "x", 1)
		if _, err := s.write.Exec("PRAGMA user_version = 99"); err != nil {
			t.Fatal(err)
		}
		if !test.killed {
			s.Close()
		}
		left := t.TempDir()
		before := map[string][]byte{}
		for _, suffix := range []string{"", "-wal"} {
			body, err := os.ReadFile(filepath.Join(dir, fileName+suffix))
			if err != nil {
				t.Fatal(err)
			}
			before[suffix] = body
			if err := os.WriteFile(filepath.Join(left, fileName+suffix), body, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if test.killed != (len(before["-wal"]) > 0) {
			t.Fatalf("%s: the log has %d bytes", test.name, len(before["-wal"]))
		}
		for range 2 {
			if _, err := Open(left, Options{}); !errors.Is(err, ErrNewer) {
				t.Errorf("%s: opened: %v", test.name, err)
			}
		}
		for suffix, body := range before {
			if after, err := os.ReadFile(filepath.Join(left, fileName+suffix)); err != nil || !bytes.Equal(body, after) {
				t.Errorf("%s: store.db%s changed: %v", test.name, suffix, err)
			}
		}
	}
}

func TestBusy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	holder := openStore(t, dir, Options{})
	handle := record(t, holder, "c", "x", 1)
	waiter := openStore(t, dir, Options{Busy: 20 * time.Millisecond})
	tx, err := holder.write.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := waiter.SetSetting(ctx, "k", "v"); !errors.Is(err, ErrBusy) {
		t.Errorf("a held store: %v", err)
	}
	if _, err := waiter.Payload(ctx, handle); err != nil {
		t.Errorf("read while it is held: %v", err)
	}
	openStore(t, dir, Options{Busy: 20 * time.Millisecond}).Close() // needs no lock that others hold
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := waiter.SetSetting(ctx, "k", "v"); err != nil {
		t.Errorf("after: %v", err)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), Options{})
	var all sync.WaitGroup
	for client := range 4 {
		all.Go(func() {
			for i := range 25 {
				name := fmt.Sprintf("%d/%d", client, i)
				payload := []byte(name)
				view := &View{Handle: Handle(payload, ""), Client: fmt.Sprint(client), UIDs: []string{"u1"}}
				if err := s.Record(ctx, payload, &Snapshot{Capture: name, Browser: "b"}, targetsOf("u1"), view); err != nil {
					t.Error(err)
				}
				if shown, _, _, err := s.Shown(ctx, fmt.Sprint(client), "b", 0, "u1"); err != nil || shown.Handle != view.Handle {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	all.Wait()
}

func TestFull(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), Options{})
	if _, err := s.write.Exec("PRAGMA max_page_count = 60"); err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 1<<20)
	r := rand.New(rand.NewPCG(2, 2))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	view := &View{Handle: Handle(noise, "")}
	if err := s.Record(ctx, noise, &Snapshot{}, nil, view); !errors.Is(err, ErrFull) {
		t.Errorf("a full disk: %v", err)
	}
	if _, _, err := s.Lookup(ctx, view.Handle); !errors.Is(err, ErrUnknownHandle) {
		t.Errorf("half a snapshot is there: %v", err)
	}
	if _, err := s.write.Exec("PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	if err := s.Record(ctx, noise, &Snapshot{}, nil, view); err != nil {
		t.Errorf("with space again: %v", err)
	}
}

func TestForeignKeysHold(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), Options{})
	handle := record(t, s, "c", "x", 1)
	if _, err := s.write.Exec("DELETE FROM snapshots"); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := s.read.QueryRow("SELECT (SELECT count(*) FROM views) + (SELECT count(*) FROM deliveries)").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows outlive their snapshot, %v", n, err)
	}
	if _, _, err := s.Lookup(ctx, handle); !errors.Is(err, ErrUnknownHandle) {
		t.Error(err)
	}
}

// What is asked at every act and snapshot is found by an index, however much is
// stored.
func TestQueriesUseIndexes(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), Options{})
	for _, test := range []struct{ name, query, index string }{
		{"newest view of a client", newestDelivered, "deliveries_by_client (client=?)"},
		{"supersede", supersede, "snapshots_current (browser=?)"},
		{"snapshots over age", dropAged, "snapshots_by_time (taken<?)"},
		{"acts over age", dropAgedActs, "acts_by_time (at<?)"},
	} {
		rows, err := s.write.Query("EXPLAIN QUERY PLAN "+test.query, make([]any, strings.Count(test.query, "?"))...)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		var plan strings.Builder
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&plan, detail)
		}
		rows.Close()
		if !strings.Contains(plan.String(), test.index) || strings.Contains(plan.String(), "SCAN") || strings.Contains(plan.String(), "TEMP B-TREE") {
			t.Errorf("%s:\n%s", test.name, plan.String())
		}
	}
}
