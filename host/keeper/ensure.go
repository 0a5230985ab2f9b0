package keeper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"handrail/host/socket"
	"handrail/host/wire"
)

// startLimit bounds how long a start may take.
const startLimit = 40 * time.Second

// Binary returns the real path of this program.
func Binary() (string, error) {
	path, err := os.Executable()
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	return path, nil
}

// Extension returns the folder of the extension: HANDRAIL_EXTENSION, else
// ../extension from the program.
func Extension(binary string) (string, error) {
	folder := os.Getenv("HANDRAIL_EXTENSION")
	if folder == "" {
		folder = filepath.Join(filepath.Dir(filepath.Dir(binary)), "extension")
	}
	if _, err := os.Stat(filepath.Join(folder, "manifest.json")); err != nil {
		fault := wire.Fail(wire.BrowserFailed, "the extension is not at %q", folder)
		fault.Hint = "run ./install.sh, or set HANDRAIL_EXTENSION to its folder"
		return "", fault
	}
	return folder, nil
}

// Ensure returns the host of the dedicated browser, which it starts if need be.
// warn gets what the user should know of the start. The error is a *wire.Fault:
// no_browser, browser_failed, no_store, canceled.
func Ensure(ctx context.Context, dir string, ephemeral bool, warn func(string)) (socket.Entry, error) {
	limit, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	key := Key(dir, ephemeral)
	for starts := 0; ; {
		entry, err := find(dir, key)
		if err != nil || entry.Socket != "" {
			return entry, err
		}
		if !held(dir, key) {
			if starts++; starts > 3 {
				return entry, wire.Fail(wire.BrowserFailed, "the browser was started and ended at once, three times; the log is in %q", filepath.Join(dir, "log"))
			}
			ready, err := spawn(limit, dir, ephemeral)
			if err != nil {
				return entry, err
			}
			if ready.Fault != nil {
				return entry, ready.Fault
			}
			if ready.Warning != "" {
				warn(ready.Warning)
			}
		}
		select {
		case <-time.After(30 * time.Millisecond):
		case <-limit.Done():
			return entry, unanswered(ctx, dir)
		}
	}
}

// Running returns the host of the dedicated browser if that runs, for which it waits
// while the browser has none; without a Socket where no browser runs. The error is a
// *wire.Fault: browser_failed, no_store, canceled.
func Running(ctx context.Context, dir string, ephemeral bool) (socket.Entry, error) {
	limit, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	key := Key(dir, ephemeral)
	for {
		entry, err := find(dir, key)
		if err != nil || entry.Socket != "" || !held(dir, key) {
			return entry, err
		}
		select {
		case <-time.After(30 * time.Millisecond):
		case <-limit.Done():
			return entry, unanswered(ctx, dir)
		}
	}
}

// unanswered is the failure of a browser whose extension did not answer in time.
func unanswered(ctx context.Context, dir string) *wire.Fault {
	if ctx.Err() != nil {
		return wire.Fail(wire.Canceled, "")
	}
	return wire.Fail(wire.BrowserFailed, "the browser was started and its extension did not answer within %v; the logs are in %q", startLimit, filepath.Join(dir, "log"))
}

// ClosedAt returns when somebody last asked for the dedicated browser to be
// closed; the zero time when nobody ever did.
func ClosedAt(dir string, ephemeral bool) time.Time {
	at, err := filesOf(dir, Key(dir, ephemeral))
	if err != nil {
		return time.Time{}
	}
	info, err := os.Stat(at.closed)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func find(dir, key string) (socket.Entry, error) {
	entries, err := socket.List(dir)
	if err != nil {
		return socket.Entry{}, wire.Fail(wire.NoStore, "%v", err)
	}
	for i := len(entries) - 1; i >= 0; i-- { // the newest, should an old one not be gone yet
		if entries[i].Dedicated == key {
			return entries[i], nil
		}
	}
	return socket.Entry{}, nil
}

// held tells whether a keeper holds the lock.
func held(dir, key string) bool {
	at, err := filesOf(dir, key)
	if err != nil {
		return false
	}
	lock, err := take(at.lock)
	if err != nil {
		return errors.Is(err, syscall.EWOULDBLOCK)
	}
	lock.Close()
	return false
}

// take takes a keeper's lock, which ends with the file; syscall.EWOULDBLOCK when
// another has it.
func take(path string) (*os.File, error) {
	lock, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		return nil, err
	}
	return lock, nil
}

// spawn starts a keeper that outlives this process, and hears how it went.
func spawn(ctx context.Context, dir string, ephemeral bool) (Readiness, error) {
	binary, err := Binary()
	if err != nil {
		return Readiness{}, wire.Fail(wire.BrowserFailed, "%v", err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return Readiness{}, wire.Fail(wire.BrowserFailed, "%v", err)
	}
	defer read.Close()
	cmd := exec.Command(binary, "browser", "--ready", "3")
	cmd.Env = append(os.Environ(), environment(dir, ephemeral)...)
	for _, name := range []string{"HANDRAIL_CHROMIUM", "HANDRAIL_EXTENSION"} {
		if path := os.Getenv(name); strings.Contains(path, "/") {
			if path, err = filepath.Abs(path); err != nil {
				return Readiness{}, wire.Fail(wire.BrowserFailed, "%v", err)
			}
			cmd.Env = append(cmd.Env, name+"="+path)
		}
	}
	cmd.Dir = "/" // it must not keep the caller's folder from being unmounted
	cmd.ExtraFiles = []*os.File{write}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	write.Close()
	if err != nil {
		return Readiness{}, wire.Fail(wire.BrowserFailed, "the keeper did not start: %v", err)
	}
	go cmd.Wait()
	if deadline, ok := ctx.Deadline(); ok {
		read.SetReadDeadline(deadline)
	}
	var ready Readiness
	if err := json.NewDecoder(read).Decode(&ready); err != nil {
		return Readiness{}, wire.Fail(wire.BrowserFailed, "the keeper ended without a word; its log is %s", filepath.Join(dir, "log", "keeper.log"))
	}
	return ready, nil
}

// environment says which browser a keeper keeps, and so which store its host uses.
func environment(dir string, ephemeral bool) []string {
	kind := "HANDRAIL_EPHEMERAL=0"
	if ephemeral {
		kind = "HANDRAIL_EPHEMERAL=1"
	}
	return []string{"HANDRAIL_HOME=" + dir, kind}
}

// Close ends the dedicated browser and waits until it is gone; running is false
// when there was none.
func Close(ctx context.Context, dir string, ephemeral bool) (running bool, err error) {
	if _, err := os.Stat(dir); err != nil {
		return false, nil // nothing was ever started there
	}
	k := &keeper{Config: Config{Ephemeral: ephemeral, Log: zerolog.Nop()}}
	if k.files, err = filesOf(dir, Key(dir, ephemeral)); err != nil {
		return false, wire.Fail(wire.NoStore, "%v", err)
	}
	for {
		lock, err := take(k.files.lock)
		switch {
		case err == nil:
			defer lock.Close()
			return k.clear() || running, nil
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return running, wire.Fail(wire.NoStore, "%v", err)
		}
		running = true
		if conn, err := net.Dial("unix", k.files.control); err == nil {
			link := wire.NewConn(conn, conn, wire.Options{})
			go link.Serve(ctx)
			err = link.Call(ctx, "close", struct{}{}, nil)
			conn.Close()
			var fault *wire.Fault
			if errors.As(err, &fault) && fault.Code != wire.Detached && ctx.Err() == nil {
				return true, fault
			}
		}
		select {
		case <-time.After(30 * time.Millisecond):
		case <-ctx.Done():
			return true, wire.Fail(wire.Timeout, "the dedicated browser did not close in time")
		}
	}
}
