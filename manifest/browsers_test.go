package manifest

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fakeRegistry is a registry for tests.
type fakeRegistry map[string]string

func (r fakeRegistry) Get(key string) (string, bool, error) { v, ok := r[key]; return v, ok, nil }
func (r fakeRegistry) Set(key, value string) error          { r[key] = value; return nil }
func (r fakeRegistry) Delete(key string) error              { delete(r, key); return nil }

// What registers the host, per system: files below home and keys of the registry.
func TestPlaces(t *testing.T) {
	t.Parallel()
	const (
		file = "NativeMessagingHosts/com.handrail.host.json"
		mac  = "Library/Application Support/"
		win  = "AppData/Local/handrail/com.handrail.host.json"
		key  = `\NativeMessagingHosts\com.handrail.host`
	)
	for _, tt := range []struct {
		system, id string
		want       []string
	}{
		{"linux", "chrome", []string{".config/google-chrome/" + file}},
		{"linux", "chrome-beta", []string{".config/google-chrome-beta/" + file}},
		{"linux", "chrome-dev", []string{".config/google-chrome-unstable/" + file}},
		{"linux", "chrome-canary", []string{".config/google-chrome-canary/" + file}},
		{"linux", "chromium", []string{".config/chromium/" + file}},
		{"linux", "brave", []string{".config/BraveSoftware/Brave-Browser/" + file}},
		{"linux", "brave-beta", []string{".config/BraveSoftware/Brave-Browser-Beta/" + file}},
		{"linux", "brave-nightly", []string{".config/BraveSoftware/Brave-Browser-Nightly/" + file}},
		{"linux", "edge", []string{".config/microsoft-edge/" + file}},
		{"linux", "edge-beta", []string{".config/microsoft-edge-beta/" + file}},
		{"linux", "edge-dev", []string{".config/microsoft-edge-dev/" + file}},
		{"linux", "vivaldi", []string{".config/vivaldi/" + file}},
		{"linux", "vivaldi-snapshot", []string{".config/vivaldi-snapshot/" + file}},
		{"linux", "opera", []string{".config/opera/" + file, ".config/google-chrome/" + file}},
		{"linux", "opera-developer", []string{".config/opera-developer/" + file, ".config/google-chrome/" + file}},
		{"darwin", "chrome", []string{mac + "Google/Chrome/" + file}},
		{"darwin", "chrome-canary", []string{mac + "Google/Chrome Canary/" + file}},
		{"darwin", "chromium", []string{mac + "Chromium/" + file}},
		{"darwin", "brave", []string{mac + "BraveSoftware/Brave-Browser/" + file}},
		{"darwin", "edge-dev", []string{mac + "Microsoft Edge Dev/" + file}},
		{"darwin", "vivaldi", []string{mac + "Vivaldi/" + file}},
		{"darwin", "opera", []string{mac + "com.operasoftware.Opera/" + file, mac + "Google/Chrome/" + file}},
		{"darwin", "arc", []string{mac + "Arc/User Data/" + file}},
		{"windows", "chrome", []string{win, `Software\Google\Chrome` + key}},
		{"windows", "chrome-canary", []string{win, `Software\Google\Chrome` + key}},
		{"windows", "chromium", []string{win, `Software\Chromium` + key, `Software\Google\Chrome` + key}},
		{"windows", "brave", []string{win, `Software\BraveSoftware\Brave-Browser` + key, `Software\Google\Chrome` + key}},
		{"windows", "edge-canary", []string{win, `Software\Microsoft\Edge` + key}},
		{"windows", "vivaldi", []string{win, `Software\Vivaldi` + key, `Software\Google\Chrome` + key}},
		{"windows", "opera", []string{win, `Software\Opera Software` + key, `Software\Google\Chrome` + key}},
		{"windows", "arc", []string{win, `Software\Arc` + key, `Software\Google\Chrome` + key}},
	} {
		b, ok := ByID(tt.id, Browsers(tt.system, ".config"))
		if !ok {
			t.Errorf("%s has no %s", tt.system, tt.id)
		}
		var got []string
		for _, p := range b.Places() {
			if p.Key == "" {
				got = append(got, p.File)
			} else {
				got = append(got, p.Key)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s on %s: %q, want %q", tt.id, tt.system, got, tt.want)
		}
	}
	if b, ok := ByID("arc", Browsers("linux", ".config")); ok {
		t.Errorf("%s is on linux", b.Name)
	}
	if b, ok := ByID("netscape", Browsers("linux", ".config")); ok {
		t.Errorf("there is %v", b)
	}
}

// On each system what is written is the same twice, and what is removed is ours,
// all of it.
func TestWriteAndRemove(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"linux", "darwin", "windows"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			home := openRoot(t, dir)
			theirs := fakeRegistry{`Software\Google\Chrome\NativeMessagingHosts\org.other`: `C:\other.json`, `Software\Chromium\NativeMessagingHosts\com.handrail.host`: `C:\other.json`}
			reg := maps.Clone(theirs)
			delete(reg, `Software\Chromium\NativeMessagingHosts\com.handrail.host`)
			all := Browsers(system, ".config")
			other := filepath.Join(all[0].Root, "NativeMessagingHosts", "org.other.json")
			if err := Write(filepath.Join(dir, other), []byte(`{"name":"org.other"}`), 0o600); err != nil {
				t.Fatal(err)
			}
			body, err := Bytes("/opt/handrail")
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				for _, b := range all {
					for _, p := range b.Places() {
						if err := p.Write(home, reg, body); err != nil {
							t.Fatal(err)
						}
						if got, err := os.ReadFile(filepath.Join(dir, p.File)); err != nil || !bytes.Equal(got, body) {
							t.Errorf("%s: %v", p.File, err)
						}
						if p.Key != "" && reg[p.Key] != filepath.Join(dir, p.File) {
							t.Errorf("%s is %q", p.Key, reg[p.Key])
						}
					}
				}
			}
			if found := Installed(home, all); len(found) != 0 && !slices.ContainsFunc(found, func(b Browser) bool { return slices.ContainsFunc(b.Programs, onPath) }) {
				t.Errorf("folders of hosts were taken for %v", found)
			}
			// Another may have taken a key of ours since.
			reg[`Software\Chromium\NativeMessagingHosts\com.handrail.host`] = `C:\other.json`
			for range 2 {
				for _, b := range all {
					for _, p := range slices.Backward(b.Places()) {
						if _, err := p.Remove(home, reg); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			if !maps.Equal(reg, theirs) {
				t.Errorf("the registry has %v", reg)
			}
			var left []string
			filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
				if err == nil && !info.IsDir() {
					left = append(left, strings.TrimPrefix(path, dir+"/"))
				}
				return err
			})
			if !slices.Equal(left, []string{other}) {
				t.Errorf("%q are left, want another's", left)
			}
		})
	}
}

func TestInstalled(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin)
	for _, root := range []string{
		".config/chromium/Default", ".config/google-chrome-beta/Default", ".config/vivaldi/NativeMessagingHosts", "snap/chromium", ".var/app/com.brave.Browser",
		"Library/Application Support/Arc/User Data/Default", "Library/Application Support/Microsoft Edge/NativeMessagingHosts",
		"AppData/Local/Microsoft/Edge/User Data/Default", "AppData/Roaming/Opera Software/Opera Stable/Default",
	} {
		if err := os.MkdirAll(filepath.Join(dir, root), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"google-chrome": "#!/bin/sh\n", "google-chrome-unstable": "#!/bin/sh\nexec /snap/bin/chrome\n", "brave-browser": "#!/bin/sh\nexec flatpak run com.brave.Browser\n",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	home := openRoot(t, dir)
	for system, want := range map[string][]string{
		"linux":   {"chrome", "chrome-beta", "chromium"},
		"darwin":  {"chrome", "arc"},
		"windows": {"chrome", "edge", "opera"},
	} {
		var ids []string
		for _, b := range Installed(home, Browsers(system, ".config")) {
			ids = append(ids, b.ID)
		}
		if !slices.Equal(ids, want) {
			t.Errorf("%s: found %q, want %q", system, ids, want)
		}
	}
	var unable []string
	for _, s := range Unable(home, "linux") {
		unable = append(unable, s.Name)
	}
	if !slices.Equal(unable, []string{"Chromium from snap", "Brave from flatpak"}) || Unable(home, "darwin") != nil {
		t.Errorf("unable are %q", unable)
	}
}

func TestConfig(t *testing.T) {
	dir := t.TempDir()
	home := openRoot(t, dir)
	for _, tt := range []struct{ named, config, elsewhere string }{
		{"", ".config", ""},
		{"relative", ".config", ""},
		{filepath.Join(dir, "etc", "mine"), "etc/mine", ""},
		{dir, ".config", dir},
		{"/etc", ".config", "/etc"},
		{dir + "/../other", ".config", dir + "/../other"},
	} {
		t.Setenv("XDG_CONFIG_HOME", tt.named)
		if config, elsewhere := Config(home); config != tt.config || elsewhere != tt.elsewhere {
			t.Errorf("%q: %q, %q", tt.named, config, elsewhere)
		}
	}
}
