package cli

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Whoever waits for stdin, from which nothing comes, ends at the first signal.
func TestSignalEndsReadingStdin(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		signal syscall.Signal
		args   []string
	}{
		"a payload":        {syscall.SIGINT, []string{"compress", "--type", "a11y"}},
		"a list":           {syscall.SIGTERM, []string{"compress", "--type", "a11y", "--batch", "-", "--out", filepath.Join(t.TempDir(), "out"), "--store=false"}},
		"a schema":         {syscall.SIGINT, []string{"extract", "-", "tree.json"}},
		"what is detected": {syscall.SIGTERM, []string{"detect"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(self)
			cmd.Args = append([]string{"handrail"}, tt.args...)
			cmd.Env = append(os.Environ(), "HANDRAIL_HOME="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			in, ours, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd.Stdin = in
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			in.Close()
			defer ours.Close()
			// More than a pipe holds: once it is written, stdin is being read.
			if _, err := ours.Write(bytes.Repeat([]byte("\n"), 1<<17)); err != nil {
				t.Fatal(err)
			}
			cmd.Process.Signal(tt.signal)
			late := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
			err = cmd.Wait()
			if !late.Stop() || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(stderr.String(), "canceled: ") {
				t.Errorf("%v, %s", err, &stderr)
			}
		})
	}
}

// A signal that comes twice at once, as from timeout(1), ends a batch as one does:
// it is said how far it came.
func TestSignalTwice(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(t.TempDir(), "large.json") // a second of work
	if err := os.WriteFile(large, []byte("["+strings.Repeat(`{"nodeId":"1","role":{"value":"button"},"name":{"value":"Save"}},`, 500_000)+`{"nodeId":"2"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = []string{"handrail", "compress", "--type", "a11y", "--jobs", "1", "--batch", "-", "--out", filepath.Join(t.TempDir(), "out"), "--store=false"}
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, "nowhere\n"+large+"\n"); err != nil {
		t.Fatal(err)
	}
	bufio.NewReader(out).ReadString('\n') // the report of the first: the other is at work
	cmd.Process.Signal(syscall.SIGTERM)
	time.Sleep(5 * time.Millisecond)
	cmd.Process.Signal(syscall.SIGINT)
	late := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	err = cmd.Wait()
	if !late.Stop() || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(stderr.String(), "1 files in ") || !strings.Contains(stderr.String(), "run it again to go on") {
		t.Errorf("%v, %s", err, &stderr)
	}
}

// A read is as long as what comes, and as the caller's buffer.
func TestInput(t *testing.T) {
	t.Parallel()
	want := strings.Repeat("0123456789", 20_000)
	got, err := io.ReadAll(&input{ctx: t.Context(), from: strings.NewReader(want)})
	if err != nil || string(got) != want {
		t.Errorf("%d bytes, %v; want %d", len(got), err, len(want))
	}
}

// What cannot be printed is told of by itself: no log says more of it.
func TestUnwrittenOutput(t *testing.T) {
	t.Parallel()
	closed, err := os.Open(os.DevNull) // not for writing
	if err != nil {
		t.Fatal(err)
	}
	defer closed.Close()
	var stderr bytes.Buffer
	status := Main([]string{"version"}, strings.NewReader(""), closed, &stderr)
	if status != 1 || !strings.Contains(stderr.String(), "internal: ") || strings.Contains(stderr.String(), "log") {
		t.Errorf("exit status %d, %s", status, &stderr)
	}
}

// A view whose file's name is not UTF-8 is done once, as any other.
func TestBatchKnowsAnyName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	if err := os.Mkdir(in, 0o755); err != nil {
		t.Fatal(err)
	}
	var payload bytes.Buffer
	if err := rowsPayload(&payload, 1000, 1); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(in, "\xff\xfe.json"), payload.Bytes(), 0o600); err != nil {
		t.Skipf("no such name can be given here: %v", err)
	}
	for _, want := range []string{"1 done, 0 as before, 0 failed", "0 done, 1 as before, 0 failed"} {
		var stdout, stderr bytes.Buffer
		status := Main([]string{"compress", "--type", "a11y", "--batch", in, "--out", filepath.Join(dir, "out"), "--store=false"}, strings.NewReader(""), &stdout, &stderr)
		if status != 0 || !strings.Contains(stderr.String(), want) {
			t.Errorf("exit status %d, %s; want %s", status, &stderr, want)
		}
	}
}
