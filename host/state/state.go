// Package state says where Handrail keeps what must last, and in which mode it
// runs. It promises that its directories are 0700 and owned by this user, and
// refuses to follow a symbolic link where one of them should be.
package state

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"

	"handrail/host/wire"
)

// Dir returns the state directory: HANDRAIL_HOME, else ~/.local/state/handrail.
// Home is taken from the password database, since Chrome's environment and a
// shell's differ.
func Dir() (string, error) {
	if dir := os.Getenv("HANDRAIL_HOME"); dir != "" {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("find HANDRAIL_HOME: %w", err)
		}
		return dir, nil
	}
	u, err := user.LookupId(fmt.Sprint(os.Getuid()))
	if err != nil {
		return "", fmt.Errorf("find the home directory: %w; set HANDRAIL_HOME", err)
	}
	return filepath.Join(u.HomeDir, ".local", "state", "handrail"), nil
}

// Ephemeral reports whether the store is kept in memory: HANDRAIL_EPHEMERAL is
// set, to anything but 0, false, no or off. What is not understood errs on the
// side of leaving nothing behind.
func Ephemeral() bool {
	switch strings.ToLower(os.Getenv("HANDRAIL_EPHEMERAL")) {
	case "", "0", "false", "no", "off":
		return false
	}
	return true
}

// Dedicated returns the key of the keeper whose browser started this process,
// "" in a person's own browser.
func Dedicated() string { return os.Getenv("HANDRAIL_BROWSER") }

// Sub makes dir/name, a directory of mode 0700 that is this user's.
func Sub(dir, name string) (string, error) {
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make state directory: %w", err)
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("make state directory: %w", err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return "", fmt.Errorf("look at state directory: %w", err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%q is no directory", path)
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; int(owner) != os.Geteuid() {
		return "", fmt.Errorf("%q belongs to user %d", path, owner)
	}
	if info.Mode().Perm() != 0o700 {
		if err := os.Chmod(path, 0o700); err != nil {
			return "", fmt.Errorf("close state directory to others: %w", err)
		}
	}
	return path, nil
}

// Origins returns the extension origins that may start the host:
// wire.ExtensionID's and those of the ids that install added to
// dir/extension-ids, one on a line.
func Origins(dir string) []string {
	origins := []string{origin(wire.ExtensionID)}
	if dir == "" {
		return origins
	}
	f, err := os.Open(filepath.Join(dir, "extension-ids"))
	if err != nil {
		return origins // none was added
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if id := strings.TrimSpace(lines.Text()); validID(id) {
			origins = append(origins, origin(id))
		}
	}
	return origins
}

func origin(id string) string { return "chrome-extension://" + id + "/" }

func validID(id string) bool {
	return len(id) == 32 && strings.Trim(id, "abcdefghijklmnop") == ""
}
