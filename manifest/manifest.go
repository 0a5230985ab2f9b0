// Package manifest writes what registers Handrail's native-messaging host with
// browsers, files and on Windows keys of the registry, and removes it again.
//
// It promises that a file is written whole or not at all, the same bytes each
// time, and never outside the folder it is for, whatever links there are; and
// that what it removes is ours. It never claims a browser that cannot start hosts
// (snap, flatpak).
package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

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
	if !filepath.IsAbs(path) || !utf8.ValidString(path) {
		return nil, fmt.Errorf("host path %q is not absolute or no text", path)
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

// Write puts body at path, of which only the last folder need exist, as WriteIn does.
func Write(path string, body []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	defer root.Close()
	return WriteIn(root, filepath.Base(path), body, mode)
}

// WriteIn puts body at name below root, which no link leads out of: beside it
// first, then in its place, so that a reader sees the old file or the new one. A
// name that is a symbolic link is refused.
func WriteIn(root *os.Root, name string, body []byte, mode fs.FileMode) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %q: %w", filepath.Join(root.Name(), name), err)
		}
	}()
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	fresh := name + ".new"
	if err := root.RemoveAll(fresh); err != nil {
		return err
	}
	file, err := root.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(body)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err == nil {
		err = root.Rename(fresh, name)
	}
	if err != nil {
		root.Remove(fresh)
	}
	return err
}

// RemoveIn removes the manifest at name below root if it is ours, and tells
// whether it did.
func RemoveIn(root *os.Root, name string) (bool, error) {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return false, nil
	}
	var body []byte
	if err == nil {
		body, err = root.ReadFile(name)
	}
	if err == nil {
		var m Manifest
		if json.Unmarshal(body, &m) != nil || m.Name != wire.HostName {
			return false, nil
		}
		err = root.Remove(name)
	}
	if err != nil {
		return false, fmt.Errorf("remove %q: %w", filepath.Join(root.Name(), name), err)
	}
	return true, nil
}
