package recovery

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"handrail/compressor"
)

// canaries records snapshots that bear a mark in all that is stored of them.
func canaries(t *testing.T, s *Store, mark string, n int) (handles []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	for i := range n {
		noise := make([]byte, 20<<10) // some rows have pages of their own
		for k := range noise {
			noise[k] = byte(r.Uint32())
		}
		view := &View{Options: fmt.Sprintf(`{"query":"%s %d"}`, mark, i), UIDs: []string{"u" + mark}, Client: mark}
		targets := []compressor.Target{{UID: "u" + mark, Name: mark}}
		snap := &Snapshot{Capture: fmt.Sprint(mark, i), Browser: "b", Title: mark, Path: "/" + mark, Origin: "https://" + mark}
		if err := s.Record(ctx, append([]byte(mark+" "), noise[:100+i%20*1000]...), snap, targets, view); err != nil {
			t.Fatal(err)
		}
		if _, err := s.BeginAct(ctx, &Act{ID: fmt.Sprint(mark, i), Client: mark, Args: s.ArgsMAC(nil)}); err != nil {
			t.Fatal(err)
		}
		if err := s.FinishAct(ctx, fmt.Sprint(mark, i), "done", []byte(mark)); err != nil {
			t.Fatal(err)
		}
		handles = append(handles, view.Handle)
	}
	return handles
}

// found says which files of a directory hold a mark.
func found(t *testing.T, dir, mark string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		body, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(body, []byte(mark)) {
			names = append(names, e.Name())
		}
	}
	return names
}

// What is purged is in no file of the store, while another process has it open,
// too; what is younger or pinned is all there.
func TestPurge(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Unix(1e9, 0)
	opt := Options{Now: func() time.Time { return now }, MaxAge: 1000 * time.Hour}
	if err := os.WriteFile(filepath.Join(dir, fileName), []byte("no store, but an OLDCANARY"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, dir, opt)
	other := openStore(t, dir, opt)
	old := canaries(t, s, "OLDCANARY", 200)
	pinned := canaries(t, s, "PINNEDCANARY", 3)
	if err := s.Pin(ctx, pinned[1], true); err != nil {
		t.Fatal(err)
	}
	now = now.Add(48 * time.Hour)
	young := canaries(t, s, "YOUNGCANARY", 50)
	if _, err := other.Payload(ctx, old[0]); err != nil {
		t.Fatal(err)
	}
	if in := found(t, dir, "OLDCANARY"); len(in) != 3 { // the store, its log, the damaged one
		t.Fatalf("before, the canary is in %q", in)
	}

	gone, err := s.Purge(ctx, now.Add(-24*time.Hour), false)
	if err != nil || gone != 202 {
		t.Errorf("%d snapshots purged, %v; want 202", gone, err)
	}
	if in := found(t, dir, "OLDCANARY"); len(in) > 0 {
		t.Errorf("after, the canary is in %q", in)
	}
	for _, handle := range append(young, pinned[1]) {
		if _, err := other.Payload(ctx, handle); err != nil {
			t.Errorf("what was to stay: %v", err)
		}
	}
	for _, handle := range append(old, pinned[0]) {
		if _, err := other.Payload(ctx, handle); !errors.Is(err, ErrUnknownHandle) {
			t.Errorf("what was to go: %v", err)
		}
	}
	if _, err := s.Act(ctx, "OLDCANARY7"); !errors.Is(err, ErrUnknownAct) {
		t.Errorf("an act's result is still there: %v", err)
	}

	if gone, err := other.Purge(ctx, time.Time{}, true); err != nil || gone != 51 {
		t.Errorf("%d snapshots purged, %v; want 51", gone, err)
	}
	for _, mark := range []string{"YOUNGCANARY", "PINNEDCANARY"} {
		if in := found(t, dir, mark); len(in) > 0 {
			t.Errorf("after all, %s is in %q", mark, in)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || info.Size() > 200<<10 {
		t.Errorf("the empty store has %d bytes, %v", info.Size(), err)
	}
	record(t, s, "after", "x", 1)
}

// A reader in the middle of a transaction keeps older pages in the log.
func TestPurgeBesideAReader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, Options{Busy: time.Millisecond})
	canaries(t, s, "CANARY", 3)
	tx, err := s.read.Begin()
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := tx.QueryRow("SELECT count(*) FROM snapshots").Scan(&n); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Purge(ctx, time.Time{}, true); !errors.Is(err, ErrBusy) {
		t.Errorf("while another reads: %v", err)
	}
	tx.Rollback()
	if _, err := s.Purge(ctx, time.Time{}, true); err != nil {
		t.Error(err)
	}
	if in := found(t, dir, "CANARY"); len(in) > 0 {
		t.Errorf("the canary is in %q", in)
	}
}

// Neither age nor size lets a pinned snapshot go; unpinned, it goes.
func TestPinnedStay(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Unix(1e9, 0)
	s := openStore(t, dir, Options{Now: func() time.Time { return now }, MaxAge: time.Hour, MaxBytes: 400 << 10})
	handle := canaries(t, s, "PINNED", 1)[0]
	if err := s.Pin(ctx, handle, true); err != nil {
		t.Fatal(err)
	}
	if err := s.Pin(ctx, "hr_nothing", true); !errors.Is(err, ErrUnknownHandle) {
		t.Errorf("pinned what is not there: %v", err)
	}
	now = now.Add(2 * time.Hour)
	later := canaries(t, s, "LATER", 100)
	if _, err := s.Payload(ctx, handle); err != nil {
		t.Errorf("a pinned snapshot went: %v", err)
	}
	if _, err := s.Payload(ctx, later[0]); !errors.Is(err, ErrUnknownHandle) {
		t.Errorf("the store is not bounded: %v", err)
	}
	if err := s.Pin(ctx, handle, false); err != nil {
		t.Fatal(err)
	}
	record(t, s, "last", "x", 1)
	if _, err := s.Payload(ctx, handle); !errors.Is(err, ErrUnknownHandle) {
		t.Errorf("an old snapshot stayed: %v", err)
	}
}

// A store of the release before pins keeps what it holds.
func TestStoreWithoutPinsIsBroughtUpToDate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	handle := record(t, s, "c", "x", 1)
	if _, err := s.write.Exec("DROP TABLE pins; DROP TABLE rules; PRAGMA user_version = 1"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s = openStore(t, dir, Options{})
	if moved := s.Moved(); moved != "" {
		t.Fatalf("moved to %q", moved)
	}
	if err := s.Pin(ctx, handle, true); err != nil {
		t.Error(err)
	}
}

// By default 7 days and 512 MiB are kept.
func TestRetentionDefaults(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), Options{})
	if s.opt.MaxAge != 7*24*time.Hour || s.opt.MaxBytes != 512<<20 {
		t.Errorf("%v and %d bytes are kept", s.opt.MaxAge, s.opt.MaxBytes)
	}
}
