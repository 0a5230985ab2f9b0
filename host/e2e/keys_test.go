//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"handrail/host/wire"
)

func (d direct) press(t *testing.T, uid, key string) wire.ActResult {
	t.Helper()
	return d.act(t, wire.ActParams{UID: uid, Action: "press", Key: key})
}

func typed(uid, text string) wire.ActParams {
	return wire.ActParams{UID: uid, Action: "type", Text: &text}
}

func text(p *string) string {
	if p == nil {
		return "(none)"
	}
	return *p
}

func keysPage(t *testing.T) (h *handrail, web *site, d direct, uid func(name string) string) {
	h, web = newClient(t), newSite(t)
	view := h.snapshot(t, web.main("keys.html?cross="+strings.TrimSuffix(web.cross(""), "/"))).UIDs
	return h, web, h.direct(t), func(name string) string { t.Helper(); return uidOf(t, view, name) }
}

// evalText is the value of an expression that is a string.
func (h *handrail) evalText(t *testing.T, expression string) string {
	t.Helper()
	var s string
	if err := json.Unmarshal([]byte(h.eval(t, expression)), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTypeKeys(t *testing.T) {
	h, _, d, uid := keysPage(t)
	p := typed(uid(`textbox "Logged"`), "aB!é")
	p.Keys = true
	if r := d.act(t, p); r.Method != "keys" || text(r.ValueNow) != "aB!é" || r.Reverted {
		t.Errorf("%+v, value %q", r, text(r.ValueNow))
	}
	want := []string{
		"keydown true a KeyA 65 ", "keypress true a KeyA 97 ", "beforeinput true insertText a", "input true insertText a", "keyup true a KeyA 65 ",
		"keydown true B KeyB 66 shift", "keypress true B KeyB 66 shift", "beforeinput true insertText B", "input true insertText B", "keyup true B KeyB 66 shift",
		"keydown true ! Digit1 49 shift", "keypress true ! Digit1 33 shift", "beforeinput true insertText !", "input true insertText !", "keyup true ! Digit1 49 shift",
		"beforeinput true insertText é", "input true insertText é",
	}
	if got := h.evalText(t, `log.join('\n')`); got != strings.Join(want, "\n") {
		t.Errorf("events\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// Fields that keep their own idea of what they hold get the text, or it is said
// that they took it back.
func TestTypeIntoEditors(t *testing.T) {
	h, _, d, uid := keysPage(t)
	for _, test := range []struct {
		name, text, now string
		reverted        bool
		state           string // an expression for what the page itself thinks, and what that is
	}{
		{`"Controlled"`, "Ada Lovelace", "Ada Lovelace", false, `$('controlled').dataset.state`},
		{`"Deaf"`, "Ada", "", true, ``},
		{`"Upper"`, "ada", "ADA", true, `$('upper').dataset.state`},
		{`"Stubborn"`, "loose", "fixed", true, ``},
		{`"Whim"`, "a1", "", true, ``},
		{`"Amount"`, "345", "345", false, ``},
		{`"Notes"`, "two\nlines", "two\nlines", false, ``},
		{`"Rich"`, "new", "new", false, ``},
		{`"Model"`, "model", "model", false, `model`},
		{`"Frozen"`, "water", "ice", true, ``},
	} {
		for _, keys := range []bool{false, true} {
			r := d.act(t, wire.ActParams{UID: uid(test.name), Action: "set_field", Text: &test.text, Keys: keys})
			now := test.now
			if keys && test.name == `"Whim"` {
				now = "a"
			}
			if strings.TrimSpace(text(r.ValueNow)) != now || r.Reverted != test.reverted {
				t.Errorf("%s, keys %t: value %q, reverted %t", test.name, keys, text(r.ValueNow), r.Reverted)
			}
			if test.state != "" {
				if state := h.evalText(t, test.state); state != test.now {
					t.Errorf("%s, keys %t: the page thinks it is %q", test.name, keys, state)
				}
			}
		}
	}
	for _, name := range []string{`textbox "Logged"`, `textbox "Frozen"`} {
		p := typed(uid(name), "one\ntwo")
		if p.Keys = true; strings.Contains(name, "Logged") {
			d.refused(t, wire.BadRequest, "no", p)
		} else {
			d.act(t, p)
		}
	}
	long := strings.Repeat("x", 2001)
	d.refused(t, wire.BadRequest, "no", wire.ActParams{UID: uid(`textbox "Logged"`), Action: "type", Text: &long, Keys: true})
	// A whole text by keys, longer than the watcher stays armed without being looked at.
	long = long[:2000]
	if r := d.act(t, wire.ActParams{UID: uid(`textbox "Notes"`), Action: "set_field", Text: &long, Keys: true}); text(r.ValueNow) != long {
		t.Errorf("%d characters of 2000 came", len(text(r.ValueNow)))
	}
	d.refused(t, wire.NotEditable, "yes", wire.ActParams{UID: uid(`textbox "Late"`), Action: "type", Text: &long, Keys: true})
	if got := h.evalText(t, "$('logged').value"); got != "" {
		t.Errorf("the field that took the focus got %q", got)
	}
}

// What a person said is secret stays so for the life of the document.
func TestTypeSecret(t *testing.T) {
	h, _, d, uid := keysPage(t)
	p := typed(uid(`textbox "Logged"`), "swordfish-canary")
	p.Secret = true
	if r := d.act(t, p); text(r.ValueNow) != "‹hidden›" || r.Reverted {
		t.Errorf("value_now = %q", text(r.ValueNow))
	}
	h.eval(t, `void (document.title = 'Logged', $('error').textContent = 'x')`)
	for range 2 {
		s := h.snapshot(t)
		stored := string(h.must(t, "recover", s.RecoveryHandle).stdout)
		if strings.Contains(s.UIDs+stored, "canary") || !strings.Contains(stored, "‹hidden›") {
			t.Errorf("the secret shows:\n%s", s.UIDs)
		}
	}
	if r := d.press(t, uid(`textbox "Logged"`), "End"); text(r.ValueNow) != "‹hidden›" {
		t.Errorf("press tells %q", text(r.ValueNow))
	}
	if r := d.act(t, typed(uid(`textbox "Logged"`), "more-canary")); text(r.ValueNow) != "‹hidden›" {
		t.Errorf("typing tells %q", text(r.ValueNow))
	}
	if got := everyFile(t, h.home); strings.Contains(got, "canary") {
		t.Error("the secret is on disk")
	}
}

func TestPress(t *testing.T) {
	h, web, d, uid := keysPage(t)
	logged := uid(`textbox "Logged"`)
	d.act(t, typed(logged, "hello"))
	h.eval(t, `log.length = 0`)
	for _, test := range []struct{ key, value, change string }{
		{"Control+a", "hello", "selection"}, {"X", "X", "value"}, {"Space", "X ", "value"}, {"Backspace", "X", "value"}, {"Shift+ArrowLeft", "X", "selection"},
		{"Delete", "", "value"}, {"+", "+", "value"}, {"Control+A", "+", "selection"}, {"Control+x", "", "value"},
	} {
		r := d.press(t, logged, test.key)
		if text(r.ValueNow) != test.value || !slices.Contains(r.Changes, test.change) || r.Method != "keys" {
			t.Errorf("%s: value %q, %+v", test.key, text(r.ValueNow), r)
		}
	}
	h.eval(t, `log.length = 0`)
	d.press(t, logged, "Control+Shift+K")
	want := "keydown true Control ControlLeft 17 ctrl,keydown true Shift ShiftLeft 16 ctrlshift,keydown true K KeyK 75 ctrlshift,keyup true K KeyK 75 ctrlshift,keyup true Shift ShiftLeft 16 ctrl,keyup true Control ControlLeft 17 "
	if got := h.evalText(t, `log.join()`); got != want {
		t.Errorf("events\n%s\nwant\n%s", got, want)
	}
	d.press(t, logged, "Control+k")
	web.wantCounts(t, map[string]int{"palette": 1})

	// Tab leaves; what had the focus is not what has it.
	if r := d.press(t, logged, "Tab"); !slices.Contains(r.Changes, "focus") {
		t.Errorf("Tab: %+v", r)
	}
	// A key goes to its node and no further: the rest of it does not reach what its press focused.
	d.press(t, uid(`textbox "Trap"`), "Enter")
	web.wantCounts(t, map[string]int{})
	d.press(t, uid(`"Open by key"`), "Enter")
	d.press(t, uid(`"Open by key"`), "Space")
	web.wantCounts(t, map[string]int{"opened": 2})

	one := typed(uid(`"First digit"`), "12")
	one.Keys = true
	d.refused(t, wire.NotEditable, "yes", one)
	if two := h.evalText(t, `$('two').value`); two != "" {
		t.Errorf("the next field got %q", two)
	}
	seven := "7"
	if r := d.act(t, wire.ActParams{UID: uid(`"First digit"`), Action: "set_field", Text: &seven, Keys: true}); text(r.ValueNow) != seven {
		t.Errorf("value %q", text(r.ValueNow))
	}

	for _, key := range []string{"Foo", "Control+", "Ctrl+a", "Control+Control+a", "ab", "é", "Shift", "enter", "F13"} {
		if f := d.refused(t, wire.BadRequest, "no", wire.ActParams{UID: logged, Action: "press", Key: key}); f != nil && (f.Field != "key" || !strings.Contains(f.Message, "ArrowDown")) {
			t.Errorf("%s: %+v", key, f)
		}
	}
	for _, key := range []string{"Control+T", "Control+w", "Alt+F4", "F5", "Meta+T", "Control+Shift+Tab", "Alt+ArrowLeft"} {
		d.refused(t, wire.WrongKind, "no", wire.ActParams{UID: logged, Action: "press", Key: key})
	}
	if r := d.press(t, uid(`button "Asks"`), "a"); r.Dialog != "By key?" {
		t.Errorf("dialog: %+v", r)
	}
	h.must(t, "dialog", "accept")
	web.wantCounts(t, map[string]int{})
}

// Without a uid a key goes to what has the focus, in whichever frame.
func TestPressFocused(t *testing.T) {
	_, web, d, uid := keysPage(t)
	if r := d.press(t, "", "j"); r.Hit == nil || r.Hit.Tag != "body" {
		t.Errorf("%+v", r)
	}
	if r := d.press(t, "", "PageDown"); !slices.Contains(r.Changes, "scroll") {
		t.Errorf("PageDown: %+v", r)
	}
	web.wantCounts(t, map[string]int{"body j": 1, "body PageDown": 1})
	for _, name := range []string{`textbox "Logged"`, `textbox "Near"`, `textbox "Far"`} {
		d.act(t, wire.ActParams{UID: uid(name), Action: "focus"})
		r := d.press(t, "", "x")
		if text(r.ValueNow) != "x" || r.Hit == nil || !strings.Contains(name, r.Hit.Name) || r.Hit.Role != "textbox" {
			t.Errorf("%s: %+v, value %q", name, r.Hit, text(r.ValueNow))
		}
		if r := d.press(t, uid(name), "y"); text(r.ValueNow) != "xy" {
			t.Errorf("%s: value %q", name, text(r.ValueNow))
		}
	}
	web.wantCounts(t, map[string]int{"far focus": 1, "far x": 1, "far y": 1})
}

func TestFocusBlurHover(t *testing.T) {
	h, web, d, uid := keysPage(t)
	validated := uid(`textbox "Validated"`)
	said := func() string { t.Helper(); return h.evalText(t, `$('error').textContent`) }
	if r := d.act(t, wire.ActParams{UID: validated, Action: "focus"}); r.Effect != "seen" || said() != "six letters" {
		t.Errorf("focus: %+v, page %q", r, said())
	}
	if r := d.act(t, wire.ActParams{UID: validated, Action: "focus"}); !r.Unchanged || r.Dispatched != "no" {
		t.Errorf("focus again: %+v", r)
	}
	if r := d.act(t, wire.ActParams{UID: validated, Action: "blur"}); r.Effect != "seen" || said() != "too short" {
		t.Errorf("blur: %+v, page %q", r, said())
	}
	if r := d.act(t, wire.ActParams{UID: validated, Action: "blur"}); !r.Unchanged {
		t.Errorf("blur again: %+v", r)
	}
	for _, action := range []string{"focus", "press"} {
		p := wire.ActParams{UID: uid(`A paragraph`), Action: action}
		if action == "press" {
			p.Key = "Enter"
		}
		d.refused(t, wire.WrongKind, "no", p)
	}
	d.refused(t, wire.Disabled, "no", wire.ActParams{UID: uid(`"Not yet"`), Action: "focus"})
	greedy := uid(`textbox "Greedy"`)
	d.act(t, wire.ActParams{UID: greedy, Action: "focus"})
	d.refused(t, wire.NotDelivered, "yes", wire.ActParams{UID: greedy, Action: "blur"})

	if r := d.act(t, wire.ActParams{UID: uid(`button "File"`), Action: "hover"}); !slices.Contains(r.Changes, "shown") || r.Method != "mouse" {
		t.Errorf("hover: %+v", r)
	}
	if view := h.snapshot(t).UIDs; !strings.Contains(view, `"New file"`) {
		t.Errorf("the menu does not show:\n%s", view)
	}
	if r := d.act(t, wire.ActParams{UID: uid(`button "Slow tip"`), Action: "hover"}); r.Effect != "seen" || said() != "a slow tip" {
		t.Errorf("slow tip: %+v, page %q", r, said())
	}
	// It is there already, and what is disabled may be looked at.
	d.act(t, wire.ActParams{UID: uid(`button "Slow tip"`), Action: "hover"})
	d.act(t, wire.ActParams{UID: uid(`"Not yet"`), Action: "hover"})
	h.eval(t, `void $('slow').parentNode.append(Object.assign(document.createElement('div'), { style: 'position:fixed;inset:0', textContent: 'lid' }))`)
	d.refused(t, wire.Covered, "no", wire.ActParams{UID: uid(`button "Slow tip"`), Action: "hover"})
	web.wantCounts(t, map[string]int{})
}

// A form is submitted once in a moment, however it is asked for.
func TestRepeated(t *testing.T) {
	h, web := newClient(t), newSite(t)
	page := web.main("submits.html")
	view := h.snapshot(t, page).UIDs
	d := h.direct(t)
	uid := func(name string) string { t.Helper(); return uidOf(t, view, name) }
	click := func(name string) wire.ActParams { return wire.ActParams{UID: uid(name), Action: "click"} }
	press := func(name, key string) wire.ActParams {
		return wire.ActParams{UID: uid(name), Action: "press", Key: key}
	}
	submit := func(name, text string) wire.ActParams {
		return wire.ActParams{UID: uid(name), Action: "set_field", Text: &text, Submit: true}
	}
	pay := []wire.ActParams{click(`button "Pay now"`), press(`"Amount"`, "Enter"), submit(`"Amount"`, "5"), press(`button "Pay now"`, "Space")}
	// repeats does two acts until both came in one moment: the second is refused.
	repeats := func(t *testing.T, form string, first, second wire.ActParams) {
		t.Helper()
		first.Again = true // after the pair before
		for range 20 {
			began := time.Now()
			d.act(t, first)
			if got := web.take(); got[form] != 1 {
				t.Fatalf("counts = %v", got)
			}
			_, fault := d.try(t, second)
			if time.Since(began) > 1900*time.Millisecond {
				web.take()
				continue
			}
			if fault == nil || fault.Code != wire.Repeated || fault.Dispatched != "no" {
				t.Errorf("second: %+v", fault)
			}
			web.wantCounts(t, map[string]int{})
			return
		}
		t.Skip("too slow a machine for two acts in one moment")
	}
	for i, first := range pay {
		for j, second := range pay {
			t.Run(fmt.Sprint(i, j), func(t *testing.T) { repeats(t, "pay", first, second) })
		}
	}
	web.take()
	d.act(t, click(`"Preview"`))
	d.act(t, press(`"Note"`, "Enter"))
	d.act(t, click(`"Find"`)) // another form
	d.act(t, click(`"Sent from apart"`))
	web.wantCounts(t, map[string]int{"preview": 1, "find": 1, "search": 1, "apart": 1, "apart button": 1})
	repeats(t, "search", click(`"Find"`), press(`"Search"`, "Enter"))
	repeats(t, "apart", click(`"Sent from apart"`), click(`"Sent from apart"`))

	// What did not submit is none: a disabled button, an option taken.
	for range 2 {
		d.refused(t, wire.Disabled, "yes", submit(`"Shut"`, "x"))
		d.act(t, press(`"Tag"`, "Enter"))
	}
	web.wantCounts(t, map[string]int{"took red": 2})

	// A press without a uid counts as well; a moment later it may be done again.
	d.act(t, wire.ActParams{UID: uid(`"Search"`), Action: "focus"})
	enter := wire.ActParams{Action: "press", Key: "Enter"}
	repeats(t, "search", enter, enter)
	time.Sleep(2100 * time.Millisecond)
	d.act(t, enter)
	web.wantCounts(t, map[string]int{"search": 1, "find": 1})
}

// A field with a list of its own is submitted by taking an option; no other list counts.
func TestSubmitWithList(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("suggest.html")).UIDs
	d := h.direct(t)
	for _, test := range []struct {
		name, text, now string
		chosen          string
		want            map[string]int
	}{
		{`"City"`, "par", "Paris", "Paris", map[string]int{"city took Paris": 1}},
		{`"City"`, "New York", "New York", "New York", map[string]int{"city took New York": 1}},
		{`"Eager"`, "par", "Paris", "Paris", map[string]int{"eager took Paris": 1}}, // at its first option by itself
		{`"Eager"`, "paris, texas", "Paris, Texas", "Paris, Texas", map[string]int{"eager took Paris, Texas": 1}},
		{`"Mute"`, "lyo", "Lyon", "Lyon", map[string]int{"mute took Lyon": 1}}, // does not say where it is
		{`"City"`, "nowhere", "nowhere", "", map[string]int{"trip": 1}},        // nothing to take
		{`"Plain"`, "Paris", "Paris", "", map[string]int{"plain": 1}},
		{`"Loose"`, "Paris", "Paris", "", map[string]int{}},
	} {
		r := d.act(t, wire.ActParams{UID: uidOf(t, view, test.name), Action: "set_field", Text: &test.text, Submit: true, Again: true})
		if text(r.ValueNow) != test.now || strings.Join(r.Chosen, "|") != test.chosen || r.Reverted || r.Hint != "" {
			t.Errorf("%s %q: value %q, %+v", test.name, test.text, text(r.ValueNow), r)
		}
		web.wantCounts(t, test.want)
	}
	// A list that Enter takes nothing from is not said to have given anything.
	h.eval(t, `void combobox('empty', 'mutes', { delay: 0, says: true, byEnter: false })`)
	h.eval(t, `void document.getElementById('empty').setAttribute('aria-controls', 'mutes')`)
	word := "par"
	if r := d.act(t, wire.ActParams{UID: uidOf(t, view, `"Empty"`), Action: "set_field", Text: &word, Submit: true, Again: true}); len(r.Chosen) > 0 || r.Hint == "" {
		t.Errorf("%+v", r)
	}
	web.wantCounts(t, map[string]int{})
}
