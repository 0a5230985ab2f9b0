//go:build e2e

package e2e

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"handrail/host/wire"
)

// panel is the side panel, opened in a tab beside the page it shows.
type panel struct {
	*own
	target, session string // of the page
	view            string // session of the panel
}

// newPanel opens the panel on a page and waits until it shows a text.
func newPanel(t *testing.T, o *own, url, shows string) *panel {
	t.Helper()
	p := &panel{own: o}
	p.target, p.session = o.open(t, url)
	_, p.view = o.open(t, panelURL)
	o.call(t, p.view, "Emulation.setDeviceMetricsOverride", map[string]any{"width": 420, "height": 800, "deviceScaleFactor": 1, "mobile": false})
	o.call(t, "", "Target.activateTarget", map[string]any{"targetId": p.target})
	p.reads(t, shows)
	return p
}

// text is what an element of the panel shows; "" when it is hidden.
func (p *panel) text(t *testing.T, selector string) string {
	t.Helper()
	return fmt.Sprint(p.value(t, p.view, fmt.Sprintf(`(found => found?.checkVisibility() ? found.innerText : '')(document.querySelector(%q))`, selector)))
}

// lines are the lines of a list.
func (p *panel) lines(t *testing.T, selector string) []string {
	t.Helper()
	return strings.Split(fmt.Sprint(p.value(t, p.view, fmt.Sprintf(`[...document.querySelector(%q).children].map(line => line.textContent).join('\n')`, selector))), "\n")
}

// all are the lines of the view, of which only those in sight are elements.
func (p *panel) all(t *testing.T) []string {
	t.Helper()
	return strings.Split(fmt.Sprint(p.value(t, p.view, `(() => {
		const scroller = document.querySelector('#lines'), lines = [];
		const go = top => { scroller.scrollTop = top; scroller.dispatchEvent(new Event('scroll')); };
		for (let at = 0; at <= scroller.scrollHeight; at += scroller.clientHeight / 2) {
			go(at);
			for (const line of document.querySelectorAll('#view > li')) lines[line.dataset.row] = line.textContent;
		}
		go(0);
		return lines.join('\n');
	})()`)), "\n")
}

// reads waits until the view shows a text, and asks again as a person does when a
// busy machine keeps the page from being read.
func (p *panel) reads(t *testing.T, shows string) {
	t.Helper()
	eventually(t, fmt.Sprintf("the view shows %q", shows), func() bool {
		p.value(t, p.view, `[...document.querySelectorAll('#notice button')].find(one => one.textContent === 'Read again')?.click()`)
		return strings.Contains(p.text(t, "#view"), shows)
	})
}

// until waits until an element shows a text.
func (p *panel) until(t *testing.T, selector, text string) {
	t.Helper()
	var shown string
	defer func() {
		if t.Failed() {
			t.Logf("%s shows %.2000q; the state is %q, the notice %q, the act %q", selector, shown, p.text(t, "#state"), p.text(t, "#notice"), p.text(t, "#did"))
		}
	}()
	eventually(t, fmt.Sprintf("%s shows %q", selector, text), func() bool { shown = p.text(t, selector); return strings.Contains(shown, text) })
}

// set gives a field a value, or a box its check, as a person's choice.
func (p *panel) set(t *testing.T, selector string, value any) {
	t.Helper()
	p.value(t, p.view, fmt.Sprintf(`{
		const field = document.querySelector(%q), value = %#v;
		if (typeof value === 'boolean') field.checked = value; else field.value = value;
		field.dispatchEvent(new Event('change', { bubbles: true }));
	}`, selector, value))
}

func (p *panel) click(t *testing.T, selector string) {
	t.Helper()
	p.value(t, p.view, fmt.Sprintf(`document.querySelector(%q).click()`, selector))
}

func (p *panel) submit(t *testing.T, form string) {
	t.Helper()
	p.value(t, p.view, fmt.Sprintf(`document.querySelector(%q).requestSubmit()`, form))
}

// shot is a picture of a session's page.
func (p *panel) shot(t *testing.T, session string) []byte {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(p.call(t, session, "Page.captureScreenshot", map[string]any{"format": "png"})["data"].(string))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// keep saves a picture of the panel where HANDRAIL_SHOTS says. Tabs are drawn in front
// only, where the panel would read itself: what is drawn is a copy that stands still.
func (p *panel) keep(t *testing.T, name string) {
	t.Helper()
	if dir := os.Getenv("HANDRAIL_SHOTS"); dir != "" {
		p.value(t, p.view, `document.body.replaceWith(document.body.cloneNode(true))`)
		p.call(t, p.view, "Page.bringToFront", map[string]any{})
		if err := os.WriteFile(filepath.Join(dir, name+".png"), p.shot(t, p.view), 0o600); err != nil {
			t.Error(err)
		}
	}
}

// The panel shows the view, what it cost, and the node of the uid under the mouse.
func TestPanel(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("demo.html"), "Save settings")
	if cost := p.text(t, "#cost"); !strings.Contains(cost, "→") || !strings.Contains(cost, "% saved") {
		t.Errorf("cost %q", cost)
	}
	p.set(t, "#query", "email")
	p.submit(t, "#ask")
	eventually(t, "the query was answered", func() bool {
		text := p.text(t, "#view")
		return strings.Contains(text, "Email address") && !strings.Contains(text, "Save settings")
	})
	plain := string(p.shot(t, p.session))
	p.value(t, p.view, `document.querySelector('#view [data-uid]').dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))`)
	eventually(t, "the node is highlighted", func() bool { return string(p.shot(t, p.session)) != plain })
}

// What a view shows is chosen in the words of the protocol, and kept.
func TestPanelOptions(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("demo.html"), "Nothing saved yet")
	p.set(t, "#profile", "light")
	eventually(t, "only what can be acted on is shown", func() bool {
		text := p.text(t, "#view")
		return strings.Contains(text, "Save settings") && !strings.Contains(text, "Nothing saved yet")
	})
	p.set(t, "#structure", true)
	p.until(t, "#structure-heading", "1 form, 1 table")
	p.click(t, "#structure-heading")
	if text := p.text(t, "#structure-lists"); !strings.Contains(text, "Email address") || !strings.Contains(text, "12 rows of 4 columns") {
		t.Errorf("structure\n%s", text)
	}
	p.call(t, p.view, "Page.navigate", map[string]any{"url": panelURL}) // answered when the new document is there
	p.until(t, "#options-summary", "light, structure")
	p.until(t, "#view", "Save settings")

	// What max_depth cuts is read from there.
	p.set(t, "#profile", "balanced")
	p.set(t, "#structure", false)
	p.set(t, "#max_depth", "3")
	p.until(t, "#view [data-under]", "controls below")
	p.click(t, "#view [data-under]")
	p.until(t, "#state", "Under u")
	if text := p.text(t, "#view"); strings.Contains(text, "h1") {
		t.Errorf("under a node\n%s", text)
	}
	p.set(t, "#structure", true)
	p.until(t, "#structure-heading", "1 form, 1 table")
	p.set(t, "#text", "review")
	p.submit(t, "#seek")
	p.until(t, "#found-count", "Found on 12 lines")
	p.value(t, p.view, `document.querySelector('#options').open = true`)

	// What is no depth is said at the field, and changes nothing.
	for _, depth := range []string{"0", "-2", "2.5"} {
		p.set(t, "#max_depth", depth)
		if said, summary := p.text(t, "#max_depth-wrong"), p.text(t, "#options-summary"); said == "" || !strings.Contains(summary, "max_depth 3") {
			t.Errorf("a depth of %s: said %q, chosen %q", depth, said, summary)
		}
	}
	p.set(t, "#max_depth", "3")
	if said := p.text(t, "#max_depth-wrong"); said != "" {
		t.Errorf("a depth of 3: said %q", said)
	}
	p.keep(t, "options")
}

// A long view is read window by window: every line stands once.
func TestPanelMore(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("orders.html?rows=500"), "Order 100001")
	p.until(t, "#size", "controls left")
	windows := 1
	for ; p.text(t, "#more") != ""; windows++ {
		if windows == 20 {
			t.Fatal("there is always more")
		}
		size := p.text(t, "#size")
		p.click(t, "#more")
		eventually(t, "the next window is there", func() bool { return p.text(t, "#size") != size })
	}
	if windows == 1 {
		t.Error("the view is one window")
	}
	p.submit(t, "#ask")
	p.until(t, "#size", "controls left")
	p.value(t, p.view, `document.querySelector('#more').click(), document.querySelector('#cancel').click()`)
	p.until(t, "#state", "Canceled")
	p.click(t, "#more")
	eventually(t, "the next window is there", func() bool { return p.text(t, "#reading") == "" })
	for p.text(t, "#more") != "" {
		size := p.text(t, "#size")
		p.click(t, "#more")
		eventually(t, "the next window is there", func() bool { return p.text(t, "#size") != size })
	}
	text := strings.Join(p.all(t), "\n")
	seen := map[string]int{}
	for _, order := range regexp.MustCompile(`"Order \d+"`).FindAllString(text, -1) {
		seen[order]++
	}
	for i := range 500 {
		if name := fmt.Sprintf(`"Order %d"`, 100001+i); seen[name] != 1 {
			t.Fatalf("%s stands %d times", name, seen[name])
		}
	}
	if n := strings.Count(text, `"Next"`); n != 1 || strings.Contains(text, "left out") {
		t.Errorf("Next stands %d times; the end is\n%s", n, text[max(0, len(text)-500):])
	}
	if size := p.text(t, "#size"); strings.Contains(size, "left") {
		t.Errorf("at the end: %q", size)
	}
}

// A text is found, beyond the window shown too, and what was found can be pointed at.
func TestPanelFind(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("orders.html?rows=500"), "Order 100001")
	p.set(t, "#text", "Order 100003")
	p.submit(t, "#seek")
	p.until(t, "#found-count", "Found on 1 line")
	if text := p.text(t, "#found-lines"); !strings.Contains(text, "Order 100003") || !strings.Contains(text, "Review") {
		t.Errorf("found\n%s", text)
	}
	plain := string(p.shot(t, p.session))
	p.value(t, p.view, `document.querySelector('#found-lines [data-uid]').dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))`)
	eventually(t, "the node is highlighted", func() bool { return string(p.shot(t, p.session)) != plain })
	p.set(t, "#text", `/Order 10049\d/`)
	p.submit(t, "#seek")
	p.until(t, "#found-count", "Found on 10 lines")
	p.set(t, "#text", "no such order")
	p.submit(t, "#seek")
	p.until(t, "#found-count", "Nothing found")
	// A view that comes while it is looked for does not lose it.
	p.set(t, "#text", `/Order 10048\d/`)
	p.value(t, p.view, `document.querySelector('#seek').requestSubmit(), import('./page.js').then(({ showView }) =>
		showView({ uids: 'page "Again"', recovery_handle: document.querySelector('#view').dataset.handle, tokens_before: 9, view_tokens: 3, total_chars: 9, total_nodes: 1, next_offset: null }, 1))`)
	p.until(t, "#found-lines", "Order 100489")
	p.set(t, "#text", "/(/")
	p.submit(t, "#seek")
	p.until(t, "#state.wrong", "regular expression")
	p.keep(t, "found")
}

// What is asked for during an act waits for it, whether or not the act can be had.
func TestPanelDuringAnAct(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	other, _ := o.open(t, web.main("demo.html"))
	p := newPanel(t, o, "data:text/html,<title>Moving</title><button id=b style=position:absolute>Run</button><script>setInterval(() => b.style.left = performance.now() % 300 + 'px', 16)</script>", "Run")
	click := func() {
		t.Helper()
		p.value(t, p.view, `[...document.querySelectorAll('#view li')].find(line => line.textContent.includes('Run')).querySelector('.acts').click()`)
		p.until(t, "#line-acts", "Click")
		p.value(t, p.view, `[...document.querySelectorAll('#line-acts button')].find(one => one.textContent === 'Click').click()`)
		p.until(t, "#state", "Click [")
	}
	click()
	p.click(t, "#more")
	p.until(t, "#did", "the node keeps moving")
	p.until(t, "#view", "Run")
	eventually(t, "the page was read again", func() bool { return p.text(t, "#reading") == "" })

	click()
	o.call(t, "", "Target.activateTarget", map[string]any{"targetId": other})
	p.until(t, "#view", "Save settings")
}

// What is about a tab goes when another one is shown: a question left open would act
// where nobody looks, and a drawing would stay in the page.
func TestPanelTabSwitched(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	other, _ := o.open(t, web.main("first.html"))
	p := newPanel(t, o, web.main("demo.html"), "Save settings")
	show := func(target, text string) {
		t.Helper()
		o.call(t, "", "Target.activateTarget", map[string]any{"targetId": target})
		p.until(t, "#view", text)
	}
	plain := string(p.shot(t, p.session))
	drawn := func() bool { return string(p.shot(t, p.session)) != plain }
	point := func() {
		t.Helper()
		p.value(t, p.view, `document.querySelector('#view [data-uid]').dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))`)
		eventually(t, "the node is highlighted", drawn)
	}
	point()
	show(other, `"Cancel"`)
	show(p.target, "Save settings")
	eventually(t, "the highlight has gone", func() bool { return !drawn() })

	p.choose(t, "Email address", "Set…")
	p.until(t, "#question", "Set Email address to")
	show(other, `"Cancel"`)
	if question := p.text(t, "#question"); question != "" {
		t.Errorf("over another page stands the question %q", question)
	}
	show(p.target, "Save settings")
	p.value(t, p.view, `[...document.querySelectorAll('#view li')].find(one => one.textContent.includes('Save settings')).querySelector('.acts').click()`)
	p.until(t, "#line-acts", "Click")
	show(other, `"Cancel"`)
	if menu := p.text(t, "#line-acts"); menu != "" {
		t.Errorf("over another page stand the acts %q", menu)
	}

	show(p.target, "Save settings")
	point()
	p.value(t, p.view, `void setTimeout(() => window.close())`)
	eventually(t, "a closed panel leaves no highlight", func() bool { return !drawn() })
}

// What goes on in another window is that window's panel's: this one shows what it did.
func TestPanelTwoWindows(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("demo.html"), "Save settings")
	p.value(t, p.view, fmt.Sprintf(`chrome.windows.create({ url: [%q, %q] }).then(() => 0)`, web.main("first.html"), panelURL))
	other := &panel{own: o}
	eventually(t, "the other window has a panel", func() bool {
		for _, info := range o.call(t, "", "Target.getTargets", map[string]any{})["targetInfos"].([]any) {
			info := info.(map[string]any)
			if id := info["targetId"].(string); strings.HasPrefix(info["url"].(string), panelURL) && info["attached"] == false {
				other.view = o.attach(t, id)
				return true
			}
		}
		return false
	})
	other.reads(t, `"Cancel"`)
	p.click(t, "#changed")
	p.until(t, "#view", "unchanged")
	other.value(t, other.view, fmt.Sprintf(`chrome.tabs.create({ url: %q }).then(() => 0)`, web.main("dialogs.html")))
	other.reads(t, `"Prompt"`)
	if view := p.text(t, "#view"); !strings.Contains(view, "unchanged") {
		t.Errorf("the first window's panel shows\n%s", view)
	}
	p.reads(t, "unchanged")
	other.choose(t, `"Prompt"`, "Hover")
	other.until(t, "#did", "Hover")
	if did := p.text(t, "#did"); did != "" {
		t.Errorf("the first window's panel did %q", did)
	}
}

// Of an act whose answer was lost nobody says that it never was, and the page is read
// again, to look.
func TestPanelActLost(t *testing.T) {
	for name, lose := range map[string]func(p *panel){
		"the worker was stopped": func(p *panel) { p.killWorker(t) },
		"the host has ended":     func(p *panel) { p.kill(t, "chrome-extension://") },
	} {
		t.Run(name, func(t *testing.T) {
			s, o := newShop(t), newOwn(t)
			confirming, goOn := make(chan bool), make(chan bool)
			answer := sync.OnceFunc(func() { close(goOn) })
			t.Cleanup(answer)
			s.confirm = func() {
				close(confirming)
				<-goOn
			}
			p := newPanel(t, o, s.URL+"/check?name=Ada", "Confirm")
			p.choose(t, "Confirm", "Click")
			<-confirming
			lose(p)
			p.until(t, "#did", name+"; it is not known whether it reached the page; look at the page before acting again")
			answer()
			p.reads(t, s.receipt)
			if got := s.confirmed(); got != "Ada" {
				t.Errorf("orders %q", got)
			}
		})
	}
}

// What a click changed is shown as lines that came, went and changed.
func TestPanelChanged(t *testing.T) {
	o, web := newOwn(t), newSite(t)
	p := newPanel(t, o, web.main("demo.html"), "Nothing saved yet")
	p.click(t, "#changed")
	p.until(t, "#view", "unchanged")
	p.press(t, p.session, "#save")
	p.click(t, "#changed")
	p.until(t, "#view", "Saved for ops@example.com")
	for _, line := range p.lines(t, "#view") {
		if !strings.ContainsAny(line[:1], "+-~") {
			t.Errorf("line %q", line)
		}
	}
	if n := p.value(t, p.view, `document.querySelectorAll('#view li[data-sign="-"] [data-uid]').length`); n != 0.0 {
		t.Errorf("%v uids of what went can be pointed at", n)
	}
	p.keep(t, "changed")
}

// newSidePanel opens the real side panel beside a page and waits until it shows a text.
func newSidePanel(t *testing.T, o *own, url, shows string) *panel {
	t.Helper()
	p := &panel{own: o}
	_, opener := o.open(t, "chrome-extension://"+wire.ExtensionID+"/offscreen.html")
	p.target, p.session = o.open(t, url)
	o.call(t, "", "Target.activateTarget", map[string]any{"targetId": p.target})
	var window any
	eventually(t, "the page that opens the side panel is loaded", func() bool {
		window = o.value(t, opener, `globalThis.chrome?.windows?.getCurrent().then(({ id }) => id) ?? 0`)
		return window != 0.0
	})
	o.call(t, opener, "Runtime.evaluate", map[string]any{"expression": fmt.Sprintf(`chrome.sidePanel.open({ windowId: %v })`, window), "userGesture": true})
	eventually(t, "the side panel is open", func() bool {
		for _, info := range o.call(t, "", "Target.getTargets", map[string]any{})["targetInfos"].([]any) {
			if info := info.(map[string]any); strings.HasPrefix(info["url"].(string), panelURL) {
				p.view = o.attach(t, info["targetId"].(string))
				return true
			}
		}
		return false
	})
	p.reads(t, shows)
	return p
}

// over sends mouse events to the middle of what an expression gives, of its first line.
func (p *panel) over(t *testing.T, expression string, kinds ...string) {
	t.Helper()
	at := p.value(t, p.view, fmt.Sprintf(`(r => [r.x + r.width / 2, r.y + r.height / 2])((%s).getClientRects()[0])`, expression)).([]any)
	for _, kind := range kinds {
		event := map[string]any{"type": kind, "x": at[0], "y": at[1]}
		if kind != "mouseMoved" {
			event["button"], event["clickCount"] = "left", 1
		}
		p.call(t, p.view, "Input.dispatchMouseEvent", event)
	}
}
