//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"handrail/host/wire"
)

// currentTab gives the number of the client's current tab.
func currentTab(t *testing.T, h *handrail) string {
	t.Helper()
	var list wire.TabsResult
	if err := json.Unmarshal(h.must(t, "tabs", "--json").stdout, &list); err != nil {
		t.Fatal(err)
	}
	for _, tab := range list.Tabs {
		if tab.Current {
			return strconv.Itoa(tab.Tab)
		}
	}
	t.Fatalf("no current tab in %+v", list)
	return ""
}

// everyFile reads what Handrail wrote: all but the browser's own profile.
func everyFile(t *testing.T, home string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(home, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && filepath.Base(filepath.Dir(path)) == "browser" {
			return fs.SkipDir
		}
		if entry.Type().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all.Write(content)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// Whatever is killed, the next call works and no acknowledged snapshot is lost.
func TestKills(t *testing.T) {
	for _, test := range []struct {
		name    string
		victim  []string
		newPage bool // the page is gone with the victim
	}{
		{"host", []string{"chrome-extension://"}, false},
		{"keeper", []string{"handrail", "browser"}, true},
		{"browser", []string{"--remote-debugging-pipe"}, true},
		{"extension process", []string{"--extension-process"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, web := newHandrail(t), newSite(t)
			before := h.snapshot(t, web.main("first.html"))
			h.kill(t, test.victim...)
			if test.newPage {
				h.refused(t, wire.NoPage, "snapshot")
				h.snapshot(t, web.main("first.html"))
			} else {
				h.must(t, "resolve", uidOf(t, before.UIDs, `"Save"`))
				h.act(t, uidOf(t, before.UIDs, `"Save"`), "click")
				web.wantCounts(t, map[string]int{"first save": 1})
			}
			view := h.snapshot(t).UIDs
			h.act(t, uidOf(t, view, `"Cancel"`), "click")
			web.wantCounts(t, map[string]int{"first cancel": 1})
			h.must(t, "retrieve", before.RecoveryHandle)
		})
	}
}

// The parts that large messages travel in are those of any size.
func TestParts(t *testing.T) {
	h, web := newHandrail(t, "HANDRAIL_PART=4096"), newSite(t)
	s := h.snapshot(t, web.main("demo.html"))
	if payload := h.must(t, "recover", s.RecoveryHandle).stdout; len(payload) < 10*4096 {
		t.Errorf("a payload of %d bytes shows nothing", len(payload))
	}
	h.act(t, uidOf(t, s.UIDs, "Save settings"), "click")
}

func TestEphemeral(t *testing.T) {
	h, web := newHandrail(t, "HANDRAIL_EPHEMERAL=1"), newSite(t)
	s := h.snapshot(t, web.main("demo.html"))
	h.act(t, uidOf(t, s.UIDs, "Save settings"), "click")
	if h.must(t, "recover", s.RecoveryHandle); t.Failed() {
		return
	}
	if stores, _ := filepath.Glob(filepath.Join(h.home, "store.db*")); len(stores) > 0 {
		t.Errorf("an ephemeral store is on disk: %q", stores)
	}
}

func TestClientsHaveTheirOwnTab(t *testing.T) {
	h, web := newHandrail(t), newSite(t)
	first := h.snapshot(t, web.main("first.html"))
	other := h.as("other")
	second := other.snapshot(t, web.cross("second.html"))
	h.act(t, uidOf(t, first.UIDs, `"Save"`), "click")
	other.act(t, uidOf(t, second.UIDs, `"Pay"`), "click")
	web.wantCounts(t, map[string]int{"first save": 1, "second pay": 1})
}

func TestNoBrowser(t *testing.T) {
	home := t.TempDir()
	h := &handrail{home: home, client: "test", env: []string{"HANDRAIL_CHROMIUM=/nowhere/chromium"}}
	h.refused(t, wire.NoBrowser, "snapshot", "about:blank")
	file := filepath.Join(home, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h = &handrail{home: file, client: "test"}
	h.refused(t, wire.NoStore, "retrieve", "hr_00000000000000000000000000000000")
	h.refused(t, wire.NoStore, "snapshot", "about:blank")
}

// Calls that race for one tab each get their own page, and a browser without a
// window still opens one.
func TestRaces(t *testing.T) {
	h := newHandrail(t)
	answers := make(chan output)
	for i := range 6 {
		go func() {
			answers <- h.run("snapshot", fmt.Sprintf("data:text/html,<title>Page %d</title><button>Go</button>", i), "--view")
		}()
	}
	seen := map[string]bool{}
	for range 6 {
		out := <-answers
		if out.code != 0 {
			t.Errorf("exit %d: %s", out.code, out.stderr)
		}
		seen[strings.SplitN(string(out.stdout), "\n", 2)[0]] = true
	}
	if len(seen) != 6 {
		t.Errorf("6 calls saw %d pages: %v", len(seen), seen)
	}
	h.must(t, "tabs", "close", currentTab(t, h))
	h.snapshot(t, "data:text/html,<button>Again</button>")
}

// What is cut off by close does not start another browser.
func TestCloseWhileReading(t *testing.T) {
	h := newHandrail(t)
	h.snapshot(t, "data:text/html,<script>for (let i = 0; i < 5000; i++) document.write('<button>B</button>')</script>")
	cut := make(chan output)
	go func() { cut <- h.run("snapshot") }()
	time.Sleep(300 * time.Millisecond) // so that it is under way, mostly
	h.must(t, "close")
	if out := <-cut; out.code != 0 && !strings.Contains(out.stderr, "detached") {
		t.Errorf("exit %d: %s", out.code, out.stderr)
	}
	wantNoProcess(t, h.home)
}
