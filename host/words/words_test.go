package words

import (
	"slices"
	"testing"

	"handrail/host/wire"
)

func TestEvidence(t *testing.T) {
	t.Parallel()
	value := "a\nb"
	yes := func(e wire.Evidence) wire.ActResult {
		e.Dispatched, e.Effect = wire.DispatchedYes, "seen"
		return wire.ActResult{Evidence: e}
	}
	const did = "dispatched: yes, effect: seen, settled: false"
	for _, test := range []struct {
		name string
		r    wire.ActResult
		want string
	}{
		{"nothing more", yes(wire.Evidence{}), did},
		{"a field", yes(wire.Evidence{Hit: &wire.Hit{Role: "textbox", Name: "Na\"me"}, Changes: []string{"value", "focus"}, ValueNow: &value, Reverted: true}),
			did + `, hit: textbox "Na\"me", changed: value focus, value now: "a\nb", reverted by the page`},
		{"a choice", yes(wire.Evidence{Unchanged: true, Chosen: []string{"One, two", "Three"}}), did + `, it was so already, chosen: ["One, two" "Three"]`},
		{"a box", yes(wire.Evidence{After: []string{"checked"}, Focus: "button \"Next\""}), did + `, now: checked, focus: "button \"Next\""`},
		{"a scroll", yes(wire.Evidence{Scroll: &wire.Scroll{Moved: 600, Top: 600, Height: 1500.5, End: true, Found: true, Lines: []string{"Row 9"}}}),
			did + `, scrolled 600 px to 600 of 1500.5, the text is there, there is no more, came into view: ["Row 9"]`},
		{"what it opened", yes(wire.Evidence{Dialog: "Sure?", NewTab: 7, Download: "a.pdf", NewDocument: true, URL: "https://a.example", ConsoleErrors: 2, Hint: "look first"}),
			did + `, dialog: "Sure?", new tab: 7, download: "a.pdf", new document: https://a.example, console errors: 2, hint: look first`},
	} {
		if got := Evidence(test.r); got != test.want {
			t.Errorf("%s: %s\nwant %s", test.name, got, test.want)
		}
	}
}

func TestDetailsOfAFault(t *testing.T) {
	t.Parallel()
	f := wire.Fail(wire.Covered, "the node takes no clicks")
	f.Candidates = []wire.Candidate{{Tag: "body"}, {Role: "generic", Name: "Loading"}, {UID: "u1", Role: "dialog"}}
	want := []string{`[no uid] generic "Loading"`, `[u1] dialog ""`}
	if got := Details(f); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Ünïcode — ok": "Ünïcode — ok", "two\nlines\tand more": "two lines and more", "\x1b[31mred": "�[31mred", "a\u202eb\u200bc": "a�b�c", "x\u2028y": "x y",
	} {
		if got := Printable(text); got != want {
			t.Errorf("Printable(%q) = %q, want %q", text, got, want)
		}
	}
}
