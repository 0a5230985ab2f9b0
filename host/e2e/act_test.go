//go:build e2e

package e2e

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"handrail/host/wire"
)

func TestBlocked(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("blocked.html?cross="+url.QueryEscape(strings.TrimSuffix(web.cross(""), "/")))).UIDs
	h.act(t, uidOf(t, view, `"under button"`), "click")
	web.wantCounts(t, map[string]int{"under": 1})
	h.eval(t, "block()")
	for _, test := range []struct {
		text   string
		code   wire.Code
		detail string
	}{
		{`"covered"`, wire.Covered, "chat bubble"},
		{`"under button"`, wire.Covered, "lid"},
		{`"disabled natively"`, wire.Disabled, ""},
		{`"disabled fieldset"`, wire.Disabled, ""},
		{`"disabled aria"`, wire.Disabled, ""},
		{`"inert button"`, wire.Disabled, ""},
		{`"detached button"`, wire.StaleUID, "gone"},
		{`"display none"`, wire.NotVisible, ""},
		{`"visibility hidden"`, wire.NotVisible, ""},
	} {
		t.Run(test.text, func(t *testing.T) {
			out := h.refused(t, test.code, "act", uidOf(t, view, test.text), "click")
			if !strings.Contains(out.stderr, test.detail) {
				t.Errorf("the reason does not say %q: %s", test.detail, out.stderr)
			}
		})
	}
	h.refused(t, wire.NotEditable, "act", uidOf(t, view, `"read only"`), "type", "x")
	h.refused(t, wire.WrongKind, "act", uidOf(t, view, `"a checkbox"`), "type", "x")
	h.act(t, uidOf(t, view, `"plain"`), "click")
	web.wantCounts(t, map[string]int{"plain": 1})
}

// A cross-site navigation starts a new process whose backendDOMNodeIds count
// from one again: an old uid names a node of the new page too.
func TestCrossSiteNavigation(t *testing.T) {
	h, web := newHandrail(t), newSite(t)
	first := h.snapshot(t, web.main("first.html"))
	save := uidOf(t, first.UIDs, `"Save"`)
	h.must(t, "navigate", web.cross("second.html"))

	h.refused(t, wire.StaleUID, "act", save, "click")
	h.refused(t, wire.StaleUID, "act", save, "click", "--handle", first.RecoveryHandle)

	var tab struct{ Tabs []wire.Tab }
	if err := json.Unmarshal(h.must(t, "tabs", "--json").stdout, &tab); err != nil {
		t.Fatal(err)
	}
	other := h.as("another").snapshot(t, "--tab", currentTab(t, h))
	if uids := uidsOf(other.UIDs, "button"); len(uids) != 2 || uids[0] != save && uids[1] != save {
		t.Fatalf("the new page does not reuse uid %s, so this shows nothing:\n%s", save, other.UIDs)
	}
	out := h.refused(t, wire.StaleUID, "act", save, "click")
	if !strings.Contains(out.stderr, "document") {
		t.Errorf("the reason is not the document: %s", out.stderr)
	}
	web.wantCounts(t, map[string]int{})

	second := h.snapshot(t)
	if !strings.Contains(second.Note, "new document") {
		t.Errorf("note = %q", second.Note)
	}
	h.act(t, uidOf(t, second.UIDs, `"Pay"`), "click")
	web.wantCounts(t, map[string]int{"second pay": 1})
}

func TestListChanges(t *testing.T) {
	for _, test := range []struct {
		name   string
		change string
		reason string // "" when the act must go through to the same record
	}{
		{"rerender", "changes.rerender()", "gone"},
		{"keyed", "changes.keyed()", ""},
		{"rebind", "changes.rebind()", "moved_context"},
		{"twin", "changes.twin()", ""},
		{"push state", "changes.push()", ""},
		{"same-site navigation", "location.href = 'list.html?again'", "document"},
		{"reload", "location.reload()", "document"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, web := newClient(t), newSite(t)
			view := h.snapshot(t, web.main("list.html")).UIDs
			ada := uidsOf(view, `button "Review"`)[0]
			h.eval(t, "void ("+test.change+")")
			if test.reason == "document" {
				eventually(t, "the new document is there", func() bool {
					return h.run("resolve", ada).code == 0 && strings.Contains(string(h.run("resolve", ada).stdout), "document")
				})
			}
			if test.reason == "" {
				h.act(t, ada, "click")
				web.wantCounts(t, map[string]int{"Ada": 1})
				return
			}
			out := h.refused(t, wire.StaleUID, "act", ada, "click")
			if !strings.Contains(out.stderr, test.reason) {
				t.Errorf("reason is not %s: %s", test.reason, out.stderr)
			}
			web.wantCounts(t, map[string]int{})
		})
	}
}

// Cards that no role holds together are told apart by what stands beside their twins.
func TestReboundCards(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("list.html")).UIDs
	carol := uidsOf(view, `button "Buy"`)[0]
	h.act(t, carol, "click")
	web.wantCounts(t, map[string]int{"Carol": 1})
	h.eval(t, "swapCards()")
	if out := h.refused(t, wire.StaleUID, "act", carol, "click"); !strings.Contains(out.stderr, "moved_context") {
		t.Errorf("reason: %s", out.stderr)
	}
	web.wantCounts(t, map[string]int{})
}

// Whatever a page does to its lists meanwhile, an act reaches the record that was
// shown under its uid, or none.
func TestMutations(t *testing.T) {
	h, web := newClient(t), newSite(t)
	random := rand.New(rand.NewPCG(7, 7))
	changes := []string{
		"changes.rerender()", "changes.keyed()", "changes.rebind()", "changes.twin()", "changes.push()", "swapCards()",
		"cards.append(cards.firstElementChild)", "body.append(body.rows[0])", "body.rows[0].remove()", "cards.firstElementChild.hidden = true",
		"document.querySelector('button').textContent = 'Reviewed'", "cards.prepend(document.createElement('p'))",
	}
	done, refused := 0, 0
	for try := range 40 {
		view := h.snapshot(t, web.main("list.html")).UIDs
		shown := map[string]string{} // uid → record
		for i, uid := range uidsOf(view, `button "Review"`) {
			shown[uid] = []string{"Ada", "Grace", "Edsger"}[i]
		}
		for i, uid := range uidsOf(view, `button "Buy"`) {
			shown[uid] = []string{"Carol", "Dennis"}[i]
		}
		uids := slices.Sorted(maps.Keys(shown))
		uid := uids[random.IntN(len(uids))]
		var did []string
		for range 1 + random.IntN(3) {
			did = append(did, changes[random.IntN(len(changes))])
		}
		h.eval(t, "void ("+strings.Join(did, ", ")+")")
		out := h.run("act", uid, "click")
		got := web.take()
		switch {
		case out.code == 0 && len(got) == 1 && got[shown[uid]] == 1:
			done++
		case out.code == 1 && len(got) == 0:
			refused++
		default:
			t.Errorf("try %d: %s of %q after %q: exit %d, counts %v\n%s", try, uid, shown[uid], did, out.code, got, out.stderr)
		}
	}
	t.Logf("%d done, %d refused", done, refused)
	if done == 0 || refused == 0 {
		t.Error("one kind never came: this shows nothing")
	}
}

// Back brings the old document with its loaderId from the BFCache, or loads a
// new one: the old uid reaches its own record or is refused.
func TestBack(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("list.html")).UIDs
	grace := uidsOf(view, `button "Review"`)[1]
	h.must(t, "navigate", web.cross("second.html"))
	h.must(t, "navigate", "--back")
	out := h.run("act", grace, "click")
	want := map[string]int{"Grace": 1}
	if out.code != 0 {
		want = map[string]int{}
		if !strings.Contains(out.stderr, string(wire.StaleUID)) {
			t.Errorf("neither done nor stale: %s", out.stderr)
		}
	}
	web.wantCounts(t, want)
}

func TestRenamed(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("first.html")).UIDs
	save, cancel := uidOf(t, view, `"Save"`), uidOf(t, view, `"Cancel"`)
	h.eval(t, `void (document.querySelector('button').textContent = 'Pause')`)
	out := h.refused(t, wire.StaleUID, "act", save, "click")
	if !strings.Contains(out.stderr, "renamed") || !strings.Contains(out.stderr, "Pause") {
		t.Errorf("reason: %s", out.stderr)
	}
	h.act(t, save, "click", "--expect", "Pause")
	h.eval(t, `void (document.querySelectorAll('button')[1].textContent = 'Cancel (3)')`)
	h.act(t, cancel, "click")
	web.wantCounts(t, map[string]int{"first save": 1, "first cancel": 1})
}

func TestOnce(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("first.html")).UIDs
	save, cancel := uidOf(t, view, `"Save"`), uidOf(t, view, `"Cancel"`)
	id := "00112233445566778899aabbccddeeff"
	first := h.act(t, save, "click", "--act-id", id)
	again := h.act(t, save, "click", "--act-id", id)
	if first.ActID != id || again.ActID != id || again.Dispatched != "yes" {
		t.Errorf("first %+v\nagain %+v", first, again)
	}
	h.refused(t, wire.ActReused, "act", cancel, "click", "--act-id", id)
	web.wantCounts(t, map[string]int{"first save": 1})
}

func TestUnknown(t *testing.T) {
	h, web := newClient(t), newSite(t)
	h.snapshot(t, web.main("first.html"))
	h.refused(t, wire.UnknownUID, "act", "uzzz", "click")
	h.refused(t, wire.UnknownHandle, "recover", "hr_00000000000000000000000000000000")
	h.refused(t, wire.UnknownHandle, "act", "u1", "click", "--handle", "hr_00000000000000000000000000000000")
	h.refused(t, wire.UnknownTab, "snapshot", "--tab", "999999")
	h.refused(t, wire.BadURL, "navigate", "javascript:alert(1)")
	h.refused(t, wire.BadURL, "navigate", "chrome://settings")
	h.refused(t, wire.EvalFailed, "eval", "nothing.here")
	web.wantCounts(t, map[string]int{})
}

// Nothing of a password may be found but in the page: not in the view, the
// reply, the payload, the store or the logs.
func TestSecrets(t *testing.T) {
	h, web := newHandrail(t), newSite(t)
	s := h.snapshot(t, web.main("secrets.html"))
	typed := h.must(t, "act", "--json", uidOf(t, s.UIDs, `"Current password"`), "type", "typed-hunter2", "--submit")
	after := h.snapshot(t)
	if got := h.eval(t, `document.getElementById('typed').value === ['typed', 'hunter2'].join('-')`); got != "true" {
		t.Fatalf("the password was not typed: %s", got)
	}
	if !strings.Contains(s.UIDs, `"Ursula"`) {
		t.Errorf("an author is no secret:\n%s", s.UIDs)
	}
	seen := map[string]string{
		"first view": s.UIDs, "view after": after.UIDs, "reply": string(typed.stdout) + typed.stderr,
		"first payload":   string(h.must(t, "recover", s.RecoveryHandle).stdout),
		"payload after":   string(h.must(t, "recover", after.RecoveryHandle).stdout),
		"state directory": everyFile(t, h.home),
	}
	for _, canary := range []string{"hunter2", "otp-719205", "4111-canary", "key-canary", strings.Repeat("•", 5)} {
		for where, text := range seen {
			if strings.Contains(text, canary) {
				t.Errorf("%q is in the %s", canary, where)
			}
		}
	}
}

// A dialog never blocks: it is told at once, refuses all else, and can be answered.
func TestDialogs(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("dialogs.html")).UIDs
	if r := h.act(t, uidOf(t, view, `"Ask"`), "click"); r.Dialog != "Really?" {
		t.Errorf("dialog = %q", r.Dialog)
	}
	for _, args := range [][]string{{"act", uidOf(t, view, `"Ask"`), "click"}, {"snapshot"}, {"navigate", web.main("first.html")}, {"navigate", "--reload"}, {"eval", "1"}} {
		if out := h.refused(t, wire.DialogOpen, args...); !strings.Contains(out.stderr, "Really?") || strings.Contains(out.stderr, "reached the page") {
			t.Errorf("%q: %s", args, out.stderr)
		}
	}
	h.must(t, "dialog", "accept")
	if title := h.eval(t, "document.title"); title != `"Accepted"` {
		t.Errorf("title = %s", title)
	}
	h.act(t, uidOf(t, view, `"Prompt"`), "click")
	h.must(t, "dialog", "accept", "Ada")
	if title := h.eval(t, "document.title"); title != `"Ada"` {
		t.Errorf("title = %s", title)
	}
	h.refused(t, wire.WrongKind, "dialog", "dismiss")
	h.eval(t, "void (onbeforeunload = event => event.preventDefault())")
	h.act(t, uidOf(t, view, `"Ask"`), "click") // a page may only ask once it was used
	h.must(t, "dialog", "dismiss")
	h.must(t, "navigate", web.main("first.html"))
	h.must(t, "dialog", "accept")
	eventually(t, "the page has moved on", func() bool { return strings.Contains(string(h.run("tabs").stdout), "first.html") })
}

// What a person could click, though not at first sight.
func TestAwkward(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("awkward.html")).UIDs
	h.eval(t, "scrollTo(0, 1490)")
	for _, key := range []string{"under the bar", "pulsing", "half covered", "mail", "wrapped"} {
		text := `"` + key + `"`
		if key == "wrapped" {
			text = `link "wraps`
		}
		h.act(t, uidOf(t, view, text), "click")
		web.wantCounts(t, map[string]int{key: 1})
	}
	h.act(t, uidOf(t, view, "checkbox"), "click")
	if checked := h.eval(t, "document.querySelector('.away').checked"); checked != "true" {
		t.Errorf("checked = %s", checked)
	}
	if strings.Contains(view, "hidden") {
		t.Errorf("a date is no secret:\n%s", view)
	}
}

// CSS zoom reaches into the frames of a process, where Chromium tells the boxes
// in px of the frame's own.
func TestZoomedFrames(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("zoomed.html")).UIDs
	for _, key := range []string{"one", "two", "three", "below", "inmost"} {
		h.act(t, uidOf(t, view, `"`+key+`"`), "click")
		web.wantCounts(t, map[string]int{key: 1})
	}
	r := h.direct(t).act(t, wire.ActParams{UID: uidOf(t, view, `"two"`), Action: "scroll", Pages: -1})
	if r.Scroll == nil || r.Scroll.Moved != -r.Scroll.View {
		t.Errorf("a page up: %+v", r.Scroll)
	}
}

// What goes elsewhere, or is replaced, as it is pressed or gets the focus.
func TestFleeting(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("fleeting.html")).UIDs
	p := h.direct(t)
	for range 12 {
		p.act(t, wire.ActParams{UID: uidOf(t, view, `"jumps"`), Action: "click"})
	}
	web.wantCounts(t, map[string]int{"jumps": 12})

	for _, act := range []wire.ActParams{
		{UID: uidOf(t, view, `"Swapped"`), Action: "set_field", Text: new("text")},
		{UID: uidOf(t, view, `"anew"`), Action: "press", Key: "Enter"},
	} {
		if fault := p.refused(t, wire.StaleUID, "yes", act); fault != nil && (fault.Reason != "gone" || len(fault.Candidates) == 0) {
			t.Errorf("%s: %+v", act.Action, fault)
		}
	}
	if held := h.evalText(t, "swapped.value"); held != "" {
		t.Errorf("what came in its place holds %q", held)
	}

	if r := p.act(t, wire.ActParams{UID: uidOf(t, view, `"Shut away"`), Action: "set_field", Text: new("text")}); r.Focus != `textbox "Shut away"` {
		t.Errorf("the focus in a closed shadow root: %+v", r)
	}
	if r := p.act(t, wire.ActParams{UID: uidOf(t, view, `digit 1"`), Action: "set_field", Text: new("1")}); r.URL != web.main("fleeting.html") || text(r.ValueNow) != "‹hidden›" {
		t.Errorf("one digit of a secret: %+v", r)
	}
	if r := p.act(t, wire.ActParams{UID: uidOf(t, view, `"Tag"`), Action: "set_field", Text: new("one"), Submit: true}); text(r.ValueNow) != "" || r.Reverted {
		t.Errorf("a field that is emptied as it is submitted: %+v", r)
	}
	// The browser sends no form that is not valid: nothing is repeated after it.
	mail := wire.ActParams{UID: uidOf(t, view, `"Mail"`), Action: "set_field", Text: new("nobody"), Submit: true}
	if r := p.act(t, mail); !strings.Contains(r.Hint, "not sent") {
		t.Errorf("a form that is not valid: %+v", r)
	}
	web.wantCounts(t, map[string]int{})
	mail.Text = new("a@example.com")
	p.act(t, mail)
	web.wantCounts(t, map[string]int{"sent": 1})
	if r := p.act(t, wire.ActParams{UID: uidOf(t, view, `"Some"`), Action: "check", On: new(false)}); !slices.Equal(r.Before, []string{"mixed"}) || !slices.Equal(r.After, []string{"unchecked"}) {
		t.Errorf("a box of three states: %+v", r)
	}
	if r := p.act(t, wire.ActParams{UID: uidOf(t, view, `"Close"`), Action: "click"}); r.NewDocument || !slices.Contains(r.Changes, "frame_removed") {
		t.Errorf("a frame that its click removes: %+v", r)
	}
	p.act(t, wire.ActParams{UID: uidOf(t, view, `"Ask"`), Action: "click"})
	if r := p.act(t, wire.ActParams{UID: uidOf(t, h.snapshot(t).UIDs, `"Agree"`), Action: "click"}); r.Navigates || r.NewDocument {
		t.Errorf("a form of a dialog: %+v", r)
	}
}
