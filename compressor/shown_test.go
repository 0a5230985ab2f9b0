package compressor

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// shownItem is one item of a view of balanced or light, read by the grammar of
// docs/FORMAT.md alone. The objects of format json are read into the same.
type shownItem struct {
	Object
	own bool // it begins its line
}

var (
	shownStates = regexp.MustCompile(`^ \{([a-z0-9.-]+(?:,[a-z0-9.-]+)*)\}`)
	shownMore   = regexp.MustCompile(`^ … ([0-9]+) more`)
	shownBelow  = regexp.MustCompile(`^ … ([0-9]+) nodes, ([0-9]+) controls below`)
	shownCut    = regexp.MustCompile(`(?:"| )…\+[0-9]+$`)
	shownMarker = regexp.MustCompile(`^… ([0-9]+) characters, ([0-9]+) controls left out by the limit of ([0-9]+ (?:characters|tokens)), next offset ([0-9]+)$`)
)

// shownReader reads one line.
type shownReader struct {
	rest string
	full bool // it is of the profile full: each item has a role
}

func (r *shownReader) take(prefix string) bool {
	after, ok := strings.CutPrefix(r.rest, prefix)
	if ok {
		r.rest = after
	}
	return ok
}

func (r *shownReader) match(re *regexp.Regexp) []string {
	m := re.FindStringSubmatch(r.rest)
	if m != nil {
		r.rest = r.rest[len(m[0]):]
	}
	return m
}

// quoted reads a string in quotes behind what stands before it.
func (r *shownReader) quoted(before string) (string, bool) {
	after, ok := strings.CutPrefix(r.rest, before)
	if !ok || after == "" || after[0] != '"' {
		return "", false
	}
	q, err := strconv.QuotedPrefix(after)
	if err != nil {
		return "", false
	}
	s, err := strconv.Unquote(q)
	if err != nil {
		return "", false
	}
	r.rest = after[len(q):]
	return s, true
}

func (r *shownReader) item() (it shownItem, err error) {
	if m := r.match(uidPrefix); m != nil {
		it.UID = m[1]
	}
	if first, ok := r.quoted(""); ok {
		if it.Name, ok = r.quoted(" "); ok || r.full {
			it.Role = strconv.Quote(first)
		} else {
			it.Role, it.Name = "text", first
		}
	} else {
		if it.Role = wordPrefix.FindString(r.rest); it.Role == "" {
			return it, fmt.Errorf("no item at %q", r.rest)
		}
		r.rest = r.rest[len(it.Role):]
		it.Name, _ = r.quoted(" ")
	}
	it.Value, _ = r.quoted(" = ")
	if m := r.match(shownStates); m != nil {
		it.States = strings.Split(m[1], ",")
	}
	it.ValueText, _ = r.quoted(" text ")
	it.Placeholder, _ = r.quoted(" placeholder ")
	it.Hint, _ = r.quoted(" hint ")
	it.URL, _ = r.quoted(" url ")
	if m := r.match(shownMore); m != nil {
		it.More, _ = strconv.Atoi(m[1])
	}
	if m := r.match(shownBelow); m != nil {
		it.Below = &Below{}
		it.Below.Nodes, _ = strconv.Atoi(m[1])
		it.Below.Controls, _ = strconv.Atoi(m[2])
	}
	if m := r.match(originPrefix); m != nil {
		it.Origin = m[1]
	} else if origin, ok := r.quoted(" (origin "); ok {
		if it.Origin = origin; !r.take(")") {
			return it, fmt.Errorf("no ) at %q", r.rest)
		}
	}
	if why, ok := r.quoted(" (not read: "); ok {
		it.NotRead = why
	} else if r.take(" (not read: ") {
		it.NotRead = wordPrefix.FindString(r.rest)
		r.rest = r.rest[len(it.NotRead):]
	} else {
		return it, nil
	}
	if !r.take(")") {
		return it, fmt.Errorf("no ) at %q", r.rest)
	}
	return it, nil
}

// line reads the items of a line behind its indentation.
func (r *shownReader) line(level int) (items []shownItem, err error) {
	for own := true; own || r.take(" · ") || r.take(" | "); own = false {
		it, err := r.item()
		if err != nil {
			return nil, err
		}
		it.own, it.Level = own, level
		items = append(items, it)
		for strings.HasPrefix(r.rest, " | |") { // a cell without content
			r.take(" |")
		}
	}
	return items, nil
}

// parseShown reads a text view. It knows nothing of payloads and of how views are made.
func parseShown(text string, full bool) (items []shownItem, err error) {
	for n, line := range strings.Split(text, "\n") {
		if line == "[open overlays]" {
			items = append(items, shownItem{Object{Role: "note", Name: "open overlays"}, true})
			continue
		}
		one, rest, err := parseShownLine(line, full)
		if err != nil || rest != "" {
			return nil, fmt.Errorf("line %d %q: what is %q: %w", n+1, line, rest, err)
		}
		items = append(items, one...)
	}
	return items, nil
}

func parseShownLine(line string, full bool) (items []shownItem, rest string, err error) {
	if i := strings.IndexFunc(line, func(c rune) bool { return c < ' ' }); i >= 0 {
		return nil, "", fmt.Errorf("byte %#x", line[i])
	}
	r := shownReader{strings.TrimLeft(line, " "), full}
	level := len(line) - len(r.rest)
	if full {
		if level%2 != 0 {
			return nil, "", fmt.Errorf("odd indentation")
		}
		level /= 2
	}
	items, err = r.line(level)
	return items, r.rest, err
}

// parseDiff reads a diff: the signs of its lines, and the items.
func parseDiff(text string) (signs string, items []shownItem, err error) {
	if text == "unchanged" {
		return "", nil, nil
	}
	return parseLines(text, 2)
}

// parseHits reads what a search gives.
func parseHits(text string) ([]shownItem, error) {
	_, items, err := parseLines(text, 0)
	return items, err
}

func parseLines(text string, signed int) (signs string, items []shownItem, err error) {
	for n, line := range strings.Split(text, "\n") {
		fail := func(why string) error { return fmt.Errorf("line %d %q: %s", n+1, line, why) }
		if len(line) < signed || signed > 0 && (!strings.Contains("+~->", line[:1]) || line[1] != ' ') {
			return "", nil, fail("no sign")
		}
		signs += line[:signed/2]
		one, rest, err := parseShownLine(line[signed:], false)
		if err != nil {
			return "", nil, fail(err.Error())
		}
		items = append(items, one...)
		if r := (shownReader{rest: rest}); rest != "" {
			if line[:signed/2] == ">" {
				if _, ok := r.quoted(" behind "); !(ok || r.take(" first")) || r.rest != "" {
					return "", nil, fail("no place at " + rest)
				}
				continue
			}
			if !r.take(" in ") {
				return "", nil, fail("what is " + rest)
			}
			if _, ok := r.quoted(""); !ok {
				r.rest = r.rest[len(wordPrefix.FindString(r.rest)):]
			}
			if _, ok := r.quoted(" "); !ok || r.rest != "" {
				return "", nil, fail("no place at " + rest)
			}
		}
	}
	return signs, items, nil
}

// parseObjects reads a view of format json.
func parseObjects(text string) (objects []Object, err error) {
	for n, line := range strings.Split(text, "\n") {
		var o Object
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&o); err != nil || d.More() {
			return nil, fmt.Errorf("line %d %q: %w", n+1, line, err)
		}
		objects = append(objects, o)
	}
	return objects, nil
}

// checkShown checks what must hold of every view of a page that the base rules do
// not give: its text parses, and says of every item what the same view in format
// json says; the uids in it are those issued, and each names a node.
func checkShown(t testing.TB, p *Page, o Options) []shownItem {
	t.Helper()
	v, err := p.View(o)
	if err != nil {
		if _, declined := err.(*Decline); declined {
			return nil
		}
		t.Fatalf("%+v: %v", o, err)
	}
	items, err := parseShown(v.Text, o.isFull())
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	o.Format = "json"
	w := mustView(t, p, o)
	objects, err := parseObjects(w.Text)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	if len(items) != len(objects) {
		t.Fatalf("%+v: %d items, %d objects\n%s\n%s", o, len(items), len(objects), v.Text, w.Text)
	}
	for i, it := range items {
		want := objects[i]
		if !it.own && want.Level == it.Level+1 { // it stands under what begins the line, or beside it
			want.Level--
		}
		if !reflect.DeepEqual(it.Object, want) {
			t.Fatalf("%+v: item %d is\n%+v, the object\n%+v\n%s", o, i, it.Object, want, v.Text)
		}
	}
	checkUIDs(t, p, v, items)
	checkUIDs(t, p, w, items)
	return items
}

// checkUIDs checks that the uids of items are those a view issues, and name nodes.
func checkUIDs(t testing.TB, p *Page, v *View, items []shownItem) {
	t.Helper()
	n := 0
	for _, it := range items {
		if it.UID == "" {
			continue
		}
		if n >= len(v.UIDs) || v.UIDs[n] != it.UID {
			t.Fatalf("uid %d is %q in the text; the view has %q\n%s", n, it.UID, v.UIDs, v.Text)
		}
		if _, ok := p.Find(it.UID); !ok {
			t.Fatalf("uid %q names nothing", it.UID)
		}
		n++
	}
	if n != len(v.UIDs) {
		t.Fatalf("%d uids in the text, %d in the view\n%s", n, len(v.UIDs), v.Text)
	}
}

// checkLimits checks that items are as short and shallow as options ask for.
func checkLimits(t testing.TB, o Options, items []shownItem) {
	t.Helper()
	if o.Profile == Light && o.Names == 0 {
		o.Names = 80
	}
	for _, it := range items {
		if it.own && o.Depth > 0 && o.Profile != Light && it.Level >= o.Depth && it.Role != "note" {
			t.Fatalf("%+v: %+v stands too deep", o, it)
		}
		for _, s := range []string{it.Name, it.Value, it.Hint, it.URL} {
			if !utf8.ValidString(s) {
				t.Fatalf("%+v: %q is no UTF-8", o, s)
			}
		}
		limit := o.Names
		if it.Role == "text" {
			limit = o.Text
		}
		if limit > 0 && it.Role != "page" && it.Role != "note" && uniseg.GraphemeClusterCount(it.Name) > limit {
			t.Fatalf("%+v: %q is longer", o, it.Name)
		}
	}
}

// checkControls checks that balanced loses no node that can be acted on: all uids of
// controls and of what takes the focus or listens to clicks are there, but for the
// options of closed selects, which are chosen through their select.
func checkControls(t testing.TB, p *Page) {
	t.Helper()
	v, err := p.View(Options{Profile: Balanced})
	if err != nil {
		return
	}
	shown := map[string]bool{}
	for _, uid := range v.UIDs {
		shown[uid] = true
	}
	inSelect := func(i int32) bool {
		for ; i != none; i = p.records[i].parent {
			if p.tree.roles[p.records[i].role].name == "menulistpopup" {
				return true
			}
		}
		return false
	}
	for i := range p.records {
		r := &p.records[i]
		role := &p.tree.roles[r.role]
		if r.nth == 0 || r.repeat || role.kind&control == 0 && r.state&(focusable|clickable) == 0 || role.name == "option" && inSelect(int32(i)) {
			continue
		}
		if uid := string(p.appendUID(nil, r)); !shown[uid] {
			t.Fatalf("%s %q with uid %q is lost\n%s", role.name, r.name, uid, v.Text)
		}
	}
}

// checkWindows reads a view window by window, each from where the one before says,
// and checks that what stands above the markers is the whole view.
func checkWindows(t testing.TB, v *View, l Limits) {
	t.Helper()
	var whole strings.Builder
	for offset := 0; ; {
		w := v.Window(offset, l)
		start := strings.LastIndexByte(v.Text[:offset], '\n') + 1
		if strings.Count(withoutEscapes(v.Text[start:offset]), `"`)%2 == 1 { // it begins in a quoted text
			rest, ok := strings.CutPrefix(w.Text, `…"`)
			if !ok {
				t.Fatalf("%+v at %d: raw text of the page: %.80s", l, offset, w.Text)
			}
			w.Text = rest
		}
		if w.Offset != offset || w.TotalChars != utf8.RuneCountInString(v.Text) || w.Truncated == (w.Next < 0 && w.Offset == offset && w.Text == v.Text[offset:]) {
			t.Fatalf("%+v at %d: %+v of\n%q", l, offset, w, v.Text)
		}
		if w.Next < 0 {
			whole.WriteString(w.Text)
			break
		}
		if w.Next <= offset {
			t.Fatalf("%+v at %d: the next offset is %d", l, offset, w.Next)
		}
		body, tail, marker := splitWindow(w.Text)
		if marker != nil {
			left := strings.TrimSuffix(v.Text[w.Next:], tail)
			if want := []string{strconv.Itoa(utf8.RuneCountInString(left)), strconv.Itoa(w.Next)}; !w.Degraded && (marker[1] != want[0] || marker[4] != want[1] || !strings.HasSuffix(v.Text, tail)) {
				t.Fatalf("%+v at %d: marker %q, want %q, tail %q", l, offset, marker, want, tail)
			}
		}
		if v.Text[w.Next-1] == '\n' {
			body += "\n"
		} else if body != v.Text[offset:w.Next] {
			body = shownCut.ReplaceAllString(body, "")
			for _, between := range []string{" · ", " | "} {
				if strings.HasSuffix(v.Text[offset:w.Next], between) && body == strings.TrimSuffix(v.Text[offset:w.Next], between) {
					body = v.Text[offset:w.Next]
				}
			}
		}
		whole.WriteString(body)
		offset = w.Next
	}
	if whole.String() != v.Text {
		t.Fatalf("%+v: the windows hold\n%s\nthe view is\n%s", l, whole.String(), v.Text)
	}
}

// withoutEscapes is a line without its escapes.
func withoutEscapes(line string) string { return regexp.MustCompile(`\\.`).ReplaceAllString(line, "") }

// splitWindow gives what stands above and below the marker of a window.
func splitWindow(text string) (body, tail string, marker []string) {
	for at := 0; at < len(text); at = lineEnd(text, at) + 1 {
		end := lineEnd(text, at)
		if marker = shownMarker.FindStringSubmatch(text[at:end]); marker != nil {
			return text[:max(at-1, 0)], text[min(end+1, len(text)):], marker
		}
	}
	return text, "", nil
}
