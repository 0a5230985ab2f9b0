package cli

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"handrail/manifest"
)

// plot is a folder in which a home directory stands among what is not its own.
type plot struct {
	dir, home string
	uid       int // who installs
}

func (p *plot) path(name string) string { return filepath.Join(p.dir, name) }

// put writes a file below the home directory, dir makes a folder, link a link.
func (p *plot) put(name, text string) {
	p.do(p.dirs(name), os.WriteFile(p.in(name), []byte(text), 0o600))
}
func (p *plot) mkdir(name string)     { p.do(os.MkdirAll(p.in(name), 0o700)) }
func (p *plot) link(to, name string)  { p.do(p.dirs(name), os.Symlink(to, p.in(name))) }
func (p *plot) in(name string) string { return filepath.Join(p.home, name) }
func (p *plot) dirs(name string) error {
	return os.MkdirAll(filepath.Dir(p.in(name)), 0o700)
}

func (p *plot) do(errs ...error) {
	if err := errors.Join(errs...); err != nil {
		panic(err)
	}
}

const (
	chromium = ".config/chromium"
	hostFile = chromium + "/NativeMessagingHosts/" + manifest.FileName
	theirs   = `{"name":"org.other"}`
)

// hostile are home directories as they should not be. One that installs has what
// it should where it should; one that refuses says so; neither touches anything
// outside.
var hostile = []struct {
	name     string
	make     func(*plot) // with the home directory made; HOME may be set by env
	env      func(*plot) []string
	installs bool
}{
	{"plain", nil, nil, true},
	{"blanks", func(p *plot) { p.move("a home  of mine ") }, nil, true},
	{"newline", func(p *plot) { p.move("a\nhome\r\n") }, nil, true},
	{"quotes and signs", func(p *plot) { p.move(`a "home" 'of' $(touch x) ;*?%s\n <&>`) }, nil, true},
	{"letters of the world", func(p *plot) { p.move("zuhause-ü-家-🏠") }, nil, true},
	{"begins with a dash", func(p *plot) { p.move("-rf") }, nil, true},
	{"control characters", func(p *plot) { p.move("a\x1b[31mhome\x07") }, nil, true},
	{"no text", func(p *plot) { p.move("a\xff\xfehome") }, nil, false},
	{"dots in HOME", nil, func(p *plot) []string { return []string{"HOME=" + p.dir + "/x/../home/./"} }, true},
	{"long", func(p *plot) { p.move(strings.Repeat("long/", 300) + "home") }, nil, true},
	{"longer than a path may be", nil, func(p *plot) []string { return []string{"HOME=" + p.home + strings.Repeat("/long", 1000)} }, false},
	{"name longer than a name may be", nil, func(p *plot) []string { return []string{"HOME=" + p.home + strings.Repeat("x", 300)} }, false},
	{"relative", nil, func(*plot) []string { return []string{"HOME=home"} }, false},
	{"dot", nil, func(*plot) []string { return []string{"HOME=."} }, false},
	{"empty", nil, func(*plot) []string { return []string{"HOME="} }, false},
	{"root directory", nil, func(*plot) []string { return []string{"HOME=/"} }, false},
	{"root directory, otherwise", nil, func(*plot) []string { return []string{"HOME=//tmp/.."} }, false},
	{"missing", nil, func(p *plot) []string { return []string{"HOME=" + p.path("nowhere")} }, false},
	{"a file", func(p *plot) { p.do(os.RemoveAll(p.home), os.WriteFile(p.home, nil, 0o600)) }, nil, false},
	{"a device", nil, func(*plot) []string { return []string{"HOME=/dev/null"} }, false},
	{"of the kernel", nil, func(*plot) []string { return []string{"HOME=/proc/self"} }, false},
	{"a link to a home", func(p *plot) { p.do(os.Rename(p.home, p.path("real")), os.Symlink("real", p.home)) }, nil, true},
	{"a link to nothing", func(p *plot) { p.do(os.RemoveAll(p.home), os.Symlink("nothing", p.home)) }, nil, false},
	{"a link to itself", func(p *plot) { p.do(os.RemoveAll(p.home), os.Symlink("home", p.home)) }, nil, false},
	{"everybody may write", func(p *plot) { p.do(os.Chmod(p.home, 0o777)) }, nil, false},
	{"nobody may write", func(p *plot) { p.put("x", ""); p.do(os.Chmod(p.home, 0o500)) }, nil, false},
	{"of another user", func(p *plot) { p.do(os.Lchown(p.home, 1, 1)) }, nil, false},
	{"profiles of another user", func(p *plot) { p.mkdir(".config"); p.do(os.Lchown(p.in(".config"), 1, 1)) }, nil, false},
	{".local of another user", func(p *plot) { p.mkdir(".local"); p.do(os.Lchown(p.in(".local"), 1, 1)) }, nil, false},
	{"profiles outside", func(p *plot) { p.link(p.path("outside"), ".config") }, nil, false},
	{"profile outside, by dots", func(p *plot) { p.link("../../outside", chromium) }, nil, false},
	{"profile inside, linked", func(p *plot) { p.mkdir("profile"); p.link("../profile", chromium) }, nil, true},
	{"profiles link to nothing", func(p *plot) { p.link("nothing", ".config") }, nil, true},
	{"hosts outside", func(p *plot) { p.link(p.path("outside"), filepath.Dir(hostFile)) }, nil, false},
	{"hosts are a file", func(p *plot) { p.put(filepath.Dir(hostFile), theirs) }, nil, false},
	{"profiles are a file", func(p *plot) { p.put(".config", theirs) }, nil, false},
	{"manifest is a link outside", func(p *plot) { p.link(p.path("outside/file"), hostFile) }, nil, false},
	{"manifest is a link inside", func(p *plot) { p.put("mine", theirs); p.link("../../../mine", hostFile) }, nil, false},
	{"manifest is a link to nothing", func(p *plot) { p.link(p.path("outside/new"), hostFile) }, nil, false},
	{"manifest is a folder", func(p *plot) { p.mkdir(hostFile + "/x") }, nil, false},
	{"manifest is a pipe", func(p *plot) { p.do(p.dirs(hostFile), syscall.Mkfifo(p.in(hostFile), 0o600)) }, nil, false},
	{"temporary file is a link outside", func(p *plot) { p.link(p.path("outside/file"), hostFile+".new") }, nil, true},
	{"temporary file is a folder", func(p *plot) { p.mkdir(hostFile + ".new/x") }, nil, true},
	{".local outside", func(p *plot) { p.link(p.path("outside"), ".local") }, nil, false},
	{".local is a file", func(p *plot) { p.put(".local", theirs) }, nil, false},
	{"program is a link outside", func(p *plot) { p.link(p.path("outside/file"), binaryPlace) }, nil, false},
	{"program is a folder", func(p *plot) { p.mkdir(binaryPlace + "/x") }, nil, false},
	{"extension is a link outside", func(p *plot) { p.link(p.path("outside"), extensionPlace) }, nil, false},
	{"extension is a file", func(p *plot) { p.put(extensionPlace, theirs) }, nil, false},
	{"extension beside is a link outside", func(p *plot) { p.link(p.path("outside"), extensionBeside) }, nil, true},
	{"extension before is a link outside", func(p *plot) { p.link(p.path("outside"), extensionBefore) }, nil, true},
	{"XDG_CONFIG_HOME outside", nil, func(p *plot) []string { return []string{"XDG_CONFIG_HOME=" + p.path("outside")} }, true},
	{"XDG_CONFIG_HOME a link outside", func(p *plot) { p.link(p.path("outside"), "etc") }, func(p *plot) []string { return []string{"XDG_CONFIG_HOME=" + p.in("etc")} }, false},
	{"state directory a link outside", func(p *plot) { p.link(p.path("outside/file"), ".state/extension-ids") }, func(p *plot) []string { return []string{"HANDRAIL_HOME=" + p.in(".state")} }, false},
}

func (p *plot) move(name string) {
	to := p.path(name)
	p.do(os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(p.home, to))
	p.home = to
}

// handrail runs the command line as the plot's user.
func (p *plot) handrail(env []string, args ...string) (status int, said string) {
	cmd := exec.Command(p.path("handrail"), args...)
	cmd.Dir = p.path("x")
	cmd.Env = append([]string{"HOME=" + p.home, "PATH=/nowhere", "HANDRAIL_HOME=" + p.path("state"), "HANDRAIL_EXTENSION=" + p.path("extension"), "GORACE=atexit_sleep_ms=0"}, env...)
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(p.uid), Gid: uint32(p.uid)}}
	}
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), string(out)
	}
	p.do(err)
	return 0, string(out)
}

// others gives all that stands outside the home directory and the state directory.
func (p *plot) others(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(p.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == p.home || path == p.path("real") || path == p.path("state") {
			return fs.SkipDir
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&all, "%q %v %d ", path, info.Mode(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			body, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&all, "%x", sha256.Sum256(body))
		}
		all.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func TestHostileHomes(t *testing.T) {
	t.Parallel()
	if len(hostile) < 30 {
		t.Errorf("%d homes", len(hostile))
	}
	program := copyOf(t)
	for _, tt := range hostile {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, err := os.MkdirTemp("", "hr")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				os.Chmod(filepath.Join(dir, "home"), 0o700)
				os.RemoveAll(dir)
			})
			p := &plot{dir: dir, home: filepath.Join(dir, "home"), uid: os.Geteuid()}
			p.do(os.Chmod(dir, 0o755), os.Link(program, p.path("handrail")))
			for _, name := range []string{"home", "outside", "x", "state", "extension"} {
				p.do(os.Mkdir(p.path(name), 0o755))
			}
			p.do(os.WriteFile(p.path("outside/file"), []byte(theirs), 0o644), os.WriteFile(p.path("extension/manifest.json"), []byte("{}"), 0o644))
			if p.uid == 0 {
				p.uid = 65534 // whom modes and owners keep from something
			} else if strings.Contains(tt.name, "another user") {
				t.Skip("only root can give files away")
			}
			if tt.make != nil {
				tt.make(p)
			}
			if os.Geteuid() == 0 {
				p.give(t)
			}
			var env []string
			if tt.env != nil {
				env = tt.env(p)
			}
			before := p.others(t)
			args := []string{"install", "--browser", "chromium"}
			if strings.HasPrefix(tt.name, "state") {
				args = append(args, "--extension-id", strings.Repeat("a", 32))
			}
			status, said := p.handrail(env, args...)
			if tt.installs != (status == 0) || status > 1 {
				t.Errorf("exit status %d\n%s", status, said)
			}
			if strings.ContainsAny(said, "\x1b\x07\r") {
				t.Errorf("said %q", said)
			}
			if tt.installs {
				p.check(t, env, args)
			}
			if now := p.others(t); now != before {
				t.Errorf("outside it was\n%sand is\n%s", before, now)
			}
		})
	}
}

// check looks at an installation, installs it again and removes it.
func (p *plot) check(t *testing.T, env, args []string) {
	t.Helper()
	want, err := manifest.Bytes(p.in(binaryPlace))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, err := os.ReadFile(p.in(hostFile)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("manifest %q, %v", got, err)
		}
		for _, name := range []string{binaryPlace, extensionPlace + "/manifest.json"} {
			if info, err := os.Lstat(p.in(name)); err != nil || !info.Mode().IsRegular() {
				t.Errorf("%s: %v, %v", name, info, err)
			}
		}
		if status, said := p.handrail(env, args...); status != 0 {
			t.Errorf("again: exit status %d\n%s", status, said)
		}
	}
	if status, said := p.handrail(env, "uninstall"); status != 0 {
		t.Errorf("uninstall: exit status %d\n%s", status, said)
	}
	for _, name := range []string{hostFile, hostFile + ".new", prefix} {
		if _, err := os.Lstat(p.in(name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", name, err)
		}
	}
}

// give makes the home directory and the state directory the user's, but for what
// was given to another.
func (p *plot) give(t *testing.T) {
	t.Helper()
	for _, top := range []string{p.home, p.path("real"), p.path("state")} {
		filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			info, err := entry.Info()
			if err == nil && info.Sys().(*syscall.Stat_t).Uid == 0 {
				err = os.Lchown(path, p.uid, p.uid)
			}
			return err
		})
	}
}

// copyOf is this test's program as handrail, where any user may run it.
func copyOf(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hr")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "handrail")
	if err := os.WriteFile(path, body, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
