package compressor

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// item is one line of a view, read by the grammar of docs/FORMAT.md alone.
type parsed struct {
	depth             int
	uid, role         string
	name, value       string
	states            []string
	origin, notRead   string
	quotedRole, named bool
}

var (
	uidPrefix    = regexp.MustCompile(`^\[((?:f[1-9][0-9]*)?u[1-9a-z][0-9a-z]*(?:_[1-9][0-9]*)?)\] `)
	wordPrefix   = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}`)
	statesPrefix = regexp.MustCompile(`^ \{([a-z]+(?:,[a-z]+)*)\}`)
	originPrefix = regexp.MustCompile(`^ (null|[a-z][a-z0-9_-]*://[A-Za-z0-9._:\[\]-]+)`)
)

// parseView reads a view. It knows nothing of payloads and of how views are made.
func parseView(text string) ([]parsed, error) {
	var items []parsed
	for n, line := range strings.Split(text, "\n") {
		it, err := parseLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d %q: %w", n+1, line, err)
		}
		items = append(items, it)
	}
	return items, nil
}

func parseLine(line string) (it parsed, err error) {
	for i := range len(line) {
		if line[i] < ' ' {
			return it, fmt.Errorf("byte %#x", line[i])
		}
	}
	rest := strings.TrimLeft(line, " ")
	if (len(line)-len(rest))%2 != 0 {
		return it, fmt.Errorf("odd indentation")
	}
	it.depth = (len(line) - len(rest)) / 2
	if m := uidPrefix.FindStringSubmatch(rest); m != nil {
		it.uid, rest = m[1], rest[len(m[0]):]
	}
	quoted := func(before string) (string, bool) {
		after, ok := strings.CutPrefix(rest, before)
		if !ok {
			return "", false
		}
		q, err := strconv.QuotedPrefix(after)
		if err != nil || q[0] != '"' {
			return "", false
		}
		s, err := strconv.Unquote(q)
		if err != nil {
			return "", false
		}
		rest = after[len(q):]
		return s, true
	}
	if it.role, it.quotedRole = quoted(""); !it.quotedRole {
		it.role = wordPrefix.FindString(rest)
		if it.role == "" {
			return it, fmt.Errorf("no role at %q", rest)
		}
		rest = rest[len(it.role):]
	}
	it.name, it.named = quoted(" ")
	it.value, _ = quoted(" = ")
	if m := statesPrefix.FindStringSubmatch(rest); m != nil {
		it.states, rest = strings.Split(m[1], ","), rest[len(m[0]):]
	}
	if m := originPrefix.FindStringSubmatch(rest); m != nil {
		it.origin, rest = m[1], rest[len(m[0]):]
	} else if origin, ok := quoted(" (origin "); ok {
		it.origin, rest = origin, strings.TrimPrefix(rest, ")")
	}
	if why, ok := quoted(" (not read: "); ok {
		it.notRead, rest = why, strings.TrimPrefix(rest, ")")
	} else if after, ok := strings.CutPrefix(rest, " (not read: "); ok {
		it.notRead = wordPrefix.FindString(after)
		rest = strings.TrimPrefix(after[len(it.notRead):], ")")
	}
	if rest != "" {
		return it, fmt.Errorf("what is %q", rest)
	}
	return it, nil
}

// checkView checks what must hold of every view of the whole page: its items are
// the page's records and its uids those issued, whatever the page says.
func checkView(t testing.TB, p *Page, v *View) {
	t.Helper()
	items, err := parseView(v.Text)
	if err != nil {
		t.Fatal(err)
	}
	var shown []*record
	for i := range p.records {
		if !p.records[i].repeat {
			shown = append(shown, &p.records[i])
		}
	}
	if len(items) != len(shown) {
		t.Fatalf("%d items, %d records", len(items), len(shown))
	}
	var uids []string
	for i, it := range items {
		r := shown[i]
		if it.depth != int(r.depth) || it.name != r.name || it.named != (r.name != "") {
			t.Fatalf("item %d is %+v, its record %+v", i, it, *r)
		}
		if want := r.value; r.value != r.name && it.value != want {
			t.Fatalf("item %d has value %q, its record %q", i, it.value, want)
		}
		if it.uid != "" {
			uids = append(uids, it.uid)
		}
	}
	targets := p.Targets()
	if len(uids) != len(v.UIDs) || len(uids) != len(targets) {
		t.Fatalf("%d uids in the text, %d in the view, %d targets", len(uids), len(v.UIDs), len(targets))
	}
	seen := map[string]bool{}
	for i, uid := range uids {
		if uid != v.UIDs[i] || uid != targets[i].UID {
			t.Fatalf("uid %d is %q in the text, %q in the view, %q of the target", i, uid, v.UIDs[i], targets[i].UID)
		}
		if seen[uid] {
			t.Fatalf("uid %q occurs twice", uid)
		}
		seen[uid] = true
	}
}
