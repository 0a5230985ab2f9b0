// Package manifest writes the files that register Handrail's native-messaging
// host with browsers, and removes them again.
//
// It promises that a file is written whole or not at all, the same bytes each
// time, without following a symbolic link; and that what it removes is ours. It
// never claims a browser that cannot start hosts (snap, flatpak).
package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"handrail/host/wire"
)

// Manifest is a native-messaging host manifest as browsers read it.
type Manifest struct {
	Name           string   `json:"name"`
	Description    string   `json:"description"`
	Path           string   `json:"path"` // absolute
	Type           string   `json:"type"`
	AllowedOrigins []string `json:"allowed_origins"`
}

// Bytes gives the manifest of a host at path for Handrail's extension and the
// other extension ids.
func Bytes(path string, ids ...string) ([]byte, error) {
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("host path %q is not absolute", path)
	}
	m := Manifest{Name: wire.HostName, Description: "Handrail: see and use a page", Path: path, Type: "stdio"}
	for _, id := range append([]string{wire.ExtensionID}, ids...) {
		m.AllowedOrigins = append(m.AllowedOrigins, "chrome-extension://"+id+"/")
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(m)
	return b.Bytes(), err
}

// FileName is the name of the manifest's file in a browser's folder.
const FileName = wire.HostName + ".json"

// Write puts body at path: beside it first, then in its place, so that a reader
// sees the old file or the new one. A path that is a symbolic link is refused.
func Write(path string, body []byte, mode fs.FileMode) (err error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("write %q: it is not a regular file", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
			err = fmt.Errorf("write %q: %w", path, err)
		}
	}()
	_, err = file.Write(body)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	return err
}

// Remove removes the manifest at path if it is ours, and tells whether it did.
func Remove(path string) (bool, error) {
	body, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("remove manifest: %w", err)
	}
	var m Manifest
	if json.Unmarshal(body, &m) != nil || m.Name != wire.HostName {
		return false, nil
	}
	if err := os.Remove(path); err != nil {
		return false, fmt.Errorf("remove manifest: %w", err)
	}
	return true, nil
}
