package cli

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"handrail/host/socket"
	"handrail/host/wire"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"handrail": func() {
			status := Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
			writePeak()
			os.Exit(status)
		},
	})
}

// The scripts run the real command line, each with a home and a state directory
// of its own and no browser. `exits STATUS COMMAND…` runs what must exit so,
// `host FILE` starts a host that gives the answers in FILE and writes what it is
// asked to the file asked, `pack gzip|zstd FILE TO` packs a file.
func TestScripts(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:  "testdata",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "host": host, "pack": pack},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("HANDRAIL_HOME", filepath.Join(env.WorkDir, "state"))
			env.Setenv("HANDRAIL_EXTENSION", filepath.Join(root, "extension"))
			env.Setenv("ROOT", root)
			env.Setenv("HANDRAIL_CHROMIUM", filepath.Join(env.WorkDir, "no-chromium"))
			env.Setenv("HANDRAIL_CLIENT", "script")
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			env.Setenv("PATH", filepath.SplitList(env.Getenv("PATH"))[0]) // the handrail of this test alone
			return os.Mkdir(filepath.Join(env.WorkDir, "home"), 0o700)
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func host(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: host FILE")
	}
	var answers struct {
		Browser wire.Browser
		Answers map[string]struct {
			Result json.RawMessage
			Fault  *wire.Fault
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &answers))
	l, err := socket.Listen(ts.Getenv("HANDRAIL_HOME"), socket.Entry{PID: os.Getpid(), Started: time.Now(), Browser: answers.Browser})
	ts.Check(err)
	asked, err := os.OpenFile(ts.MkAbs("asked"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	ts.Check(err)
	ts.Defer(func() { asked.Close(); l.Close() })
	answer := func(_ context.Context, method string, params json.RawMessage) (any, error) {
		if method == "hello" {
			return wire.Welcome{Protocol: wire.Protocol, Version: wire.Version, Browser: &answers.Browser}, nil
		}
		fmt.Fprintf(asked, "%s %s\n", method, params)
		if a := answers.Answers[method]; a.Fault == nil {
			return a.Result, nil
		}
		return nil, answers.Answers[method].Fault
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go wire.NewConn(conn, conn, wire.Options{Handler: answer}).Serve(context.Background())
		}
	}()
}

// pack is a command of the scripts: pack gzip|zstd FILE TO.
func pack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: pack gzip|zstd FILE TO")
	}
	f, err := os.Create(ts.MkAbs(args[2]))
	ts.Check(err)
	defer f.Close()
	ts.Check(packTo(f, args[0], []byte(ts.ReadFile(args[1]))))
}

func packTo(w io.Writer, how string, body []byte) error {
	z := io.WriteCloser(gzip.NewWriter(w))
	if how == "zstd" {
		var err error
		if z, err = zstd.NewWriter(w); err != nil {
			return err
		}
	}
	_, err := z.Write(body)
	return errors.Join(err, z.Close())
}
