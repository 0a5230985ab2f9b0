// Package socket is the unix socket on which a host serves its clients, and
// the registry through which they find it.
//
// A host has run/<random>.sock in the state directory and an entry,
// run/<random>.json, beside it. The host holds a lock (flock) on its entry: an
// entry without a lock is of a host that is gone, whatever it says. Only this
// user may connect: the directory is 0700, the socket 0600, and both ends check
// the other's user id.
package socket

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"handrail/host/state"
	"handrail/host/wire"
)

// Entry is a host's entry in the registry.
type Entry struct {
	Socket    string       `json:"socket"` // path
	PID       int          `json:"pid"`
	Started   time.Time    `json:"started"`
	Version   string       `json:"version"`
	Browser   wire.Browser `json:"browser"`
	Extension string       `json:"extension"`           // its release
	Dedicated string       `json:"dedicated,omitempty"` // the keeper's key, "" for a person's own browser
	Ephemeral bool         `json:"ephemeral,omitempty"`
}

// LastUse returns when the host last touched its entry.
func (e Entry) LastUse() (time.Time, error) {
	info, err := os.Stat(entryPath(e.Socket))
	if err != nil {
		return time.Time{}, fmt.Errorf("look at registry entry: %w", err)
	}
	return info.ModTime(), nil
}

func entryPath(socket string) string { return strings.TrimSuffix(socket, ".sock") + ".json" }

// maxPath is the longest path a socket may have, in bytes: 107 on Linux.
const maxPath = len(syscall.RawSockaddrUnix{}.Path) - 1

// OwnSeen returns when a host of a person's own browser was last there, as far
// as it could say so; the zero time when none ever was. Clients wait for such a
// host to come back before they turn to another browser.
func OwnSeen(dir string) time.Time {
	info, err := os.Stat(ownPath(dir))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func ownPath(dir string) string { return filepath.Join(dir, "own-browser") }

// seeOwn notes that a host of a person's own browser is there, or was just now.
func seeOwn(dir string, t time.Time) error {
	f, err := os.OpenFile(ownPath(dir), os.O_WRONLY|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return fmt.Errorf("note the browser: %w", err)
	}
	return errors.Join(f.Close(), os.Chtimes(f.Name(), t, t))
}

// Listener accepts clients of this user.
type Listener struct {
	dir   string
	entry Entry
	lock  *os.File
	unix  *net.UnixListener
	once  sync.Once
	err   error
}

// Listen makes a socket under dir, the state directory, and enters e, whose
// Socket it fills in, into the registry.
func Listen(dir string, e Entry) (*Listener, error) {
	name := make([]byte, 8)
	rand.Read(name)
	e.Socket = filepath.Join(dir, "run", hex.EncodeToString(name)+".sock")
	if len(e.Socket) > maxPath {
		return nil, pathTooLong(e.Socket)
	}
	body, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("enter socket into registry: %w", err)
	}
	run, err := lockRun(dir)
	if err != nil {
		return nil, err
	}
	defer run.Close()

	lock, err := os.OpenFile(entryPath(e.Socket)+".new", os.O_RDWR|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("enter socket into registry: %w", err)
	}
	l := &Listener{dir: dir, entry: e, lock: lock}
	err = l.open(body)
	if err == nil && e.Dedicated == "" {
		err = seeOwn(dir, e.Started)
	}
	if err != nil {
		os.Remove(lock.Name())
		l.Close()
		return nil, err
	}
	return l, nil
}

func (l *Listener) open(entry []byte) error {
	if err := flock(l.lock, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("lock registry entry: %w", err)
	}
	if _, err := l.lock.Write(entry); err != nil {
		return fmt.Errorf("write registry entry: %w", err)
	}
	unix, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: l.entry.Socket})
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	unix.SetUnlinkOnClose(false) // Close removes it, and only once
	l.unix = unix
	if err := os.Chmod(l.entry.Socket, 0o600); err != nil {
		return fmt.Errorf("close socket to others: %w", err)
	}
	if err := os.Rename(l.lock.Name(), entryPath(l.entry.Socket)); err != nil {
		return fmt.Errorf("enter socket into registry: %w", err)
	}
	return nil
}

// Entry returns the listener's entry in the registry.
func (l *Listener) Entry() Entry { return l.entry }

// Accept returns the next client of this user; others are turned away.
// The error is net.ErrClosed after Close.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.unix.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if err := checkPeer(conn); err == nil {
			return conn, nil
		}
		conn.Close()
	}
}

// Touch notes that the host was used at t.
func (l *Listener) Touch(t time.Time) error {
	if err := os.Chtimes(entryPath(l.entry.Socket), t, t); err != nil {
		return fmt.Errorf("touch registry entry: %w", err)
	}
	if l.entry.Dedicated == "" {
		return seeOwn(l.dir, t)
	}
	return nil
}

// Close stops listening and removes socket and entry. It may be called again.
func (l *Listener) Close() error {
	l.once.Do(func() {
		os.Remove(l.entry.Socket)
		os.Remove(entryPath(l.entry.Socket))
		if l.entry.Dedicated == "" {
			l.err = seeOwn(l.dir, time.Now())
		}
		if l.unix != nil {
			l.err = errors.Join(l.err, l.unix.Close())
		}
		l.lock.Close()
	})
	return l.err
}

// List returns the entries of the hosts that live, oldest first, and removes
// the files of those that are gone.
func List(dir string) ([]Entry, error) {
	if path := filepath.Join(dir, "run", strings.Repeat("0", 16)+".sock"); len(path) > maxPath {
		return nil, pathTooLong(path)
	}
	run, err := lockRun(dir)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	names, err := run.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list hosts: %w", err)
	}
	var live []Entry
	lives := map[string]bool{}
	for _, name := range names {
		if !strings.HasSuffix(name, ".json") {
			continue
		}
		e, ok := read(filepath.Join(run.Name(), name))
		if ok {
			live = append(live, e)
			lives[strings.TrimSuffix(name, ".json")] = true
		}
	}
	for _, name := range names {
		if stem, _, _ := strings.Cut(name, "."); !lives[stem] {
			os.Remove(filepath.Join(run.Name(), name))
		}
	}
	slices.SortFunc(live, func(a, b Entry) int {
		if c := a.Started.Compare(b.Started); c != 0 {
			return c
		}
		return strings.Compare(a.Socket, b.Socket)
	})
	return live, nil
}

// read reads the entry at path; ok is false when its host is gone.
func read(path string) (e Entry, ok bool) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return e, false
	}
	defer f.Close()
	if flock(f, syscall.LOCK_SH|syscall.LOCK_NB) == nil {
		return e, false
	}
	err = json.NewDecoder(f).Decode(&e)
	return e, err == nil && entryPath(e.Socket) == path
}

// Dial connects to the host of e.
func Dial(ctx context.Context, e Entry) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", e.Socket)
	if err != nil {
		return nil, fmt.Errorf("reach host: %w", err)
	}
	if err := checkPeer(conn.(*net.UnixConn)); err != nil {
		conn.Close()
		return nil, fmt.Errorf("reach host: %w", err)
	}
	return conn, nil
}

// lockRun opens the registry's directory and locks it: whoever enters a socket
// or clears away stale ones does so alone.
func lockRun(dir string) (*os.File, error) {
	path, err := state.Sub(dir, "run")
	if err != nil {
		return nil, err
	}
	run, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open registry: %w", err)
	}
	if err := flock(run, syscall.LOCK_EX); err != nil {
		run.Close()
		return nil, fmt.Errorf("lock registry: %w", err)
	}
	return run, nil
}

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

func pathTooLong(path string) error {
	return fmt.Errorf("socket path %q is %d bytes long, %d are allowed: set HANDRAIL_HOME to a shorter path", path, len(path), maxPath)
}

// checkPeer refuses a peer of another user.
func checkPeer(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return fmt.Errorf("check peer: %w", err)
	}
	var uid uint32
	var credErr error
	if err := raw.Control(func(fd uintptr) { uid, credErr = peerUID(int(fd)) }); err != nil {
		return fmt.Errorf("check peer: %w", err)
	}
	if credErr != nil {
		return fmt.Errorf("check peer: %w", credErr)
	}
	return sameUser(uid, uint32(os.Geteuid()))
}

func sameUser(peer, self uint32) error {
	if peer != self {
		return fmt.Errorf("peer belongs to user %d, not %d", peer, self)
	}
	return nil
}
