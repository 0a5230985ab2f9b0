//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handrail/host/client"
	"handrail/host/wire"
)

// The list is of the tab in front, and what is chosen and has the focus stays so; what
// was removed is not shown, and acting on it says so.
func TestPanelHistoryStays(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	other, _ := o.open(t, web.main("first.html"))
	p := newPanel(t, o, web.main("demo.html"), "Save settings")
	focus := func(label string) {
		t.Helper()
		p.value(t, p.view, fmt.Sprintf(`[...document.querySelectorAll('#history-entries button')].find(button => button.textContent === %q).focus()`, label))
	}
	focused := func() any { return p.value(t, p.view, `document.activeElement.textContent`) }
	p.click(t, `[aria-controls=history]`)
	p.until(t, "#history-entries", "Orders")
	p.click(t, "#history-entries input")
	focus("Pin")
	p.value(t, p.view, `document.activeElement.click()`)
	p.until(t, "#history-entries", "pinned")
	if label, n := focused(), p.value(t, p.view, `document.querySelectorAll('#history-entries input:checked').length`); label != "Unpin" || n != 1.0 {
		t.Errorf("pinned, %.40q has the focus and %v are chosen", label, n)
	}
	focus("Open")
	p.value(t, p.view, `document.activeElement.click()`)
	p.until(t, "#history-lines", "Save settings")
	p.click(t, "#history-close")
	if label := focused(); label != "Open" {
		t.Errorf("closed, %.40q has the focus", label)
	}
	o.call(t, "", "Target.activateTarget", map[string]any{"targetId": other})
	eventually(t, "the other tab's entries are listed", func() bool {
		text := p.text(t, "#history-entries")
		return strings.Contains(text, "First") && !strings.Contains(text, "Orders")
	})

	p.value(t, p.view, `document.querySelector('#history-entries button').click()`)
	p.until(t, "#history-lines", "Cancel")
	p.set(t, "#history-age", "all")
	p.submit(t, "#history-purge")
	p.until(t, "#history-state", "removed")
	if view := p.text(t, "#history-view"); view != "" {
		t.Errorf("what was removed is shown\n%s", view)
	}
	p.click(t, `[aria-controls=page]`)
	p.choose(t, `"Save"`, "Click")
	p.until(t, "#did", "nothing reached the page; read the page again")
	p.until(t, "#notice", "no longer stored")
	p.click(t, "#notice button")
	eventually(t, "the page is read again", func() bool { return p.text(t, "#notice") == "" && strings.Contains(p.text(t, "#view"), `"Save"`) })
}

// What is shown and done while the list is open comes into it, and what is chosen, has
// the focus and is looked at stays.
func TestPanelHistoryLive(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	o.allowAll(t)
	p := newSidePanel(t, o, web.main("demo.html"), "Save settings")
	p.call(t, p.view, "Emulation.setDeviceMetricsOverride", map[string]any{"width": 420, "height": 400, "deviceScaleFactor": 1, "mobile": false})
	tab := fmt.Sprint(o.tabOf(t, "Orders"))
	for range 12 {
		o.snapshot(t, "--tab", tab)
	}
	p.click(t, `[aria-controls=history]`)
	p.until(t, "#history-entries", "Orders")
	p.value(t, p.view, `{
		const rows = [...document.querySelectorAll('#history-entries > li')];
		rows[8].querySelector('input').click();
		rows[8].querySelectorAll('button')[1].focus();
		window.before = rows[8];
		window.top8 = rows[8].getBoundingClientRect().top;
	}`)
	if top := p.value(t, p.view, `document.querySelector('#history-entries').scrollTop`); top == 0.0 {
		t.Fatal("the list is too short to be scrolled")
	}
	n := p.value(t, p.view, `document.querySelectorAll('#history-entries > li').length`).(float64)
	view := o.snapshot(t, "--tab", tab)
	o.act(t, uidOf(t, view.UIDs, `"Save settings"`), "click")
	eventually(t, "the click is listed", func() bool {
		return strings.Contains(p.lines(t, "#history-entries")[0], "click") || strings.Contains(p.lines(t, "#history-entries")[1], "click")
	})
	if now := p.value(t, p.view, `document.querySelectorAll('#history-entries > li').length`).(float64); now < n+2 {
		t.Errorf("%v rows, %v before", now, n)
	}
	for what, expression := range map[string]string{
		"the row is the same":      `before.isConnected`,
		"it is chosen":             `before.querySelector('input').checked && document.querySelectorAll('#history-entries input:checked').length === 1`,
		"its button has the focus": `document.activeElement === before.querySelectorAll('button')[1]`,
		"it is where it was":       `Math.abs(before.getBoundingClientRect().top - top8) < 3`,
	} {
		if p.value(t, p.view, expression) != true {
			t.Errorf("not: %s", what)
		}
	}
	p.value(t, p.view, `before.querySelectorAll('button')[0].focus(), before.querySelectorAll('button')[0].click()`)
	p.until(t, "#history-lines", "Save settings")
	o.snapshot(t, "--tab", tab)
	eventually(t, "the reading is listed", func() bool {
		return p.value(t, p.view, `document.querySelectorAll('#history-entries > li').length`).(float64) >= n+3
	})
	p.click(t, "#history-close")
	if p.value(t, p.view, `document.activeElement === before.querySelectorAll('button')[0]`) != true {
		t.Error("closed, the button that opened it does not have the focus")
	}
}

// What programs were shown and did is listed in the panel, opened, compared, saved and
// removed; a program that the person sends away stays away.
func TestPanelHistoryAndActivity(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	o.allowAll(t)
	p := newPanel(t, o, web.main("demo.html"), "Save settings")
	tab := fmt.Sprint(o.tabOf(t, "Orders"))
	before := o.snapshot(t, "--tab", tab)
	o.act(t, uidOf(t, before.UIDs, `"Save settings"`), "click")
	after := o.snapshot(t, "--tab", tab)
	downloads := t.TempDir()
	o.call(t, "", "Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": downloads})

	p.click(t, `[aria-controls=history]`)
	p.until(t, "#history-entries", "click "+uidOf(t, before.UIDs, `"Save settings"`)+": done")
	check := func(handle string) {
		p.value(t, p.view, fmt.Sprintf(`document.querySelector('#history-entries input[value=%q]').click()`, handle))
	}
	check(before.RecoveryHandle)
	check(after.RecoveryHandle)
	p.click(t, "#history-compare")
	p.until(t, "#history-lines", "Saved for ops@example.com")
	p.click(t, "#history-close")
	button := func(handle, label string) {
		p.value(t, p.view, fmt.Sprintf(`[...document.querySelector('#history-entries input[value=%q]').closest('li').querySelectorAll('button')].find(button => button.textContent === %q).click()`, handle, label))
	}
	button(before.RecoveryHandle, "Open")
	p.until(t, "#history-lines", "Nothing saved yet")
	button(before.RecoveryHandle, "Recover")
	p.until(t, "#history-state", "is saved")
	want := string(o.must(t, "retrieve", before.RecoveryHandle).stdout)
	saved := func(pattern string) (text string) {
		t.Helper()
		eventually(t, "a file is saved", func() bool {
			names, _ := filepath.Glob(filepath.Join(downloads, pattern))
			if len(names) != 1 {
				return false
			}
			b, err := os.ReadFile(names[0])
			text = string(b)
			return err == nil && len(b) > 0
		})
		return text
	}
	if got := saved("hr_*.json"); got != want {
		t.Errorf("recovered %d bytes, stored are %d", len(got), len(want))
	}
	p.click(t, "#history-export")
	p.until(t, "#history-state", ".tar.zst is saved")
	if got := saved("handrail-*.tar.zst"); !strings.HasPrefix(got, "\x28\xb5\x2f\xfd") {
		t.Errorf("the bundle begins with % x", got[:min(4, len(got))])
	}
	button(before.RecoveryHandle, "Pin")
	p.until(t, "#history-entries", "pinned")

	p.click(t, `[aria-controls=activity]`)
	p.until(t, "#activity-requests", "act click")
	stay, err := client.Connect(t.Context(), client.Choice{Dir: o.home, Client: wire.Client{Kind: "cli", Name: "stay"}})
	if err != nil {
		t.Fatal(err)
	}
	defer stay.Close()
	eventually(t, "the program is listed", func() bool {
		p.click(t, `[aria-controls=activity]`) // a panel in a tab behind another does not look by itself
		return strings.Contains(p.text(t, "#activity-clients"), "cli stay")
	})
	p.click(t, "#activity-clients button")
	p.until(t, "#activity-clients", "cli stay: kept away")
	if err := stay.Once(t.Context(), "tabs", wire.TabsParams{}, nil); err == nil {
		t.Error("it is still served")
	}
	o.as("stay").refused(t, wire.NotApproved, "tabs")
	o.must(t, "tabs")
	p.click(t, "#activity-clients button")
	eventually(t, "it is served again", func() bool { return o.as("stay").run("tabs").code == 0 })

	p.click(t, `[aria-controls=history]`)
	p.click(t, "#history-purging summary")
	p.set(t, "#history-age", "all")
	p.submit(t, "#history-purge")
	p.until(t, "#history-state", "removed")
	o.refused(t, wire.UnknownHandle, "retrieve", before.RecoveryHandle)
}
