package manifest

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Browser is one browser as its profile root on one system shows it.
type Browser struct {
	ID   string // as --browser takes it
	Name string
	OS   string // runtime.GOOS
	Root string // profile root, below the home directory
}

// Browsers is the table of browsers. Hosts are read from Root/NativeMessagingHosts.
var Browsers = []Browser{
	{"chrome", "Google Chrome", "linux", ".config/google-chrome"},
	{"chrome-beta", "Google Chrome Beta", "linux", ".config/google-chrome-beta"},
	{"chrome-dev", "Google Chrome Dev", "linux", ".config/google-chrome-unstable"},
	{"chromium", "Chromium", "linux", ".config/chromium"},
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

// Path is where the browser's manifest stands under a home directory.
func (b Browser) Path(home string) string {
	return filepath.Join(home, b.Root, "NativeMessagingHosts", FileName)
}

// Installed lists the browsers of the system that have been used under home,
// and the names of those that cannot start hosts.
func Installed(home, goos string) (found []Browser, unable []string) {
	for _, b := range Browsers {
		if b.OS == goos && isDir(filepath.Join(home, b.Root)) {
			found = append(found, b)
		}
	}
	for root, name := range confined {
		if goos == "linux" && isDir(filepath.Join(home, root)) {
			unable = append(unable, name)
		}
	}
	return found, unable
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

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
