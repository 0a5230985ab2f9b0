//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"handrail/host/socket"
)

// wantAccessible runs axe-core over the panel, in light and in dark, and fails on what
// is serious or critical.
func (p *panel) wantAccessible(t *testing.T, state string) {
	t.Helper()
	axe, err := os.ReadFile("../../node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	if p.value(t, p.view, `typeof axe`) != "object" {
		p.value(t, p.view, string(axe))
	}
	for _, scheme := range []string{"light", "dark"} {
		p.call(t, p.view, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": scheme}}})
		found := p.value(t, p.view, `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
			.filter(({ impact }) => impact === 'serious' || impact === 'critical')
			.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ': ' + failureSummary)).join('\n'))`)
		if found != "" {
			t.Errorf("%s, %s:\n%v", state, scheme, found)
		}
	}
	p.call(t, p.view, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{}})
}

// Whatever the panel shows, axe-core finds nothing serious in it.
func TestPanelAccessible(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("demo.html"), "Save settings")
	p.wantAccessible(t, "a view")
	if n := p.value(t, p.view, `document.body.insertAdjacentHTML('beforeend', '<p id=axe-proof style="color:#eee;background:#fff">x</p><input id=axe-proof2>'), axe.run(document).then(({ violations }) => { document.querySelectorAll('#axe-proof, #axe-proof2').forEach(one => one.remove()); return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').length; })`); n == 0.0 {
		t.Error("axe finds nothing in a field without a label")
	}

	p.set(t, "#structure", true)
	p.until(t, "#structure-heading", "1 form, 1 table")
	p.value(t, p.view, `for (const one of document.querySelectorAll('#options, #page-structure')) one.open = true`)
	p.set(t, "#text", "review")
	p.submit(t, "#seek")
	p.until(t, "#found-count", "Found on 12 lines")
	p.wantAccessible(t, "options, structure and findings")

	p.value(t, p.view, `document.querySelector('#view [data-uid]').closest('li').querySelector('.acts').click()`)
	p.until(t, "#line-acts", "Click")
	p.wantAccessible(t, "the acts of a line")
	p.value(t, p.view, `[...document.querySelectorAll('#line-acts button')].find(one => one.textContent === 'Set…').click()`)
	p.until(t, "#question", "Set Email address to")
	p.wantAccessible(t, "a question")
	p.submit(t, "#question")
	p.until(t, "#did", "done by")
	eventually(t, "the page was read again", func() bool { return p.text(t, "#reading") == "" })
	p.wantAccessible(t, "an act that was done")

	p.click(t, "#changed")
	p.until(t, "#view", "unchanged")
	p.wantAccessible(t, "what changed")
	for _, tab := range strings.Fields(fmt.Sprint(p.value(t, p.view, `[...document.querySelectorAll('[role=tab]')].map(tab => tab.getAttribute('aria-controls')).join(' ')`))) {
		p.click(t, fmt.Sprintf("[role=tab][aria-controls=%s]", tab))
		p.wantAccessible(t, "the tab "+tab)
	}
	p.click(t, "[role=tab][aria-controls=page]")

	// Each state, as the panel words it.
	for _, code := range []string{"restricted_page", "debugger_taken", "canceled_by_user", "dialog_open", "page_crashed", "store_full", "store_read_only"} {
		p.value(t, p.view, fmt.Sprintf(`Promise.all([import('./notice.js'), import('./states.js')]).then(([{ openNotice }, { stateOf }]) =>
			openNotice(document.querySelector('#notice'))(stateOf({ code: %q, message: 'prompt "Name?"' }, 'chrome://settings')))`, code))
		p.wantAccessible(t, code)
	}
	for _, state := range []string{`{ host: 'none', message: 'The Handrail host is not installed: run ./install.sh' }`, `{ host: 'skew' }`, `{ host: 'connecting' }`} {
		p.value(t, p.view, fmt.Sprintf(`Promise.all([import('./notice.js'), import('./states.js')]).then(([{ openNotice }, { hostStateOf }]) =>
			openNotice(document.querySelector('#host'))(hostStateOf(%s)))`, state))
		p.wantAccessible(t, state)
	}
	p.value(t, p.view, `document.querySelector('#reading').hidden = false`)
	p.wantAccessible(t, "reading")
}

// keys are pressed by name, as a person's keyboard does.
func (o *own) keys(t *testing.T, session string, names ...string) {
	t.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Delete": 46}
	for _, name := range names {
		key, modifiers := strings.TrimPrefix(name, "Shift+"), 0
		if key != name {
			modifiers = 8
		}
		down := map[string]any{"type": "rawKeyDown", "key": key, "code": key, "windowsVirtualKeyCode": codes[key], "modifiers": modifiers}
		if key == "Enter" {
			down["type"], down["text"] = "keyDown", "\r"
		}
		o.call(t, session, "Input.dispatchKeyEvent", down)
		o.call(t, session, "Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": codes[key], "modifiers": modifiers})
	}
}

// tabTo presses Tab until the element has the focus, at most so many times.
func (p *panel) tabTo(t *testing.T, selector string) {
	t.Helper()
	for range 25 {
		if p.value(t, p.view, fmt.Sprintf(`document.activeElement?.matches(%q) === true`, selector)) == true {
			return
		}
		p.keys(t, p.view, "Tab")
	}
	t.Fatalf("Tab never comes to %s", selector)
}

// active is the line that the keyboard is at.
func (p *panel) active(t *testing.T) string {
	t.Helper()
	return fmt.Sprint(p.value(t, p.view, `document.getElementById(document.querySelector('#view').getAttribute('aria-activedescendant'))?.textContent ?? ''`))
}

// Everything goes by the keyboard alone: querying, moving, acting, going to another tab.
func TestPanelKeyboard(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newSidePanel(t, o, web.main("demo.html"), "Save settings")
	p.tabTo(t, "[role=tab]")
	p.keys(t, p.view, "ArrowRight", "Home")
	p.tabTo(t, "#query")
	p.call(t, p.view, "Input.insertText", map[string]any{"text": "email"})
	p.keys(t, p.view, "Enter")
	eventually(t, "the query was answered", func() bool {
		return strings.Contains(p.text(t, "#view"), "Email") && !strings.Contains(p.text(t, "#view"), "Save")
	})
	p.keys(t, p.view, "Home", "Shift+End", "Delete", "Enter")
	p.until(t, "#view", "Save settings")

	p.tabTo(t, "#view")
	if line := p.active(t); !strings.HasPrefix(line, "page") {
		t.Fatalf("the tree begins at %q", line)
	}
	p.keys(t, p.view, "ArrowLeft")
	if n := p.value(t, p.view, `document.querySelectorAll('#view li').length`); n != 1.0 {
		t.Errorf("folded, %v lines are shown", n)
	}
	p.keys(t, p.view, "ArrowRight")
	for n := 0; !strings.Contains(p.active(t), "Email address"); n++ {
		if n == 20 {
			t.Fatal("the arrows never come to the field")
		}
		p.keys(t, p.view, "ArrowDown")
	}
	p.keys(t, p.view, "Enter")
	p.until(t, "#line-acts", "Set…")
	p.keys(t, p.view, "Escape")
	if p.text(t, "#line-acts") != "" || p.value(t, p.view, `document.activeElement.id`) != "view" {
		t.Error("Escape does not go back to the lines")
	}
	p.keys(t, p.view, "Enter")
	p.until(t, "#line-acts", "Set…")
	p.keys(t, p.view, "Enter")
	p.until(t, "#question", "Set Email address to")
	p.call(t, p.view, "Input.insertText", map[string]any{"text": "ada@example.com"})
	p.keys(t, p.view, "Enter")
	p.until(t, "#did", "done by")
	p.until(t, "#view", "ada@example.com")
	if got := p.value(t, p.session, `document.querySelector('#email').value`); got != "ada@example.com" {
		t.Errorf("the field holds %q", got)
	}
	if id := p.value(t, p.view, `document.activeElement.id`); id != "view" {
		t.Errorf("behind the act %v has the focus", id)
	}
	if line := p.active(t); !strings.Contains(line, "ada@example.com") {
		t.Errorf("behind the act %q is active", line)
	}
	for range 20 {
		if p.value(t, p.view, `document.activeElement.role`) == "tab" {
			break
		}
		p.keys(t, p.view, "Shift+Tab")
	}
	p.keys(t, p.view, "End")
	if name := p.value(t, p.view, `document.querySelector('[role=tabpanel]:not([hidden])').id`); name == "page" {
		t.Error("End does not go to another tab")
	}
}

// The active line stays in sight when a notice, or a narrower panel, leaves less room.
func TestPanelActiveStays(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newSidePanel(t, o, web.main("demo.html"), "Save settings")
	size := func(width, height int) {
		t.Helper()
		p.call(t, p.view, "Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
		eventually(t, "the panel has its size", func() bool { return p.value(t, p.view, `innerHeight`) == float64(height) })
	}
	stays := func(when string) {
		t.Helper()
		p.value(t, p.view, `new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))`)
		if p.value(t, p.view, `((line, lines) => line && line.top > lines.top - 2 && line.bottom < lines.bottom + 2)(
			document.querySelector('#view [aria-selected=true]')?.getBoundingClientRect(), document.querySelector('#lines').getBoundingClientRect())`) != true {
			t.Errorf("%s, the active line is out of sight", when)
		}
	}
	size(420, 560)
	last := `[...document.querySelectorAll('#view li')].findLast(one => one.getBoundingClientRect().bottom < document.querySelector('#lines').getBoundingClientRect().bottom)`
	p.value(t, p.view, last+`.click()`)
	stays("chosen")
	p.value(t, p.view, `{
		const notice = document.querySelector('#notice');
		notice.hidden = false;
		notice.append(...[1, 2, 3, 4].map(() => Object.assign(document.createElement('p'), { textContent: 'A notice' })));
	}`)
	stays("with a notice")
	size(250, 560)
	stays("narrow")
	p.value(t, p.view, `document.querySelector('#lines').scrollTop = 0`)
	size(250, 900)
	if top := p.value(t, p.view, `document.querySelector('#lines').scrollTop`); top != 0.0 {
		t.Errorf("what a person scrolled to went to %v px", top)
	}
}

// The real side panel beside a page: its lines are pointed at and clicked.
func TestSidePanel(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newSidePanel(t, o, web.main("demo.html"), "Save settings")
	plain := string(p.shot(t, p.session))
	p.over(t, `[...document.querySelectorAll('#view [data-uid]')].find(one => one.textContent.includes('Save settings'))`, "mouseMoved")
	eventually(t, "the node is highlighted", func() bool { return string(p.shot(t, p.session)) != plain })
	p.over(t, `document.querySelector('#query')`, "mouseMoved")
	eventually(t, "the highlight goes", func() bool { return string(p.shot(t, p.session)) == plain })

	p.value(t, p.session, `document.querySelector('table').style.marginTop = '3000px'`)
	// A click on a uid brings its node into view, without leave to act.
	p.over(t, `[...document.querySelectorAll('#view [data-uid]')].findLast(one => one.getBoundingClientRect().bottom < document.querySelector('#lines').getBoundingClientRect().bottom)`, "mousePressed", "mouseReleased")
	eventually(t, "the page has scrolled: "+p.text(t, "#state"), func() bool { return p.value(t, p.session, `scrollY`).(float64) > 0 })

	p.value(t, p.session, `document.querySelector('table').style.marginTop = ''`)
	act := func(line, verb string) {
		p.over(t, fmt.Sprintf(`[...document.querySelectorAll('#view [data-uid]')].find(one => one.textContent.includes(%q)).closest('li').querySelector('.acts')`, line), "mousePressed", "mouseReleased")
		p.until(t, "#line-acts", verb)
		p.over(t, fmt.Sprintf(`[...document.querySelectorAll('#line-acts button')].find(one => one.textContent === %q)`, verb), "mousePressed", "mouseReleased")
	}
	act("Email address", "Set…")
	p.until(t, "#question", "Set Email address to")
	p.call(t, p.view, "Input.insertText", map[string]any{"text": "ada@example.com"})
	p.over(t, `document.querySelector('#question-go')`, "mousePressed", "mouseReleased")
	p.until(t, "#view", "ada@example.com")
	act("Save settings", "Click")
	p.until(t, "#view", "Saved for ada@example.com")
	p.until(t, "#did", "Click")
	if dir := os.Getenv("HANDRAIL_SHOTS"); dir != "" {
		for _, scheme := range []string{"light", "dark"} {
			p.call(t, p.view, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": scheme}}})
			if err := os.WriteFile(filepath.Join(dir, "panel-"+scheme+".png"), p.shot(t, p.view), 0o600); err != nil {
				t.Error(err)
			}
		}
	}
}

// Copied is what is shown, line for line, with its indentation.
func TestPanelCopy(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newSidePanel(t, o, web.main("demo.html"), "Save settings")
	o.call(t, "", "Browser.grantPermissions", map[string]any{"permissions": []string{"clipboardReadWrite", "clipboardSanitizedWrite"}})
	wantCopied := func() {
		t.Helper()
		p.over(t, `document.querySelector('#copy')`, "mousePressed", "mouseReleased")
		want := strings.Split(fmt.Sprint(p.value(t, p.view, `[...document.querySelectorAll('#view > li')].map(line => {
			const sign = line.dataset.sign ? line.dataset.sign + ' ' : '';
			return sign + ' '.repeat(Number(line.style.getPropertyValue('--depth'))) + line.textContent.slice(sign.length);
		}).join('\n')`)), "\n")
		p.until(t, "#state", fmt.Sprintf("Copied %d line", len(want)))
		got := strings.Split(fmt.Sprint(p.value(t, p.view, `navigator.clipboard.readText().catch(String)`)), "\n")
		if !slices.Equal(got, want) {
			t.Errorf("copied\n%s\nshown\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	p.call(t, p.view, "Emulation.setDeviceMetricsOverride", map[string]any{"width": 420, "height": 2000, "deviceScaleFactor": 1, "mobile": false}) // so that all lines are drawn
	wantCopied()
	p.press(t, p.session, "#save")
	p.click(t, "#changed")
	p.until(t, "#view", "Saved for ops@example.com")
	wantCopied()
}

// Nothing is cut off at the side, or covered, in a panel of 250 px, and in one of 360 px
// at 200 %; and however much the agent did, Stop is in sight.
func TestPanelNarrow(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("demo.html"), "Save settings")
	p.value(t, p.view, `{
		for (const one of document.querySelectorAll('details')) one.open = true;
		for (const id of ['question', 'reading', 'more', 'history-older', 'agent-forget']) document.getElementById(id).hidden = false;
		for (let i = 0; i < 60; i++) document.querySelector('#agent-steps').append(document.createElement('li'));
		for (const step of document.querySelectorAll('#agent-steps li')) step.textContent = 'A step';
	}`)
	for _, size := range [][2]int{{250, 700}, {180, 400}} {
		o.call(t, p.view, "Emulation.setDeviceMetricsOverride", map[string]any{"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": false})
		for _, tab := range []string{"page", "agent", "history", "activity", "sites"} {
			p.click(t, "[aria-controls="+tab+"]")
			beyond := p.value(t, p.view, `(width => [...document.querySelectorAll('body *')].filter(one => one.checkVisibility() && !one.closest('.off-screen') && one.getBoundingClientRect().right > width + 1)
				.map(one => one.id || one.outerHTML.slice(0, 80)).join(', '))(document.documentElement.clientWidth)`)
			if beyond != "" {
				t.Errorf("%d px, %s: beyond the edge stand %v", size[0], tab, beyond)
			}
		}
		p.click(t, "[aria-controls=agent]")
		p.value(t, p.view, `document.querySelector('#agent-steps').lastElementChild.scrollIntoView({ block: 'nearest' })`)
		if seen := p.value(t, p.view, `(r => r.top >= 0 && r.bottom <= innerHeight)(document.querySelector('#agent-stop').getBoundingClientRect())`); seen != true {
			t.Errorf("%d px: the last step in sight, Stop is not", size[0])
		}
		p.click(t, "[aria-controls=page]")
		if apart := p.value(t, p.view, `document.querySelector('#lines').getBoundingClientRect().bottom <= document.querySelector('#question').getBoundingClientRect().top + 1`); apart != true {
			t.Errorf("%d px: the lines lie under what is below them", size[0])
		}
	}
}

// In forced colours the line that the keyboard is at is told apart, and the tab.
func TestPanelForcedColours(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("demo.html"), "Save settings")
	p.call(t, p.view, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "forced-colors", "value": "active"}}})
	if outline := p.value(t, p.view, `getComputedStyle(document.querySelector('#view [aria-selected=true]')).outlineStyle`); outline != "solid" {
		t.Errorf("the line's outline is %v", outline)
	}
	if colours := p.value(t, p.view, `new Set([...document.querySelectorAll('[role=tab]')].map(tab => getComputedStyle(tab).borderBottomColor)).size`); colours != 2.0 {
		t.Errorf("%v colours below the tabs", colours)
	}
}

// A host that is not to be had is tried again and again, and told of once.
func TestPanelHostSaidOnce(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("demo.html"), "Save settings")
	p.value(t, p.view, `globalThis.said = 0, new MutationObserver(() => said++).observe(document.querySelector('#host'), { childList: true })`)
	wrapper, err := filepath.Glob(filepath.Join(o.home, "profile", "NativeMessagingHosts", "*.json"))
	if err != nil || len(wrapper) != 1 {
		t.Fatalf("manifests %v, %v", wrapper, err)
	}
	if err := os.Remove(wrapper[0]); err != nil {
		t.Fatal(err)
	}
	p.kill(t, "chrome-extension://")
	p.until(t, "#host", "not installed")
	said := p.value(t, p.view, `said`)
	p.value(t, p.view, `new Promise(resolve => setTimeout(resolve, 5000))`) // three tries
	if now := p.value(t, p.view, `said`); now != said {
		t.Errorf("said %v times, then %v", said, now)
	}
}

// Of a view of 300,000 lines only those in sight are elements, and the keyboard comes to
// the last one. How long a key in the query box takes is logged.
func TestPanelHuge(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newSidePanel(t, o, web.main("demo.html"), "Save settings")
	p.value(t, p.view, `import('./page.js').then(({ showView }) => {
		const lines = ['page "Huge"', ' main'];
		for (let i = 2; i < 300000; i++) lines.push('  [u' + i.toString(36) + '] button "Row ' + i + (i % 7 ? '"' : ' with a name that is long enough to take more than one line of the panel"'));
		const began = performance.now();
		showView({ uids: lines.join('\n'), recovery_handle: 'hr_00000000000000000000000000000000', tokens_before: 9e6, view_tokens: 3e6, tab: 1, total_chars: 9e6, total_nodes: 3e5, next_offset: null }, 1);
		globalThis.took = { shown: performance.now() - began, keys: [] };
		new PerformanceObserver(list => took.keys.push(...list.getEntries().map(({ name, duration }) => name + ' ' + duration))).observe({ type: 'event', durationThreshold: 16 });
	})`)
	bounded := func(where string) {
		t.Helper()
		if n := p.value(t, p.view, `document.querySelectorAll('*').length`).(float64); n > 2000 {
			t.Errorf("%s: %v elements", where, n)
		}
	}
	bounded("at the top")
	p.value(t, p.view, `document.querySelector('#query').focus()`)
	for _, letter := range "settings" {
		for _, kind := range []string{"keyDown", "keyUp"} {
			p.call(t, p.view, "Input.dispatchKeyEvent", map[string]any{"type": kind, "key": string(letter), "text": string(letter)})
		}
	}
	if typed := p.value(t, p.view, `document.querySelector('#query').value`); typed != "settings" {
		t.Errorf("typed %v", typed)
	}
	t.Logf("took: %v", p.value(t, p.view, `JSON.stringify(took)`))

	p.value(t, p.view, `document.querySelector('#view').focus()`)
	p.keys(t, p.view, "End")
	if line := p.active(t); !strings.Contains(line, `"Row 299999`) {
		t.Errorf("End comes to %q", line)
	}
	if at := p.value(t, p.view, `(line => [line.ariaPosInSet, line.ariaSetSize, line.ariaLevel].join())(document.querySelector('#view [aria-selected=true]'))`); at != "299998,299998,3" {
		t.Errorf("the last line is at %v", at)
	}
	bounded("at the end")
	if hidden := p.value(t, p.view, `(r => r.top >= 0 && r.bottom <= innerHeight)(document.querySelector('#view [aria-selected=true]').getBoundingClientRect())`); hidden != true {
		t.Error("the last line is not in sight")
	}
	p.value(t, p.view, `(lines => { lines.scrollTop = lines.scrollHeight / 2; lines.dispatchEvent(new Event('scroll')); })(document.querySelector('#lines'))`)
	if covered := p.value(t, p.view, `(r => ['top', 'bottom'].every(edge => document.elementFromPoint(r.left + 60, edge === 'top' ? r.top + 4 : r.bottom - 4)?.closest('#view li')))(document.querySelector('#lines').getBoundingClientRect())`); covered != true {
		t.Error("in the middle there is a gap")
	}
	bounded("in the middle")
	p.keys(t, p.view, "Home", "ArrowLeft")
	if n := p.value(t, p.view, `document.querySelectorAll('#view li').length`); n != 1.0 {
		t.Errorf("folded, %v lines are shown", n)
	}
}

// What keeps the panel from reading is said with what to do, and doing it helps.
func TestPanelStates(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("demo.html"), "Save settings")

	p.value(t, p.session, `void setTimeout(() => confirm('Really?'))`)
	p.submit(t, "#ask")
	p.until(t, "#notice", "Really?")
	p.click(t, "#notice .row button")
	p.until(t, "#view", "Save settings")
	if notice := p.text(t, "#notice"); notice != "" {
		t.Errorf("behind the answer the notice says %q", notice)
	}

	p.value(t, p.session, `void setTimeout(() => { for (const end = Date.now() + 6000; Date.now() < end;); })`)
	p.submit(t, "#ask")
	eventually(t, "the page is being read", func() bool { return p.value(t, p.view, `document.querySelector('#reading').hidden`) == false })
	p.click(t, "#cancel")
	p.until(t, "#notice", "Canceled")
	p.click(t, "#notice button")
	p.until(t, "#view", "Save settings")

	// A command that the clipboard refuses is selected, to be copied by hand.
	p.value(t, p.view, `navigator.clipboard.writeText = () => Promise.reject(new Error('refused')),
		Promise.all([import('./notice.js'), import('./states.js')]).then(([{ openNotice }, { hostStateOf }]) =>
			openNotice(document.querySelector('#host'))(hostStateOf({ host: 'skew' })))`)
	p.click(t, "#host button")
	p.until(t, "#host button", "Not copied")
	if selected := p.value(t, p.view, `String(getSelection())`); selected != "./install.sh" {
		t.Errorf("selected is %q", selected)
	}

	p.call(t, p.session, "Page.navigate", map[string]any{"url": "chrome://version"})
	p.until(t, "#notice", "browser's own")
	if view := p.text(t, "#view"); view != "" {
		t.Errorf("the page before is still shown\n%s", view)
	}
}

// choose opens the acts of the line that has a text, and takes one of them.
func (p *panel) choose(t *testing.T, line, verb string) {
	t.Helper()
	p.value(t, p.view, fmt.Sprintf(`[...document.querySelectorAll('#view li')].find(one => one.textContent.includes(%q)).querySelector('.acts').click()`, line))
	p.until(t, "#line-acts", verb)
	p.value(t, p.view, fmt.Sprintf(`[...document.querySelectorAll('#line-acts button')].find(one => one.textContent === %q).click()`, verb))
}

// Of an answer to a dialog that was lost it is said whether it reached the page, and
// what is open now is shown.
func TestPanelDialogLost(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("dialogs.html"), "Ask")
	p.choose(t, `button "Ask"`, "Click")
	p.until(t, "#notice", `confirm "Really?"`)
	entries, err := socket.List(o.home)
	if err != nil || len(entries) != 1 {
		t.Fatalf("hosts %v, %v", entries, err)
	}
	host, err := os.FindProcess(entries[0].PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	p.click(t, "#notice .row button")
	p.until(t, "#state", "Accept the dialog…")
	if err := host.Kill(); err != nil {
		t.Fatal(err)
	}
	p.until(t, "#did", "Accept the dialog: the host has ended; it is not known whether it reached the page; look at the page before acting again")
	p.until(t, "#notice", `confirm "Really?"`)
	p.click(t, "#notice .row button")
	p.until(t, "#did", "Accept the dialog: done by")
	p.until(t, "#view", `page "Accepted"`)
}

// A dialog that an act of the panel opened is answered there, a prompt with a text.
func TestPanelDialog(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("dialogs.html"), "Prompt")
	p.choose(t, `button "Prompt"`, "Click")
	p.until(t, "#did", `a dialog opened: "Name?"`)
	p.until(t, "#notice", `prompt "Name?"`)
	p.set(t, "#notice input", "Ada")
	p.click(t, "#notice .row button")
	p.until(t, "#view", `page "Ada"`)

	p.choose(t, `button "Ask"`, "Click")
	p.until(t, "#notice", `confirm "Really?"`)
	if n := p.value(t, p.view, `document.querySelectorAll('#notice input').length`); n != 0.0 {
		t.Error("a question of yes or no asks for a text")
	}
	p.value(t, p.view, `[...document.querySelectorAll('#notice button')].find(one => one.textContent === 'Dismiss').click()`)
	p.until(t, "#view", `page "Dismissed"`)
}
