package recovery

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
)

const (
	childEnv = "HANDRAIL_TEST_RECORD"
	fullEnv  = "HANDRAIL_TEST_FULL"
)

// TestMain lets the test binary be the process that is killed, or one of several
// that record at once.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		work := recordAll
		if os.Getenv(fullEnv) != "" {
			work = recordWhenFull
		}
		if err := work(dir, os.Getenv("HANDRAIL_TEST_NAME")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const childSnapshots = 100

// childPayload is a payload of a child, up to 200 KB that zstd cannot shrink:
// so that a kill meets a commit at work.
func childPayload(name string, i int) []byte {
	r := rand.New(rand.NewPCG(uint64(i), uint64(len(name))))
	noise := make([]byte, 100+r.IntN(1+i%4*50_000))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	return append(fmt.Appendf(nil, "%s/%d ", name, i), noise...)
}

// recordAll says that it begins, and acknowledges each handle on stdout.
func recordAll(dir, name string) error {
	fmt.Println("begun")
	s, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	for i := range childSnapshots {
		view := &View{UIDs: []string{"u1", "u2"}, Client: name}
		if err := s.Record(ctx, childPayload(name, i), &Snapshot{Capture: fmt.Sprint(name, i), Browser: "b"}, targetsOf("u1", "u2"), view); err != nil {
			return err
		}
		fmt.Println(view.Handle)
	}
	return s.Close()
}

func child(dir, name string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir, "HANDRAIL_TEST_NAME="+name)
	return cmd
}

// Whenever the process is killed, while it opens the store too: what it has
// acknowledged is there, nothing is there by half, and the next snapshot can be
// recorded.
func TestKilled(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	points := 50
	if testing.Short() {
		points = 5
	}
	var dir string
	for point := range points {
		if point%5 == 0 {
			dir = t.TempDir()
		}
		cmd := child(dir, fmt.Sprint("kill", point))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var acknowledged []string
		lines := bufio.NewScanner(out)
		for more := r.IntN(12); more >= 0 && lines.Scan(); more-- {
			if lines.Text() != "begun" {
				acknowledged = append(acknowledged, lines.Text())
			}
		}
		for range r.IntN(100_000) { // somewhere in the next one
			runtime.Gosched()
		}
		cmd.Process.Kill()
		for lines.Scan() { // acknowledged before the kill came
			acknowledged = append(acknowledged, lines.Text())
		}
		cmd.Wait()

		s := openStore(t, dir, Options{})
		if moved := s.Moved(); moved != "" {
			t.Fatalf("point %d: moved to %q", point, moved)
		}
		var integrity string
		if err := s.write.QueryRow("PRAGMA integrity_check").Scan(&integrity); err != nil || integrity != "ok" {
			t.Fatalf("point %d: integrity %s, %v", point, integrity, err)
		}
		for _, handle := range append(acknowledged, storedHandles(t, s)...) {
			if len(handle) != 35 { // the last line was cut off
				continue
			}
			if _, err := s.Payload(ctx, handle); err != nil {
				t.Errorf("point %d: %v", point, err)
			}
			if targets, err := s.Targets(ctx, handle); err != nil || len(targets) != 2 {
				t.Errorf("point %d: %d targets, %v", point, len(targets), err)
			}
		}
		record(t, s, fmt.Sprint("after", point), "x", 1, "u1", "u2")
		s.Close()
	}
}

func storedHandles(t *testing.T, s *Store) (handles []string) {
	t.Helper()
	rows, err := s.read.Query("SELECT handle FROM views")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var handle string
		if err := rows.Scan(&handle); err != nil {
			t.Fatal(err)
		}
		handles = append(handles, handle)
	}
	return handles
}

// Several processes begin on one store at once. Whatever it was before, no lock
// shows, and all that any of them acknowledges is there in the end.
func TestSeveralProcesses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		moved  int
	}{
		{"new store", func(*testing.T, string) {}, 0},
		{"damage at the start", damageSchema, 1},
		{"damage met later", damageTable, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if test.moved > 0 {
				s := openStore(t, dir, Options{})
				record(t, s, "before", "x", 1, "u1")
				s.Close()
				test.damage(t, dir)
			}
			handles := make([]string, 4)
			var all sync.WaitGroup
			for i := range handles {
				all.Go(func() {
					cmd := child(dir, fmt.Sprint("host", i))
					var stderr strings.Builder
					cmd.Stderr = &stderr
					out, err := cmd.Output()
					if err != nil {
						t.Errorf("process %d: %v: %s", i, err, stderr.String())
					}
					handles[i] = string(out)
				})
			}
			all.Wait()
			s := openStore(t, dir, Options{})
			n := 0
			for _, handle := range strings.Fields(strings.Join(handles, "")) {
				if handle == "begun" {
					continue
				}
				n++
				if _, err := s.Payload(ctx, handle); err != nil {
					t.Error(err)
				}
			}
			if n != 4*childSnapshots {
				t.Errorf("%d of %d were acknowledged", n, 4*childSnapshots)
			}
			moved, err := filepath.Glob(filepath.Join(dir, fileName+".corrupt-*[0-9]"))
			if err != nil || len(moved) != test.moved {
				t.Errorf("moved aside: %q, %v", moved, err)
			}
		})
	}
}

// recordWhenFull records with files that can grow to a limit, one page more
// each time, and then without. It says which handles it acknowledged.
func recordWhenFull(dir, name string) error {
	signal.Ignore(syscall.SIGXFSZ)
	var free syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &free); err != nil {
		return err
	}
	refused := 0
	for page := range uint64(200) {
		place := filepath.Join(dir, fmt.Sprint(page))
		limit := free
		limit.Cur = page * 4096
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		acknowledged, fullErr := recordSome(place)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &free); err != nil {
			return err
		}
		switch {
		case fullErr == nil:
		case errors.Is(fullErr, ErrFull) || errors.Is(fullErr, ErrIO):
			refused++
		default:
			return fmt.Errorf("limit of %d pages: %w", page, fullErr)
		}
		again, err := recordSome(place)
		if err != nil {
			return fmt.Errorf("with space again, after %d pages: %w", page, err)
		}
		s, err := Open(place, Options{})
		if err != nil {
			return err
		}
		for _, handle := range append(acknowledged, again...) {
			if _, err := s.Payload(ctx, handle); err != nil {
				return fmt.Errorf("after %d pages: %w", page, err)
			}
		}
		if err := errors.Join(s.Close(), os.RemoveAll(place)); err != nil {
			return err
		}
	}
	fmt.Println("refused", refused)
	return nil
}

func recordSome(dir string) (acknowledged []string, err error) {
	s, err := Open(dir, Options{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for i := range 8 {
		view := &View{UIDs: []string{"u1", "u2"}, Client: "x"}
		if err := s.Record(ctx, childPayload("full", i), &Snapshot{Capture: fmt.Sprint(i), Browser: "b"}, targetsOf("u1", "u2"), view); err != nil {
			return acknowledged, err
		}
		acknowledged = append(acknowledged, view.Handle)
	}
	return acknowledged, nil
}

// Wherever the space ends: what was acknowledged is there, and with space again
// the next snapshot is recorded.
func TestSpaceEnds(t *testing.T) {
	t.Parallel()
	cmd := child(t.TempDir(), "full")
	cmd.Env = append(cmd.Env, fullEnv+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var refused int
	if _, err := fmt.Sscanf(string(out), "refused %d", &refused); err != nil || refused < 100 {
		t.Errorf("the space ended %d times: %s", refused, out)
	}
}
