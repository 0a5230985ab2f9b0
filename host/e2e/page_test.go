//go:build e2e

package e2e

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"handrail/compressor/tokens"
)

const worked = `data:text/html,<title>Caveman AX Fixture</title><main><h1>Operations Overview</h1><button>Save settings</button><label for=e>Email address</label><input id=e value=ops@example.com><a href=/trace>View trace detail</a></main>`

func TestWorkedExample(t *testing.T) {
	h := newClient(t)
	out := h.must(t, "snapshot", worked, "--profile", "full")
	s := h.snapshot(t, "--profile", "full")
	want := []string{
		`page "Caveman AX Fixture"`,
		`  main`,
		`    heading "Operations Overview"`,
		`    [u] button "Save settings"`,
		`    [u] textbox "Email address" = "ops@example.com" {editable}`,
		`    [u] link "View trace detail"`,
	}
	got := regexp.MustCompile(`\[u\w+\]`).ReplaceAllString(s.UIDs, "[u]")
	if got = strings.ReplaceAll(got, " {focused}", ""); got != strings.Join(want, "\n") {
		t.Errorf("view\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	object := strings.TrimSuffix(string(out.stdout), "\n")
	if n := tokens.CountString(object); !strings.Contains(object, fmt.Sprintf(`"tokens_after":%d,`, n)) {
		t.Errorf("the delivered object counts %d tokens and says otherwise: %s", n, object)
	}
	if s.ViewTokens != tokens.CountString(s.UIDs) || s.Basis != "inferred" || s.TokensBefore <= s.TokensAfter {
		t.Errorf("report %+v", s)
	}
	recovered := h.must(t, "recover", s.RecoveryHandle).stdout
	if n := tokens.Count(recovered); n != s.TokensBefore {
		t.Errorf("recovered payload counts %d tokens, tokens_before says %d", n, s.TokensBefore)
	}
	if again := h.must(t, "retrieve", s.RecoveryHandle).stdout; string(again) != string(recovered) {
		t.Error("retrieve and recover differ")
	}
}

func TestFrames(t *testing.T) {
	h, web := newClient(t), newSite(t)
	page := web.main("frames.html?cross=" + url.QueryEscape(web.cross("")[:len(web.cross(""))-1]) + "&nested=" + url.QueryEscape(strings.TrimSuffix(web.nested(""), "/")))
	s := h.snapshot(t, page)
	keys := []string{"Root", "open shadow", "closed shadow", "same", "cross", "cross local", "nested"}
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^ *\[(\w+)\]`).FindAllStringSubmatch(s.UIDs, -1) {
		if seen[m[1]] {
			t.Errorf("uid %s stands twice", m[1])
		}
		seen[m[1]] = true
	}
	for _, key := range keys {
		uid := uidOf(t, s.UIDs, fmt.Sprintf(`button "%s button"`, key))
		r := h.act(t, uid, "click")
		if r.Dispatched != "yes" {
			t.Errorf("%s: %+v", key, r)
		}
		web.wantCounts(t, map[string]int{strings.ToLower(key): 1})
	}
}

func TestTargets(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("targets.html")).UIDs
	for _, test := range []struct{ text, key string }{
		{"listener only", "listener"},
		{"onclick attribute", "onclick"},
		{"this span", "span"},
		{"editable text", "editable"},
		{"more about it", "summary"},
		{"tabindex only", "tabindex"},
	} {
		uid := uidAround(t, view, test.text)
		h.act(t, uid, "click")
		web.wantCounts(t, map[string]int{test.key: 1})
	}
}

// uidAround finds the uid of the item that holds the text, else on the nearest line
// above it that it is indented under.
func uidAround(t *testing.T, view, text string) string {
	t.Helper()
	if found := uidsOf(view, text); len(found) == 1 {
		return found[0]
	}
	lines := strings.Split(view, "\n")
	depth := func(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
	for i, line := range lines {
		if !strings.Contains(line, text) {
			continue
		}
		for at, limit := i, depth(line); at >= 0; at-- {
			if at != i && depth(lines[at]) >= limit {
				continue
			}
			limit = depth(lines[at])
			if m := uidPattern.FindStringSubmatch(lines[at]); m != nil {
				return m[1]
			}
		}
	}
	t.Fatalf("no uid at or above %q in\n%s", text, view)
	return ""
}

func TestQueriesBothLive(t *testing.T) {
	h, web := newClient(t), newSite(t)
	h.snapshot(t, web.main("demo.html"))
	save := h.snapshot(t, "--query", "save")
	email := h.snapshot(t, "--query", "email")
	if strings.Contains(email.UIDs, "Save") {
		t.Fatalf("the query view shows more than was asked for:\n%s", email.UIDs)
	}
	h.act(t, uidOf(t, save.UIDs, "Save settings"), "click")
	r := h.act(t, uidOf(t, email.UIDs, "Email"), "type", "new@example.com", "--clear")
	if r.ValueNow == nil || *r.ValueNow != "new@example.com" || r.Reverted {
		t.Errorf("typed %+v", r)
	}
	for _, s := range []string{save.RecoveryHandle, email.RecoveryHandle} {
		h.must(t, "recover", s)
	}
}

// Content that the browser skips while it is off-screen is read and can be acted on.
func TestSkippedContent(t *testing.T) {
	h, web := newClient(t), newSite(t)
	view := h.snapshot(t, web.main("skipped.html")).UIDs
	if n := len(uidsOf(view, "button")); n != 200 {
		t.Errorf("%d of 200 buttons have a uid", n)
	}
	last := uidOf(t, view, `"button 199"`)
	if state := string(h.must(t, "resolve", last).stdout); !strings.Contains(state, "alive") {
		t.Errorf("resolve: %s", state)
	}
	h.act(t, last, "click")
	h.act(t, uidOf(t, view, `"button 100"`), "click")
	web.wantCounts(t, map[string]int{"button 199": 1, "button 100": 1})
}
