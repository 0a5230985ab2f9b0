package keeper

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
		return found, nil
	}
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			return found, nil
		}
	}
	return "", wire.Fail(wire.NoBrowser, "no Chromium is installed")
}

// Chromium is a browser that Handrail started, in a process group of its own.
type Chromium struct {
	Pipe    *Pipe
	PGID    int
	Warning string // about how it was started, for the user
	Done    chan struct{}

	cmd *exec.Cmd
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
	c := &Chromium{Done: make(chan struct{})}
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
	c.cmd.Env = append(os.Environ(), l.Env...)
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

// End closes Chromium and takes its whole process group with it.
func (c *Chromium) End() {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if c.Pipe.Call(ctx, "", "Browser.close", map[string]any{}, nil) == nil {
		select {
		case <-c.Done:
		case <-ctx.Done():
		}
	}
	killGroup(c.PGID)
	<-c.Done
}

// killGroup ends a process group and waits until it is gone.
func killGroup(pgid int) {
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if errors.Is(syscall.Kill(-pgid, syscall.SIGKILL), syscall.ESRCH) {
			return
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

// commandLine gives a process's command line, "" when there is none.
func commandLine(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(string(text), "\x00", " ")
}
