package recovery

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestFilesArePrivate(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	for _, mask := range []int{0, 0o022, 0o077} {
		syscall.Umask(mask)
		dir := filepath.Join(t.TempDir(), "state")
		s := openStore(t, dir, Options{})
		record(t, s, "c", "x", 1)
		for _, file := range []struct {
			name string
			mode os.FileMode
		}{{"", 0o700}, {"store.db", 0o600}, {"store.db-wal", 0o600}, {"store.db-shm", 0o600}} {
			info, err := os.Stat(filepath.Join(dir, file.name))
			if err != nil || info.Mode().Perm() != file.mode {
				t.Errorf("umask %o: %q is %v, %v", mask, file.name, info.Mode(), err)
			}
		}
	}
}

func TestRefusedPlaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	linked := filepath.Join(dir, "linked")
	if err := os.Mkdir(linked, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, filepath.Join(linked, "store.db")); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{file, filepath.Join(file, "below"), linked, "/proc/nowhere"} {
		if s, err := Open(place, Options{}); !errors.Is(err, ErrNoStore) {
			t.Errorf("%s: %v, %v", place, s, err)
		}
	}
}

const nobody = 65534

// asUser runs a test again as a user to whom permissions apply, when this one
// is root, and says whether it has.
func asUser(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		return false
	}
	dir := t.TempDir()
	for place := dir; strings.HasPrefix(place, filepath.Clean(os.TempDir())+"/"); place = filepath.Dir(place) {
		if err := os.Chmod(place, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	test := filepath.Join(dir, "recovery.test")
	if err := os.WriteFile(test, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(test, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("as user %d: %v\n%s", nobody, err, out)
	}
	return true
}

// What is on a disk that cannot be written is still there to be read.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	if asUser(t) {
		return
	}
	for _, test := range []struct {
		name      string
		dir, file fs.FileMode
		log       bool // the write-ahead log and its index are there
	}{
		{"directory", 0o500, 0o600, true},
		{"file", 0o700, 0o400, true},
		{"both", 0o500, 0o400, true},
		{"directory, no log", 0o500, 0o600, false},
		{"both, no log", 0o500, 0o400, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, fileName)
			s := openStore(t, dir, Options{})
			handle := record(t, s, "c", "x", 1, "u1")
			s.Close()
			for _, suffix := range suffixes[1:] {
				if !test.log {
					os.Remove(path + suffix)
				}
			}
			for place, mode := range map[string]fs.FileMode{path: test.file, dir: test.dir} {
				if err := os.Chmod(place, mode); err != nil {
					t.Fatal(err)
				}
			}
			defer os.Chmod(dir, 0o700)
			s = openStore(t, dir, Options{})
			if _, err := s.Payload(ctx, handle); err != nil {
				t.Error(err)
			}
			if _, _, _, err := s.Shown(ctx, "x", "b", 0, "u1"); err != nil {
				t.Error(err)
			}
			if err := s.SetSetting(ctx, "k", "v"); !errors.Is(err, ErrReadOnly) || s.Moved() != "" {
				t.Errorf("written: %v; moved to %q", err, s.Moved())
			}
		})
	}
	for _, mode := range []fs.FileMode{0o500, 0} {
		dir := t.TempDir()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(dir, 0o700)
		for _, place := range []string{dir, filepath.Join(dir, "below")} {
			if _, err := Open(place, Options{}); !errors.Is(err, ErrNoStore) || !strings.Contains(err.Error(), dir) {
				t.Errorf("no store in a directory of mode %o: %v", mode, err)
			}
		}
	}
}

func TestForeignOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	for _, name := range []string{"", fileName, fileName + "-wal", fileName + "-shm", fileName + "-journal"} {
		dir := t.TempDir()
		place := filepath.Join(dir, name)
		if name != "" {
			if err := os.WriteFile(place, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Lchown(place, nobody, nobody); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, Options{}); !errors.Is(err, ErrNoStore) || !strings.Contains(err.Error(), "another user") {
			t.Errorf("%q of another user: %v", name, err)
		}
	}
}

func TestSymbolicLinks(t *testing.T) {
	t.Parallel()
	for _, suffix := range suffixes {
		dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
		if err := os.WriteFile(victim, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, filepath.Join(dir, fileName+suffix)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, Options{}); !errors.Is(err, ErrNoStore) {
			t.Errorf("store.db%s is a link: %v", suffix, err)
		}
		info, err := os.Stat(victim)
		if body, readErr := os.ReadFile(victim); err != nil || readErr != nil || string(body) != "mine" || info.Mode() != 0o644 {
			t.Errorf("store.db%s: the link's target is now %q, %v", suffix, body, info.Mode())
		}
	}
	link := filepath.Join(t.TempDir(), "state")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(link, Options{}); !errors.Is(err, ErrNoStore) {
		t.Errorf("a linked directory: %v", err)
	}
}

func TestMovedStoresAreForgotten(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Unix(1e9, 0)
	path := filepath.Join(dir, fileName)
	clock := func() time.Time { return now }
	var moved []string
	for range 3 {
		if err := os.WriteFile(path, []byte("no store at all"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := openStore(t, dir, Options{Now: clock})
		moved = append(moved, s.Moved())
		s.Close()
		now = now.Add(3 * 24 * time.Hour)
	}
	openStore(t, dir, Options{Now: clock})
	for i, want := range []bool{false, true, true} { // 9, 6 and 3 days old
		if _, err := os.Stat(moved[i]); (err == nil) != want {
			t.Errorf("%q is there: %v", moved[i], err == nil)
		}
	}
}
