// Package words puts what a host answers into a line, the same for people and
// agents. It promises that what a page says is quoted.
package words

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"handrail/host/wire"
)

// Evidence words what an act did, in one line. What the page says is quoted.
func Evidence(r wire.ActResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "dispatched: %s, effect: %s, settled: %v", r.Dispatched, r.Effect, r.Settled)
	say := func(when bool, format string, args ...any) {
		if when {
			fmt.Fprintf(&b, ", "+format, args...)
		}
	}
	if r.Hit != nil {
		say(true, "hit: %s %q", r.Hit.Role, r.Hit.Name)
	}
	say(r.Unchanged, "it was so already")
	say(len(r.Changes) > 0, "changed: %s", strings.Join(r.Changes, " "))
	if r.ValueNow != nil {
		say(true, "value now: %q", *r.ValueNow)
	}
	say(len(r.Chosen) > 0, "chosen: %q", r.Chosen)
	say(len(r.After) > 0, "now: %s", strings.Join(r.After, " "))
	say(r.Focus != "", "focus: %q", r.Focus)
	say(r.Reverted, "reverted by the page")
	if s := r.Scroll; s != nil {
		say(true, "scrolled %g px to %g of %g", s.Moved, s.Top, s.Height)
		say(s.Found, "the text is there")
		say(s.End, "there is no more")
		say(len(s.Lines) > 0, "came into view: %q", s.Lines)
	}
	say(r.Dialog != "", "dialog: %q", r.Dialog)
	say(r.NewTab != 0, "new tab: %d", r.NewTab)
	say(r.Download != "", "download: %q", r.Download)
	say(r.NewDocument, "new document: %s", r.URL)
	say(slices.Contains(r.Changes, "frame_removed"), "the frame it stood in is gone")
	say(r.ConsoleErrors > 0, "console errors: %d", r.ConsoleErrors)
	say(r.Hint != "", "hint: %s", r.Hint)
	return b.String()
}

// Details are what a failure says beside its line.
func Details(f *wire.Fault) (lines []string) {
	if f.Field != "" {
		lines = append(lines, "field: "+f.Field)
	}
	if f.Reason != "" {
		lines = append(lines, "reason: "+f.Reason)
	}
	if f.Now != "" {
		lines = append(lines, fmt.Sprintf("now: %q", f.Now))
	}
	if f.LogID != "" {
		lines = append(lines, "log id: "+f.LogID)
	}
	for _, c := range f.Candidates {
		uid := c.UID
		if uid == "" {
			if c.Name == "" {
				continue // the message has said all that is known of it
			}
			uid = "no uid"
		}
		lines = append(lines, fmt.Sprintf("[%s] %s %q", uid, c.Role, c.Name))
	}
	return lines
}

// NodeState words what became of a uid, in one line.
func NodeState(n wire.NodeState) string {
	line := fmt.Sprintf("[%s] %s", n.UID, n.State)
	if n.Reason != "" {
		line += " (" + n.Reason + ")"
	}
	if n.Role != "" {
		line += fmt.Sprintf(" %s %q", n.Role, n.Name)
	}
	if n.State == "alive" {
		line += fmt.Sprintf(" at %v,%v %v×%v in %s", n.Box[0], n.Box[1], n.Box[2], n.Box[3], n.Frame)
	}
	return line
}

// Tab words a tab, in one line.
func Tab(tab wire.Tab) string {
	mark := " "
	if tab.Current {
		mark = "*"
	}
	return fmt.Sprintf("%s %d %q %s", mark, tab.Tab, tab.Title, tab.URL)
}

// Waited words what a wait came to; an error when it did not come.
func Waited(r wire.Waited) (string, error) {
	if !r.Met {
		return "", wire.Fail(wire.Timeout, "it did not come within %d ms: %s", r.Ms, r.Seen)
	}
	return fmt.Sprintf("met after %d ms, at %s %q", r.Ms, r.URL, r.Title), nil
}

// Printable makes a text one line without what a terminal would obey, what begins a
// line, and what cannot be seen or turns what stands beside it around: a page's or a
// client's words may be in it.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsPrint(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return unicode.ReplacementChar
	}, text)
}
