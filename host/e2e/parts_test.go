//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"

	"handrail/host/wire"
)

// set_field gives each kind of field what it takes; text typed into one that takes none
// is refused with the act that fits.
func TestSetAnyField(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("parts.html")).UIDs
	do := h.chooser(t)
	set := func(name, text string) wire.ActResult {
		t.Helper()
		p := typing("set_field", text)
		p.UID = uidOf(t, view, name)
		return do.must(t, p)
	}
	if r := set(`combobox "Size"`, "Large"); !slices.Equal(r.Chosen, []string{"Large"}) {
		t.Errorf("size: %+v", r)
	}
	if r := set(`date "Day"`, "2026-05-06"); text(r.ValueNow) != "2026-05-06" {
		t.Errorf("day: %+v", r)
	}
	if r := set(`"Hue"`, "#ff0000"); text(r.ValueNow) != "#ff0000" {
		t.Errorf("hue: %+v", r)
	}
	web.wantCounts(t, map[string]int{"size": 1, "day": 1, "hue": 1})
	for _, test := range []struct{ name, words string }{
		{`combobox "Size"`, "choose by select"}, {`date "Day"`, "set_value"}, {`"Hue"`, "set_value"}, {`checkbox "Agree"`, "use check"},
	} {
		do.refused(t, wire.WrongKind, test.words, typingAt(uidOf(t, view, test.name), "x"))
	}
	p := typing("set_field", "Giant")
	p.UID = uidOf(t, view, `combobox "Size"`)
	do.refused(t, wire.BadRequest, `"Small", "Large"`, p)
	web.wantCounts(t, map[string]int{})
}

// The browser shows the parts of a date as nodes of their own. They can be clicked and
// stepped, which a renderer once did not survive; a value is the whole field's.
func TestPartsOfAField(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("parts.html")).UIDs
	do := h.chooser(t)
	month := uidOf(t, view, `spinbutton "Month`)
	for _, act := range []string{"hover", "click", "focus"} {
		do.must(t, wire.ActParams{UID: month, Action: act})
	}
	do.must(t, wire.ActParams{UID: month, Action: "press", Key: "ArrowUp"})
	if day := h.evalText(t, "document.getElementById('day').value"); day != "2026-04-04" {
		t.Errorf("stepped to %s", day)
	}
	web.take()
	for _, p := range []wire.ActParams{typingAt(month, "7"), {UID: month, Action: "set_value", Values: []string{"7"}}} {
		f := do.refused(t, wire.WrongKind, "part of a field of type date", p)
		if len(f.Candidates) != 1 || f.Candidates[0].UID != uidOf(t, view, `date "Day"`) || !strings.Contains(f.Message, "set_value") {
			t.Errorf("%+v", f)
		}
	}
	web.wantCounts(t, map[string]int{})
}
