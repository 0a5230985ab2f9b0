package compressor

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Options say what a view shows. The zero value is the whole page by the base rules.
type Options struct {
	Profile string // "" and "full" are the base rules, the only profile
	Query   string // only what its words find; without a letter or digit it is none
}

const fullProfile = "full"

// Canonical is JSON of the options that are not defaults, "" when all are: the
// part of a recovery handle that tells one view of a payload from another. Options
// that give the same view by definition are spelt alike.
func (o Options) Canonical() string {
	var set struct {
		Profile string `json:"profile,omitempty"`
		Query   string `json:"query,omitempty"`
	}
	if o.Profile != fullProfile {
		set.Profile = o.Profile
	}
	set.Query = strings.Join(termsOf(o.Query), " ")
	if set.Profile == "" && set.Query == "" {
		return ""
	}
	text, err := json.Marshal(set)
	if err != nil {
		panic(err) // strings always encode
	}
	return string(text)
}

// View is a page as indented lines.
type View struct {
	Text string   // lines joined with "\n"
	UIDs []string // those that stand in Text, in its order
}

// slack is how much indentation may outweigh a payload before it is declined.
const slack = 1 << 20

// View renders the page. The error says that the profile is unknown, or is a
// *Decline: not_smaller, when records stand so deep that their indentation alone
// would be larger than the payload by a MiB or more.
func (p *Page) View(o Options) (*View, error) {
	if o.Profile != "" && o.Profile != fullProfile {
		return nil, fmt.Errorf("unknown profile %q", o.Profile)
	}
	var l lines
	if terms := termsOf(o.Query); len(terms) > 0 {
		l = p.find(terms)
		if l == nil {
			v := p.render(lines{0: {record: p.first()}}, false)
			v.Text += "\n  note \"no accessible match\""
			return v, nil
		}
	} else {
		l = p.all()
	}
	indent := 0
	for _, line := range l {
		indent += 2 * int(line.depth)
	}
	if indent > len(p.tree.src)+slack {
		return nil, decline(ReasonNotSmaller, "%d bytes of indentation", indent)
	}
	return p.render(l, true), nil
}

// lines are the records that a view shows, in page order.
type lines []line

type line struct {
	record int32
	depth  int32
}

// all shows every record but the repeated texts.
func (p *Page) all() lines {
	l := make(lines, 0, len(p.records))
	for i := range p.records {
		if r := &p.records[i]; !r.repeat {
			l = append(l, line{int32(i), r.depth})
		}
	}
	return l
}

// first is the first record shown; there always is one, as a repeated text has a
// record that says it.
func (p *Page) first() int32 {
	for i := range p.records {
		if !p.records[i].repeat {
			return int32(i)
		}
	}
	panic("a page without records is declined")
}

func (p *Page) render(l lines, uids bool) *View {
	var text strings.Builder
	text.Grow(64 * len(l))
	type span struct{ from, to int }
	var spans []span // of the uids in text
	var b []byte
	for i, line := range l {
		r := &p.records[line.record]
		b = b[:0]
		if i > 0 {
			b = append(b, '\n')
		}
		for range line.depth {
			b = append(b, "  "...)
		}
		if uids && r.nth > 0 {
			b = append(b, '[')
			from := len(b)
			b = p.appendUID(b, r)
			spans = append(spans, span{text.Len() + from, text.Len() + len(b)})
			b = append(b, "] "...)
		}
		b = p.appendItem(b, r)
		if k, ok := p.below[line.record]; ok {
			b = appendFrame(b, &p.Frames[k], p.Frames[r.frame].Origin)
		}
		text.Write(b)
	}
	v := &View{Text: text.String(), UIDs: make([]string, len(spans))}
	for i, s := range spans {
		v.UIDs[i] = v.Text[s.from:s.to]
	}
	return v
}

// appendItem appends a line from the role on.
func (p *Page) appendItem(b []byte, r *record) []byte {
	role := &p.tree.roles[r.role]
	b = append(b, role.printed...)
	if r.name != "" {
		b = appendQuote(append(b, ' '), r.name)
	}
	if r.value != "" && r.value != r.name {
		b = appendQuote(append(b, " = "...), r.value)
	}
	if role.kind&staticText != 0 || r.state&printed == 0 {
		return b
	}
	b = append(b, ' ')
	before := byte('{')
	for _, s := range printedStates {
		if r.state&s.state != 0 {
			b = append(append(b, before), s.label...)
			before = ','
		}
	}
	return append(b, '}')
}

// appendFrame appends what an iframe's line says of the frame in it: its origin,
// when it is not the page's around it, and why it was not read.
func appendFrame(b []byte, f *Frame, around string) []byte {
	if f.Origin != "" && f.Origin != around {
		if isOrigin(f.Origin) {
			b = append(append(b, ' '), f.Origin...)
		} else {
			b = append(appendQuote(append(b, " (origin "...), f.Origin), ')')
		}
	}
	if f.Err != "" {
		b = append(b, " (not read: "...)
		if isCode(f.Err) {
			b = append(b, f.Err...)
		} else {
			b = appendQuote(b, f.Err)
		}
		b = append(b, ')')
	}
	return b
}

// isCode says that a reason may print without quotes.
func isCode(s string) bool { return isWord(s) && strings.ToLower(s) == s }

// isOrigin says that an origin may print without quotes: "null" or scheme://host.
func isOrigin(s string) bool {
	scheme, host, found := strings.Cut(s, "://")
	return s == "null" || found && isCode(scheme) && host != "" &&
		strings.Trim(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]") == ""
}

// appendQuote is strconv.AppendQuote, which most text needs for its quotes alone.
func appendQuote(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return strconv.AppendQuote(b, s)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// appendUID appends a record's uid: the session's ordinal, the node, and a count
// from the second with the same on.
func (p *Page) appendUID(b []byte, r *record) []byte {
	if session := p.Frames[r.frame].Session; session != 0 {
		b = strconv.AppendInt(append(b, 'f'), int64(session), 10)
	}
	b = strconv.AppendInt(append(b, 'u'), p.tree.nodes[r.node].backend, 36)
	if r.nth > 1 {
		b = strconv.AppendInt(append(b, '_'), int64(r.nth), 10)
	}
	return b
}
