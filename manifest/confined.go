package manifest

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Sandboxed is a browser of snap or flatpak, which keep it from starting hosts.
type Sandboxed struct {
	ID   string // of the browser
	Name string
	Root string // what shows that it was used, below the home directory
}

var sandboxed = []Sandboxed{
	{"chromium", "Chromium from snap", "snap/chromium"},
	{"brave", "Brave from snap", "snap/brave"},
	{"edge", "Microsoft Edge from snap", "snap/microsoft-edge"},
	{"vivaldi", "Vivaldi from snap", "snap/vivaldi"},
	{"opera", "Opera from snap", "snap/opera"},
	{"opera-beta", "Opera Beta from snap", "snap/opera-beta"},
	{"opera-developer", "Opera Developer from snap", "snap/opera-developer"},
	{"chromium", "Chromium from flatpak", ".var/app/org.chromium.Chromium"},
	{"chromium", "Ungoogled Chromium from flatpak", ".var/app/io.github.ungoogled_software.ungoogled_chromium"},
	{"chrome", "Google Chrome from flatpak", ".var/app/com.google.Chrome"},
	{"chrome-dev", "Google Chrome Dev from flatpak", ".var/app/com.google.ChromeDev"},
	{"brave", "Brave from flatpak", ".var/app/com.brave.Browser"},
	{"edge", "Microsoft Edge from flatpak", ".var/app/com.microsoft.Edge"},
	{"edge-dev", "Microsoft Edge Dev from flatpak", ".var/app/com.microsoft.EdgeDev"},
	{"vivaldi", "Vivaldi from flatpak", ".var/app/com.vivaldi.Vivaldi"},
	{"opera", "Opera from flatpak", ".var/app/com.opera.Opera"},
}

// Unable lists the browsers under home that cannot start hosts.
func Unable(home *os.Root, goos string) (found []Sandboxed) {
	for _, s := range sandboxed {
		if info, err := fs.Stat(home.FS(), s.Root); goos == "linux" && err == nil && info.IsDir() {
			found = append(found, s)
		}
	}
	return found
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

func onPath(program string) bool {
	path, err := exec.LookPath(program)
	return err == nil && !Confined(path)
}
