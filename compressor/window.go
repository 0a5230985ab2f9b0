package compressor

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"handrail/compressor/tokens"
)

// Limits bound how much of a view is given at once. The tightest wins; 0 is none.
type Limits struct {
	Chars  int // characters of a window
	Tail   int // characters of the view's end that every window carries
	Tokens int // of a window
	Max    int // characters, a hard cap: what is over is cut off
}

// DefaultLimits are those of live snapshots: many clients take 25,000 tokens at most.
var DefaultLimits = Limits{Chars: 80_000, Tail: 5_000, Tokens: 20_000}

// Window is a part of a view: its head from an offset on, a line that says what is
// left out, and its tail (docs/FORMAT.md, Windows).
type Window struct {
	Text       string
	Offset     int  // where it begins, in bytes of the view
	Next       int  // offset of the next one, -1 at the end
	TotalChars int  // characters of the whole view
	Truncated  bool // something is left out
	Degraded   bool // the hard cap cut it
}

// What the marker line takes, at most.
const (
	markerChars  = 200
	markerTokens = 60
)

// Window gives the window of a view that begins at an offset. Inside a line it begins
// at that line's start, unless the line is larger than a window.
func (v *View) Window(offset int, l Limits) Window {
	offset = max(0, min(offset, len(v.Text)))
	w := Window{Next: -1, TotalChars: utf8.RuneCountInString(v.Text)}
	isJSON := strings.HasPrefix(v.Text, "{") // its lines are never cut: half an object is none
	start := strings.LastIndexByte(v.Text[:offset], '\n') + 1
	inside := false // a quoted text
	if start < offset {
		if isJSON || l.holds(v.Text[start:min(lineEnd(v.Text, start)+1, len(v.Text))]) {
			offset = start
		} else {
			var n int
			n, inside = cutAt(v.Text[start:], offset-start)
			offset = start + n
		}
	}
	w.Offset = offset
	rest := v.Text[offset:]
	before := ""
	if inside {
		before = `…"`
	}
	if w.Text = before + rest; l.fits(w.Text) {
		return w.capped(l, before)
	}
	w.Truncated = true
	tail := v.tail(offset, l)
	if first := lineEnd(v.Text, offset); first < tail && !l.holds(v.Text[offset:first+1]+v.Text[tail:]) && l.holds(v.Text[offset:first+1]) {
		tail = len(v.Text) // else there would be no room for the first line
	}
	room := l
	room.spend(v.Text[tail:])
	end := offset
	for end < tail {
		next := min(lineEnd(v.Text, end)+1, tail)
		if !room.spend(v.Text[end:next]) {
			break
		}
		end = next
	}
	head, more := v.Text[offset:end], ""
	if next := lineEnd(v.Text, end); end < tail && (end == offset || !isJSON && !l.holds(v.Text[end:next])) {
		// A line larger than a window: it is cut into what room is left.
		line := v.Text[end:next]
		n, quoted := len(line), false
		if !isJSON {
			n, quoted = room.cut(line, end == offset, inside && end == offset)
		}
		head += line[:n]
		if end += n; n == len(line) {
			end = min(end+1, tail)
		} else if n > 0 {
			more = `"`
			if !quoted {
				head, more = strings.TrimSuffix(strings.TrimSuffix(head, " · "), " | "), " "
			}
			more += fmt.Sprintf("…+%d", utf8.RuneCountInString(line[n:]))
		}
	}
	head = strings.TrimSuffix(head, "\n")
	left := v.Text[end:tail]
	limit := fmt.Sprintf("%d characters", l.Chars)
	if l.Chars == 0 || l.Tokens > 0 && tokens.CountString(rest[:min(len(rest), l.Chars)]) > l.Tokens {
		limit = fmt.Sprintf("%d tokens", l.Tokens)
	}
	w.Next = end
	line := strings.LastIndexByte(v.Text[:end], '\n') + 1
	controls := controlsIn(v.Text[line:tail]) - controlsIn(v.Text[line:end])
	marker := fmt.Sprintf("… %d characters, %d controls left out by the limit of %s, next offset %d", utf8.RuneCountInString(left), controls, limit, end)
	if isJSON {
		marker = fmt.Sprintf(`{"role":"note","name":%q,"level":0}`, marker)
	}
	w.Text = before + head + more + "\n" + marker
	if tail < len(v.Text) {
		w.Text += "\n" + v.Text[tail:]
	}
	return w.capped(l, before)
}

// Page gives the nth window, from 1 on; ok is false past the end, where pages says
// how many there are.
func (v *View) Page(n int, l Limits) (w Window, pages int, ok bool) {
	for offset := 0; ; offset = w.Next {
		w = v.Window(offset, l)
		if pages++; pages == n {
			return w, pages, true
		}
		if w.Next < 0 {
			return w, pages, false
		}
	}
}

// capped cuts a window at the hard cap. before is what the window has in front of
// the view's own text.
func (w Window) capped(l Limits, before string) Window {
	if l.Max <= 0 || utf8.RuneCountInString(w.Text) <= l.Max {
		return w
	}
	at := 0
	for range l.Max {
		_, n := utf8.DecodeRuneInString(w.Text[at:])
		at += n
	}
	next := at
	if line := strings.LastIndexByte(w.Text[:at+1], '\n'); line > 0 {
		at, next = line, line+1
	} else {
		line, end := w.Text, lineEnd(w.Text, 0)
		for at, _ = cutAt(line[:end], at); at <= len(before) && next < end; next++ {
			at, _ = cutAt(line[:end], next+1)
		}
		if at <= len(before) {
			at = end
		}
		if at == len(line) {
			return w // nothing of it can be cut
		}
		next = at
		if next == end {
			next = min(end+1, len(line))
		}
	}
	w.Text, w.Truncated, w.Degraded = w.Text[:at], true, true
	if next -= len(before); w.Next < 0 || w.Offset+next < w.Next {
		w.Next = w.Offset + next
	}
	return w
}

// tail is where the view's end begins that every window carries: whole lines, at
// most a quarter of what a window holds.
func (v *View) tail(offset int, l Limits) int {
	at := len(v.Text)
	if l.Tail <= 0 {
		return at
	}
	room := Limits{Chars: l.Tail + markerChars}
	if l.Chars > 0 {
		room.Chars = min(l.Tail, l.Chars/4) + markerChars
	}
	if l.Tokens > 0 {
		room.Tokens = l.Tokens/4 + markerTokens
	}
	for at > offset {
		start := strings.LastIndexByte(v.Text[:max(at-1, 0)], '\n') + 1
		if start <= offset || !room.spend(v.Text[start:at]) {
			break
		}
		at = start
	}
	return at
}

func lineEnd(text string, from int) int {
	if n := strings.IndexByte(text[from:], '\n'); n >= 0 {
		return from + n
	}
	return len(text)
}

// fits says that a text is within the limits.
func (l Limits) fits(text string) bool {
	if l.Chars > 0 && len(text) > l.Chars && utf8.RuneCountInString(text) > l.Chars {
		return false
	}
	return l.Tokens <= 0 || len(text) <= l.Tokens || tokens.CountString(text) <= l.Tokens
}

// holds says that a window has room for a text beside the marker.
func (l Limits) holds(text string) bool {
	return (l.Max <= 0 || utf8.RuneCountInString(text) <= l.Max) && l.spend(text)
}

// spend takes a text's size off what is left, room for the marker kept, and says
// whether there was enough.
func (l *Limits) spend(text string) bool {
	after := *l
	if l.Chars > 0 {
		if after.Chars -= utf8.RuneCountInString(text); after.Chars < markerChars {
			return false
		}
	}
	if l.Tokens > 0 {
		if after.Tokens -= tokens.CountString(text); after.Tokens < markerTokens {
			return false
		}
	}
	*l = after
	return true
}

// leastPiece is the least part of a line, in bytes, that is worth a cut.
const leastPiece = 400

// cut says how many bytes of a line there is room for, and whether that ends inside
// a quoted text. A window that holds nothing else takes something of it in any case.
func (l Limits) cut(line string, must, inside bool) (n int, quoted bool) {
	n = len(line)
	if l.Chars > 0 {
		n = 0
		for room := l.Chars - markerChars; room > 0 && n < len(line); room-- {
			_, size := utf8.DecodeRuneInString(line[n:])
			n += size
		}
	}
	if l.Tokens > 0 {
		low, high := 0, n // as much as there are tokens for
		for high-low > 16 {
			if middle := (low + high) / 2; tokens.CountString(line[:middle]) <= l.Tokens-markerTokens {
				low = middle
			} else {
				high = middle
			}
		}
		n = low
	}
	if n < leastPiece && !must {
		return 0, false
	}
	opening := ""
	if inside {
		opening = `"`
	}
	at, quoted := cutAt(opening+line, n+len(opening))
	if at -= len(opening); at > 0 {
		return at, quoted
	}
	if !must {
		return 0, false
	}
	// Nothing but one unit: it is not cut.
	for n = max(n, 1); n < len(line); n++ {
		if at, quoted = cutAt(opening+line, n+len(opening)); at > len(opening) {
			return at - len(opening), quoted
		}
	}
	return len(line), false
}

// cutAt is the last place up to n at which a line may be cut: behind what separates
// two items, or in a quoted text between two graphemes as the page has them. It says
// whether the place is in a quoted text.
func cutAt(line string, n int) (at int, quoted bool) {
	const lookBack = 256
	var units []int // where the last characters of the quoted text begin
	i, between := 0, 0
	for i < min(n, len(line)) {
		size := 1
		switch rest := line[i:]; {
		case quoted && line[i] == '"':
			quoted, units, at = false, units[:0], between
		case quoted:
			units = append(units, i)
			if len(units) > 2*lookBack {
				units = append(units[:0], units[lookBack:]...)
			}
			if size = 1; line[i] != '\\' {
				_, size = utf8.DecodeRuneInString(rest)
			} else if _, _, tail, err := strconv.UnquoteChar(rest, '"'); err == nil {
				size = len(rest) - len(tail)
			}
		case line[i] == '"':
			quoted = true
			at = i + 1
		case strings.HasPrefix(rest, " · "):
			size = len(" · ")
		case strings.HasPrefix(rest, " | "):
			size = len(" | ")
		}
		if i+size > n {
			break
		}
		if i += size; !quoted && size > 1 {
			at, between = i, i
		}
	}
	if !quoted {
		return between, false
	}
	if i < len(line) && line[i] != '"' && (len(units) == 0 || units[len(units)-1] != i) {
		units = append(units, i) // does what comes next belong to what was there?
	}
	var text strings.Builder
	var starts []int // of each decoded byte's unit
	for _, unit := range units {
		c, _, _, err := strconv.UnquoteChar(line[unit:], '"')
		if err != nil {
			c = utf8.RuneError
		}
		for range utf8.RuneLen(c) {
			starts = append(starts, unit)
		}
		text.WriteRune(c)
	}
	rest, state, decoded := text.String(), -1, 0
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if decoded += len(cluster); decoded < len(starts) && starts[decoded] <= i && starts[decoded] > at {
			at = starts[decoded]
		} else if decoded == len(starts) && i < len(line) && rest == "" && line[i] == '"' {
			at = i
		}
	}
	return at, true
}

// controlsIn counts the items with a uid in a part of a view that begins with a line.
func controlsIn(text string) int {
	if strings.HasPrefix(text, "{") {
		return strings.Count(text, `{"uid":"`) // within a string the quotes would be escaped
	}
	n, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == '\n':
			quoted = false
		case c == '[' && !quoted && i+1 < len(text) && (text[i+1] == 'u' || text[i+1] == 'f'):
			n++
		}
	}
	return n
}
