package faketest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"handrail/host/wire"
)

// Origin is what Chrome gives the host as its first argument.
const Origin = "chrome-extension://" + wire.ExtensionID + "/"

// patience bounds every wait of this package's.
const patience = 20 * time.Second

// Process is a host in a process of its own, spoken to as Chrome does.
type Process struct {
	Stdin  *os.File
	Stdout io.Reader // what it reads is checked: frames only

	cmd    *exec.Cmd
	stderr bytes.Buffer
	ended  chan struct{}
	reader sync.WaitGroup // who reads stdout
	mu     sync.Mutex
	seen   bytes.Buffer // all of stdout
}

// Spawn starts a host. args are its arguments, Origin when there are none; env
// comes on top of this process's.
func Spawn(t testing.TB, binary string, args []string, env ...string) *Process {
	t.Helper()
	if args == nil {
		args = []string{Origin}
	}
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := &Process{Stdin: ourIn, ended: make(chan struct{})}
	p.Stdout = io.TeeReader(ourOut, &locked{&p.mu, &p.seen})
	p.cmd = exec.Command(binary, args...)
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirIn, theirOut, &p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	go func() {
		p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.ended
		ourIn.Close()
		p.reader.Wait()
		io.Copy(io.Discard, p.Stdout)
		ourOut.Close()
		p.check(t)
		if t.Failed() {
			t.Logf("the host's stderr:\n%s", p.stderr.String())
		}
	})
	return p
}

type locked struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// Seen is all that came on stdout so far.
func (p *Process) Seen() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return bytes.Clone(p.seen.Bytes())
}

// check fails the test when stdout holds a byte that belongs to no frame. A
// frame cut by the end of the process is its last.
func (p *Process) check(t testing.TB) {
	t.Helper()
	r := bytes.NewReader(p.Seen())
	for {
		frame, err := wire.ReadFrame(r, wire.MaxToExtension)
		if errors.Is(err, io.EOF) || r.Len() == 0 && err != nil {
			return
		}
		if err != nil || !json.Valid(frame) {
			t.Errorf("stdout holds what is no frame: %v, %.100q", err, frame)
			return
		}
	}
}

// Signal sends the host a signal.
func (p *Process) Signal(t testing.TB, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Error(err)
	}
}

// Exit waits for the host to end and returns its status, -1 after a signal.
func (p *Process) Exit(t testing.TB) int {
	t.Helper()
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		p.cmd.Process.Signal(syscall.SIGQUIT) // its goroutines go to stderr
		t.Fatal("the host did not end")
		return 0
	}
}

// Frames reads stdout to its end.
func (p *Process) Frames(t testing.TB) (frames []wire.Message) {
	t.Helper()
	for {
		frame, err := wire.ReadFrame(p.Stdout, wire.MaxToExtension)
		if errors.Is(err, io.EOF) {
			return frames
		}
		if err != nil {
			t.Fatal(err)
		}
		m, err := wire.ParseMessage(frame)
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, m)
	}
}

// Link is a browser's native port to a host, after hello.
type Link struct {
	*Process
	*wire.Conn
	Welcome wire.Welcome
}

// Start starts a host for the browser and says hello.
func (b *Browser) Start(t testing.TB, binary string, env ...string) *Link {
	t.Helper()
	return b.Connect(t, Spawn(t, binary, nil, env...))
}

// Connect says hello to a host.
func (b *Browser) Connect(t testing.TB, p *Process) *Link {
	t.Helper()
	l := &Link{Process: p}
	l.Conn = wire.NewConn(p.Stdout, p.Stdin, wire.Options{Part: b.Part, Handler: b.handle})
	p.reader.Go(func() { l.Serve(context.Background()) })
	b.mu.Lock()
	b.epoch++
	hello := wire.Hello{
		Min: wire.ProtocolMin, Max: wire.Protocol, Version: wire.Version, Epoch: b.epoch,
		Browser: &wire.Browser{Instance: b.Instance, Name: "Fake", Version: "1"},
	}
	b.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := l.Call(ctx, "hello", hello, &l.Welcome); err != nil {
		t.Fatalf("hello: %v", err)
	}
	return l
}

// Allow makes rules for all sites, as a person does in the panel.
func (l *Link) Allow(t testing.TB, verdict string, kinds ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, kind := range kinds {
		if err := l.Call(ctx, "policy", wire.PolicyParams{Action: "set", Kind: kind, Verdict: verdict}, nil); err != nil {
			t.Fatalf("policy: %v", err)
		}
	}
}

// PID is the host's process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }
