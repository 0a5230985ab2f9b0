//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"handrail/compressor/tokens"
	"handrail/host/wire"
)

func (h *handrail) read(t *testing.T, args ...string) (s wire.Snapshot) {
	t.Helper()
	if err := json.Unmarshal(h.must(t, append([]string{"read"}, args...)...).stdout, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func (h *handrail) find(t *testing.T, args ...string) (f wire.Found) {
	t.Helper()
	if err := json.Unmarshal(h.must(t, append([]string{"find", "--json"}, args...)...).stdout, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func wantTokens(t *testing.T, what, text string, most int) {
	t.Helper()
	n := tokens.CountString(text)
	t.Logf("%s: %d tokens", what, n)
	if n > most {
		t.Errorf("%s has %d tokens, want %d at most\n%.2000s", what, n, most, text)
	}
}

func wantLines(t *testing.T, view string, lines ...string) {
	t.Helper()
	plain := strings.Split(regexp.MustCompile(`\[\w+\] `).ReplaceAllString(view, ""), "\n")
	for i, line := range plain {
		plain[i] = strings.TrimSpace(line)
	}
	for _, line := range lines {
		if n := strings.Count("\n"+strings.Join(plain, "\n\n")+"\n", "\n"+line+"\n"); n != 1 {
			t.Errorf("the line %q stands %d times in\n%s", line, n, view)
		}
	}
}

func TestReadForm(t *testing.T) {
	h, web := newClient(t), newSite(t)
	balanced := h.snapshot(t, web.main("form.html"))
	light := h.snapshot(t, "--profile", "light")
	wantTokens(t, "balanced", balanced.UIDs, 380)
	wantTokens(t, "light", light.UIDs, 230)
	fields := []string{
		`textbox "Email address *" = "ada@example.com" {required,email}`,
		`textbox "Full name" placeholder "First and last"`,
		`textbox "Password *" {required,password}`,
		`combobox "Country" = "Germany" {collapsed}`,
		`radio "Free" {checked}`, `radio "Pro" {unchecked}`,
		`checkbox "Product news" {checked}`, `checkbox "Text messages" {disabled,unchecked}`,
		`textbox "About you" = "Mathematician"`,
		`button "Create account"`,
	}
	wantLines(t, balanced.UIDs, append(fields, `options · "France" | "Germany" {selected} | "Spain" | "Italy"`, `"All fields marked * are required."`)...)
	wantLines(t, light.UIDs, fields...)
	if uids := func(view string) string {
		return strings.Join(regexp.MustCompile(`\[u\w+\]`).FindAllString(view, -1), "")
	}; uids(light.UIDs) != uids(balanced.UIDs) {
		t.Errorf("light has %s, balanced %s", uids(light.UIDs), uids(balanced.UIDs))
	}
	if strings.Contains(balanced.UIDs+light.UIDs, "hunter2") {
		t.Error("the password is in a view")
	}
}

func TestReadLongTable(t *testing.T) {
	h, web := newClient(t), newSite(t)
	first := h.snapshot(t, web.main("orders.html"))
	wantTokens(t, "first window", first.UIDs, 20_000)
	wantLines(t, first.UIDs, `link "Next"`, `row · link "Order 100001" | "Customer 0" | "0.5 €" | button "Review" · button "Cancel"`)
	if !first.Truncated || first.ViewTokens < 15_000 {
		t.Errorf("%d tokens, truncated: %v", first.ViewTokens, first.Truncated)
	}

	found := h.must(t, "find", "Order 100777")
	wantTokens(t, "find", string(found.stdout), 130)
	wantTokens(t, "query", h.snapshot(t, "--query", "Order 100777").UIDs, 125)
	review := regexp.MustCompile(`\[(\w+)\] button "Review"`).FindStringSubmatch(string(found.stdout))
	if review == nil {
		t.Fatalf("nothing to press in %s", found.stdout)
	}
	if state := string(h.must(t, "resolve", review[1]).stdout); !strings.Contains(state, "alive") {
		t.Errorf("resolve: %s", state)
	}

	// Each line stands once in all windows, put together, but for the tail that each has.
	whole := h.read(t, first.RecoveryHandle, "--window", "0", "--max-tokens", "0", "--tail", "0").UIDs
	var body []string
	for offset := 0; ; {
		w := h.read(t, first.RecoveryHandle, "--offset", strconv.Itoa(offset))
		wantTokens(t, fmt.Sprintf("window at %d", offset), w.UIDs, 20_000)
		before, tail, cut := strings.Cut(w.UIDs, "\n… ")
		body = append(body, before)
		if string(w.NextOffset) == "null" {
			break
		}
		next, err := strconv.Atoi(string(w.NextOffset))
		if !cut || err != nil || next <= offset {
			t.Fatalf("next offset %s after %d, marker: %v", w.NextOffset, offset, cut)
		}
		if _, tail, _ = strings.Cut(tail, "\n"); len(tail) < 1000 || !strings.HasSuffix(whole, "\n"+tail) {
			t.Errorf("the window at %d ends with\n%s", offset, tail)
		}
		offset = next
	}
	if got := strings.Join(body, "\n"); got != whole || len(body) < 5 {
		t.Errorf("%d windows have %d bytes, the view %d", len(body), len(got), len(whole))
	}
	if page := h.read(t, first.RecoveryHandle, "--page", "99"); !strings.Contains(page.UIDs, "there is no page 99") {
		t.Errorf("page 99: %.200s", page.UIDs)
	}
	if page, at := h.read(t, first.RecoveryHandle, "--page", "2"), h.read(t, first.RecoveryHandle, "--offset", string(first.NextOffset)); page.UIDs != at.UIDs {
		t.Error("page 2 is not the window behind the first")
	}
}

func TestReadDiff(t *testing.T) {
	h, web := newClient(t), newSite(t)
	first := h.snapshot(t, web.main("changes.html"))
	same := h.snapshot(t, "--since", first.RecoveryHandle)
	wantTokens(t, "nothing new", same.UIDs, 15)
	if same.UIDs != "unchanged" {
		t.Errorf("nothing new = %q", same.UIDs)
	}

	r := h.act(t, uidOf(t, first.UIDs, `radio "Open"`), "click", "--then", "diff")
	wantTokens(t, "a radio, by act", r.Diff, 60)
	since := h.snapshot(t, "--since", first.RecoveryHandle)
	wantTokens(t, "a radio, by since", since.UIDs, 60)
	for _, diff := range []string{r.Diff, since.UIDs} {
		want := fmt.Sprintf("~ [%s] radio \"All\" {unchecked} in group \"Show\"\n~ [%s] radio \"Open\" {checked,focused}", uidOf(t, first.UIDs, `"All"`), uidOf(t, first.UIDs, `"Open"`))
		if diff != want {
			t.Errorf("diff\n%s\nwant\n%s", diff, want)
		}
	}

	added := h.act(t, uidOf(t, first.UIDs, `"Add"`), "click", "--then", "diff")
	wantTokens(t, "an item more", added.Diff, 60)
	wantLines(t, strings.ReplaceAll(added.Diff, "+  ", "+ "), `+ li "Read a book" in list "Tasks"`, `+ button "Done with book"`)
	book := regexp.MustCompile(`\[(\w+)\] button "Done with book"`).FindStringSubmatch(added.Diff)
	if book == nil {
		t.Fatalf("the new button has no uid in\n%s", added.Diff)
	}
	dropped := h.act(t, uidOf(t, first.UIDs, `"Drop"`), "click", "--then", "diff")
	wantLines(t, dropped.Diff, `- li "Water the plants" … 1 nodes, 1 controls below`)
	if strings.Contains(dropped.Diff, "Ada") || strings.Contains(dropped.Diff, "+ ") {
		t.Errorf("more than an item less:\n%s", dropped.Diff)
	}

	// What lives on is spelt as before; what was only shown in a diff can be acted on.
	after := h.snapshot(t)
	for _, name := range []string{`radio "All"`, `radio "Open"`, `button "Add"`, `button "Drop"`} {
		if uidOf(t, first.UIDs, name) != uidOf(t, after.UIDs, name) {
			t.Errorf("%s is spelt anew", name)
		}
	}
	h.act(t, book[1], "click")
	h.refused(t, wire.StaleUID, "act", regexp.MustCompile(`\[(\w+)\] button "Done with plants"`).FindStringSubmatch(first.UIDs)[1], "click", "--handle", first.RecoveryHandle)

	moved := h.snapshot(t, web.main("first.html"), "--since", first.RecoveryHandle)
	if !strings.HasPrefix(moved.UIDs, `page "First"`) || moved.Note != "new document: earlier uids are void" {
		t.Errorf("another page: note %q\n%s", moved.Note, moved.UIDs)
	}
	h.refused(t, wire.UnknownHandle, "snapshot", "--since", "hr_00000000000000000000000000000000")
}

func TestReadOverlays(t *testing.T) {
	h, web := newClient(t), newSite(t)
	for _, test := range []struct {
		open   string
		before string // what stands before the page
		once   []string
	}{
		{"", "", nil},
		{"popup", "[open overlays]\nlistbox \"Cities\"\noption \"Paris\"\noption \"Palermo\" {selected}\n", []string{"Palermo"}},
		{"menu", "[open overlays]\ndialog \"Share\"\nbutton \"Copy address\"\nmenu \"More\"\nmenuitem \"Mail\"\nmenuitem \"Print\"\n", []string{"Share", "More", "Mail"}},
		{"two", "[open overlays]\ndialog \"Cookies\"\nbutton \"Accept all\"\nalertdialog \"Session\" {modal}\nbutton \"Stay\"\n", []string{"Cookies", "Session", "Stay"}},
		{"modal", "[open overlays]\ndialog \"Native\" {modal}\n\"Sure?\"\nbutton \"Yes\" {focused}\n", []string{"Native", "Yes"}},
	} {
		view := h.snapshot(t, web.main("overlays.html?open="+test.open)).UIDs
		before, page, _ := strings.Cut(view, `page "Overlays"`)
		if got := regexp.MustCompile(`(?m)^ *(\[u\w+\] )?`).ReplaceAllString(before, ""); got != test.before {
			t.Errorf("%s: before the page stands\n%swant\n%s", test.open, got, test.before)
		}
		for _, name := range test.once {
			if strings.Count(view, `"`+name+`"`) != 1 {
				t.Errorf("%s: %q stands not once in\n%s", test.open, name, view)
			}
		}
		if strings.Contains(view, "shell\"") && !strings.Contains(page, `dialog "Empty shell"`) || strings.Contains(view, "In the ") {
			t.Errorf("%s: a closed shell is shown in\n%s", test.open, view)
		}
		if test.open != "modal" && !strings.Contains(page, `button "Search flights"`) {
			t.Errorf("%s: the page itself is missing in\n%s", test.open, view)
		}
		if full := h.snapshot(t, "--profile", "full").UIDs; strings.Contains(full, "[open overlays]") {
			t.Errorf("%s: full puts something first", test.open)
		}
	}
	h.act(t, uidOf(t, h.snapshot(t).UIDs, `button "Yes"`), "click")
	web.wantCounts(t, map[string]int{"yes": 1})
}

func TestReadNestedFrames(t *testing.T) {
	h, web := newClient(t), newSite(t)
	origin := func(url string) string { return strings.TrimSuffix(url, "/") }
	page := web.main("frames.html?cross=" + url.QueryEscape(origin(web.cross(""))) + "&nested=" + url.QueryEscape(origin(web.nested(""))))
	view := h.snapshot(t, page).UIDs
	var got []string
	for line := range strings.Lines(view) {
		if m := regexp.MustCompile(`^( *)\[(f\d)?u\w+\] (iframe|button) (.*)`).FindStringSubmatch(line); m != nil {
			got = append(got, fmt.Sprint(len(m[1]), " ", m[2], " ", m[4]))
		}
	}
	ordinals := regexp.MustCompile(`f\d`).FindAllString(strings.Join(got, "\n"), -1)
	if len(ordinals) != 5 {
		t.Fatalf("sessions %v in\n%s", ordinals, view)
	}
	cross, nested := ordinals[0], "f2"
	if cross == nested {
		nested = "f1"
	}
	want := []string{
		`1  "Root button"`, `1  "open shadow button"`, `1  "closed shadow button"`,
		`1  "Same process"`, `3  "same button"`,
		`1  "Cross site" ` + origin(web.cross("")), `3 ` + cross + ` "cross button"`,
		`3 ` + cross + ` "Nested" ` + origin(web.nested("")), `5 ` + nested + ` "nested button"`,
		`3 ` + cross + ` "Local"`, `5 ` + cross + ` "cross local button"`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("frames\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestReadManyFrames(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("manyframes.html?count=18")).UIDs
	for i := range 18 {
		_, below, found := strings.Cut(view, fmt.Sprintf("iframe \"Frame %d\"", i))
		line, below, _ := strings.Cut(below, "\n")
		switch {
		case !found:
			t.Errorf("frame %d is missing", i)
		case i < 16 && (line != "" || !strings.HasPrefix(strings.TrimLeft(below, " "), `page "Leaf"`)):
			t.Errorf("frame %d was not read: %s", i, line)
		case i >= 16 && line != " (not read: over_limit)":
			t.Errorf("frame %d is over the limit and says %q", i, line)
		}
	}
}

// Frames that come and go while they are read never fail a snapshot.
func TestReadPassingFrames(t *testing.T) {
	h, web := newClient(t), newSite(t)
	h.snapshot(t, web.main("passing.html"))
	for range 10 {
		if view := h.snapshot(t).UIDs; !strings.Contains(view, `button "Stays"`) {
			t.Fatalf("the page itself is missing in\n%s", view)
		}
	}
}

func TestReadIcons(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("icons.html")).UIDs
	_, rest, _ := strings.Cut(view, "h1 \"Icons\"\n")
	icons, targets, _ := strings.Cut(rest, "clickable \"a listener only, one\"")
	seen := map[string]bool{}
	lines := strings.Split(icons, "\n")
	for _, line := range lines[:len(lines)-1] {
		uid, says, _ := strings.Cut(strings.TrimSpace(line), "] ")
		if !strings.HasPrefix(uid, "[u") || seen[says] || !strings.Contains(says, `hint "`) && !regexp.MustCompile(`"[A-Za-z]`).MatchString(says) {
			t.Errorf("nothing tells %q from the others", line)
		}
		seen[says] = true
	}
	if len(seen) != 17 {
		t.Errorf("%d of 17 icons\n%s", len(seen), icons)
	}
	for _, want := range []string{`hint "trash"`, `hint "pen"`, `hint "copy"`, `hint "share"`, `hint "bell"`, `hint "cog"`, `hint "Print"`, `hint "mat close"`} {
		if !strings.Contains(icons, want) {
			t.Errorf("no %s in\n%s", want, icons)
		}
	}
	wantLines(t, "a listener only, one\""+targets,
		`"Some text with" · clickable "a span inside" · "and" · clickable "another one" · "and an end."`,
		`"A text with" · generic "a focusable span" · "in it and" · emphasis "one more" · "there."`,
		`"Every" · spinbutton = "1" {1..12} · "month(s)"`,
		`li "a list item"`, `li "in a list item"`, `p "a hand only"`, `generic "tabindex minus one"`,
	)
	// 17 targets, of which the first is cut off here.
	if n := strings.Count(targets, "[u"); n != 16 {
		t.Errorf("%d targets have a uid\n%s", n, targets)
	}
}

func TestReadSkippedContent(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("skipped.html")).UIDs
	for i := range 200 {
		if !regexp.MustCompile(fmt.Sprintf(`\[u\w+\] button "button %d"`, i)).MatchString(view) {
			t.Errorf("button %d has no uid", i)
		}
		if !strings.Contains(view, fmt.Sprintf(`"Section %d"`, i)) {
			t.Errorf("the text of section %d is missing", i)
		}
	}
}

func TestReadHiddenTexts(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("hidden.html")).UIDs
	source, err := os.ReadFile(pages + "/hidden.html")
	if err != nil {
		t.Fatal(err)
	}
	all, told := map[string]int{}, map[string]int{}
	for _, m := range regexp.MustCompile(`(hidden|visible|shown)-\w+ `).FindAllStringSubmatch(string(source), -1) {
		kind := m[1]
		if !strings.Contains(view, m[0]) {
			continue
		}
		all[kind]++
		if regexp.MustCompile(`"[^"\n]*` + m[0] + `[^"\n]*" \{([a-z0-9]+,)*hidden[},]`).MatchString(view) {
			told[kind]++
		} else if kind == "hidden" {
			t.Logf("%sis not told as hidden", m[0])
		}
	}
	if all["hidden"] < 55 || told["hidden"]*100 < all["hidden"]*95 {
		t.Errorf("%d of %d hidden texts are told as hidden, want 95 %%", told["hidden"], all["hidden"])
	}
	if all["visible"] < 40 || told["visible"]+told["shown"] > 0 {
		t.Errorf("%d of %d visible texts are told as hidden, want 0", told["visible"]+told["shown"], all["visible"])
	}
}

// A frame without an address of its own is of the page's origin, unless it is sandboxed.
func TestReadBlankFrames(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("blank-frames.html")).UIDs
	for _, name := range []string{"Letter", "Editor"} {
		if !regexp.MustCompile(`(?m)iframe "` + name + `"$`).MatchString(view) {
			t.Errorf("%s is of another origin in\n%s", name, view)
		}
	}
	if !strings.Contains(view, `iframe "Advert" null`) {
		t.Errorf("the sandboxed frame is of the page's origin in\n%s", view)
	}
}
