package keeper

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"handrail/host/socket"
	"handrail/host/state"
	"handrail/host/wire"
)

// fakeEnv makes the test binary a Chromium: it answers on the pipe, and stands
// for the host that the extension would start.
const fakeEnv = "HANDRAIL_TEST_CHROMIUM"

// TestMain makes the test binary a keeper too, as handrail is.
func TestMain(m *testing.M) {
	how := os.Getenv(fakeEnv)
	switch {
	case how == "" || len(os.Args) < 2:
	case strings.HasPrefix(os.Args[1], "--headless"):
		fakeChromium(how)
		select {}
	case os.Args[1] == "browser":
		if Run(context.Background(), Config{Dir: os.Getenv("HANDRAIL_HOME"), Ephemeral: state.Ephemeral(), Ready: os.NewFile(3, "ready")}) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fakeChromium returns when it hangs, without its host.
func fakeChromium(how string) {
	home := os.Getenv("HANDRAIL_HOME")
	check := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	check(os.WriteFile(startMark(home, os.Getpid()), nil, 0o600))
	if how == "broken" {
		check(errors.New("no usable display"))
	}
	check(exec.Command("sleep", "60").Start()) // of its group, and does not end by itself
	in, out := bufio.NewReader(os.NewFile(3, "commands")), os.NewFile(4, "answers")
	for loads := 0; ; {
		text, err := in.ReadBytes(0)
		if err != nil && how == "hangs" {
			return
		}
		if err != nil {
			os.Exit(0) // as Chromium does when its pipe ends
		}
		var m struct {
			ID     int    `json:"id"`
			Method string `json:"method"`
		}
		check(json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m))
		result := `{}`
		if m.Method == "Extensions.loadUnpacked" {
			loads++
			result = `{"id":"` + wire.ExtensionID + `"}`
			if how == "other extension" {
				result = `{"id":"aaaa"}`
			}
			if how != "no host" || loads > 1 {
				host, err := socket.Listen(home, socket.Entry{
					PID: os.Getpid(), Dedicated: os.Getenv("HANDRAIL_BROWSER"), Ephemeral: state.Ephemeral(), Started: time.Now(),
				})
				check(err)
				defer host.Close() // its lock must not be collected
			}
		}
		fmt.Fprintf(out, `{"id":%d,"result":%s}`+"\x00", m.ID, result)
		if m.Method == "Browser.close" && how != "deaf" {
			os.Exit(0)
		}
	}
}

// startMark is the file that a browser makes when it is started.
func startMark(dir string, pid int) string { return filepath.Join(dir, fmt.Sprintf("started.%d", pid)) }

// started gives the process groups of the browsers that were started.
func started(t *testing.T, dir string) (groups []int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "started.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		group, err := strconv.Atoi(strings.TrimPrefix(filepath.Ext(name), "."))
		if err != nil {
			t.Fatal(err)
		}
		groups = append(groups, group)
	}
	return groups
}

func gone(group int) bool { return len(processes(group, "/nowhere")) == 0 }

func noneRun(t *testing.T, dir string) {
	t.Helper()
	for _, group := range started(t, dir) {
		if !gone(group) {
			t.Errorf("the browser of process group %d still runs", group)
		}
	}
}

// stateDir is short enough for a socket.
func stateDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hrk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// chromium makes the test binary the browser of this test.
func chromium(t *testing.T, how string) {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "manifest.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HANDRAIL_EXTENSION", folder)
	t.Setenv("HANDRAIL_CHROMIUM", os.Args[0])
	t.Setenv(fakeEnv, how)
	t.Setenv("GORACE", "atexit_sleep_ms=0")
}

// running is a keeper in this process, whose time the test keeps.
type running struct {
	dir   string
	now   time.Time
	tick  chan time.Time
	ended chan error
}

func start(t *testing.T, how string, ephemeral bool) *running {
	t.Helper()
	chromium(t, how)
	dir := stateDir(t)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	now := time.Now()
	k := &running{dir: dir, now: now, tick: make(chan time.Time), ended: make(chan error, 1)}
	go func() {
		k.ended <- Run(ctx, Config{
			Dir: dir, Ephemeral: ephemeral, Binary: os.Args[0], Ready: write,
			Now: func() time.Time { return now }, Tick: k.tick, Idle: 10 * time.Minute,
		})
	}()
	t.Cleanup(func() {
		stop()
		k.wait(t)
		noneRun(t, dir)
	})
	read.SetReadDeadline(time.Now().Add(30 * time.Second))
	var r Readiness
	if err := json.NewDecoder(read).Decode(&r); err != nil || r.Fault != nil {
		t.Fatalf("%+v, %v", r, err)
	}
	return k
}

// pass lets time pass and has the keeper look around.
func (k *running) pass(t *testing.T, d time.Duration) {
	t.Helper()
	k.now = k.now.Add(d)
	select {
	case k.tick <- k.now:
	case err := <-k.ended:
		k.ended <- err
		t.Fatalf("the keeper ended too early: %v", err)
	}
}

// wait gives what Run returned, and keeps it for the clean-up.
func (k *running) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-k.ended:
		k.ended <- err
		return err
	case <-time.After(30 * time.Second):
		t.Fatal("the keeper goes on")
		return nil
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

func TestStartAndClose(t *testing.T) {
	for _, test := range []struct {
		name, how string
		ephemeral bool
	}{
		{name: "good", how: "good"},
		{name: "deaf", how: "deaf"},
		{name: "ephemeral", how: "good", ephemeral: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := start(t, test.how, test.ephemeral)
			key := Key(k.dir, test.ephemeral)
			entry, err := Ensure(t.Context(), k.dir, test.ephemeral, func(string) {})
			if err != nil || entry.Dedicated != key || entry.Ephemeral != test.ephemeral {
				t.Fatalf("%+v, %v", entry, err)
			}
			profile := filepath.Join(k.dir, "browser", key)
			manifest, err := os.ReadFile(filepath.Join(profile, "NativeMessagingHosts", "com.handrail.host.json"))
			if err != nil || !strings.Contains(string(manifest), os.Args[0]) {
				t.Errorf("manifest %s, %v", manifest, err)
			}
			if info, err := os.Stat(profile); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("profile %v, %v", info.Mode(), err)
			}
			conn, err := socket.Dial(t.Context(), socket.Entry{Socket: profile + ".sock"})
			if err != nil {
				t.Fatal(err)
			}
			link := wire.NewConn(conn, conn, wire.Options{})
			go link.Serve(context.Background())
			if err := link.Call(t.Context(), "ping", struct{}{}, nil); err != nil {
				t.Error(err)
			}
			var fault *wire.Fault
			if err := link.Call(t.Context(), "dance", struct{}{}, nil); !errors.As(err, &fault) || fault.Code != wire.UnknownMethod {
				t.Errorf("dance: %v", err)
			}
			if was, err := Close(t.Context(), k.dir, test.ephemeral); err != nil || !was {
				t.Errorf("close: %v, %v", was, err)
			}
			noneRun(t, k.dir)
			if _, err := os.Stat(profile); os.IsNotExist(err) != test.ephemeral {
				t.Errorf("profile: %v", err)
			}
			if err := k.wait(t); err != nil {
				t.Error(err)
			}
			if was, err := Close(t.Context(), k.dir, test.ephemeral); err != nil || was {
				t.Errorf("close again: %v, %v", was, err)
			}
		})
	}
}

func TestSecondKeeperSteps(t *testing.T) {
	k := start(t, "good", false)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), Config{Dir: k.dir, Ready: write}); err != nil {
		t.Error(err)
	}
	var r Readiness
	if err := json.NewDecoder(read).Decode(&r); err != nil || !r.Other {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestIdle(t *testing.T) {
	k := start(t, "good", false)
	entry, err := find(k.dir, Key(k.dir, false))
	if err != nil || entry.Socket == "" {
		t.Fatal("no host", err)
	}
	k.pass(t, 9*time.Minute)
	if err := os.Chtimes(strings.TrimSuffix(entry.Socket, ".sock")+".json", k.now, k.now); err != nil {
		t.Fatal(err)
	}
	k.pass(t, 9*time.Minute) // 18 after the start, 9 after the last use
	k.pass(t, 59*time.Second)
	k.pass(t, time.Second)
	if err := k.wait(t); err != nil {
		t.Error(err)
	}
}

// An extension whose whole process was killed is loaded again.
func TestExtensionIsLoadedAgain(t *testing.T) {
	k := start(t, "no host", false)
	for range 3 {
		k.pass(t, 2*time.Second)
	}
	eventually(t, "a host is there", func() bool {
		entry, err := find(k.dir, Key(k.dir, false))
		return err == nil && entry.Socket != ""
	})
}

func TestBrowserEnds(t *testing.T) {
	k := start(t, "good", false)
	syscall.Kill(started(t, k.dir)[0], syscall.SIGKILL) // its other processes live on
	if err := k.wait(t); err != nil {
		t.Error(err)
	}
}

func TestFailures(t *testing.T) {
	snap := filepath.Join(t.TempDir(), "chromium-browser")
	if err := os.WriteFile(snap, []byte("#!/bin/sh\nexec /snap/bin/chromium \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, how, program string
		code               wire.Code
		says               string
	}{
		{"no such program", "good", "/nowhere/chromium", wire.NoBrowser, "/nowhere/chromium"},
		{"from snap", "good", snap, wire.NoBrowser, "cannot start hosts"},
		{"it ends at once", "broken", os.Args[0], wire.BrowserFailed, "no usable display"},
		{"another extension", "other extension", os.Args[0], wire.BrowserFailed, "aaaa"},
	} {
		t.Run(test.name, func(t *testing.T) {
			chromium(t, test.how)
			t.Setenv("HANDRAIL_CHROMIUM", test.program)
			dir := stateDir(t)
			_, err := Ensure(t.Context(), dir, false, func(string) {})
			var fault *wire.Fault
			if !errors.As(err, &fault) || fault.Code != test.code || !strings.Contains(fault.Message, test.says) {
				t.Errorf("%v", err)
			}
			if held(dir, Key(dir, false)) {
				t.Error("the lock is still held")
			}
			noneRun(t, dir)
		})
	}
}

// detached makes a state directory whose keepers are started as commands start
// them, and closes its browser at the end.
func detached(t *testing.T, how string) (dir string) {
	t.Helper()
	chromium(t, how)
	dir = stateDir(t)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if _, err := Close(ctx, dir, false); err != nil {
			t.Error(err)
		}
		noneRun(t, dir)
	})
	return dir
}

func ensure(t *testing.T, dir string) socket.Entry {
	t.Helper()
	entry, err := Ensure(t.Context(), dir, false, func(string) {})
	if err != nil {
		t.Error(err)
	}
	return entry
}

// However many callers race, one browser is started, and all reach it.
func TestRace(t *testing.T) {
	dir := detached(t, "good")
	reached := make(chan string)
	for range 6 {
		go func() { reached <- ensure(t, dir).Socket }()
	}
	first := <-reached
	for range 5 {
		if next := <-reached; next != first {
			t.Errorf("reached %q and %q", first, next)
		}
	}
	if n := len(started(t, dir)); n != 1 {
		t.Errorf("%d browsers were started", n)
	}
}

// The program may be given relative to the caller's folder.
func TestRelativePath(t *testing.T) {
	dir := detached(t, "good")
	t.Chdir(filepath.Dir(os.Args[0]))
	t.Setenv("HANDRAIL_CHROMIUM", "./"+filepath.Base(os.Args[0]))
	ensure(t, dir)
}

// A keeper that is killed is replaced, and its browser is gone though it did not
// end by itself.
func TestKilledKeeper(t *testing.T) {
	dir := detached(t, "hangs")
	for range 2 {
		entry := ensure(t, dir)
		syscall.Kill(parent(t, entry.PID), syscall.SIGKILL)
		eventually(t, "the keeper and the host are gone", func() bool {
			left, err := find(dir, Key(dir, false))
			return err == nil && left.Socket == "" && !held(dir, Key(dir, false))
		})
	}
}

// A keeper that is told to end takes its browser with it.
func TestSignal(t *testing.T) {
	dir := detached(t, "good")
	entry := ensure(t, dir)
	syscall.Kill(parent(t, entry.PID), syscall.SIGTERM)
	eventually(t, "the keeper is gone", func() bool { return !held(dir, Key(dir, false)) })
	noneRun(t, dir)
}

// parent gives the parent of a process.
func parent(t *testing.T, pid int) (ppid int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil {
		_, err = fmt.Sscanf(string(text[bytes.LastIndexByte(text, ')')+1:]), " %s %d", new(string), &ppid)
	}
	if err != nil || ppid <= 1 {
		t.Fatalf("parent of %d: %d, %v", pid, ppid, err)
	}
	return ppid
}

// The browser that a killed keeper left is ended, and only that.
func TestClear(t *testing.T) {
	dir := stateDir(t)
	at, err := filesOf(dir, Key(dir, false))
	if err != nil {
		t.Fatal(err)
	}
	left := func(argument string) int {
		cmd := exec.Command("sh", "-c", "sleep 60; true", argument)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go cmd.Wait()
		t.Cleanup(func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		eventually(t, "it runs", func() bool {
			line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", cmd.Process.Pid))
			return err == nil && strings.Contains(string(line), argument)
		})
		text, err := json.Marshal(note{cmd.Process.Pid, at.profile})
		if err == nil {
			err = os.WriteFile(at.note, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return cmd.Process.Pid
	}
	clear := func() bool { return (&keeper{files: at}).clear() }
	for _, other := range []string{"--user-data-dir=/elsewhere", "--user-data-dir=" + at.profile + "-e", at.profile} {
		if stranger := left(other); clear() || gone(stranger) {
			t.Errorf("a stranger with %q was killed", other)
		}
	}
	if ours := left("--user-data-dir=" + at.profile); !clear() || !gone(ours) {
		t.Error("the browser that was left lives")
	}
	if clear() {
		t.Error("cleared twice")
	}
}

func TestExtensionFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HANDRAIL_EXTENSION", dir)
	if _, err := Extension("/opt/bin/handrail"); err == nil {
		t.Error("a folder without a manifest was taken")
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Extension("/opt/bin/handrail"); err != nil || got != dir {
		t.Errorf("%q, %v", got, err)
	}
}
