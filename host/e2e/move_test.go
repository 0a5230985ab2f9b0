//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"handrail/host/client"
	"handrail/host/wire"
)

// ask does an act by the protocol itself, as a client of the kind.
func (h *handrail) ask(t *testing.T, kind string, p wire.ActParams) (wire.ActResult, *wire.Fault) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	link, err := client.Connect(ctx, client.Choice{Dir: h.home, Client: wire.Client{Kind: kind, Name: h.client}})
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	var r wire.ActResult
	if err := link.Act(ctx, "act", p, &r); err != nil {
		f, ok := errors.AsType[*wire.Fault](err)
		if !ok {
			t.Fatal(err)
		}
		return r, f
	}
	return r, nil
}

// done does an act that has to succeed.
func (h *handrail) done(t *testing.T, p wire.ActParams) wire.ActResult {
	t.Helper()
	r, f := h.ask(t, "cli", p)
	if f != nil {
		t.Fatalf("%+v: %+v", p, f)
	}
	return r
}

// fails does an act that has to fail with the code.
func (h *handrail) fails(t *testing.T, code wire.Code, p wire.ActParams) *wire.Fault {
	t.Helper()
	r, f := h.ask(t, "cli", p)
	if f == nil {
		t.Fatalf("%+v: done %+v, want %s", p, r, code)
	}
	if f.Code != code {
		t.Errorf("%+v: %+v, want %s", p, f, code)
	}
	return f
}

// uidBefore finds the uid of the one node with this name, wherever in its line it stands.
func uidBefore(t *testing.T, view, name string) string {
	t.Helper()
	found := regexp.MustCompile(`\[(\w+)\] \w+ `+regexp.QuoteMeta(name)).FindAllStringSubmatch(view, -1)
	if len(found) != 1 {
		t.Fatalf("%d nodes with a uid are named %s in\n%s", len(found), name, view)
	}
	return found[0][1]
}

func TestDrag(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("drag.html?cross="+url.QueryEscape(strings.TrimSuffix(web.cross(""), "/")))).UIDs
	uid := func(text string) string { return uidBefore(t, view, text) }
	drag := func(from, to string) wire.ActParams {
		return wire.ActParams{UID: uid(from), Action: "drag", To: uid(to)}
	}

	r := h.done(t, drag(`"mouse A"`, `"mouse D"`))
	web.wantCounts(t, map[string]int{"down A": 1, "sorted A BCDAE": 1})
	if r.Method != "mouse" || r.Effect != "seen" || !slices.Contains(r.Changes, "order") {
		t.Errorf("by mouse: %+v", r.Evidence)
	}
	h.done(t, drag(`"mouse E"`, `"mouse B"`))
	web.wantCounts(t, map[string]int{"down E": 1, "sorted E EBCDA": 1})
	// A selection is not dragged along with what is in it.
	h.eval(t, "void getSelection().selectAllChildren(document.body)")
	h.done(t, drag(`"mouse A"`, `"mouse D"`))
	web.wantCounts(t, map[string]int{"down A": 1, "sorted A EBCAD": 1})

	r = h.done(t, drag(`"native A"`, `"native C"`))
	web.wantCounts(t, map[string]int{"dropped A BCADE": 1, "dragend copy": 1})
	if r.Method != "drag" || !slices.Contains(r.Changes, "drop") || !slices.Contains(r.Changes, "order") {
		t.Errorf("by the browser: %+v", r.Evidence)
	}
	r = h.done(t, drag(`"Card"`, `"Inbox"`))
	web.wantCounts(t, map[string]int{"inbox card": 1, "dragend copy": 1})
	if !slices.Contains(r.Changes, "drop") || !slices.Contains(r.Changes, "mutations") {
		t.Errorf("into a zone: %+v", r.Evidence)
	}
	r = h.done(t, drag(`"Card"`, `"Closed zone"`))
	web.wantCounts(t, map[string]int{"dragend none": 1})
	if slices.Contains(r.Changes, "drop") || r.Hint == "" {
		t.Errorf("into a zone that takes nothing: %+v", r.Evidence)
	}
	h.done(t, drag(`"Card"`, `"Off zone"`))
	web.wantCounts(t, map[string]int{"off card": 1, "dragend copy": 1})
	h.done(t, drag(`"Card"`, `"Framed zone"`))
	web.wantCounts(t, map[string]int{"framed card": 1, "dragend copy": 1})
	h.done(t, drag(`"Card"`, `"Far zone"`))
	web.wantCounts(t, map[string]int{"far card": 1, "dragend copy": 1})

	r = h.done(t, wire.ActParams{UID: uid(`"Volume"`), Action: "drag", Offset: &wire.Offset{X: 46}})
	if now := h.eval(t, "document.querySelector('[type=range]').value"); r.ValueNow == nil || now != `"`+*r.ValueNow+`"` || now == `"50"` || !slices.Contains(r.Changes, "value") {
		t.Errorf("slider: %s, %+v", now, r.Evidence)
	}
	r = h.done(t, wire.ActParams{UID: uid(`"Balance"`), Action: "drag", Offset: &wire.Offset{X: 70, Y: 3}})
	if r.ValueNow == nil || *r.ValueNow != "70" {
		t.Errorf("slider of the page's own: %+v", r.Evidence)
	}
	r = h.done(t, wire.ActParams{UID: uid(`"Board"`), Action: "drag", Offset: &wire.Offset{X: 40, Y: -20}})
	web.wantCounts(t, map[string]int{"stroke 40 -20": 1})
	if r.Effect != "none_seen" && !slices.Equal(r.Changes, []string{"focus"}) {
		t.Errorf("canvas: %+v", r.Evidence)
	}

	// What is refused presses nothing.
	if f := h.fails(t, wire.WrongKind, drag(`"Card"`, `"cross button"`)); f.Reason != "frame" || f.Dispatched != "no" {
		t.Errorf("to another site: %+v", f)
	}
	h.fails(t, wire.NotVisible, wire.ActParams{UID: uid(`"Board"`), Action: "drag", Offset: &wire.Offset{X: -4000}})
	h.fails(t, wire.Disabled, drag(`"Off zone"`, `"Inbox"`))
	h.eval(t, "void (document.querySelector('#mouse [data-record=C]').ariaLabel = 'other')")
	for _, p := range []wire.ActParams{drag(`"mouse C"`, `"mouse A"`), drag(`"mouse A"`, `"mouse C"`)} {
		if f := h.fails(t, wire.StaleUID, p); f.Reason != "renamed" || f.Dispatched != "no" {
			t.Errorf("renamed: %+v", f)
		}
	}
	web.wantCounts(t, map[string]int{})

	// What goes wrong on the way lets go of the button, and is not dropped.
	h.eval(t, "void (onmidway = () => { onmidway = null; document.querySelector('#mouse [data-record=A]').remove() })")
	f := h.fails(t, wire.StaleUID, drag(`"mouse B"`, `"mouse A"`))
	if f.Reason != "gone" || f.Dispatched != "yes" {
		t.Errorf("the end went: %+v", f)
	}
	web.wantCounts(t, map[string]int{"down B": 1, "escaped B": 1})
	if h.eval(t, "buttons") != "0" {
		t.Errorf("a button stays pressed: %s", h.eval(t, "buttons"))
	}
	h.eval(t, "void addEventListener('dragenter', () => document.getElementById('inbox').remove())")
	if f = h.fails(t, wire.StaleUID, drag(`"Card"`, `"Inbox"`)); f.Reason != "gone" || f.Dispatched != "yes" {
		t.Errorf("the zone went: %+v", f)
	}
	web.wantCounts(t, map[string]int{"dragend none": 1})
	h.eval(t, "void (onmidway = () => { onmidway = null; lid.hidden = false })")
	if f = h.fails(t, wire.Covered, drag(`"mouse B"`, `"mouse E"`)); f.Dispatched != "yes" {
		t.Errorf("the end was covered: %+v", f)
	}
	h.eval(t, "void (lid.hidden = true)")
	web.wantCounts(t, map[string]int{"down B": 1, "escaped B": 1})
	h.eval(t, "void (onmidway = () => { onmidway = null; alert('midway') })")
	if r = h.done(t, drag(`"mouse B"`, `"mouse E"`)); r.Dialog != "midway" || !strings.Contains(r.Hint, "cut") {
		t.Errorf("a dialog on the way: %+v", r.Evidence)
	}
	h.must(t, "dialog", "accept")
	eventually(t, "the button is let go of", func() bool { return h.eval(t, "buttons") == "0" })
	web.wantCounts(t, map[string]int{"down B": 1, "escaped B": 1})
	h.done(t, drag(`"mouse B"`, `"mouse D"`))
	if got := web.take(); got["down B"] != 1 || len(got) != 2 {
		t.Errorf("after a drag that broke off: %v", got)
	}
}

func TestScroll(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("scroll.html?cross="+url.QueryEscape(strings.TrimSuffix(web.cross(""), "/")))).UIDs
	scroll := func(text string, p wire.ActParams) wire.ActResult {
		t.Helper()
		p.Action = "scroll"
		if text != "" {
			p.UID = uidBefore(t, view, text)
		}
		r := h.done(t, p)
		if r.Scroll == nil {
			t.Fatalf("no scroll: %+v", r.Evidence)
		}
		return r
	}
	in := func(id string) string { return h.eval(t, "document.getElementById('"+id+"').scrollTop") }

	// The page.
	r := scroll("", wire.ActParams{Pages: 1})
	if s := r.Scroll; r.Method != "wheel" || s.Moved < 100 || s.Top != s.Moved || s.End || s.Height <= s.View || len(s.Lines) == 0 || len(s.Lines) > 20 {
		t.Errorf("a page down: %+v %+v", r.Evidence, s)
	}
	for _, line := range r.Scroll.Lines {
		if !strings.HasPrefix(line, "paragraph ") {
			t.Errorf("line %q came into view", line)
		}
	}
	r = scroll("", wire.ActParams{Pages: 100})
	if s := r.Scroll; !s.End || r.Effect != "seen" || strings.Contains(strings.Join(s.Lines, "\n"), "canary") || !strings.Contains(strings.Join(s.Lines, "\n"), "echo of") {
		t.Errorf("to the end: %+v %+v", r.Evidence, s)
	}
	r = scroll("", wire.ActParams{Pages: 1})
	if r.Effect != "none_seen" || r.Scroll.Moved != 0 || r.Hint == "" || r.Dispatched != "no" {
		t.Errorf("beyond the end: %+v", r.Evidence)
	}
	r = scroll("", wire.ActParams{Pages: -100})
	if s := r.Scroll; !s.End || s.Top != 0 || s.Moved >= 0 {
		t.Errorf("to the top: %+v", s)
	}

	// Into view.
	r = scroll(`"The last button"`, wire.ActParams{})
	if r.Effect != "seen" || r.Scroll.Moved < 100 || h.eval(t, "document.getElementById('last').getBoundingClientRect().bottom <= innerHeight") != "true" {
		t.Errorf("into view: %+v %+v", r.Evidence, r.Scroll)
	}
	if r = scroll(`"The last button"`, wire.ActParams{}); !r.Unchanged || r.Effect != "none_seen" {
		t.Errorf("already in view: %+v", r.Evidence)
	}

	// What scrolls around a node, or is it.
	web.take()
	r = scroll(`"Inner top"`, wire.ActParams{Pages: 1.5})
	if s := r.Scroll; r.Method != "wheel" || s.Moved != 300 || s.View != 200 || in("inner") != "300" || !slices.Contains(s.Lines, "inner 20") {
		t.Errorf("around: %+v %+v", r.Evidence, s)
	}
	if got := web.take(); len(got) != 1 || got["wheel inner"] == 0 {
		t.Errorf("wheel events: %v", got)
	}
	r = scroll(`"Inner box"`, wire.ActParams{Pages: -1})
	if s := r.Scroll; s.Moved != -200 || in("inner") != "100" {
		t.Errorf("itself, up: %+v %+v", r.Evidence, s)
	}
	r = scroll(`"Wheelless top"`, wire.ActParams{Pages: 1})
	if r.Method != "scrollBy" || r.Scroll.Moved != 200 {
		t.Errorf("where the wheel does not turn: %+v %+v", r.Evidence, r.Scroll)
	}
	scroll(`"Inner box"`, wire.ActParams{Pages: 1}) // it is in view now
	before := h.eval(t, "scrollY")
	r = scroll(`"Inner box"`, wire.ActParams{Pages: 100})
	if after := h.eval(t, "scrollY"); !r.Scroll.End || before != after {
		t.Errorf("the page scrolled along from %s to %s: %+v", before, after, r.Scroll)
	}

	web.take()
	for _, name := range []string{"same", "cross"} {
		r = scroll(`"Pane `+name+`"`, wire.ActParams{Pages: 1})
		if got := web.take(); r.Method != "wheel" || r.Scroll.Moved != 100 || len(got) != 1 || got["wheel "+name] == 0 {
			t.Errorf("in a frame: %v %+v %+v", got, r.Evidence, r.Scroll)
		}
	}

	r = scroll(`"Stays"`, wire.ActParams{Pages: 1})
	if r.Dispatched != "no" || r.Scroll.Moved != 0 || !strings.Contains(r.Hint, "without a uid") {
		t.Errorf("in a frame that does not scroll: %+v %+v", r.Evidence, r.Scroll)
	}

	// Until a text is there.
	r = scroll(`"Virtual box"`, wire.ActParams{Until: "Record  123"})
	if s := r.Scroll; !s.Found || s.Moved < 2000 || !slices.Contains(s.Lines, "record 123") || r.Effect != "seen" {
		t.Errorf("until, virtual: %+v %+v", r.Evidence, s)
	}
	if shown := h.eval(t, "[...virtual.children].some(row => row.textContent === 'record 123' && row.getBoundingClientRect().top < port.getBoundingClientRect().bottom)"); shown != "true" {
		t.Error("record 123 is not in view")
	}
	r = scroll(`"Virtual box"`, wire.ActParams{Until: "record 110", Pages: -1})
	if s := r.Scroll; !s.Found || s.Moved >= 0 {
		t.Errorf("until, up: %+v %+v", r.Evidence, s)
	}
	r = scroll(`"Lazy top"`, wire.ActParams{Until: "lazy 87"})
	if s := r.Scroll; !s.Found || s.Height < 2000 {
		t.Errorf("until, lazily loaded: %+v %+v", r.Evidence, s)
	}
	r = scroll(`"Lazy top"`, wire.ActParams{Until: "lazy 100"})
	if s := r.Scroll; s.Found || !s.End || r.Hint == "" {
		t.Errorf("until what never comes: %+v %+v", r.Evidence, s)
	}
	r = scroll("", wire.ActParams{Until: "paragraph 150"})
	if s := r.Scroll; !s.Found {
		t.Errorf("until, page: %+v %+v", r.Evidence, s)
	}
	if r = scroll("", wire.ActParams{Until: "paragraph 150"}); !r.Scroll.Found || !r.Unchanged || r.Scroll.Moved != 0 || r.Dispatched != "no" {
		t.Errorf("until what is there: %+v %+v", r.Evidence, r.Scroll)
	}
	h.fails(t, wire.BadRequest, wire.ActParams{Action: "scroll"})
	h.eval(t, "void document.getElementById('inner').firstChild.remove()")
	h.fails(t, wire.StaleUID, wire.ActParams{Action: "scroll", UID: uidOf(t, view, `"Inner top"`), Pages: 1})

	// An application whose page does not scroll, but its main part.
	h.snapshot(t, web.main("shell.html"))
	r = scroll("", wire.ActParams{Pages: 2})
	if s := r.Scroll; s.Moved < 100 || h.eval(t, "document.querySelector('main').scrollTop > 100 && document.querySelector('nav').scrollTop === 0 && document.querySelector('input').value === '5'") != "true" {
		t.Errorf("main part: %+v %+v", r.Evidence, s)
	}
}

func TestUpload(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h, web := newClient(t), newSite(t)
	var files []string
	for _, name := range []string{"a.txt", "b.txt", "c.png"} {
		files = append(files, filepath.Join(dir, name))
		if err := os.WriteFile(files[len(files)-1], []byte("text of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	view := h.snapshot(t, web.main("upload.html")).UIDs
	upload := func(text string, files ...string) wire.ActParams {
		return wire.ActParams{UID: uidBefore(t, view, text), Action: "upload", Files: files}
	}
	for _, test := range []struct {
		text   string
		files  []string
		method string
		counts map[string]int
		now    string
		hint   string
	}{
		{`"One"`, files[:1], "setFiles", map[string]int{"one: a.txt": 1}, "a.txt", ""},
		{`"Many"`, files[:2], "setFiles", map[string]int{"many: a.txt b.txt": 1}, "a.txt, b.txt", ""},
		{`"Pictures"`, files[1:], "setFiles", map[string]int{"pictures: b.txt c.png": 1}, "b.txt, c.png", "does not accept b.txt"},
		{`"Unseen"`, files[:1], "setFiles", map[string]int{"unseen: a.txt": 1}, "a.txt", ""},
		{`"Label of a hidden one"`, files[1:2], "setFiles", map[string]int{"gone: b.txt": 1}, "b.txt", ""},
		{`"Choose a file"`, files[:1], "chooser", map[string]int{"chosen: a.txt": 1}, "a.txt", ""},
		{`"Choose by a loose one"`, files[:2], "chooser", map[string]int{"loose: a.txt b.txt": 1}, "a.txt, b.txt", ""},
		{`"Taken"`, files[:1], "setFiles", map[string]int{"taken: a.txt": 1}, "", "emptied"},
	} {
		r := h.done(t, upload(test.text, test.files...))
		web.wantCounts(t, test.counts)
		if r.Method != test.method || r.ValueNow == nil || *r.ValueNow != test.now || r.Reverted != (test.now == "") || !strings.Contains(r.Hint, test.hint) || (test.hint == "") != (r.Hint == "") {
			t.Errorf("%s: %+v, now %v", test.text, r.Evidence, r.ValueNow)
		}
		if test.now != "" && (r.Effect != "seen" || !slices.Contains(r.Changes, "value")) {
			t.Errorf("%s: %+v", test.text, r.Evidence)
		}
	}
	if title := h.eval(t, "document.title"); title != `"text of a.txt"` {
		t.Errorf("what the page read: %s", title)
	}
	for _, test := range []struct {
		p          wire.ActParams
		code       wire.Code
		dispatched string
		counts     map[string]int
	}{
		{upload(`"One"`, files[:2]...), wire.BadRequest, "no", map[string]int{}},
		{upload(`"Choose a file"`, files[:2]...), wire.BadRequest, "yes", map[string]int{}},
		{upload(`"Folder"`, files[0]), wire.WrongKind, "no", map[string]int{}},
		{upload(`"Off"`, files[0]), wire.Disabled, "no", map[string]int{}},
		{upload(`"Name"`, files[0]), wire.WrongKind, "no", map[string]int{}},
		{upload(`"Opens nothing"`, files[0]), wire.WrongKind, "yes", map[string]int{"nothing": 1}},
		{upload(`"One"`, filepath.Join(dir, "none")), wire.BadRequest, "no", map[string]int{}},
		{upload(`"One"`, dir), wire.BadRequest, "no", map[string]int{}},
		{upload(`"Opens a dialog"`, files[0]), wire.WrongKind, "yes", map[string]int{}},
	} {
		if f := h.fails(t, test.code, test.p); f.Dispatched != test.dispatched {
			t.Errorf("%+v: %+v", test.p, f)
		}
		web.wantCounts(t, test.counts)
	}
	h.must(t, "dialog", "accept")
	if _, f := h.ask(t, "mcp", upload(`"One"`, files[0])); f == nil || f.Code != wire.BadRequest || f.Field != "files" {
		t.Errorf("MCP without folders: %+v", f)
	}
	web.wantCounts(t, map[string]int{})
}

// The browser lets an extension that was loaded from a folder read files.
func TestUploadInOwnBrowser(t *testing.T) {
	o, web := newOwn(t, "HANDRAIL_APPROVAL=700ms"), newSite(t)
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.open(t, web.main("upload.html"))
	o.allow(t, "always", "reads", "acts")
	view := o.snapshot(t, "--tab", tabOf(t, o.handrail, "Upload")).UIDs
	upload := wire.ActParams{UID: uidBefore(t, view, `"One"`), Action: "upload", Files: []string{file}}
	o.fails(t, wire.NotApproved, upload)
	o.allow(t, "always", "uploads")
	if _, f := o.ask(t, "cli", upload); f != nil {
		t.Error(f)
	}
	web.wantCounts(t, map[string]int{"one: a.txt": 1})
}

// tabOf finds the tab with this title.
func tabOf(t *testing.T, h *handrail, title string) string {
	t.Helper()
	var all struct{ Tabs []wire.Tab }
	if err := json.Unmarshal(h.must(t, "tabs", "--json").stdout, &all); err != nil {
		t.Fatal(err)
	}
	for _, tab := range all.Tabs {
		if tab.Title == title {
			return strconv.Itoa(tab.Tab)
		}
	}
	t.Fatalf("no tab %q in %v", title, all.Tabs)
	return ""
}
