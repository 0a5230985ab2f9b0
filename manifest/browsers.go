package manifest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"handrail/host/wire"
)

// Browser is one browser as one system has it.
type Browser struct {
	ID   string // as --browser takes it
	Name string
	OS   string // runtime.GOOS
	Root string // profile root, below the home directory
	Page string // where its extensions are managed

	Programs []string // names it may have on PATH
	keys     []string // Windows: of the vendors under whose keys it looks for hosts
	beside   string   // root of a browser whose hosts it reads, "" is none
}

// kinds is the table of browsers: their profile roots on Linux, below the
// configuration directory, on macOS, below Library/Application Support, and on
// Windows, below AppData; "" is where there is none.
var kinds = []struct {
	id, name, linux, darwin, windows, key string
	programs                              []string
}{
	{"chrome", "Google Chrome", "google-chrome", "Google/Chrome", "Local/Google/Chrome/User Data", chromeKey, []string{"google-chrome", "google-chrome-stable"}},
	{"chrome-beta", "Google Chrome Beta", "google-chrome-beta", "Google/Chrome Beta", "Local/Google/Chrome Beta/User Data", chromeKey, []string{"google-chrome-beta"}},
	{"chrome-dev", "Google Chrome Dev", "google-chrome-unstable", "Google/Chrome Dev", "Local/Google/Chrome Dev/User Data", chromeKey, []string{"google-chrome-unstable"}},
	{"chrome-canary", "Google Chrome Canary", "google-chrome-canary", "Google/Chrome Canary", "Local/Google/Chrome SxS/User Data", chromeKey, []string{"google-chrome-canary"}},
	{"chromium", "Chromium", "chromium", "Chromium", "Local/Chromium/User Data", "Chromium", []string{"chromium", "chromium-browser"}},
	{"brave", "Brave", "BraveSoftware/Brave-Browser", "BraveSoftware/Brave-Browser", "Local/BraveSoftware/Brave-Browser/User Data", `BraveSoftware\Brave-Browser`, []string{"brave-browser", "brave-browser-stable", "brave"}},
	{"brave-beta", "Brave Beta", "BraveSoftware/Brave-Browser-Beta", "BraveSoftware/Brave-Browser-Beta", "Local/BraveSoftware/Brave-Browser-Beta/User Data", `BraveSoftware\Brave-Browser-Beta`, []string{"brave-browser-beta"}},
	{"brave-nightly", "Brave Nightly", "BraveSoftware/Brave-Browser-Nightly", "BraveSoftware/Brave-Browser-Nightly", "Local/BraveSoftware/Brave-Browser-Nightly/User Data", `BraveSoftware\Brave-Browser-Nightly`, []string{"brave-browser-nightly"}},
	{"edge", "Microsoft Edge", "microsoft-edge", "Microsoft Edge", "Local/Microsoft/Edge/User Data", edgeKey, []string{"microsoft-edge", "microsoft-edge-stable"}},
	{"edge-beta", "Microsoft Edge Beta", "microsoft-edge-beta", "Microsoft Edge Beta", "Local/Microsoft/Edge Beta/User Data", edgeKey, []string{"microsoft-edge-beta"}},
	{"edge-dev", "Microsoft Edge Dev", "microsoft-edge-dev", "Microsoft Edge Dev", "Local/Microsoft/Edge Dev/User Data", edgeKey, []string{"microsoft-edge-dev"}},
	{"edge-canary", "Microsoft Edge Canary", "microsoft-edge-canary", "Microsoft Edge Canary", "Local/Microsoft/Edge SxS/User Data", edgeKey, []string{"microsoft-edge-canary"}},
	{"vivaldi", "Vivaldi", "vivaldi", "Vivaldi", "Local/Vivaldi/User Data", "Vivaldi", []string{"vivaldi", "vivaldi-stable"}},
	{"vivaldi-snapshot", "Vivaldi Snapshot", "vivaldi-snapshot", "Vivaldi Snapshot", "Local/Vivaldi Snapshot/User Data", "Vivaldi", []string{"vivaldi-snapshot"}},
	{"opera", "Opera", "opera", "com.operasoftware.Opera", "Roaming/Opera Software/Opera Stable", "Opera Software", []string{"opera", "opera-stable"}},
	{"opera-beta", "Opera Beta", "opera-beta", "com.operasoftware.OperaNext", "Roaming/Opera Software/Opera Next", "Opera Software", []string{"opera-beta"}},
	{"opera-developer", "Opera Developer", "opera-developer", "com.operasoftware.OperaDeveloper", "Roaming/Opera Software/Opera Developer", "Opera Software", []string{"opera-developer"}},
	{"arc", "Arc", "", "Arc/User Data", "Local/Packages/TheBrowserCompany.Arc_ttt1ap7aakyb4/LocalCache/Local/Arc/User Data", "Arc", nil},
}

const (
	chromeKey = `Google\Chrome`
	edgeKey   = `Microsoft\Edge`
)

// Browsers lists the browsers of a system. config is Linux's configuration
// directory below the home directory, as Config gives it.
func Browsers(goos, config string) (all []Browser) {
	for _, k := range kinds {
		family, _, _ := strings.Cut(k.id, "-")
		b := Browser{ID: k.id, Name: k.name, OS: goos, Page: family + "://extensions", Programs: k.programs}
		if family == "chromium" {
			b.Page = "chrome://extensions"
		}
		base := config
		switch goos {
		case "linux":
			b.Root = k.linux
		case "darwin":
			b.Root, base = k.darwin, "Library/Application Support"
		case "windows":
			b.Root, base = k.windows, "AppData"
			b.keys = []string{k.key}
			// Chromium's own code looks under Chrome's key, and only Chromium
			// and Edge under theirs before that.
			if k.key != chromeKey && k.key != edgeKey {
				b.keys = append(b.keys, chromeKey)
			}
		}
		if b.Root == "" {
			continue
		}
		b.Root = filepath.Join(base, filepath.FromSlash(b.Root))
		if family == "opera" && goos != "windows" { // it has been seen to read Chrome's hosts, too
			chrome := kinds[0].linux
			if goos == "darwin" {
				chrome = kinds[0].darwin
			}
			b.beside = filepath.Join(base, filepath.FromSlash(chrome))
		}
		all = append(all, b)
	}
	return all
}

// Config gives the directory, below home, in which browsers on Linux have their
// profiles: XDG_CONFIG_HOME where that is below home, else .config. elsewhere is
// XDG_CONFIG_HOME where it is not.
func Config(home *os.Root) (config, elsewhere string) {
	named := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(named) { // as its specification says
		return ".config", ""
	}
	if below, err := filepath.Rel(home.Name(), named); err == nil && filepath.IsLocal(below) && below != "." {
		return below, ""
	}
	return ".config", named
}

// Installed lists those of the browsers that have been used under home or are on
// PATH.
func Installed(home *os.Root, all []Browser) (found []Browser) {
	for _, b := range all {
		if used(home, b.Root) || slices.ContainsFunc(b.Programs, onPath) {
			found = append(found, b)
		}
	}
	return found
}

// used tells a browser's profile root from a folder that installers of hosts made.
func used(home *os.Root, root string) bool {
	dir, err := home.Open(root)
	if err != nil {
		return false
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(2)
	return len(names) > 1 || len(names) == 1 && names[0] != hostsFolder
}

// ByID finds a browser among all.
func ByID(id string, all []Browser) (Browser, bool) {
	i := slices.IndexFunc(all, func(b Browser) bool { return b.ID == id })
	if i < 0 {
		return Browser{}, false
	}
	return all[i], true
}

// Place is one thing that registers the host with a browser.
type Place struct {
	File string // a manifest, below the home directory
	Key  string // Windows: a key below HKEY_CURRENT_USER that names File; "" is File itself
}

// FileName is the name of the manifest's file in a browser's folder.
const FileName = wire.HostName + ".json"

const hostsFolder = "NativeMessagingHosts"

// Places lists what registers the host with the browser, in the order in which it
// is to be written: files first.
func (b Browser) Places() []Place {
	if b.OS == "windows" { // one manifest for all
		file := filepath.Join("AppData", "Local", "handrail", FileName)
		places := []Place{{File: file}}
		for _, key := range b.keys {
			places = append(places, Place{file, `Software\` + key + `\` + hostsFolder + `\` + wire.HostName})
		}
		return places
	}
	places := []Place{{File: filepath.Join(b.Root, hostsFolder, FileName)}}
	if b.beside != "" {
		places = append(places, Place{File: filepath.Join(b.beside, hostsFolder, FileName)})
	}
	return places
}

// Registry is what is used of a Windows registry: the unnamed values of keys
// below HKEY_CURRENT_USER.
type Registry interface {
	Get(key string) (value string, ok bool, err error)
	Set(key, value string) error // makes the key
	Delete(key string) error
}

// Path says, below home, where the place is.
func (p Place) Path(home *os.Root) string {
	if p.Key != "" {
		return `HKEY_CURRENT_USER\` + p.Key
	}
	return filepath.Join(home.Name(), p.File)
}

// Write writes body, a manifest, to the place. reg is OpenRegistry's.
func (p Place) Write(home *os.Root, reg Registry, body []byte) error {
	if p.Key != "" {
		return reg.Set(p.Key, filepath.Join(home.Name(), p.File))
	}
	return WriteIn(home, p.File, body, 0o644)
}

// Remove removes what is ours at the place and the folders that are empty then,
// and tells whether there was something.
func (p Place) Remove(home *os.Root, reg Registry) (bool, error) {
	if p.Key != "" {
		value, ok, err := reg.Get(p.Key)
		if !ok || err != nil || !strings.EqualFold(value, filepath.Join(home.Name(), p.File)) {
			return false, err
		}
		return true, reg.Delete(p.Key)
	}
	removed, err := RemoveIn(home, p.File)
	if folder := filepath.Dir(p.File); removed && home.Remove(folder) == nil {
		home.Remove(filepath.Dir(folder)) // only what is empty
	}
	return removed, err
}
