package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"handrail/host/snapshot"
	"handrail/host/socket"
	"handrail/host/wire"
	"handrail/manifest"
)

// The checks of a browser, in their order; a check that needs what has failed is
// left out.
const (
	manifestCheck = "manifest"
	programCheck  = "program"
	originCheck   = "origin"
	hostCheck     = "host"
	folderCheck   = "extension"
	connection    = "connection"

	noManifest = "there is none"
	notRunning = "the browser does not run"

	origin = "chrome-extension://" + wire.ExtensionID + "/"
	limit  = 10 * time.Second // of one answer
)

type examination struct {
	Patient
	manifest.Browser
	entries []socket.Entry
	listErr error

	checks       []Check
	unregistered bool
	answered     bool
}

func (e *examination) note(c Check) bool {
	e.checks = append(e.checks, c)
	return c.State == OK
}

func (e *examination) fail(check, fix, format string, args ...any) bool {
	return e.note(failed(check, wire.NoBrowser, fix, format, args...))
}

// install is the command that writes everything anew.
func (e *examination) install() string { return install() + " --browser " + e.ID }

func (e *examination) examine(ctx context.Context) {
	m, ok := e.readManifest()
	if !ok {
		return
	}
	program, origins := e.program(m.Path), e.origins(m.AllowedOrigins)
	if program && origins {
		e.host(ctx, m.Path)
	}
	if program {
		e.folder(m.Path)
	}
	e.connected(ctx, beside(m.Path))
}

func (e *examination) readManifest() (m manifest.Manifest, good bool) {
	path := e.Places()[0].Path(e.Home)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		e.unregistered = true
		return m, e.fail(manifestCheck, e.install(), noManifest)
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	var body []byte
	if err == nil {
		body, err = os.ReadFile(path)
	}
	if err != nil {
		return m, e.fail(manifestCheck, fmt.Sprintf("see that %q is a file you can read, then %s", path, e.install()), "it cannot be read: %v", err)
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return m, e.fail(manifestCheck, e.install(), "%q is no manifest in JSON: %v", path, err)
	}
	if m.Name != wire.HostName || m.Type != "stdio" {
		return m, e.fail(manifestCheck, e.install(), "%q names host %q of type %q, not %q of type stdio", path, m.Name, m.Type, wire.HostName)
	}
	return m, e.note(ok(manifestCheck, "%q", path))
}

func (e *examination) program(path string) bool {
	if !filepath.IsAbs(path) {
		return e.fail(programCheck, e.install(), "its path %q is not absolute", path)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return e.fail(programCheck, e.install(), "%q is missing: %v", path, errors.Unwrap(err))
	case !info.Mode().IsRegular():
		return e.fail(programCheck, e.install(), "%q is no file", path)
	case unix.Access(path, unix.X_OK) != nil:
		return e.fail(programCheck, fmt.Sprintf("chmod 755 %s, or %s", quoted(path), e.install()), "%q may not be executed, its mode is %04o", path, info.Mode().Perm())
	}
	return e.note(ok(programCheck, "%q", path))
}

func (e *examination) origins(allowed []string) bool {
	switch {
	case slices.Contains(allowed, origin):
		return e.note(ok(originCheck, "%s is allowed", origin))
	case slices.Contains(allowed, strings.TrimSuffix(origin, "/")):
		return e.fail(originCheck, e.install(), "the extension's origin has no slash at its end, so that no extension is allowed")
	}
	return e.fail(originCheck, e.install(), "extension %s is not allowed, only %q", wire.ExtensionID, allowed)
}

func (e *examination) host(ctx context.Context, path string) bool {
	began := time.Now()
	welcome, err := greet(ctx, path, e.Dir)
	if err != nil {
		fix := fmt.Sprintf("%s; what the host said is in %q", e.install(), filepath.Join(e.Dir, "log", "host.log"))
		return e.fail(hostCheck, fix, "%v", err)
	}
	switch {
	case welcome.Version != wire.Version:
		return e.fail(hostCheck, e.install(), "it is release %s, this program %s", welcome.Version, wire.Version)
	case welcome.Store != "":
		fault := wire.Fail(wire.Code(welcome.Store), "")
		return e.note(failed(hostCheck, fault.Code, fault.Hint, "it starts, and cannot use the store: %s", fault.Message))
	}
	return e.note(ok(hostCheck, "release %s starts and answered after %d ms", welcome.Version, time.Since(began).Milliseconds()))
}

// folder looks at what the browser is to load.
func (e *examination) folder(program string) bool {
	folder := beside(program)
	reload := fmt.Sprintf("%s, then reload Handrail in %s", e.install(), e.Page)
	var its struct{ Key, Version string }
	body, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(body, &its)
	}
	switch {
	case err != nil:
		return e.fail(folderCheck, reload, "%q has no extension: %v", folder, err)
	case its.Key != wire.ExtensionKey:
		return e.fail(folderCheck, reload, "the extension in %q has another key, and so another id", folder)
	case its.Version != wire.Version:
		return e.fail(folderCheck, reload, "the extension in %q is release %s, the program %s", folder, its.Version, wire.Version)
	}
	return e.note(ok(folderCheck, "release %s in %q", its.Version, folder))
}

// connected asks each of the browser's connected extensions, one to a profile.
func (e *examination) connected(ctx context.Context, folder string) bool {
	if e.listErr != nil {
		return e.fail(connection, "set HANDRAIL_HOME to a directory you can write to, with a short path", "%v", e.listErr)
	}
	pid := e.running()
	var own []socket.Entry
	for _, entry := range e.entries {
		if parent, err := parentOf(entry.PID); entry.Dedicated == "" && err == nil && parent == pid {
			own = append(own, entry)
		}
	}
	if pid == 0 {
		return e.fail(connection, "start "+e.Name+", and see that Handrail is on in "+e.Page, notRunning)
	}
	if len(own) == 0 {
		return e.fail(connection, fmt.Sprintf("open %s, switch on Developer mode, and load the unpacked folder %q, or reload Handrail there", e.Page, folder),
			"the browser runs (process %d), and no extension of it is connected", pid)
	}
	for _, entry := range own {
		if entry.Extension != wire.Version || entry.Version != wire.Version {
			return e.fail(connection, "reload Handrail in "+e.Page, "extension %s is connected to host %s, this program is %s", entry.Extension, entry.Version, wire.Version)
		}
		began := time.Now()
		if err := ask(ctx, entry); err != nil {
			fault, _ := snapshot.Fault(err)
			if fault == nil {
				fault = wire.Fail(wire.Detached, "%v", err)
			}
			return e.note(failed(connection, fault.Code, "reload Handrail in "+e.Page, "the extension in %s did not answer: %s", entry.Browser.Name, fault.Message))
		}
		e.answered = true
		e.note(ok(connection, "the extension in %s %s answered after %d ms", entry.Browser.Name, entry.Browser.Version, time.Since(began).Milliseconds()))
	}
	return true
}

// running gives the process of the browser that holds the profile root, 0 for none.
func (e *examination) running() int {
	lock, err := os.Readlink(filepath.Join(e.Home.Name(), e.Root, "SingletonLock")) // host-pid
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(lock[strings.LastIndexByte(lock, '-')+1:])
	if err != nil || pid <= 0 || errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return 0
	}
	return pid
}
