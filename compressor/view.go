package compressor

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Options say what a view shows. The zero value is the whole page by the base rules.
type Options struct {
	Profile string // "" and "full" are the base rules
	Query   string // only what these words find
}

// Canonical is JSON of the options that are not defaults, "" when all are: the
// part of a recovery handle that tells one view of a payload from another.
func (o Options) Canonical() string {
	set := map[string]string{}
	if o.Profile != "" && o.Profile != "full" {
		set["profile"] = o.Profile
	}
	if o.Query != "" {
		set["query"] = o.Query
	}
	if len(set) == 0 {
		return ""
	}
	text, err := json.Marshal(set) // keys in order
	if err != nil {
		panic(err) // strings always encode
	}
	return string(text)
}

// View is a page as indented lines.
type View struct {
	Text string
	UIDs []string // those that stand in Text, in its order
}

// View renders the page. The error is a *Decline with no_records, or tells of an
// unknown profile.
func (p *Page) View(o Options) (*View, error) {
	if o.Profile != "" && o.Profile != "full" {
		return nil, fmt.Errorf("no profile %q", o.Profile)
	}
	shown := make([]int32, 0, len(p.records))
	for i := range p.records {
		if !p.records[i].dead {
			shown = append(shown, int32(i))
		}
	}
	if len(shown) == 0 {
		return nil, decline(ReasonNoRecords, "all text is said elsewhere")
	}
	terms := termsOf(o.Query)
	if len(terms) == 0 {
		return p.render(shown), nil
	}
	found := p.find(shown, terms)
	if len(found) == 0 {
		var b []byte
		b = p.appendLine(b, &p.records[shown[0]], 0, false)
		return &View{Text: string(b) + "\n  note \"no accessible match\""}, nil
	}
	return p.render(found), nil
}

// render prints records, their depths closed up.
func (p *Page) render(shown []int32) *View {
	v := &View{}
	depths := make([]int32, len(p.records)) // of the lines printed, from 1
	var b []byte
	for _, i := range shown {
		r := &p.records[i]
		depth := int32(0)
		for up := r.up; up >= 0; up = p.records[up].up {
			if depths[up] > 0 {
				depth = depths[up]
				break
			}
		}
		depths[i] = depth + 1
		if len(b) > 0 {
			b = append(b, '\n')
		}
		b = p.appendLine(b, r, int(depth), true)
		if k, ok := p.below[i]; ok && p.Frames[k].Err != "" {
			b = append(b, " (not read: "...)
			if why := p.Frames[k].Err; isReason(why) {
				b = append(b, why...)
			} else {
				b = strconv.AppendQuote(b, why)
			}
			b = append(b, ')')
		}
		if r.uid != "" {
			v.UIDs = append(v.UIDs, r.uid)
		}
	}
	v.Text = string(b)
	return v
}

// isReason says that a frame's error is a code and prints without quotes.
func isReason(s string) bool {
	return isWord(s) && strings.ToLower(s) == s
}

func (p *Page) appendLine(b []byte, r *record, depth int, withUID bool) []byte {
	for range depth {
		b = append(b, "  "...)
	}
	if r.uid != "" && withUID {
		b = append(b, '[')
		b = append(b, r.uid...)
		b = append(b, "] "...)
	}
	is := p.role(r)
	b = append(b, is.printed...)
	if r.name != "" {
		b = strconv.AppendQuote(append(b, ' '), r.name)
	}
	if r.value != "" && r.value != r.name {
		b = strconv.AppendQuote(append(b, " = "...), r.value)
	}
	if r.state&printed == 0 || is.kind&staticText != 0 {
		return b
	}
	before := " {"
	for _, s := range printedStates {
		if r.state&s.state != 0 {
			b = append(append(b, before...), s.label...)
			before = ","
		}
	}
	return append(b, '}')
}

// maxFound is how many records a query keeps.
const maxFound = 12

// find keeps the records that a query finds, best first, with what they stand
// under and the whole row or list item they stand in.
func (p *Page) find(shown []int32, terms []string) []int32 {
	type match struct {
		record int32
		score  int
	}
	var matches []match
	best := 0
	for _, i := range shown {
		text := p.searched(&p.records[i])
		score := 0
		for _, term := range terms {
			if strings.Contains(text, term) {
				score++
			}
		}
		if score > 0 {
			matches = append(matches, match{i, score})
			best = max(best, score)
		}
	}
	slices.SortStableFunc(matches, func(a, b match) int { return b.score - a.score })
	kept := make([]bool, len(p.records))
	for n, m := range matches {
		if n == maxFound || best == len(terms) && m.score < best {
			break
		}
		kept[m.record] = true
		if item := p.itemAround(m.record); item >= 0 {
			kept[item] = true
			for i := item + 1; i < int32(len(p.records)) && p.records[i].depth > p.records[item].depth; i++ {
				kept[i] = true
			}
		}
		for up := p.records[m.record].up; up >= 0; up = p.records[up].up {
			kept[up] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(shown), func(i int32) bool { return !kept[i] })
}

// itemAround returns the nearest row or list item that a record is or stands in,
// -1 without one.
func (p *Page) itemAround(i int32) int32 {
	for ; i >= 0; i = p.records[i].up {
		if name := p.role(&p.records[i]).name; name == "row" || name == "listitem" {
			return i
		}
	}
	return -1
}

// searched is the text in which a query's terms are looked for.
func (p *Page) searched(r *record) string {
	is := p.role(r)
	parts := []string{is.printed, r.name, r.value}
	if is.kind&staticText == 0 {
		for _, s := range printedStates {
			if r.state&s.state != 0 {
				parts = append(parts, s.label)
			}
		}
	}
	return strings.ToLower(strings.Join(parts, " "))
}

// termsOf gives a query's runs of letters and digits in lower case.
func termsOf(query string) []string {
	terms := strings.FieldsFunc(strings.ToLower(query), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	slices.Sort(terms)
	return slices.Compact(terms)
}
