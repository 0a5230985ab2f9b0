package keeper

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"handrail/host/wire"
	"handrail/manifest"
)

// names are the programs that are tried, in this order.
var names = []string{
	"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "google-chrome-beta", "google-chrome-unstable",
	"brave-browser", "microsoft-edge", "vivaldi",
}

// Find returns the browser to start: HANDRAIL_CHROMIUM, else the first of the
// family that is on PATH. The error is a *wire.Fault no_browser.
func Find() (string, error) {
	if path := os.Getenv("HANDRAIL_CHROMIUM"); path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", wire.Fail(wire.NoBrowser, "HANDRAIL_CHROMIUM is %q, which cannot be run", path)
		}
		return found, able(found)
	}
	err := error(wire.Fail(wire.NoBrowser, "no Chromium is installed"))
	for _, name := range names {
		if found, missing := exec.LookPath(name); missing == nil {
			if err = able(found); err == nil {
				return found, nil
			}
		}
	}
	return "", err
}

// able refuses a browser that could not start our host.
func able(program string) error {
	if manifest.Confined(program) {
		return wire.Fail(wire.NoBrowser, "%q is from snap or flatpak, whose browsers cannot start hosts", program)
	}
	return nil
}

// Chromium is a browser that Handrail started, in a process group of its own.
type Chromium struct {
	Pipe    *Pipe
	PGID    int
	Warning string // about how it was started, for the user
	Done    chan struct{}

	cmd     *exec.Cmd
	profile string
}

// Launch says how to start a Chromium.
type Launch struct {
	Program string   // Find's
	Profile string   // user data directory, which exists
	Host    string   // absolute path of the handrail binary, registered as the native host
	Env     []string // beside this process's own; the host inherits it
	Stderr  *os.File // gets what Chromium says
	Args    []string // beside the usual ones
}

// Start registers the host in the profile and starts Chromium headless on a pipe.
func Start(l Launch) (*Chromium, error) {
	body, err := manifest.Bytes(l.Host)
	if err != nil {
		return nil, err
	}
	if err := manifest.Write(filepath.Join(l.Profile, "NativeMessagingHosts", manifest.FileName), body, 0o600); err != nil {
		return nil, err
	}
	commandsIn, commandsOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	answersIn, answersOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c := &Chromium{Done: make(chan struct{}), profile: l.Profile}
	args := append([]string{
		"--headless=new", "--remote-debugging-pipe", "--enable-unsafe-extension-debugging", "--user-data-dir=" + l.Profile,
		"--no-first-run", "--no-default-browser-check", "--hide-crash-restore-bubble", "--password-store=basic", "--use-mock-keychain",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-quic",
		"--disable-breakpad", "--disable-crash-reporter", "--disable-gpu", "--disable-dev-shm-usage", "--disable-domain-reliability",
		"--disable-features=Translate,OptimizationHints,MediaRouter", "--window-size=1280,900",
	}, l.Args...)
	if why := noSandbox(); why != "" {
		args = append(args, "--no-sandbox")
		c.Warning = "the browser runs without its sandbox: " + why
	}
	c.cmd = exec.Command(l.Program, append(args, "about:blank")...)
	c.cmd.Env = append(os.Environ(), "BREAKPAD_DUMP_LOCATION="+filepath.Join(l.Profile, "Crash Reports")) // else in the person's own profile
	c.cmd.Env = append(c.cmd.Env, l.Env...)
	c.cmd.Stderr = l.Stderr
	c.cmd.ExtraFiles = []*os.File{commandsIn, answersOut} // its descriptors 3 and 4
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = c.cmd.Start()
	commandsIn.Close()
	answersOut.Close()
	if err != nil {
		commandsOut.Close()
		answersIn.Close()
		return nil, fmt.Errorf("start %q: %w", l.Program, err)
	}
	c.PGID = c.cmd.Process.Pid
	c.Pipe = NewPipe(answersIn, commandsOut)
	go func() {
		c.cmd.Wait()
		commandsOut.Close()
		answersIn.Close()
		close(c.Done)
	}()
	return c, nil
}

// Load loads the unpacked extension, or loads it again when it is there already.
func (c *Chromium) Load(ctx context.Context, folder string) error {
	var loaded struct {
		ID string `json:"id"`
	}
	if err := c.Pipe.Call(ctx, "", "Extensions.loadUnpacked", map[string]string{"path": folder}, &loaded); err != nil {
		return fmt.Errorf("load the extension: %w", err)
	}
	if loaded.ID != wire.ExtensionID {
		return fmt.Errorf("load the extension: %q has id %q, not %s", folder, loaded.ID, wire.ExtensionID)
	}
	return nil
}

// End closes Chromium and takes all its processes with it.
func (c *Chromium) End() {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if c.Pipe.Call(ctx, "", "Browser.close", map[string]any{}, nil) == nil {
		select {
		case <-c.Done:
		case <-ctx.Done():
		}
	}
	end(c.PGID, c.profile, time.Second)
	<-c.Done
}

// end gives a browser's processes, hosts among them, a moment to end by
// themselves, kills what is left then, and waits until all are gone. Its crash
// handlers have groups of their own.
func end(pgid int, profile string, grace time.Duration) {
	for start := time.Now(); time.Since(start) < grace+5*time.Second; time.Sleep(5 * time.Millisecond) {
		left := processes(pgid, profile)
		if len(left) == 0 {
			return
		}
		if time.Since(start) >= grace {
			for _, pid := range append(left, -pgid) {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}

// noSandbox says why Chromium cannot use its sandbox here, "" if it can.
func noSandbox() string {
	if os.Geteuid() == 0 {
		return "it was started by root"
	}
	for _, helper := range []string{"/usr/lib/chromium/chrome-sandbox", "/opt/google/chrome/chrome-sandbox"} {
		if info, err := os.Stat(helper); err == nil && info.Mode()&os.ModeSetuid != 0 {
			return ""
		}
	}
	if !namespaces() {
		return "this system allows no user namespaces"
	}
	return ""
}
