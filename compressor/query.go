package compressor

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
)

// maxFound is how many records a query keeps.
const maxFound = 12

// termsOf gives a query's runs of letters and digits in lower case.
func termsOf(query string) []string {
	return strings.FieldsFunc(strings.ToLower(query), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
}

// find keeps the records that a query finds best, with what they stand under and
// the whole row or list item they stand in. It is nil when there are none.
func (p *Page) find(terms []string) lines {
	keep := make([]bool, len(p.records))
	for _, i := range p.best(terms) {
		for up := i; up != none; up = p.records[up].parent {
			keep[up] = true
		}
		if item := p.itemAround(i); item != none {
			for j := item; j < p.endOf(item); j++ {
				keep[j] = true
			}
		}
	}
	// The depths are closed up: a record stands one deeper than the nearest one
	// above it that is shown.
	var l lines
	depths := make([]int32, len(p.records)) // where what stands under a record goes
	for i := range p.records {
		r := &p.records[i]
		if r.parent != none {
			depths[i] = depths[r.parent]
		}
		if keep[i] && !r.repeat {
			l = append(l, line{int32(i), depths[i]})
			depths[i]++
		}
	}
	return l
}

// best returns the records in which most terms are found, best first and in page
// order within a score; only those with all terms when there are any.
func (p *Page) best(terms []string) []int32 {
	type match struct {
		record int32
		score  int
	}
	var matches []match
	var text []byte
	all := false
	for i := range p.records {
		r := &p.records[i]
		if r.repeat {
			continue
		}
		text = p.appendSearched(text[:0], r)
		score := 0
		for _, term := range terms {
			if bytes.Contains(text, []byte(term)) {
				score++
			}
		}
		if score > 0 {
			matches = append(matches, match{int32(i), score})
		}
		all = all || score == len(terms)
	}
	if all {
		matches = slices.DeleteFunc(matches, func(m match) bool { return m.score < len(terms) })
	}
	slices.SortStableFunc(matches, func(a, b match) int { return b.score - a.score })
	var records []int32
	for _, m := range matches[:min(len(matches), maxFound)] {
		records = append(records, m.record)
	}
	return records
}

// appendSearched appends the text in which terms are looked for: role, name,
// value and state labels in lower case.
func (p *Page) appendSearched(b []byte, r *record) []byte {
	role := &p.tree.roles[r.role]
	b = append(append(b, role.printed...), ' ')
	b = append(appendLower(b, r.name), ' ')
	b = appendLower(b, r.value)
	for _, s := range printedStates {
		if r.state&s.state != 0 && role.kind&staticText == 0 {
			b = append(append(b, ' '), s.label...)
		}
	}
	return b
}

// itemAround returns the nearest row or list item that a record is or stands in.
func (p *Page) itemAround(i int32) int32 {
	for ; i != none; i = p.records[i].parent {
		if name := p.tree.roles[p.records[i].role].name; name == "row" || name == "listitem" {
			break
		}
	}
	return i
}

// endOf returns the index behind the last record that stands under record i.
func (p *Page) endOf(i int32) int32 {
	end := i + 1
	for end < int32(len(p.records)) && p.records[end].parent >= i {
		end++
	}
	return end
}
