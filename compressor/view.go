package compressor

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Options say what a view shows. The zero value is the whole page by the base rules.
type Options struct {
	Profile string `json:"profile,omitempty"`            // "" is full, the base rules; balanced, light
	Query   string `json:"query,omitempty"`              // only what its words find; without a letter or digit it is none
	Under   string `json:"under,omitempty"`              // uid: only what stands under it, itself first
	Filter  string `json:"filter,omitempty"`             // "" is all; visible, viewport, interactive
	Handles string `json:"handles,omitempty"`            // all: headings, cells and texts have uids, too
	Depth   int    `json:"max_depth,omitempty"`          // levels shown, 0 for all
	Names   int    `json:"truncate_names_at,omitempty"`  // graphemes of a name, 0 for the profile's own limit: light 80, the others none
	Values  int    `json:"truncate_values_at,omitempty"` // of a value, 0 for none
	Text    int    `json:"truncate_text_at,omitempty"`   // of a text, 0 for none
	URLs    bool   `json:"urls,omitempty"`               // links say where they lead
	Bare    bool   `json:"no_context,omitempty"`         // light: without the headings and names that stand above
	Format  string `json:"format,omitempty"`             // "" is text; json, an object to a line
}

// The profiles.
const (
	Full     = "full"
	Balanced = "balanced"
	Light    = "light"
)

// Profiles are all profiles, the one that shows most first.
var Profiles = []string{Full, Balanced, Light}

// Formats are all formats.
var Formats = []string{"text", "json"}

// Filters are all filters.
var Filters = []string{"all", "visible", "viewport", "interactive"}

// Canonical is JSON of the options that are not defaults, "" when all are: the
// part of a recovery handle that tells one view of a payload from another. Options
// that give the same view by definition are spelt alike.
func (o Options) Canonical() string {
	o = o.plain()
	if o == (Options{}) {
		return ""
	}
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return string(text)
}

func (o Options) isFull() bool { return o.Profile == "" || o.Profile == Full }

// plain is the options with what is the same by definition spelt alike.
func (o Options) plain() Options {
	if o.Profile == Full {
		o.Profile = ""
	}
	if o.Filter == "all" {
		o.Filter = ""
	}
	if o.Format == "text" {
		o.Format = ""
	}
	o.Query = strings.Join(termsOf(o.Query), " ")
	return o
}

// ErrUnknownUID means that no node of the page has a uid.
var ErrUnknownUID = errors.New("no node of the page has this uid")

// ErrNoLayout means that a payload has no layout facts: only a capture bundle has.
var ErrNoLayout = errors.New("the payload has no layout facts: only a live capture has")

// OptionError says which option has a value that it cannot have.
type OptionError struct {
	Option, Value string
	Want          string // what there is
	Why           string // or what is wrong with the value
}

func (e *OptionError) Error() string {
	if e.Why != "" {
		return fmt.Sprintf("the %s %q is not valid: %s", e.Option, e.Value, e.Why)
	}
	return fmt.Sprintf("no %s %q: there is %s", e.Option, e.Value, e.Want)
}

// checkOptions finds options that cannot be.
func (p *Page) checkOptions(o Options) error {
	for _, c := range []struct {
		option, value string
		among         []string
	}{
		{"profile", o.Profile, Profiles}, {"filter", o.Filter, Filters}, {"handles", o.Handles, []string{"all"}}, {"format", o.Format, Formats},
	} {
		if c.value != "" && !slices.Contains(c.among, c.value) {
			return &OptionError{Option: c.option, Value: c.value, Want: strings.Join(c.among, ", ")}
		}
	}
	for _, c := range []struct {
		option string
		value  int
	}{{"max_depth", o.Depth}, {"truncate_names_at", o.Names}, {"truncate_values_at", o.Values}, {"truncate_text_at", o.Text}} {
		if c.value < 0 {
			return &OptionError{Option: c.option, Value: strconv.Itoa(c.value), Want: "0 for no limit, or a number above"}
		}
	}
	if (o.Filter == "visible" || o.Filter == "viewport") && len(p.layouts) == 0 {
		return ErrNoLayout
	}
	return nil
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
	if err := p.checkOptions(o); err != nil {
		return nil, err
	}
	if base := (Options{Profile: o.Profile, Query: o.Query}); !o.isFull() || o.plain() != base.plain() {
		return p.shown(o)
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
			origin := p.Frames[k].Origin
			if origin == p.Frames[r.frame].Origin {
				origin = ""
			}
			b = appendFrame(b, origin, p.Frames[k].Err)
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
func appendFrame(b []byte, origin, notRead string) []byte {
	if origin != "" {
		if isOrigin(origin) {
			b = append(append(b, ' '), origin...)
		} else {
			b = append(appendQuote(append(b, " (origin "...), origin), ')')
		}
	}
	if notRead != "" {
		b = append(b, " (not read: "...)
		if isCode(notRead) {
			b = append(b, notRead...)
		} else {
			b = appendQuote(b, notRead)
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
func (p *Page) appendUID(b []byte, r *record) []byte { return appendAddress(b, p.address(r)) }

func appendAddress(b []byte, a address) []byte {
	if a.session != 0 {
		b = strconv.AppendInt(append(b, 'f'), int64(a.session), 10)
	}
	b = strconv.AppendInt(append(b, 'u'), a.backend, 36)
	if a.nth > 1 {
		b = strconv.AppendInt(append(b, '_'), int64(a.nth), 10)
	}
	return b
}
