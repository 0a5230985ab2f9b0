package manifest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handrail/host/wire"
)

// The extension's id follows from its key; the extension folder has that key.
func TestExtensionID(t *testing.T) {
	t.Parallel()
	der, err := base64.StdEncoding.DecodeString(wire.ExtensionKey)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(der)
	id := strings.Map(func(r rune) rune {
		if r >= 'a' {
			return r - 'a' + 'k'
		}
		return r - '0' + 'a'
	}, hex.EncodeToString(sum[:])[:32])
	if id != wire.ExtensionID {
		t.Errorf("the key's id is %s, wire says %s", id, wire.ExtensionID)
	}
	body, err := os.ReadFile("../extension/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var extension struct {
		Key     string `json:"key"`
		Version string `json:"version"`
	}
	if err := json.Unmarshal(body, &extension); err != nil || extension.Key != wire.ExtensionKey {
		t.Errorf("extension/manifest.json has another key: %v", err)
	}
	if extension.Version != wire.Version {
		t.Errorf("extension/manifest.json is version %s, the host %s", extension.Version, wire.Version)
	}
}

func TestBytes(t *testing.T) {
	t.Parallel()
	body, err := Bytes("/opt/a <b>/handrail", strings.Repeat("a", 32))
	if err != nil {
		t.Fatal(err)
	}
	var m Manifest
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatal(err)
	}
	want := []string{"chrome-extension://" + wire.ExtensionID + "/", "chrome-extension://" + strings.Repeat("a", 32) + "/"}
	if m.Name != "com.handrail.host" || m.Path != "/opt/a <b>/handrail" || m.Type != "stdio" || !slices.Equal(m.AllowedOrigins, want) {
		t.Errorf("%s", body)
	}
	for _, path := range []string{"handrail", "/opt/\xff/handrail"} {
		if _, err := Bytes(path); err == nil {
			t.Errorf("path %q was taken", path)
		}
	}
}

func openRoot(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func TestWriteAndRemove(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	home := openRoot(t, dir)
	for _, b := range Browsers {
		path := filepath.Join(dir, b.Path())
		body, err := Bytes("/opt/handrail")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := WriteIn(home, b.Path(), body, 0o644); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, body) {
				t.Errorf("%s: %v", path, err)
			}
		}
		if names, _ := os.ReadDir(filepath.Dir(path)); len(names) != 1 {
			t.Errorf("%d files beside %s", len(names)-1, path)
		}
		other := filepath.Join(filepath.Dir(b.Path()), "org.other.json")
		if err := home.WriteFile(other, []byte(`{"name":"org.other"}`), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			name string
			want bool
		}{{other, false}, {b.Path(), true}, {b.Path(), false}} {
			if got, err := RemoveIn(home, step.name); got != step.want || err != nil {
				t.Errorf("remove %s: %v, %v", step.name, got, err)
			}
		}
		if _, err := home.Stat(other); err != nil {
			t.Errorf("another's manifest is gone: %v", err)
		}
	}
}

// No link leads a write or a removal out of the home directory.
func TestLinks(t *testing.T) {
	t.Parallel()
	b, _ := ByID("chromium", "linux")
	ours, err := Bytes("/opt/handrail")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		link string // below the home directory, to outside
	}{
		{"file", b.Path()},
		{"folder", filepath.Dir(b.Path())},
		{"profile", b.Root},
		{"config", ".config"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir, outside := t.TempDir(), t.TempDir()
			home := openRoot(t, dir)
			target := outside
			rest, err := filepath.Rel(test.link, b.Path())
			if err != nil {
				t.Fatal(err)
			}
			theirs := filepath.Join(outside, rest)
			if rest == "." {
				theirs = filepath.Join(outside, "file")
				target = theirs
			}
			if err := Write(theirs, ours, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, test.link)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(target, filepath.Join(dir, test.link)); err != nil {
				t.Fatal(err)
			}
			if err := WriteIn(home, b.Path(), []byte("other"), 0o644); err == nil {
				t.Error("written through a link")
			}
			if removed, _ := RemoveIn(home, b.Path()); removed {
				t.Error("removed through a link")
			}
			names, err := os.ReadDir(filepath.Dir(theirs))
			if got, _ := os.ReadFile(theirs); !bytes.Equal(got, ours) || len(names) != 1 {
				t.Errorf("outside there are %v, with %q, %v", names, got, err)
			}
		})
	}
}

func TestInstalled(t *testing.T) {
	bin, home := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin)
	for _, root := range []string{".config/chromium", ".config/google-chrome-beta", "snap/chromium"} {
		if err := os.MkdirAll(filepath.Join(home, root), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"google-chrome": "#!/bin/sh\n", "google-chrome-unstable": "#!/bin/sh\nexec /snap/bin/chrome\n"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	root := openRoot(t, home)
	found, unable := Installed(root, "linux")
	var ids []string
	for _, b := range found {
		ids = append(ids, b.ID)
	}
	if !slices.Equal(ids, []string{"chrome", "chrome-beta", "chromium"}) || !slices.Equal(unable, []string{"Chromium from snap"}) {
		t.Errorf("found %q, unable %q", ids, unable)
	}
	if found, _ := Installed(root, "plan9"); len(found) > 0 {
		t.Errorf("found %v on another system", found)
	}
	if _, ok := ByID("chromium", "linux"); !ok {
		t.Error("no chromium")
	}
	if _, ok := ByID("netscape", "linux"); ok {
		t.Error("netscape")
	}
}
