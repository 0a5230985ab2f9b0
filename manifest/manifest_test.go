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
	if _, err := Bytes("handrail"); err == nil {
		t.Error("a relative path was taken")
	}
}

func TestWriteAndRemove(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, b := range Browsers {
		path := b.Path(home)
		body, err := Bytes("/opt/handrail")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := Write(path, body, 0o644); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, body) {
				t.Errorf("%s: %v", path, err)
			}
		}
		if names, _ := os.ReadDir(filepath.Dir(path)); len(names) != 1 {
			t.Errorf("%d files beside %s", len(names)-1, path)
		}
		other := filepath.Join(filepath.Dir(path), "org.other.json")
		if err := os.WriteFile(other, []byte(`{"name":"org.other"}`), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			path string
			want bool
		}{{other, false}, {path, true}, {path, false}} {
			if got, err := Remove(step.path); got != step.want || err != nil {
				t.Errorf("remove %s: %v, %v", step.path, got, err)
			}
		}
		if _, err := os.Stat(other); err != nil {
			t.Errorf("another's manifest is gone: %v", err)
		}
	}
}

func TestWriteRefusesLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte("theirs"), 0o644); err == nil {
		t.Error("a link was followed")
	}
	if got, _ := os.ReadFile(target); string(got) != "mine" {
		t.Errorf("the link's target is %q", got)
	}
}

func TestInstalled(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, root := range []string{".config/chromium", ".config/google-chrome-beta", "snap/chromium"} {
		if err := os.MkdirAll(filepath.Join(home, root), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	found, unable := Installed(home, "linux")
	var ids []string
	for _, b := range found {
		ids = append(ids, b.ID)
	}
	if !slices.Equal(ids, []string{"chrome-beta", "chromium"}) || !slices.Equal(unable, []string{"Chromium from snap"}) {
		t.Errorf("found %q, unable %q", ids, unable)
	}
	if found, _ := Installed(home, "plan9"); len(found) > 0 {
		t.Errorf("found %v on another system", found)
	}
	if _, ok := ByID("chromium", "linux"); !ok {
		t.Error("no chromium")
	}
	if _, ok := ByID("netscape", "linux"); ok {
		t.Error("netscape")
	}
}
