package doctor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handrail/host/cli"
	"handrail/host/doctor"
	"handrail/host/exchange"
	"handrail/host/socket"
	"handrail/host/wire"
	"handrail/recovery"
)

// The test's program is the host, too, as doctor starts it.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "chrome-extension://") {
		os.Exit(exchange.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// body is a home directory in which all is well: Chromium runs there and its
// extension is connected.
type body struct {
	home, state string
	host        *socket.Listener
}

const root = ".config/chromium"

func (b *body) path(name string) string { return filepath.Join(b.home, name) }
func (b *body) manifest() string {
	return b.path(root + "/NativeMessagingHosts/com.handrail.host.json")
}
func (b *body) program() string   { return b.path(".local/share/handrail/bin/handrail") }
func (b *body) extension() string { return b.path(".local/share/handrail/extension/manifest.json") }

func run(args ...string) (status int, out, errOut string) {
	var o, e bytes.Buffer
	status = cli.Main(args, strings.NewReader(""), &o, &e)
	return status, o.String(), e.String()
}

func newBody(t *testing.T) *body {
	t.Helper()
	dir, err := os.MkdirTemp("", "hr") // sockets have short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	b := &body{home: filepath.Join(dir, "home"), state: filepath.Join(dir, "state")}
	extension, err := filepath.Abs("../../extension")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", b.home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("HANDRAIL_HOME", b.state)
	t.Setenv("HANDRAIL_EXTENSION", extension)
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	t.Setenv("PATH", filepath.Join(dir, "bin"))
	if err := os.MkdirAll(b.path(root+"/Default"), 0o700); err != nil {
		t.Fatal(err)
	}
	// This process is the host, the one that started it the browser.
	b.must(t, os.Symlink(fmt.Sprintf("here-%d", os.Getppid()), b.path(root+"/SingletonLock")))
	b.install(t)
	b.connect(t, wire.Version)
	return b
}

func (b *body) must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (b *body) install(t *testing.T) {
	t.Helper()
	if status, _, errOut := run("install", "--browser", "chromium"); status != 0 {
		t.Fatalf("install: %s", errOut)
	}
}

// connect connects an extension of a release; disconnect ends that.
func (b *body) connect(t *testing.T, release string) {
	t.Helper()
	var err error
	b.host, err = socket.Listen(b.state, socket.Entry{
		PID: os.Getpid(), Started: time.Now(), Version: wire.Version, Extension: release,
		Browser: wire.Browser{Instance: "i", Name: "Chromium", Version: "1"},
	})
	b.must(t, err)
	t.Cleanup(func() { b.host.Close() })
	go func(l *socket.Listener) {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go wire.NewConn(conn, conn, wire.Options{Handler: func(_ context.Context, method string, _ json.RawMessage) (any, error) {
				if method == "hello" {
					return wire.Welcome{Protocol: wire.Protocol, Version: wire.Version}, nil
				}
				if release == "mute" {
					return nil, wire.Fail(wire.Timeout, "the extension did not answer")
				}
				return wire.TabsResult{}, nil
			}}).Serve(context.Background())
		}
	}(b.host)
}

func (b *body) rewrite(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	b.must(t, err)
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("%s has no %q", path, old)
	}
	b.must(t, os.WriteFile(path, bytes.ReplaceAll(text, []byte(old), []byte(new)), 0o644))
}

func (b *body) script(t *testing.T, text string) {
	t.Helper()
	b.must(t, os.WriteFile(b.program(), []byte("#!/bin/sh\n"+text+"\n"), 0o755))
}

// restore is what "install" in a fix means.
var restore = (*body).install

// states are what may be wrong: what breaks it, which check must find it, what
// must be said of it and named as its fix, and the fix.
var states = []struct {
	name              string
	harm              func(*body, *testing.T)
	check, found, fix string
	heal              func(*body, *testing.T)
}{
	{"no manifest", func(b *body, t *testing.T) { b.must(t, os.Remove(b.manifest())) },
		"manifest", "there is none", " install --browser chromium", restore},
	{"bad JSON", func(b *body, t *testing.T) { b.must(t, os.WriteFile(b.manifest(), []byte("{"), 0o644)) },
		"manifest", "no manifest in JSON", " install --browser chromium", restore},
	{"manifest is a folder", func(b *body, t *testing.T) {
		b.must(t, os.Remove(b.manifest()))
		b.must(t, os.Mkdir(b.manifest(), 0o700))
	}, "manifest", "not a regular file", "a file you can read, then ", func(b *body, t *testing.T) {
		b.must(t, os.Remove(b.manifest()))
		b.install(t)
	}},
	{"wrong name", func(b *body, t *testing.T) { b.rewrite(t, b.manifest(), wire.HostName, "com.other.host") },
		"manifest", `names host "com.other.host"`, " install --browser chromium", restore},
	{"relative path", func(b *body, t *testing.T) { b.rewrite(t, b.manifest(), b.program(), "bin/handrail") },
		"program", "not absolute", " install --browser chromium", restore},
	{"missing binary", func(b *body, t *testing.T) { b.must(t, os.Remove(b.program())) },
		"program", "is missing", " install --browser chromium", restore},
	{"not executable", func(b *body, t *testing.T) { b.must(t, os.Chmod(b.program(), 0o644)) },
		"program", "may not be executed", "chmod 755 ", func(b *body, t *testing.T) { b.must(t, os.Chmod(b.program(), 0o755)) }},
	{"origin without slash", func(b *body, t *testing.T) {
		b.rewrite(t, b.manifest(), wire.ExtensionID+"/", wire.ExtensionID)
	}, "origin", "no slash at its end", " install --browser chromium", restore},
	{"wrong id", func(b *body, t *testing.T) {
		b.rewrite(t, b.manifest(), wire.ExtensionID, strings.Repeat("a", 32))
	}, "origin", "is not allowed", " install --browser chromium", restore},
	{"host crashes", func(b *body, t *testing.T) { b.script(t, "echo 'out of luck' >&2; exit 3") },
		"host", "exit status 3", " install --browser chromium; what the host said is in", restore},
	{"host prints text", func(b *body, t *testing.T) { b.script(t, "echo hello, browser") },
		"host", "does not say welcome", " install --browser chromium", restore},
	{"host of another release", func(b *body, t *testing.T) {
		answer := `{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"version":"0.0.9","dedicated":true,"ephemeral":false,"store":"","part":1,"policy":{"wide":{},"rules":[]}}}`
		b.script(t, fmt.Sprintf(`printf '\%03o\0\0\0%%s' '%s'; read x`, len(answer), answer))
	}, "host", "release 0.0.9", " install --browser chromium", restore},
	{"extension folder missing", func(b *body, t *testing.T) { b.must(t, os.RemoveAll(filepath.Dir(b.extension()))) },
		"extension", "has no extension", "then reload Handrail in chrome://extensions", restore},
	{"extension version skew", func(b *body, t *testing.T) {
		b.rewrite(t, b.extension(), `"version": "`+wire.Version, `"version": "0.0.9`)
	}, "extension", "is release 0.0.9", "then reload Handrail in chrome://extensions", restore},
	{"extension of another key", func(b *body, t *testing.T) { b.rewrite(t, b.extension(), wire.ExtensionKey, "AAAA") },
		"extension", "another key", "then reload Handrail in chrome://extensions", restore},
	{"state directory open to others", func(b *body, t *testing.T) { b.must(t, os.Chmod(b.state, 0o777)) },
		"state directory", "has mode 0777", "chmod 700 ", func(b *body, t *testing.T) { b.must(t, os.Chmod(b.state, 0o700)) }},
	{"state directory not writable", func(b *body, t *testing.T) { b.must(t, os.Chmod(b.state, 0o500)) },
		"state directory", "has mode 0500", "chmod 700 ", func(b *body, t *testing.T) { b.must(t, os.Chmod(b.state, 0o700)) }},
	{"state directory is a file", func(b *body, t *testing.T) {
		b.host.Close()
		b.must(t, os.RemoveAll(b.state))
		b.must(t, os.WriteFile(b.state, nil, 0o600))
	}, "state directory", "is no directory", "away, or set HANDRAIL_HOME", func(b *body, t *testing.T) {
		b.must(t, os.Remove(b.state))
		b.connect(t, wire.Version)
	}},
	{"store newer", func(b *body, t *testing.T) { b.schema(t, 99) },
		"store", "newer", "install that release", func(b *body, t *testing.T) {
			for _, name := range []string{"store.db", "store.db-wal", "store.db-shm"} {
				os.Remove(filepath.Join(b.state, name))
			}
		}},
	{"browser from snap", func(b *body, t *testing.T) {
		b.must(t, os.Rename(b.path(root), b.path("aside")))
		b.must(t, os.MkdirAll(b.path("snap/chromium"), 0o700))
	}, "sandbox", "Chromium from snap cannot start hosts", "use a browser from a system package", func(b *body, t *testing.T) {
		b.must(t, os.Rename(b.path("aside"), b.path(root)))
	}},
	{"no browser", func(b *body, t *testing.T) {
		b.must(t, os.RemoveAll(b.path("snap")))
		b.must(t, os.Rename(b.path(root), b.path("aside")))
	},
		"browser", "no browser that can use Handrail", "install one", func(b *body, t *testing.T) {
			b.must(t, os.Rename(b.path("aside"), b.path(root)))
		}},
	{"browser does not run", func(b *body, t *testing.T) { b.must(t, os.Remove(b.path(root+"/SingletonLock"))) },
		"connection", "does not run", "start Chromium", func(b *body, t *testing.T) {
			b.must(t, os.Symlink(fmt.Sprintf("here-%d", os.Getppid()), b.path(root+"/SingletonLock")))
		}},
	{"extension not loaded", func(b *body, t *testing.T) { b.host.Close() },
		"connection", "no extension of it is connected", "load the unpacked folder", func(b *body, t *testing.T) { b.connect(t, wire.Version) }},
	{"extension of an older release connected", func(b *body, t *testing.T) { b.host.Close(); b.connect(t, "0.0.9") },
		"connection", "extension 0.0.9 is connected", "reload Handrail in chrome://extensions", func(b *body, t *testing.T) { b.host.Close(); b.connect(t, wire.Version) }},
	{"extension does not answer", func(b *body, t *testing.T) { b.host.Close(); b.connect(t, "mute") },
		"connection", "", "reload Handrail in chrome://extensions", func(b *body, t *testing.T) { b.host.Close(); b.connect(t, wire.Version) }},
}

// schema gives the store another version.
func (b *body) schema(t *testing.T, version byte) {
	t.Helper()
	s, err := recovery.Open(b.state, recovery.Options{})
	b.must(t, err)
	b.must(t, s.Close())
	f, err := os.OpenFile(filepath.Join(b.state, "store.db"), os.O_WRONLY, 0)
	b.must(t, err)
	_, err = f.WriteAt([]byte{0, 0, 0, version}, 60) // user_version, in the header of every SQLite file
	b.must(t, err)
	b.must(t, f.Close())
}

// Doctor finds each broken state and names its fix, after which all is well.
func TestStates(t *testing.T) {
	b := newBody(t)
	green := func() {
		t.Helper()
		status, out, errOut := run("doctor")
		if status != 0 || strings.Contains(out, "failed") || !strings.Contains(out, "answered after") {
			t.Fatalf("exit status %d\n%s%s", status, out, errOut)
		}
	}
	green()
	for _, tt := range states {
		tt.harm(b, t)
		status, out, errOut := run("doctor", "--json")
		var report doctor.Report
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Fatalf("%s: %v\n%s", tt.name, err, errOut)
		}
		failure, ill := report.Failure()
		if status != 1 || report.OK || !ill || failure.Name != tt.check || !strings.Contains(failure.Found, tt.found) || !strings.Contains(failure.Fix, tt.fix) {
			t.Errorf("%s: exit status %d, %s\n%s", tt.name, status, out, errOut)
		}
		if !strings.Contains(errOut, tt.fix) {
			t.Errorf("%s: stderr names no fix: %s", tt.name, errOut)
		}
		tt.heal(b, t)
		green()
	}
}

// The command that a fix names is this program by its path, which need not be on
// PATH, or install.sh where this program has no extension to install.
func TestFixRuns(t *testing.T) {
	b := newBody(t)
	b.must(t, os.Remove(b.program()))
	self, err := os.Executable()
	b.must(t, err)
	for extension, want := range map[string]string{
		os.Getenv("HANDRAIL_EXTENSION"): self + " install --browser chromium",
		"":                              "./install.sh --browser chromium",
	} {
		t.Setenv("HANDRAIL_EXTENSION", extension)
		if status, _, errOut := run("doctor"); status != 1 || !strings.HasSuffix(errOut, "; "+want+"\n") {
			t.Errorf("exit status %d, %s; want the fix %s", status, errOut, want)
		}
	}
}

// One browser that works is enough, unless another is named.
func TestOtherBrowsers(t *testing.T) {
	b := newBody(t)
	b.must(t, os.MkdirAll(b.path(".config/vivaldi/Default"), 0o700))
	b.must(t, os.MkdirAll(b.path("snap/brave"), 0o700))
	if status, out, errOut := run("doctor"); status != 0 || !strings.Contains(out, "note    manifest         there is none") || !strings.Contains(out, "note    sandbox") {
		t.Errorf("exit status %d\n%s%s", status, out, errOut)
	}
	for _, named := range []string{"vivaldi", "brave", "chromium,vivaldi"} {
		if status, out, _ := run("doctor", "--browser", named); status != 1 {
			t.Errorf("%s: exit status %d\n%s", named, status, out)
		}
	}
	if status, _, _ := run("doctor", "--browser", "netscape"); status != 2 {
		t.Errorf("exit status %d", status)
	}
	// The host that doctor starts is no browser to clients.
	entries, err := socket.List(b.state)
	if err != nil || len(entries) != 1 {
		t.Errorf("registry %v, %v", entries, err)
	}
}
