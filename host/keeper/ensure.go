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
	"syscall"
	"time"

	"handrail/host/socket"
	"handrail/host/state"
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
		return "", wire.Fail(wire.BrowserFailed, "the extension is not at %q: run ./install.sh, or set HANDRAIL_EXTENSION to its folder", folder)
	}
	return folder, nil
}

// Ensure returns the host of the dedicated browser, which it starts if need be.
// warn gets what the user should know of the start. The error is a *wire.Fault:
// no_browser, browser_failed, no_store.
func Ensure(ctx context.Context, dir string, ephemeral bool, warn func(string)) (socket.Entry, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	key := Key(dir, ephemeral)
	for {
		entry, err := find(dir, key)
		if err != nil || entry.Socket != "" {
			return entry, err
		}
		if !held(dir, key) {
			ready, err := spawn(ctx, dir, ephemeral)
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
		case <-ctx.Done():
			return entry, wire.Fail(wire.BrowserFailed, "the browser was started and its extension did not answer within %v; the log is %s", startLimit, filepath.Join(dir, "log"))
		}
	}
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
	lock, err := os.OpenFile(at.lock, os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer lock.Close()
	return syscall.Flock(int(lock.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
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
	cmd := exec.Command(binary, "browser")
	cmd.Env = append(os.Environ(), environment(dir, ephemeral)...)
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
	if _, err := state.Sub(dir, "browser"); err != nil {
		return false, wire.Fail(wire.NoStore, "%v", err)
	}
	key := Key(dir, ephemeral)
	at, err := filesOf(dir, key)
	if err != nil {
		return false, wire.Fail(wire.NoStore, "%v", err)
	}
	for held(dir, key) {
		running = true
		if conn, err := net.Dial("unix", at.control); err == nil {
			link := wire.NewConn(conn, conn, wire.Options{})
			go link.Serve(ctx)
			err = link.Call(ctx, "close", struct{}{}, nil)
			conn.Close()
			var fault *wire.Fault
			if errors.As(err, &fault) && fault.Code != wire.Detached {
				return true, fault
			}
		}
		select {
		case <-time.After(30 * time.Millisecond):
		case <-ctx.Done():
			return true, wire.Fail(wire.Timeout, "the dedicated browser did not close in time")
		}
	}
	// A keeper that was killed may have left its browser.
	k := &keeper{files: at}
	k.endStale()
	return running, nil
}
