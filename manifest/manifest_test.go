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

// No link leads a write or a removal out of the home directory.
func TestLinks(t *testing.T) {
	t.Parallel()
	b, _ := ByID("chromium", Browsers("linux", ".config"))
	file := b.Places()[0].File
	ours, err := Bytes("/opt/handrail")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		link string // below the home directory, to outside
	}{
		{"file", file},
		{"folder", filepath.Dir(file)},
		{"profile", b.Root},
		{"config", ".config"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir, outside := t.TempDir(), t.TempDir()
			home := openRoot(t, dir)
			target := outside
			rest, err := filepath.Rel(test.link, file)
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
			if err := WriteIn(home, file, []byte("other"), 0o644); err == nil {
				t.Error("written through a link")
			}
			if removed, _ := RemoveIn(home, file); removed {
				t.Error("removed through a link")
			}
			names, err := os.ReadDir(filepath.Dir(theirs))
			if got, _ := os.ReadFile(theirs); !bytes.Equal(got, ours) || len(names) != 1 {
				t.Errorf("outside there are %v, with %q, %v", names, got, err)
			}
		})
	}
}
