package state

import (
	"bytes"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"handrail/host/wire"
)

func TestDir(t *testing.T) {
	u, err := user.Current()
	if err != nil {
		t.Skip(err)
	}
	t.Setenv("HOME", "/nowhere")
	for _, tt := range []struct{ name, home, want string }{
		{"given", "/some/where", "/some/where"},
		{"not given: from the password database, not HOME", "", filepath.Join(u.HomeDir, ".local/state/handrail")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("HANDRAIL_HOME", tt.home)
			got, err := Dir()
			if err != nil || got != tt.want {
				t.Errorf("Dir() = %q, %v, want %q", got, err, tt.want)
			}
		})
	}
	t.Setenv("HANDRAIL_HOME", "here")
	if got, err := Dir(); err != nil || !filepath.IsAbs(got) {
		t.Errorf("Dir() of a relative path = %q, %v", got, err)
	}
}

func TestSub(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	os.Mkdir(filepath.Join(home, "loose"), 0o777)
	os.Chmod(filepath.Join(home, "loose"), 0o777)
	os.WriteFile(filepath.Join(home, "file"), nil, 0o600)
	os.Symlink(t.TempDir(), filepath.Join(home, "link"))
	for _, tt := range []struct {
		name, dir, sub string
		ok             bool
	}{
		{"made with its parents", filepath.Join(home, "a", "b"), "run", true},
		{"closed to others", home, "loose", true},
		{"a file stands there", home, "file", false},
		{"a link stands there", home, "link", false},
		{"a file stands above", filepath.Join(home, "file"), "run", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path, err := Sub(tt.dir, tt.sub)
			if (err == nil) != tt.ok {
				t.Fatalf("Sub = %q, %v", path, err)
			}
			if err != nil {
				return
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
		})
	}
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	own := "chrome-extension://" + wire.ExtensionID + "/"
	added := strings.Repeat("ab", 16)
	for _, tt := range []struct {
		name, file string
		want       []string
	}{
		{"none added", "", []string{own}},
		{"one added", added + "\n", []string{own, "chrome-extension://" + added + "/"}},
		{"no ids are passed over", "*\nzz\n" + strings.Repeat("z", 32) + "\n" + added + "/\n", []string{own}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if tt.file != "" {
				os.WriteFile(filepath.Join(dir, "extension-ids"), []byte(tt.file), 0o600)
			}
			if got := Origins(dir); strings.Join(got, " ") != strings.Join(tt.want, " ") {
				t.Errorf("Origins = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLogIsCapped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, err := openLogFile(dir, "host.log", 100)
	if err != nil {
		t.Fatal(err)
	}
	b, err := openLogFile(dir, "host.log", 100)
	if err != nil {
		t.Fatal(err)
	}
	line := append(bytes.Repeat([]byte("x"), 39), '\n')
	for range 10 {
		a.Write(line)
		b.Write(line)
	}
	for _, name := range []string{"host.log", "host.log.1"} {
		info, err := os.Stat(filepath.Join(dir, "log", name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() == 0 || info.Size() > 120 || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %d bytes, mode %v", name, info.Size(), info.Mode())
		}
	}
}

func TestLogFollowsNoLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	victim := filepath.Join(t.TempDir(), "victim")
	os.WriteFile(victim, nil, 0o644)
	os.Mkdir(filepath.Join(dir, "log"), 0o700)
	os.Symlink(victim, filepath.Join(dir, "log", "host.log"))
	if _, err := openLogFile(dir, "host.log", 100); err == nil {
		t.Error("the log was opened through a link")
	}
}

func TestEphemeralLeavesNoLog(t *testing.T) {
	t.Setenv("HANDRAIL_EPHEMERAL", "1")
	dir := t.TempDir()
	log := OpenLog(dir, "host")
	log.Info().Msg("started")
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%q was left", left[0].Name())
	}
}
