package manifest

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Browser is one browser as its profile root on one system shows it.
type Browser struct {
	ID   string // as --browser takes it
	Name string
	OS   string // runtime.GOOS
	Root string // profile root, below the home directory

	Programs []string // names it may have on PATH
}

// Browsers is the table of browsers. Hosts are read from Root/NativeMessagingHosts.
var Browsers = []Browser{
	{"chrome", "Google Chrome", "linux", ".config/google-chrome", []string{"google-chrome", "google-chrome-stable"}},
	{"chrome-beta", "Google Chrome Beta", "linux", ".config/google-chrome-beta", []string{"google-chrome-beta"}},
	{"chrome-dev", "Google Chrome Dev", "linux", ".config/google-chrome-unstable", []string{"google-chrome-unstable"}},
	{"chromium", "Chromium", "linux", ".config/chromium", []string{"chromium", "chromium-browser"}},
}

// confined are the profile roots of browsers in a sandbox that keeps them from
// starting hosts.
var confined = map[string]string{
	"snap/chromium":                                            "Chromium from snap",
	".var/app/org.chromium.Chromium":                           "Chromium from flatpak",
	".var/app/com.google.Chrome":                               "Google Chrome from flatpak",
	".var/app/com.google.ChromeDev":                            "Google Chrome Dev from flatpak",
	".var/app/io.github.ungoogled_software.ungoogled_chromium": "Ungoogled Chromium from flatpak",
}

// Confined tells whether a program is a browser in such a sandbox, or a script
// that starts one.
func Confined(program string) bool {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return false
	}
	for _, path := range []string{program, real} {
		if strings.HasPrefix(path, "/snap/") || strings.Contains(path, "/flatpak/") || filepath.Base(path) == "snap" {
			return true
		}
	}
	f, err := os.Open(real)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 8<<10)
	n, _ := io.ReadFull(f, head)
	return bytes.HasPrefix(head[:n], []byte("#!")) && (bytes.Contains(head[:n], []byte("/snap/bin/")) || bytes.Contains(head[:n], []byte("flatpak run")))
}

// Path is where the browser's manifest stands below a home directory.
func (b Browser) Path() string { return filepath.Join(b.Root, "NativeMessagingHosts", FileName) }

// Installed lists the browsers of the system that have been used under home or
// are on PATH, and the names of those that cannot start hosts.
func Installed(home *os.Root, goos string) (found []Browser, unable []string) {
	for _, b := range Browsers {
		if b.OS == goos && (isDir(home, b.Root) || slices.ContainsFunc(b.Programs, onPath)) {
			found = append(found, b)
		}
	}
	for root, name := range confined {
		if goos == "linux" && isDir(home, root) {
			unable = append(unable, name)
		}
	}
	slices.Sort(unable)
	return found, unable
}

func onPath(program string) bool {
	path, err := exec.LookPath(program)
	return err == nil && !Confined(path)
}

// ByID finds a browser of the system.
func ByID(id, goos string) (Browser, bool) {
	for _, b := range Browsers {
		if b.ID == id && b.OS == goos {
			return b, true
		}
	}
	return Browser{}, false
}

func isDir(root *os.Root, name string) bool {
	info, err := root.Stat(name)
	return err == nil && info.IsDir()
}
