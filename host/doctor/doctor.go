// Package doctor finds out whether Handrail works in each browser, by doing what
// the browser and a client would do.
//
// It promises that what it calls ok was just tried: the manifest read, the program
// in it started as the browser starts it and welcomed, the store opened, a
// connected extension asked and its answer received. It never calls a browser
// connected because it once was. Each failure names what puts it right. It changes
// nothing but what the next command would: the store is made, or moved aside when
// it is damaged.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"handrail/host/keeper"
	"handrail/host/snapshot"
	"handrail/host/socket"
	"handrail/host/wire"
	"handrail/manifest"
	"handrail/recovery"
)

// State is what came of a check.
type State string

const (
	OK     State = "ok"
	Note   State = "note"   // not in use, which need not be wrong
	Failed State = "failed" // Fix says what to do
)

// Check is one thing that was tried.
type Check struct {
	Name  string    `json:"check"`
	State State     `json:"state"`
	Found string    `json:"found"`
	Fix   string    `json:"fix,omitempty"`
	Code  wire.Code `json:"code,omitempty"`
}

// Browser is what was tried in one browser.
type Browser struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Checks []Check `json:"checks"`
}

// Report is what was found. Checks are those that belong to no one browser.
type Report struct {
	OK       bool      `json:"ok"`
	Checks   []Check   `json:"checks"`
	Browsers []Browser `json:"browsers"`
}

// Patient is what is examined.
type Patient struct {
	Home     *os.Root
	Dir      string             // state directory
	Browsers []manifest.Browser // those that there may be
	Named    bool               // each is to work; else one that is used has to
}

// Examine tries everything.
func Examine(ctx context.Context, p Patient) Report {
	r := Report{Checks: []Check{p.stateDirectory(), p.store()}, Browsers: []Browser{}}
	browsers := p.Browsers
	if !p.Named {
		browsers = manifest.Installed(p.Home, browsers)
	}
	r.Checks = append(r.Checks, p.sandboxes(browsers)...)
	entries, err := socket.List(p.Dir)
	registered, answered := false, false
	for _, b := range browsers {
		e := &examination{Patient: p, Browser: b, entries: entries, listErr: err}
		e.examine(ctx)
		registered = registered || !e.unregistered
		answered = answered || e.answered
		r.Browsers = append(r.Browsers, Browser{b.ID, b.Name, e.checks})
	}
	for _, b := range r.Browsers {
		for i := range b.Checks {
			c := &b.Checks[i]
			if idle := c.Name == manifestCheck && c.Found == noManifest && registered || c.Name == connection && c.Found == notRunning && answered; idle && !p.Named {
				c.State = Note
			}
		}
	}
	_, failed := r.Failure()
	r.OK = !failed
	return r
}

// Failure gives the first check that failed.
func (r Report) Failure() (Check, bool) {
	checks := r.Checks
	for _, b := range r.Browsers {
		checks = append(checks[:len(checks):len(checks)], b.Checks...)
	}
	for _, c := range checks {
		if c.State == Failed {
			return c, true
		}
	}
	return Check{}, false
}

func failed(name string, code wire.Code, fix, format string, args ...any) Check {
	return Check{name, Failed, fmt.Sprintf(format, args...), fix, code}
}

func ok(name, format string, args ...any) Check {
	return Check{Name: name, State: OK, Found: fmt.Sprintf(format, args...)}
}

// stateDirectory looks at the directory's owner and mode, where there is one.
func (p Patient) stateDirectory() Check {
	const name = "state directory"
	bad := func(fix, format string, args ...any) Check { return failed(name, wire.NoStore, fix, format, args...) }
	elsewhere := "set HANDRAIL_HOME to a directory of yours"
	if p.Dir == "" {
		return bad(elsewhere, "the home directory is not known")
	}
	info, err := os.Lstat(p.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(p.Dir, 0o700); err != nil {
			return bad(elsewhere, "%q cannot be made: %v", p.Dir, err)
		}
		return ok(name, "%q, new", p.Dir)
	case err != nil:
		return bad(elsewhere, "%v", err)
	case !info.IsDir():
		return bad(fmt.Sprintf("move %q away, or %s", p.Dir, elsewhere), "%q is no directory", p.Dir)
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; int(owner) != os.Geteuid() {
		return bad(elsewhere, "%q belongs to user %d", p.Dir, owner)
	}
	mode := info.Mode().Perm()
	if mode&0o022 != 0 || mode&0o700 != 0o700 {
		return bad("chmod 700 "+quoted(p.Dir), "%q has mode %04o", p.Dir, mode)
	}
	const write = 2
	if err := syscall.Access(p.Dir, write); err != nil {
		return bad(elsewhere, "%q cannot be written in: %v", p.Dir, err)
	}
	return ok(name, "%q, mode %04o", p.Dir, mode)
}

// store opens the store.
func (p Patient) store() Check {
	const name = "store"
	store, err := recovery.Open(p.Dir, recovery.Options{})
	var schema int
	var moved string
	if err == nil {
		schema, err = store.Schema()
		moved = store.Moved()
		err = errors.Join(err, store.Close())
	}
	if err != nil {
		fault, known := snapshot.Fault(err)
		if !known {
			fault = wire.Fail(wire.Internal, "%v", err)
		}
		return failed(name, fault.Code, fault.Hint, "%s", fault.Message)
	}
	if moved != "" {
		return ok(name, "opens, version %d; it was damaged and has been moved to %q", schema, moved)
	}
	return ok(name, "opens, version %d", schema)
}

// sandboxes names the browsers that cannot start hosts.
func (p Patient) sandboxes(found []manifest.Browser) (checks []Check) {
	const name = "sandbox"
	fix := "use a browser from a system package, and then " + install()
	for _, s := range manifest.Unable(p.Home, runtime.GOOS) {
		c := Check{name, Note, s.Name + " cannot start hosts outside its sandbox", fix, ""}
		_, named := manifest.ByID(s.ID, p.Browsers)
		_, used := manifest.ByID(s.ID, manifest.Installed(p.Home, p.Browsers))
		if len(found) == 0 || p.Named && named && !used {
			c.State, c.Code = Failed, wire.NoBrowser
		}
		checks = append(checks, c)
	}
	if len(found) == 0 && len(checks) == 0 {
		checks = append(checks, failed("browser", wire.NoBrowser, "install one, and then "+install(),
			"no browser that can use Handrail was found under %q or on PATH", p.Home.Name()))
	}
	return checks
}

// install is a command that works as it stands: this program need not be on PATH,
// and where the extension beside it is gone it has nothing to install.
func install() string {
	program, err := keeper.Binary()
	if err == nil {
		_, err = keeper.Extension(program)
	}
	if err != nil {
		return "./install.sh"
	}
	return quoted(program) + " install"
}

// quoted is a path as a shell takes it.
func quoted(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// beside is the extension's folder that belongs to a program.
func beside(program string) string {
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	return filepath.Join(filepath.Dir(filepath.Dir(program)), "extension")
}
