package recovery

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// damageSchema makes what is stored unreadable to whoever opens the store next,
// and leaves those alone who have it open.
func damageSchema(t *testing.T, dir string) {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(dir, fileName), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt(make([]byte, 3000), 100); err != nil {
		t.Fatal(err)
	}
}

// damageTable spoils a page that is read when a snapshot is recorded.
func damageTable(t *testing.T, dir string) {
	t.Helper()
	s := openStore(t, dir, Options{})
	var page int64
	if err := s.write.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = 'snapshots'").Scan(&page); err != nil {
		t.Fatal(err)
	}
	s.Close()
	file, err := os.OpenFile(filepath.Join(dir, fileName), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt([]byte{0xff, 0xff, 0xff}, (page-1)*4096); err != nil {
		t.Fatal(err)
	}
}

// One host finds the store damaged while another has it open: what either
// acknowledges from then on is in the new store, whichever closes first.
func TestMovedAsideUnderAnother(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := openStore(t, dir, Options{})
	record(t, other, "c1", "x", 1, "u1")
	if _, err := other.write.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	damageSchema(t, dir)
	s := openStore(t, dir, Options{})
	if s.Moved() == "" {
		t.Fatal("the damage was not noticed")
	}
	handles := []string{record(t, s, "c2", "x", 1, "u1"), record(t, other, "c3", "x", 1, "u1")}
	other.Close()
	handles = append(handles, record(t, s, "c4", "x", 1, "u1"))
	third := openStore(t, dir, Options{})
	handles = append(handles, record(t, third, "c5", "x", 1, "u1"))
	for i, handle := range handles {
		for _, reader := range []*Store{s, third} {
			if _, err := reader.Payload(ctx, handle); err != nil {
				t.Errorf("snapshot %d: %v", i, err)
			}
		}
	}
}

// A snapshot that meets damage is recorded all the same, in a new store.
func TestDamageMetWhileOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	for range 3 {
		record(t, s, "c1", "x", 1, "u1")
	}
	s.Close()
	damageTable(t, dir)
	s = openStore(t, dir, Options{})
	if s.Moved() != "" {
		t.Fatal("the damage was met too early")
	}
	handle := record(t, s, "c2", "x", 1, "u1")
	if _, err := s.Payload(ctx, handle); err != nil || s.Moved() == "" {
		t.Errorf("%v; moved to %q", err, s.Moved())
	}
}

// A row that names another snapshot than its handle does is damage, too.
func TestSwappedSnapshot(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), Options{})
	one := record(t, s, "c1", "x", 1, "u1")
	record(t, s, "c2", "x", 2, "u1")
	if _, err := s.write.Exec("UPDATE views SET snapshot = 2"); err != nil {
		t.Fatal(err)
	}
	_, payloadErr := s.Payload(ctx, one)
	_, targetsErr := s.Targets(ctx, one)
	_, _, lookupErr := s.Lookup(ctx, one)
	for _, err := range []error{payloadErr, targetsErr, lookupErr} {
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("another snapshot's: %v", err)
		}
	}
}

// What is recorded again is whole again.
func TestRecordMendsDamage(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), Options{})
	handle := record(t, s, "c1", "x", 1, "u1")
	if _, err := s.write.Exec("UPDATE payloads SET zstd = x'28b52ffd'; UPDATE snapshots SET targets = x'00'"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Payload(ctx, handle); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a damaged row: %v", err)
	}
	if _, err := s.Targets(ctx, handle); !errors.Is(err, ErrCorrupt) {
		t.Errorf("damaged targets of a damaged payload: %v", err)
	}
	record(t, s, "c1", "x", 1, "u1")
	if _, err := s.Payload(ctx, handle); err != nil {
		t.Error(err)
	}
	if targets, err := s.Targets(ctx, handle); err != nil || len(targets) != 1 {
		t.Errorf("%v, %v", targets, err)
	}
}

// A request that is canceled in the middle takes nothing with it.
func TestCanceled(t *testing.T) {
	t.Parallel()
	for _, ephemeral := range []bool{false, true} {
		s := openStore(t, t.TempDir(), Options{Ephemeral: ephemeral})
		handle := record(t, s, "c1", "x", 1, "u1")
		canceled, cancel := context.WithCancel(ctx)
		if _, err := s.write.BeginTx(canceled, nil); err != nil {
			t.Fatal(err)
		}
		cancel()
		for deadline := time.Now().Add(10 * time.Second); s.write.Stats().InUse > 0; runtime.Gosched() {
			if time.Now().After(deadline) {
				t.Fatal("the transaction did not end")
			}
		}
		if _, err := s.Payload(ctx, handle); err != nil {
			t.Errorf("ephemeral %v: %v", ephemeral, err)
		}
		record(t, s, "c2", "x", 1, "u1")
	}
}

// abandon makes a store and leaves it as a process that was killed
// does, with what it has acknowledged in the log. It gives the payloads by handle.
func abandon(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	cmd := child(dir, "abandon")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for n, lines := 0, bufio.NewScanner(out); n < 12 && lines.Scan(); n++ {
	}
	cmd.Process.Kill()
	cmd.Wait()
	payloads := map[string][]byte{}
	for i := range 12 {
		payload := childPayload("abandon", i)
		payloads[Handle(payload, "")] = payload
	}
	return payloads
}

// Whatever is damaged: the store opens or is moved aside, what comes back is
// right, and the next snapshot can be recorded.
func TestCorruption(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	payloads := abandon(t, dir)
	read := func(suffix string) []byte {
		body, err := os.ReadFile(filepath.Join(dir, fileName+suffix))
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	killed := map[string][]byte{"": read(""), "-wal": read("-wal")}
	openStore(t, dir, Options{}).Close()
	closed := map[string][]byte{"": read(""), "-wal": read("-wal")}
	if len(killed["-wal"]) == 0 || len(closed["-wal"]) != 0 {
		t.Fatalf("the log has %d bytes when killed, %d when closed", len(killed["-wal"]), len(closed["-wal"]))
	}
	rounds := 300
	if testing.Short() {
		rounds = 30
	}
	r := rand.New(rand.NewPCG(9, 9))
	atOnce, later, kept := 0, 0, 0
	for round := range rounds {
		place := t.TempDir()
		whole, damaged := closed, ""
		if r.IntN(3) == 0 {
			whole, damaged = killed, []string{"", "-wal"}[r.IntN(2)]
		}
		for suffix, body := range whole {
			if suffix == damaged {
				body = bytes.Clone(body)
				switch r.IntN(4) {
				case 0:
					body = body[:r.IntN(len(body))]
				case 1:
					body[r.IntN(200)] ^= byte(1 + r.IntN(255))
				case 2: // the head of a page
					body[r.IntN(len(body)/4096)*4096+r.IntN(16)] ^= byte(1 + r.IntN(255))
				default:
					for at, i := r.IntN(len(body)-64), 0; i < 64; i++ {
						body[at+i] ^= byte(r.Uint32())
					}
				}
			}
			if err := os.WriteFile(filepath.Join(place, fileName+suffix), body, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Open(place, Options{})
		if errors.Is(err, ErrNewer) { // the version's own bytes were hit
			continue
		}
		if err != nil {
			t.Errorf("round %d: neither opened nor moved aside: %v", round, err)
			continue
		}
		opened := s.Moved() == ""
		for handle, payload := range payloads {
			got, err := s.Payload(ctx, handle)
			if err == nil && !bytes.Equal(got, payload) {
				t.Errorf("round %d: a wrong payload for %s", round, handle)
			}
			if err == nil {
				kept++
			} else if !errors.Is(err, ErrUnknownHandle) && !errors.Is(err, ErrCorrupt) {
				t.Errorf("round %d: payload of a damaged store: %v", round, err)
			}
			targets, err := s.Targets(ctx, handle)
			if err == nil && len(targets) != 2 {
				t.Errorf("round %d: %d targets", round, len(targets))
			}
		}
		// Damage that is met only when the snapshot is read takes it along, once.
		for try := 0; ; try++ {
			next := record(t, s, "next", "x", 1, "u1")
			_, _, _, shownErr := s.Shown(ctx, "x", "b", 1, "u1")
			_, payloadErr := s.Payload(ctx, next)
			if err := errors.Join(shownErr, payloadErr); err == nil {
				break
			} else if try == 1 || s.Moved() == "" {
				t.Errorf("round %d: the next snapshot: %v", round, err)
				break
			}
		}
		if moved := s.Moved(); moved != "" {
			if info, err := os.Stat(moved); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("round %d: moved to %q: %v", round, moved, err)
			}
			if opened {
				later++
			} else {
				atOnce++
			}
		}
		s.Close()
		os.RemoveAll(place)
	}
	t.Logf("moved aside at once %d, later %d; %d payloads read", atOnce, later, kept)
	if !testing.Short() && (atOnce == 0 || later == 0 || kept == 0) {
		t.Error("not every kind of damage was met")
	}
}
