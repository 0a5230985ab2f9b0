// Package keeper owns the dedicated browser. A Chromium that is driven by a pipe
// dies with whoever holds the pipe, and a command ends at once; so a process of
// its own, `handrail browser`, holds it.
//
// It promises that there is one dedicated browser for a state directory and kind
// of store, however many callers race for it; that the browser's whole process
// group ends with the keeper; and that the keeper ends when it is told to, when
// nobody has used the browser for ten minutes, or when the browser ends. It opens
// no TCP port.
package keeper

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"handrail/host/socket"
	"handrail/host/state"
	"handrail/host/wire"
	"handrail/manifest"
)

// Config of one keeper.
type Config struct {
	Dir       string // state directory
	Ephemeral bool   // the host keeps its store in memory, and the profile goes at the end
	Binary    string // default Binary's
	Extension string // default Extension's
	Log       zerolog.Logger
	Ready     *os.File // gets one Readiness as JSON, and is closed

	Now  func() time.Time // default time.Now
	Tick <-chan time.Time // when to look around, and what time it is then (default every 2 s)
	Idle time.Duration    // default 10 minutes
}

// Readiness is what a keeper tells who started it.
type Readiness struct {
	Fault   *wire.Fault `json:"fault,omitempty"`
	Warning string      `json:"warning,omitempty"`
	Other   bool        `json:"other,omitempty"` // another keeper is there already
}

// Key names the dedicated browser of a state directory and kind of store.
func Key(dir string, ephemeral bool) string {
	sum := sha256.Sum256([]byte(dir))
	key := hex.EncodeToString(sum[:4])
	if ephemeral {
		key += "-e"
	}
	return key
}

// files of one keeper, below <state>/browser.
type files struct {
	lock, control, note, stderr, closed, profile string
}

func filesOf(dir, key string) (files, error) {
	folder, err := state.Sub(dir, "browser")
	if err != nil {
		return files{}, err
	}
	at := func(name string) string { return filepath.Join(folder, key+name) }
	return files{at(".lock"), at(".sock"), at(".json"), at(".stderr"), at(".closed"), at("")}, nil
}

// note is what the next keeper must know of this one if it is killed.
type note struct {
	PGID    int    `json:"pgid"` // Chromium's process group
	Profile string `json:"profile"`
}

// Run keeps a browser until it has to end. The error is a *wire.Fault.
func Run(ctx context.Context, c Config) error {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Tick == nil {
		ticker := time.NewTicker(2 * time.Second)
		defer ticker.Stop()
		c.Tick = ticker.C
	}
	if c.Idle == 0 {
		c.Idle = 10 * time.Minute
	}
	k := &keeper{Config: c, key: Key(c.Dir, c.Ephemeral), closing: make(chan struct{})}
	err := k.run(ctx)
	if k.lock != nil {
		k.lock.Close() // all of it is gone: whoever hears of it may start another at once
	}
	var fault *wire.Fault
	if err != nil && !errors.As(err, &fault) {
		fault = wire.Fail(wire.BrowserFailed, "%v", err)
	}
	if fault != nil {
		c.Log.Error().Str("code", string(fault.Code)).Msg("the browser did not start or broke")
		k.tell(Readiness{Fault: fault})
		return fault
	}
	return nil
}

type keeper struct {
	Config
	key     string
	files   files
	browser *Chromium
	lock    *os.File // held until all of it is gone
	told    sync.Once
	once    sync.Once
	closing chan struct{} // closed by the control socket
}

// tell says once how the start went.
func (k *keeper) tell(r Readiness) {
	k.told.Do(func() {
		if k.Ready == nil {
			return
		}
		if err := json.NewEncoder(k.Ready).Encode(r); err != nil {
			k.Log.Warn().Err(err).Msg("could not tell the caller")
		}
		k.Ready.Close()
	})
}

func (k *keeper) run(ctx context.Context) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(signals)

	var err error
	if k.files, err = filesOf(k.Dir, k.key); err != nil {
		return wire.Fail(wire.NoStore, "%v", err)
	}
	k.lock, err = take(k.files.lock)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		k.tell(Readiness{Other: true})
		return nil
	}
	if err != nil {
		return wire.Fail(wire.NoStore, "%v", err)
	}
	k.clear()
	program, err := Find()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(k.files.profile, 0o700); err != nil {
		return fmt.Errorf("make profile: %w", err)
	}
	if k.Ephemeral {
		defer os.RemoveAll(k.files.profile)
	}
	control, err := k.listen()
	if err != nil {
		return err
	}
	defer control.Close()
	if k.Binary == "" {
		if k.Binary, err = Binary(); err != nil {
			return err
		}
	}
	if k.Extension == "" {
		if k.Extension, err = Extension(k.Binary); err != nil {
			return err
		}
	}
	if err := k.start(ctx, program); err != nil {
		return err
	}
	defer os.Remove(k.files.note)
	defer os.Remove(k.files.stderr)
	defer k.browser.End()
	k.tell(Readiness{Warning: k.browser.Warning})
	k.Log.Info().Int("pgid", k.browser.PGID).Msg("started the browser")

	started := k.Now()
	for lastAlive := started; ; {
		var now time.Time
		select {
		case <-k.browser.Done:
			k.Log.Warn().Msg("the browser ended")
			return nil
		case <-k.closing:
			k.Log.Info().Msg("closed on request")
			return nil
		case <-signals:
			k.Log.Info().Msg("closed by a signal")
			return nil
		case <-ctx.Done():
			return nil
		case now = <-k.Tick:
		}
		host, used := k.host(now)
		if host {
			lastAlive = now
		}
		if used.Before(started) {
			used = started
		}
		if now.Sub(used) >= k.Idle {
			k.Log.Info().Msg("closed after idling")
			return nil
		}
		// The worker comes back by itself unless its whole process was killed.
		if now.Sub(lastAlive) > 3*time.Second {
			k.Log.Warn().Msg("loaded the extension again: it had no host")
			if err := k.load(ctx); err != nil {
				k.Log.Error().Err(err).Msg("could not load the extension")
			}
			lastAlive = now
		}
	}
}

// host tells whether this browser's host lives, and when it was last used.
func (k *keeper) host(now time.Time) (lives bool, used time.Time) {
	entries, err := socket.List(k.Dir)
	if err != nil {
		k.Log.Warn().Err(err).Msg("could not list hosts")
		return true, now // better a browser too long than one closed in use
	}
	for _, e := range entries {
		if e.Dedicated != k.key {
			continue
		}
		if at, err := e.LastUse(); err == nil && at.After(used) {
			used = at
		}
		lives = true
	}
	return lives, used
}

// clear removes what a keeper that was killed left behind, and tells whether its
// browser still ran. The lock must be held.
func (k *keeper) clear() (ran bool) {
	var left note
	if text, err := os.ReadFile(k.files.note); err == nil && json.Unmarshal(text, &left) == nil && left.PGID > 1 {
		// The number may be another's by now.
		ran = slices.ContainsFunc(processes(0, k.files.profile), func(pid int) bool {
			group, err := syscall.Getpgid(pid)
			return err == nil && group == left.PGID
		})
		if ran {
			k.Log.Warn().Int("pgid", left.PGID).Msg("ended the browser of a keeper that was killed")
			end(left.PGID, k.files.profile, 0)
		}
	}
	os.Remove(k.files.note)
	if k.Ephemeral {
		os.RemoveAll(k.files.profile)
	}
	return ran
}

// start starts Chromium with the extension in it.
func (k *keeper) start(ctx context.Context, program string) error {
	stderr, err := os.OpenFile(k.files.stderr, os.O_RDWR|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	defer stderr.Close()
	for _, name := range []string{
		// Chromium keeps the worker's script of the last run, and would run it again
		// for an extension of the same version whose files have changed.
		filepath.Join("Default", "Service Worker"),
		// Its lock names this machine, which is another in the next container; ours holds.
		"SingletonLock", "SingletonCookie", "SingletonSocket",
	} {
		if err := os.RemoveAll(filepath.Join(k.files.profile, name)); err != nil {
			return err
		}
	}
	env := append(environment(k.Dir, k.Ephemeral), "HANDRAIL_BROWSER="+k.key)
	var args []string
	if k.Ephemeral {
		args = []string{"--disk-cache-size=1", "--media-cache-size=1"} // 0 is the default size
	}
	k.browser, err = Start(Launch{Program: program, Profile: k.files.profile, Host: k.Binary, Env: env, Stderr: stderr, Args: args})
	if err != nil {
		return err
	}
	text, err := json.Marshal(note{k.browser.PGID, k.files.profile})
	if err == nil {
		err = manifest.Write(k.files.note, text, 0o600)
	}
	if err == nil {
		err = k.load(ctx)
	}
	if err != nil {
		k.browser.End()
		return wire.Fail(wire.BrowserFailed, "%v; Chromium's last words in %s: %s", err, k.files.stderr, lastWords(k.files.stderr))
	}
	return nil
}

func (k *keeper) load(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return k.browser.Load(ctx, k.Extension)
}

// lastWords gives the end of a text file in one line.
func lastWords(path string) string {
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 {
		return "none"
	}
	return strings.Join(strings.Fields(string(text[max(0, len(text)-600):])), " ")
}

// listen serves ping and close to this user.
func (k *keeper) listen() (net.Listener, error) {
	os.Remove(k.files.control) // the lock says that nobody listens there
	control, err := net.Listen("unix", k.files.control)
	if err != nil {
		return nil, wire.Fail(wire.NoStore, "the keeper cannot listen at %q: %v", k.files.control, err)
	}
	if err := os.Chmod(k.files.control, 0o600); err != nil {
		return nil, err
	}
	go func() {
		for {
			conn, err := control.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				wire.NewConn(conn, conn, wire.Options{Handler: k.handle}).Serve(context.Background())
			}()
		}
	}()
	return control, nil
}

func (k *keeper) handle(_ context.Context, method string, _ json.RawMessage) (any, error) {
	switch method {
	case "ping":
	case "close":
		k.once.Do(func() {
			// Requests that are cut off must not start another browser: see ClosedAt.
			if err := manifest.Write(k.files.closed, nil, 0o600); err != nil {
				k.Log.Warn().Err(err).Msg("could not note the closing")
			}
			close(k.closing)
		})
	default:
		return nil, wire.Fail(wire.UnknownMethod, "the keeper knows no method %q", method)
	}
	return struct{}{}, nil
}
