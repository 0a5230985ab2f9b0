//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handrail/host/keeper"
	"handrail/host/socket"
	"handrail/host/wire"
)

// own is a person's own browser: started by the test, not by the keeper.
type own struct {
	*handrail
	chromium *keeper.Chromium
}

func newOwn(t *testing.T, env ...string) *own {
	t.Helper()
	home, err := os.MkdirTemp("", "hr")
	if err != nil {
		t.Fatal(err)
	}
	profile := filepath.Join(home, "profile")
	if err := os.Mkdir(profile, 0o700); err != nil {
		t.Fatal(err)
	}
	program, err := keeper.Find()
	if err != nil {
		t.Fatal(err)
	}
	host, err := filepath.Abs(binary)
	if err != nil {
		t.Fatal(err)
	}
	chromium, err := keeper.Start(keeper.Launch{Program: program, Profile: profile, Host: host, Env: append(env, "HANDRAIL_HOME="+home)})
	if err != nil {
		t.Fatal(err)
	}
	o := &own{&handrail{home: home, client: "test"}, chromium}
	t.Cleanup(func() {
		chromium.End()
		eventually(t, "all processes have ended", func() bool { pids, _ := processes(home); return len(pids) == 0 })
		os.RemoveAll(home)
	})
	extension, err := filepath.Abs("../../extension")
	if err != nil {
		t.Fatal(err)
	}
	if err := chromium.Load(t.Context(), extension); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the host has connected", func() bool { entries, err := socket.List(home); return err == nil && len(entries) == 1 })
	return o
}

// call sends a command to the browser or to a session of it.
func (o *own) call(t *testing.T, session, method string, params any) map[string]any {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var result map[string]any
	if err := o.chromium.Pipe.Call(ctx, session, method, params, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

// open opens a tab and returns its session.
func (o *own) open(t *testing.T, url string) (target, session string) {
	t.Helper()
	target = o.call(t, "", "Target.createTarget", map[string]any{"url": url})["targetId"].(string)
	return target, o.attach(t, target)
}

func (o *own) attach(t *testing.T, target string) string {
	t.Helper()
	return o.call(t, "", "Target.attachToTarget", map[string]any{"targetId": target, "flatten": true})["sessionId"].(string)
}

// value evaluates an expression in a session.
func (o *own) value(t *testing.T, session, expression string) any {
	t.Helper()
	r := o.call(t, session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true})
	return r["result"].(map[string]any)["value"]
}

// press clicks the element that a selector finds, as a person would.
func (o *own) press(t *testing.T, session, selector string) {
	t.Helper()
	where := fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, selector)
	var at []any
	eventually(t, "the panel stands still", func() bool {
		before := at
		at = o.value(t, session, where).([]any)
		return before != nil && at[0] == before[0] && at[1] == before[1]
	})
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		o.call(t, session, "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1})
	}
}

// killWorker stops the service worker as Chrome would, once there is one.
func (o *own) killWorker(t *testing.T) {
	t.Helper()
	eventually(t, "there is a worker to stop", func() bool {
		infos := o.call(t, "", "Target.getTargets", map[string]any{})["targetInfos"].([]any)
		for _, info := range infos {
			if info := info.(map[string]any); info["type"] == "service_worker" && strings.Contains(info["url"].(string), wire.ExtensionID) {
				o.call(t, "", "Target.closeTarget", map[string]any{"targetId": info["targetId"]})
				return true
			}
		}
		return false
	})
}

// tabOf gives the number of the tab of that title.
func (o *own) tabOf(t *testing.T, title string) (tab int) {
	t.Helper()
	eventually(t, "there is a tab "+title, func() bool {
		var list wire.TabsResult
		if json.Unmarshal(o.must(t, "tabs", "--json").stdout, &list) != nil {
			return false
		}
		for _, one := range list.Tabs {
			if one.Title == title {
				tab = one.Tab
			}
		}
		return tab != 0
	})
	return tab
}

const panelURL = "chrome-extension://" + wire.ExtensionID + "/panel/index.html"

// allow makes rules for all sites, by the selects of the panel's tab Sites: their
// ids and a verdict.
func (o *own) allow(t *testing.T, verdict string, ids ...string) {
	t.Helper()
	target, panel := o.open(t, panelURL)
	for _, id := range ids {
		eventually(t, "the panel is connected", func() bool {
			return o.value(t, panel, fmt.Sprintf(`document.querySelector(%q)?.disabled === false`, "#"+id)) == true
		})
		o.value(t, panel, fmt.Sprintf(`{ const select = document.querySelector(%q); select.value = %q; select.dispatchEvent(new Event('change')); }`, "#"+id, verdict))
		kind := strings.TrimSuffix(id, "s")
		eventually(t, kind+" is "+verdict, func() bool {
			return strings.Contains(string(o.must(t, "policy").stdout), "* "+kind+" "+verdict+"\n")
		})
	}
	o.call(t, "", "Target.closeTarget", map[string]any{"targetId": target})
}

// allowAll lets clients do everything but see secrets.
func (o *own) allowAll(t *testing.T) {
	t.Helper()
	o.allow(t, "always", "reads", "acts", "uploads", "eval")
}

// In a person's own browser nothing is possible that was not approved.
func TestOwnBrowser(t *testing.T) {
	o, web := newOwn(t, "HANDRAIL_APPROVAL=700ms"), newSite(t)
	o.open(t, web.main("first.html"))
	eventually(t, "the page is there", func() bool { return strings.Contains(string(o.run("tabs").stdout), "First") })
	o.refused(t, wire.NotApproved, "snapshot")
	o.allow(t, "always", "reads")
	tab := tabOf(t, o.handrail, "First")
	view := o.snapshot(t, "--tab", tab).UIDs
	save := uidOf(t, view, `"Save"`)
	o.refused(t, wire.NotApproved, "act", save, "click")
	o.refused(t, wire.NotApproved, "navigate", web.main("second.html"))
	o.refused(t, wire.EvalOff, "eval", "1")
	web.wantCounts(t, map[string]int{})

	o.allow(t, "always", "acts")
	o.act(t, save, "click")
	web.wantCounts(t, map[string]int{"first save": 1})
	o.refused(t, wire.EvalOff, "eval", "1")

	// A page of the user's is not replaced: an address opens beside it.
	o.snapshot(t, web.main("second.html"))
	if tabs := string(o.must(t, "tabs").stdout); !strings.Contains(tabs, "First") || !strings.Contains(tabs, "Second") {
		t.Errorf("tabs\n%s", tabs)
	}
	o.must(t, "policy", "never", "*", "act")
	o.refused(t, wire.NotApproved, "act", save, "click")
	web.wantCounts(t, map[string]int{})
	o.must(t, "policy", "never", strings.TrimSuffix(web.main(""), "/"), "read")
	o.refused(t, wire.NotApproved, "snapshot", "--tab", tab)
	if tabs := string(o.must(t, "tabs").stdout); strings.Contains(tabs, "First") {
		t.Errorf("the list tells of a page that is never read\n%s", tabs)
	}
}

// A killed worker comes back by itself; what was shown before still counts.
func TestKilledWorker(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	o.open(t, web.main("first.html"))
	o.allowAll(t)
	tab := fmt.Sprint(o.tabOf(t, "First"))
	before := o.snapshot(t, "--tab", tab)
	save := uidOf(t, before.UIDs, `"Save"`)
	for range 3 {
		o.killWorker(t)
		o.must(t, "resolve", save)
		o.act(t, save, "click")
		web.wantCounts(t, map[string]int{"first save": 1})
	}
	o.must(t, "recover", before.RecoveryHandle)
}

// What a person does in a page that is watched supersedes what was read of it; an
// act's own input does not supersede what is read behind it.
func TestPersonsInput(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	_, page := o.open(t, web.main("first.html"))
	o.allowAll(t)
	before := o.snapshot(t, "--tab", fmt.Sprint(o.tabOf(t, "First")))
	o.act(t, uidOf(t, before.UIDs, `"Save"`), "click")
	after := o.snapshot(t)
	o.must(t, "resolve", uidOf(t, after.UIDs, `"Save"`)) // whatever the act's input had told would be there by now
	if o.read(t, after.RecoveryHandle).Superseded {
		t.Error("the act's own input is taken for the person's")
	}
	o.press(t, page, "h1")
	eventually(t, "a press supersedes", func() bool { return o.read(t, after.RecoveryHandle).Superseded })
	o.must(t, "navigate", web.cross("second.html"))
	again := o.snapshot(t)
	if o.read(t, again.RecoveryHandle).Superseded {
		t.Error("what was read after the act is superseded by it")
	}
	o.call(t, page, "Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": "a", "code": "KeyA", "text": "a"})
	eventually(t, "a key supersedes", func() bool { return o.read(t, again.RecoveryHandle).Superseded })
}
