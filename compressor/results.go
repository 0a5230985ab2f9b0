package compressor

import (
	"slices"
	"strings"
	"unicode"
)

// Result is an entry of a list of alike entries: search results, articles, cards.
type Result struct {
	Title         string `json:"title"`
	UID           string `json:"uid,omitempty"` // of the link it leads to, else its own
	URL           string `json:"url,omitempty"` // that link's; left out when it is over 300 code points
	Snippet       string `json:"snippet"`       // its other text, without buttons
	TextTruncated bool   `json:"textTruncated,omitempty"`
}

const (
	fewest     = 3 // entries make a repeat
	wordLength = 3 // letters make an entry's text
)

// entries are the roles of entries that are results by themselves; sections are
// entries too, unless they hold some.
var (
	entries  = map[string]bool{"listitem": true, "article": true, "link": true, "figure": true}
	sections = map[string]bool{"region": true, "group": true, "generic": true}
)

// menus hold no results; a table's rows are told by the table.
var menus = map[string]bool{
	"navigation": true, "menu": true, "menubar": true, "toolbar": true, "tablist": true, "tree": true, "listbox": true, "row": true,
}

// found is a result: one record, or a run of siblings.
type found struct {
	at, end     int32 // the sibling behind it; none behind the last of all
	title, link int32
}

// repeats finds results. Its lists are by record.
type repeats struct {
	*skeleton
	heading []int32          // the first in it, or itself
	link    []int32          // likewise
	lead    []int32          // the first text in it that is of no control or heading
	letters []int8           // in such texts, up to wordLength
	around  []int32          // the link around it, or itself
	quiet   []bool           // in a menu
	inside  []bool           // in a result, or one
	holds   []bool           // a result
	urls    map[int32]string // of documents, by frame
	found   []found
}

func (o *skeleton) results() (results []Result, truncated bool) {
	r := o.repeats()
	for i := range o.records {
		r.cover(int32(i))
		if !r.inside[i] {
			r.siblings(int32(i), entries)
		}
	}
	for i := len(o.records) - 1; i >= 0; i-- {
		if up := o.above(int32(i)); up != none {
			r.holds[up] = r.holds[up] || r.holds[i]
		}
	}
	for i := range o.records {
		r.cover(int32(i))
		if !r.inside[i] {
			r.siblings(int32(i), sections)
			r.runs(int32(i))
		}
	}
	slices.SortFunc(r.found, func(a, b found) int { return int(a.at) - int(b.at) })
	results = []Result{}
	for _, f := range r.found {
		if len(results) == maxResults {
			return results, true
		}
		results = append(results, r.build(f))
	}
	return results, false
}

func (o *skeleton) repeats() *repeats {
	n := len(o.records)
	r := &repeats{
		skeleton: o, heading: make([]int32, n), link: make([]int32, n), lead: make([]int32, n), letters: make([]int8, n),
		around: make([]int32, n), quiet: make([]bool, n), inside: make([]bool, n), holds: make([]bool, n), urls: map[int32]string{},
	}
	muted := make([]bool, n)
	for i := range o.records {
		i, up := int32(i), o.above(int32(i))
		r.heading[i], r.link[i], r.lead[i], r.around[i] = none, none, none, none
		if up != none {
			r.around[i], r.quiet[i], muted[i] = r.around[up], r.quiet[up], muted[up]
		}
		role := o.role(i)
		r.quiet[i] = r.quiet[i] || menus[role]
		switch {
		case role == "heading":
			r.heading[i] = i
		case role == "link":
			r.link[i], r.around[i] = i, i
		}
		// A link around a heading is a card, and its other text is text.
		muted[i] = muted[i] || role == "heading" || role == "listmarker" || role == "image" || o.field[i] != none ||
			o.kind(i)&control != 0 && !(role == "link" && o.headed[i])
		if !muted[i] && o.first[i] == none {
			if r.letters[i] = letters(o.records[i].name); r.letters[i] > 0 {
				r.lead[i] = i
			}
		}
	}
	for i := int32(n) - 1; i >= 0; i-- {
		up := o.above(i)
		if up == none {
			continue
		}
		r.letters[up] = min(wordLength, r.letters[up]+r.letters[i])
		for _, first := range [][]int32{r.heading, r.link, r.lead} {
			if first[i] != none && first[up] != up {
				first[up] = first[i]
			}
		}
	}
	return r
}

// letters counts letters, up to wordLength.
func letters(text string) (n int8) {
	for _, c := range text {
		if unicode.IsLetter(c) {
			if n++; n == wordLength {
				break
			}
		}
	}
	return n
}

func (r *repeats) cover(i int32) {
	if up := r.above(i); up != none {
		r.inside[i] = r.inside[i] || r.inside[up]
	}
}

// siblings finds entries among what stands directly below a record: at least three
// of one role and shape, and at least half of those of that role.
func (r *repeats) siblings(parent int32, roles map[string]bool) {
	if r.quiet[parent] {
		return
	}
	type shape struct {
		role   int32
		headed bool
	}
	var all map[int32]int
	var alike map[shape][]found
	for i := r.first[parent]; i != none; i = r.next[i] {
		if !roles[r.role(i)] || r.holds[i] {
			continue
		}
		if all == nil {
			all, alike = map[int32]int{}, map[shape][]found{}
		}
		role := r.records[i].role
		all[role]++
		if f, ok := r.entry(i); ok {
			s := shape{role, r.heading[i] != none}
			alike[s] = append(alike[s], f)
		}
	}
	for s, list := range alike {
		if len(list) >= fewest && 2*len(list) >= all[s.role] {
			r.pick(list)
		}
	}
}

func (r *repeats) pick(list []found) {
	for _, f := range list {
		r.holds[f.at] = true
		r.found = append(r.found, f)
		for i := f.at; i != f.end; i = r.next[i] {
			r.inside[i] = true
		}
	}
}

// entry says whether a record reads like a result: a heading or a link that leads,
// and text.
func (r *repeats) entry(i int32) (f found, ok bool) {
	f = found{at: i, end: r.next[i], title: r.heading[i], link: r.link[i]}
	if r.letters[i] < wordLength {
		return f, false
	}
	if f.title != none {
		f.link = r.linkOf(f.title, f.link)
		return f, true
	}
	f.title = f.link
	return f, f.link != none && (r.lead[i] == none || f.link < r.lead[i]) && r.leads(f.link)
}

// linkOf returns the link in or around a heading, else another. A link that is but
// a small part of the heading edits it or points at it.
func (r *repeats) linkOf(heading, other int32) int32 {
	for _, link := range []int32{r.link[heading], r.around[heading]} {
		if link != none && 2*len(r.records[link].name) >= len(r.records[heading].name) && r.leads(link) {
			return link
		}
	}
	return other
}

// leads says that a link has a name and goes to another page, not to a part of its own.
func (r *repeats) leads(link int32) bool {
	if letters(r.records[link].name) == 0 {
		return false
	}
	page, part, found := strings.Cut(r.more(link).url, "#")
	if !found || part == "" || strings.HasPrefix(part, "/") || strings.HasPrefix(part, "!") {
		return true
	}
	return page != r.documentURL(r.records[link].frame)
}

// documentURL returns the address of a frame's document without its part, as far as it is known.
func (r *repeats) documentURL(frame int32) string {
	url, known := r.urls[frame]
	if known {
		return url
	}
	f := &r.Frames[frame]
	url = f.URL
	for i := f.from; i < f.to && url == ""; i++ {
		if n := &r.tree.nodes[i]; r.tree.roles[n.role].kind&document != 0 {
			url = r.tree.more(n).url
		}
	}
	url, _, _ = strings.Cut(url, "#")
	r.urls[frame] = url
	return url
}

// runs finds entries that have no record of their own, as Chromium ignores what
// only groups: siblings from one heading or term with a link to the next.
func (r *repeats) runs(parent int32) {
	if r.quiet[parent] {
		return
	}
	levels := map[int32]int{} // of the siblings that start an entry
	var counts [termLevel + 1]int
	for i := r.first[parent]; i != none; i = r.next[i] {
		if r.inside[i] {
			continue
		}
		level := 0
		if r.role(i) == "term" {
			level = termLevel
		} else if h := r.heading[i]; h == i || h != none && r.role(i) == "link" {
			level = min(max(r.more(h).level, 1), termLevel-1)
		}
		if level > 0 {
			levels[i] = level
			counts[level]++
		}
	}
	top := 0
	for level, count := range counts {
		if count > counts[top] {
			top = level
		}
	}
	if counts[top] < fewest {
		return
	}
	var list []found
	start, length, longest := int32(none), 0, 0
	end := func(i int32) {
		if start == none {
			return
		}
		if i == none && len(list) > 0 { // nothing says where the last one ends
			i = start
			for range longest {
				if i != none {
					i = r.next[i]
				}
			}
		}
		longest = max(longest, length)
		if f, ok := r.run(start, i); ok {
			list = append(list, f)
		}
	}
	for i := r.first[parent]; i != none; i = r.next[i] {
		if level, ok := levels[i]; ok && level <= top {
			end(i)
			start, length = none, 0
			if level == top {
				start = i
			}
		}
		length++
	}
	end(none)
	if len(list) >= fewest && 2*len(list) >= counts[top] {
		r.pick(list)
	}
}

// termLevel is for terms what 1 to 6 are for headings.
const termLevel = 10

// run says whether siblings read like a result.
func (r *repeats) run(at, end int32) (f found, ok bool) {
	f = found{at: at, end: end, title: at, link: none}
	if r.role(at) != "term" {
		f.title = r.heading[at]
	}
	beside := int32(none) // a link that stands for itself
	n := int8(0)
	if f.title != at {
		n = r.letters[at]
	}
	for i := r.next[at]; i != end; i = r.next[i] {
		if r.holds[i] || r.inside[i] {
			return f, false
		}
		n = min(wordLength, n+r.letters[i])
		if beside == none && r.role(i) == "link" && r.leads(i) {
			beside = i
		}
	}
	f.link = r.linkOf(f.title, beside)
	return f, n == wordLength && f.link != none
}

func (r *repeats) build(f found) (result Result) {
	title := r.records[f.title].name
	if title == "" {
		title = r.textOf(f.title)
	}
	g := gather{skeleton: r.skeleton, skip: f.title}
	for i := f.at; i != f.end; i = r.next[i] {
		g.add(i)
	}
	result.Title = bound(title, &result.TextTruncated)
	result.Snippet = bound(g.text.String(), &result.TextTruncated)
	if f.link != none {
		result.UID, result.URL = r.uid(f.link), r.more(f.link).url
		if cutURL := false; bound(result.URL, &cutURL) != result.URL {
			result.URL, result.TextTruncated = "", true // a part of it would lead elsewhere
		}
	} else {
		result.UID = r.uid(f.at)
	}
	return result
}
