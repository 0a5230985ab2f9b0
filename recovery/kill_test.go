package recovery

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

const childEnv = "HANDRAIL_TEST_RECORD"

// TestMain lets the test binary be the process that is killed, or one of several
// that record at once.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		if err := recordForever(dir, os.Getenv("HANDRAIL_TEST_NAME")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// recordForever records and acknowledges each handle on stdout, 100 at most.
func recordForever(dir, name string) error {
	s, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	for i := range 100 {
		payload := bytes.Repeat(fmt.Appendf(nil, "%s/%d ", name, i), 200)
		view := &View{Handle: Handle(payload, ""), UIDs: []string{"u1", "u2"}, Client: name}
		if err := s.Record(ctx, payload, &Snapshot{Capture: fmt.Sprint(name, i), Browser: "b"}, targetsOf("u1", "u2"), view); err != nil {
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

// Whenever the process is killed: what it acknowledged is there, whole, and the
// next snapshot can be recorded.
func TestKilled(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	dir := t.TempDir()
	points := 50
	if testing.Short() {
		points = 5
	}
	for point := range points {
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
		for last := r.IntN(12); len(acknowledged) <= last && lines.Scan(); {
			acknowledged = append(acknowledged, lines.Text())
		}
		cmd.Process.Kill()
		cmd.Wait()
		if len(acknowledged) == 0 {
			t.Fatal("nothing was acknowledged")
		}

		s := openStore(t, dir, Options{})
		var integrity string
		if err := s.write.QueryRow("PRAGMA integrity_check").Scan(&integrity); err != nil || integrity != "ok" {
			t.Fatalf("point %d: integrity %s, %v", point, integrity, err)
		}
		for _, handle := range acknowledged {
			if _, err := s.Payload(ctx, handle); err != nil {
				t.Errorf("point %d: %v", point, err)
			}
			if targets, err := s.Targets(ctx, handle); err != nil || len(targets) != 2 {
				t.Errorf("point %d: %d targets, %v", point, len(targets), err)
			}
		}
		record(t, s, fmt.Sprint("after", point), "x", 1)
		s.Close()
	}
}

func TestSeveralProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
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
	for handle := range strings.Lines(strings.Join(handles, "")) {
		n++
		if _, err := s.Payload(ctx, strings.TrimSpace(handle)); err != nil {
			t.Error(err)
		}
	}
	if n != 400 {
		t.Errorf("%d of 400 were acknowledged", n)
	}
}
