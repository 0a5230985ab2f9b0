package socket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"handrail/host/wire"
)

// home is a state directory with a short path.
func home(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hr")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "run", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestListenDialClose(t *testing.T) {
	t.Parallel()
	dir := home(t)
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	want := Entry{PID: 7, Started: started, Version: "1", Browser: wire.Browser{Instance: "i", Name: "Chromium"}, Dedicated: "k", Ephemeral: true}
	l, err := Listen(dir, want)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	live, err := List(dir)
	if err != nil || len(live) != 1 {
		t.Fatalf("List = %v, %v", live, err)
	}
	want.Socket = live[0].Socket
	if live[0] != want {
		t.Errorf("entry %+v, want %+v", live[0], want)
	}
	accepted := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			_, err = conn.Write([]byte("hi"))
			conn.Close()
		}
		accepted <- err
	}()
	conn, err := Dial(context.Background(), live[0])
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(conn); err != nil || string(got) != "hi" {
		t.Errorf("read %q, %v", got, err)
	}
	if err := <-accepted; err != nil {
		t.Error(err)
	}
	use := started.Add(time.Hour)
	if err := l.Touch(use); err != nil {
		t.Fatal(err)
	}
	if got, err := live[0].LastUse(); err != nil || !got.Equal(use) {
		t.Errorf("LastUse = %v, %v, want %v", got, err, use)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept after Close: %v", err)
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// The umask is the process's, so each case runs in a child.
func TestModesUnderAnyUmask(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv("TEST_SOCKET_UMASK_DIR"); dir != "" {
		var mask int
		fmt.Sscanf(os.Getenv("TEST_SOCKET_UMASK"), "%o", &mask)
		syscall.Umask(mask)
		l, err := Listen(dir, Entry{})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for path, want := range map[string]os.FileMode{
			filepath.Join(dir, "run"):   0o700,
			l.Entry().Socket:            0o600,
			entryPath(l.Entry().Socket): 0o600,
		} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: mode %v, %v, want %v", path, info.Mode(), err, want)
			}
		}
		return
	}
	for _, mask := range []string{"000", "022", "077"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestModesUnderAnyUmask$")
		cmd.Env = append(os.Environ(), "TEST_SOCKET_UMASK_DIR="+home(t), "TEST_SOCKET_UMASK="+mask)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("umask %s: %v\n%s", mask, err, out)
		}
	}
}

func TestStaleFilesAreRemoved(t *testing.T) {
	t.Parallel()
	dir := home(t)
	alive, err := Listen(dir, Entry{PID: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	gone, err := Listen(dir, Entry{PID: 2})
	if err != nil {
		t.Fatal(err)
	}
	// A host that was killed leaves socket and entry behind, unlocked.
	gone.unix.Close()
	gone.lock.Close()
	for _, name := range []string{"junk.json", "alone.sock", "half.json.new"} {
		os.WriteFile(filepath.Join(dir, "run", name), []byte("{"), 0o600)
	}
	live, err := List(dir)
	if err != nil || len(live) != 1 || live[0].PID != 1 {
		t.Errorf("List = %+v, %v", live, err)
	}
	if left := files(t, dir); len(left) != 2 {
		t.Errorf("left: %q", left)
	}
	if _, err := Dial(context.Background(), gone.entry); err == nil {
		t.Error("reached a host that is gone")
	}
}

func TestEntryMayNotPointElsewhere(t *testing.T) {
	t.Parallel()
	dir := home(t)
	l, err := Listen(dir, Entry{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.lock.Truncate(0)
	l.lock.WriteAt([]byte(`{"socket":"/tmp/other.sock"}`), 0)
	if live, err := List(dir); err != nil || len(live) != 0 {
		t.Errorf("List = %+v, %v", live, err)
	}
}

func TestPathTooLong(t *testing.T) {
	t.Parallel()
	fits := home(t)
	fits = filepath.Join(fits, strings.Repeat("d", maxPath-len("/run/0123456789abcdef.sock")-len(fits)-1))
	l, err := Listen(fits, Entry{})
	if err != nil {
		t.Fatalf("a path of %d bytes: %v", maxPath, err)
	}
	defer l.Close()
	if len(l.Entry().Socket) != maxPath {
		t.Fatalf("the path has %d bytes", len(l.Entry().Socket))
	}
	_, listenErr := Listen(fits+"d", Entry{})
	_, listErr := List(fits + "d")
	for name, err := range map[string]error{"Listen": listenErr, "List": listErr} {
		if err == nil || !strings.Contains(err.Error(), "HANDRAIL_HOME") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(fits + "d"); err == nil {
		t.Error("a directory was made all the same")
	}
}

func TestOnlyThisUser(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		peer, self uint32
		ok         bool
	}{
		{"the same user", 1000, 1000, true},
		{"root is root's", 0, 0, true},
		{"another user", 1001, 1000, false},
		{"root is not everyone", 0, 1000, false},
	} {
		if err := sameUser(tt.peer, tt.self); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// stranger is the environment variable that makes the test binary another user's
// program, which tries to connect to the socket it names.
const stranger = "HANDRAIL_TEST_STRANGER"

func TestMain(m *testing.M) {
	if path := os.Getenv(stranger); path != "" {
		os.Exit(tryAsStranger(path))
	}
	os.Exit(m.Run())
}

// tryAsStranger tells what came of 1,000 tries: how many connections were opened, and
// how many of them said a word.
func tryAsStranger(path string) int {
	opened, said := 0, 0
	for range 1000 {
		conn, err := net.Dial("unix", path)
		if err != nil {
			continue
		}
		opened++
		if b, _ := io.ReadAll(conn); len(b) > 0 {
			said++
		}
		conn.Close()
	}
	fmt.Print(opened, " ", said)
	return 0
}

// Another user of the machine is kept out by the modes of the files, and where these
// are loosened by the check of who is at the other end.
func TestAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	const nobody = 65534
	for _, test := range []struct {
		name   string
		loose  bool
		opened string
	}{{"closed files", false, "0"}, {"open files", true, "1000"}} {
		t.Run(test.name, func(t *testing.T) {
			dir := home(t)
			l, err := Listen(dir, Entry{PID: 7, Browser: wire.Browser{Instance: "i", Name: "n", Version: "v"}})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				for {
					conn, err := l.Accept()
					if errors.Is(err, net.ErrClosed) {
						return
					}
					if err == nil {
						conn.Write([]byte("secret"))
						conn.Close()
					}
				}
			}()
			path := l.Entry().Socket
			if test.loose {
				for _, at := range []string{dir, filepath.Dir(path), path} {
					if err := os.Chmod(at, 0o777); err != nil {
						t.Fatal(err)
					}
				}
			}
			self, err := os.ReadFile(os.Args[0]) // a copy that another user may run
			if err != nil {
				t.Fatal(err)
			}
			copied := filepath.Join(home(t), "stranger")
			if err := os.WriteFile(copied, self, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(filepath.Dir(copied), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(copied)
			cmd.Dir, cmd.Env = "/", []string{stranger + "=" + path}
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if got := string(out); got != test.opened+" 0" {
				t.Errorf("connections opened and served: %s, want %s 0", got, test.opened)
			}
		})
	}
}
