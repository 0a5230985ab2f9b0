//go:build e2e

package e2e

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"handrail/host/wire"
)

// badge is what the extension's button says, as a session of the extension sees it.
func (o *own) badge(t *testing.T, session string) string {
	t.Helper()
	return fmt.Sprint(o.value(t, session, `chrome.action.getBadgeText({})`))
}

// start runs a command beside the test.
func (h *handrail) start(args ...string) <-chan output {
	ended := make(chan output, 1)
	go func() { ended <- h.run(args...) }()
	return ended
}

// answer presses a button of the one question that the panel shows.
func (p *panel) answer(t *testing.T, question, label string) {
	t.Helper()
	p.until(t, "#approvals", question)
	selector := fmt.Sprintf(`#approvals button:nth-child(%d)`, map[string]int{"Once": 1, "For an hour": 2, "Always": 3, "Not now": 4, "Never": 5}[label])
	eventually(t, "the buttons live", func() bool {
		return p.value(t, p.view, fmt.Sprintf(`document.querySelector(%q)?.disabled`, selector)) == false
	})
	if said := p.text(t, selector); said != label {
		t.Fatalf("%s says %q, want %q", selector, said, label)
	}
	p.press(t, p.view, selector)
}

func wantWaited(t *testing.T, out output, code int, words string) {
	t.Helper()
	if out.code != code || strings.Count(out.stderr, "waiting for approval to "+words) != 1 {
		t.Errorf("exit %d, want %d after waiting to %s\nstdout %.300s\nstderr %s", out.code, code, words, out.stdout, out.stderr)
	}
}

// A second press, meant for a question that has gone, does not answer the one that
// moves up.
func TestApprovalOfADoubleClick(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("first.html"), "Save")
	first := o.as("one").start("snapshot", "--tab", tabOf(t, o.handrail, "First"))
	p.until(t, "#approvals", "one (cli)")
	second := o.as("two").start("snapshot", web.cross("second.html"))
	p.until(t, "#approvals", "two (cli)")
	eventually(t, "the buttons live", func() bool {
		return p.value(t, p.view, `document.querySelectorAll('#approvals button:disabled').length`) == 0.0
	})
	at := p.value(t, p.view, `(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector('#approvals button').getBoundingClientRect())`).([]any)
	for press := 1; press <= 2; press++ {
		for _, kind := range []string{"mousePressed", "mouseReleased"} {
			p.call(t, p.view, "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": press})
		}
		eventually(t, "the first question has gone", func() bool { return !strings.Contains(p.text(t, "#approvals"), "one (cli)") })
	}
	wantWaited(t, <-first, 0, "read")
	p.answer(t, "two (cli)", "Not now")
	wantWaited(t, <-second, 1, "read")
}

// A request waits for the person, who answers in the panel.
func TestApproval(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("first.html"), "Save")
	origin := strings.TrimSuffix(web.main(""), "/")
	tab := tabOf(t, o.handrail, "First")
	read, question := []string{"snapshot", "--tab", tab}, "test (cli) wants to read "+origin

	reading := o.start(read...)
	p.until(t, "#approvals", "read the page")
	eventually(t, "the badge says 1", func() bool { return o.badge(t, p.view) == "1" })
	if had := p.value(t, p.view, `document.querySelector('#approvals').contains(document.activeElement)`); had != false {
		t.Error("the question took the focus")
	}
	if p.value(t, p.view, `document.querySelector('#approvals button').disabled`) != false {
		p.value(t, p.view, `document.querySelector('#approvals button').click()`) // too soon: it counts for nothing
		p.until(t, "#approvals", question)
	}
	p.answer(t, question, "Once")
	wantWaited(t, <-reading, 0, "read on "+origin)
	eventually(t, "nothing is shown any more", func() bool { return p.text(t, "#approvals") == "" && o.badge(t, p.view) == "" })

	reading = o.start(read...)
	p.answer(t, question, "Not now")
	out := <-reading
	wantWaited(t, out, 1, "read on "+origin)
	if !strings.Contains(out.stderr, "not_approved: the person said not now") {
		t.Error(out.stderr)
	}

	reading = o.start(read...)
	p.answer(t, question, "Always")
	wantWaited(t, <-reading, 0, "read on "+origin)
	save := uidOf(t, o.snapshot(t, "--tab", tab).UIDs, `"Save"`)
	acting := o.start("act", save, "click")
	p.until(t, "#approvals", `click button "Save"`)
	p.answer(t, "test (cli) wants to act on "+origin, "For an hour")
	wantWaited(t, <-acting, 0, "act on "+origin)
	web.wantCounts(t, map[string]int{"first save": 1})

	p.click(t, "[aria-controls=sites]")
	p.until(t, "#rules", origin+": always act until ")
	p.until(t, "#rules", origin+": always read")
	if wide := p.value(t, p.view, `['reads', 'acts', 'submits', 'uploads', 'eval', 'reveal'].map(id => document.getElementById(id).value).join(' ')`); wide != "ask ask  ask never never" {
		t.Errorf("on all sites: %q", wide)
	}
	acting = o.start("eval", "document.title")
	off := <-acting
	if !strings.Contains(off.stderr, "eval_off: ") || strings.Contains(off.stderr, "waiting") {
		t.Errorf("eval: %s", off.stderr)
	}
	p.set(t, "#eval", "ask")
	eventually(t, "eval is asked about", func() bool { return strings.Contains(string(o.must(t, "policy").stdout), "* eval ask") })
	acting = o.start("eval", "document.title")
	p.answer(t, "test (cli) wants to run code on "+origin, "Once")
	if out := <-acting; strings.TrimSpace(string(out.stdout)) != `"First"` {
		t.Errorf("eval: %+v", out)
	}
	acting = o.start("eval", "document.title.length")
	p.until(t, "#approvals", "run document.title.length")
	p.keep(t, "sites") // the panel is a picture from here on
	o.must(t, "policy", "never", origin, "eval")
	if out := <-acting; out.code != 1 || !strings.Contains(out.stderr, "eval_off") {
		t.Errorf("eval: %+v", out)
	}
}

// A worker that is stopped while a request waits takes the question along; the
// request comes back with the next one, and is answered.
func TestApprovalSurvivesTheWorker(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("first.html"), "Save")
	reading := o.start("snapshot", "--tab", tabOf(t, o.handrail, "First"))
	p.until(t, "#approvals", "wants to read")
	id := p.value(t, p.view, `document.querySelector('#approvals article').dataset.question`)
	o.killWorker(t)
	eventually(t, "it is asked again", func() bool {
		now := p.value(t, p.view, `document.querySelector('#approvals article')?.dataset.question ?? ''`)
		return now != "" && now != id
	})
	eventually(t, "one question is on the badge", func() bool { return o.badge(t, p.view) == "1" })
	p.answer(t, "wants to read", "Once")
	if out := <-reading; out.code != 0 {
		t.Errorf("exit %d\n%s", out.code, out.stderr)
	}
}

// Revoking counts at once, also for a request that waits; a rule made meanwhile, too.
func TestRevoke(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("first.html"), "Save")
	tab := tabOf(t, o.handrail, "First")
	reading := o.start("snapshot", "--tab", tab)
	p.answer(t, "wants to read", "Always")
	wantWaited(t, <-reading, 0, "read")
	p.click(t, "[aria-controls=sites]")
	p.until(t, "#rules", "always read")
	p.press(t, p.view, "#rules button")
	eventually(t, "the rule is gone", func() bool { return !strings.Contains(string(o.must(t, "policy").stdout), "always") })
	reading = o.start("snapshot", "--tab", tab)
	p.until(t, "#approvals", "wants to read")
	p.set(t, "#reads", "never")
	wantWaited(t, <-reading, 1, "read")
	eventually(t, "the question is withdrawn", func() bool { return p.text(t, "#approvals") == "" })
}

// A rule that could not be kept does not stand there as if it were in force.
func TestRuleNotKept(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("first.html"), "Save")
	p.click(t, "[aria-controls=sites]")
	chosen := func() any { return p.value(t, p.view, `document.querySelector('#acts').value`) }
	p.set(t, "#acts", "always")
	eventually(t, "the rule is kept", func() bool { return strings.Contains(string(o.must(t, "policy").stdout), "always") })
	db, err := sql.Open("sqlite3", filepath.Join(o.home, "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	held, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if _, err := held.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	p.set(t, "#acts", "never")
	p.until(t, "#sites-state", "Not changed: ")
	if now := chosen(); now != "always" {
		t.Errorf("%v is shown", now)
	}
	if _, err := held.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	p.set(t, "#acts", "never")
	eventually(t, "the rule is kept", func() bool { return strings.Contains(string(o.must(t, "policy").stdout), "never") })
	if now, said := chosen(), p.text(t, "#sites-state"); now != "never" || said != "" {
		t.Errorf("%v is shown, said is %q", now, said)
	}
}

// Leave for a site holds in its frames without an address of their own, but for those
// that it sandboxes.
func TestApprovalHoldsInBlankFrames(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("blank-frames.html"), "Bold")
	tab, site := tabOf(t, o.handrail, "Blank frames"), strings.TrimSuffix(web.main(""), "/")
	o.allow(t, "always", "reads")
	view := o.snapshot(t, "--tab", tab).UIDs
	acting := o.start("act", uidOf(t, view, `"Reply"`), "click")
	p.answer(t, "wants to act on "+site, "Always")
	wantWaited(t, <-acting, 0, "act on "+site)
	o.act(t, uidOf(t, view, `"Bold"`), "click")
	acting = o.start("act", uidOf(t, view, `"Buy"`), "click")
	p.answer(t, "wants to act on", "Once")
	wantWaited(t, <-acting, 0, "act on")
}

// An act in a frame of another site needs leave for that site; a frame that is
// never read is left out.
func TestApprovalOfAFrame(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	o.allow(t, "always", "reads")
	p := newPanel(t, o, web.main("frames.html?cross="+strings.TrimSuffix(web.cross(""), "/")+"&nested="+strings.TrimSuffix(web.nested(""), "/")), "Same process")
	crossed := strings.TrimSuffix(web.cross(""), "/")
	tab := tabOf(t, o.handrail, "Frames")
	var view string
	eventually(t, "the frame is read", func() bool {
		view = o.snapshot(t, "--tab", tab).UIDs
		return strings.Contains(view, `"cross button"`)
	})
	framed := uidOf(t, view, `"cross button"`)
	acting := o.start("act", framed, "click")
	p.answer(t, "wants to act on "+crossed, "Once")
	wantWaited(t, <-acting, 0, "act on "+crossed)
	web.wantCounts(t, map[string]int{"cross": 1})

	// Where no site but this one is read, its frames of other sites are not.
	o.allow(t, "ask", "reads")
	reading := o.start("snapshot", "--tab", tab)
	p.answer(t, "wants to read", "Always")
	wantWaited(t, <-reading, 0, "read")
	o.allow(t, "never", "reads")
	view = o.snapshot(t, "--tab", tab).UIDs
	if !strings.Contains(view, `"Same process"`) || !strings.Contains(view, "(not read: not_allowed)") || strings.Contains(view, "cross button") {
		t.Errorf("only the page is to be read\n%s", view)
	}
	o.refused(t, wire.NotApproved, "screenshot", t.TempDir()+"/x.png", "--tab", tab)
	o.allow(t, "always", "reads")

	o.must(t, "policy", "never", crossed, "read")
	view = o.snapshot(t, "--tab", tab).UIDs
	if !strings.Contains(view, "(not read: not_allowed)") || strings.Contains(view, "cross button") {
		t.Errorf("the frame is never to be read\n%s", view)
	}
	o.refused(t, wire.NotApproved, "screenshot", t.TempDir()+"/x.png", "--tab", tab)
}

// Where submits are asked about, a click that turns out to be one waits, and
// happens once.
func TestApprovalOfASubmit(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	o.allow(t, "always", "reads", "acts")
	o.allow(t, "ask", "submits")
	p := newPanel(t, o, web.main("form.html"), "Sign up")
	p.value(t, p.session, `{ const form = document.createElement('form'); form.innerHTML = '<button>Go on</button>'; form.onsubmit = () => { window.sent = (window.sent ?? 0) + 1; return false; }; document.body.prepend(form); }`)
	view := o.snapshot(t, "--tab", tabOf(t, o.handrail, "Sign up")).UIDs
	acting := o.start("act", uidOf(t, view, `"Go on"`), "click")
	p.until(t, "#approvals", "submit or send something on")
	if sent := p.value(t, p.session, `window.sent ?? 0`); sent != 0.0 {
		t.Errorf("sent %v before it was approved", sent)
	}
	p.answer(t, `click button "Go on"`, "Once")
	wantWaited(t, <-acting, 0, "submit")
	if sent := p.value(t, p.session, `window.sent ?? 0`); sent != 1.0 {
		t.Errorf("sent %v times", sent)
	}
}

// Without a panel the badge says that something waits; nobody answers.
func TestApprovalWithoutPanel(t *testing.T) {
	o, web := newOwn(t, "HANDRAIL_APPROVAL=5s"), newSite(t)
	o.open(t, web.main("first.html"))
	eventually(t, "the page is there", func() bool { return strings.Contains(string(o.run("tabs").stdout), "First") })
	worker := ""
	for _, info := range o.call(t, "", "Target.getTargets", map[string]any{})["targetInfos"].([]any) {
		if info := info.(map[string]any); info["type"] == "service_worker" && strings.Contains(info["url"].(string), wire.ExtensionID) {
			worker = o.attach(t, info["targetId"].(string))
		}
	}
	reading := o.start("snapshot", "--tab", tabOf(t, o.handrail, "First"))
	eventually(t, "the badge says 1", func() bool { return o.badge(t, worker) == "1" })
	out := <-reading
	wantWaited(t, out, 1, "read")
	if !strings.Contains(out.stderr, "not_approved: nobody approved it within 5s") || !strings.Contains(out.stderr, "side panel") {
		t.Error(out.stderr)
	}
	eventually(t, "the badge is empty", func() bool { return o.badge(t, worker) == "" })
}
