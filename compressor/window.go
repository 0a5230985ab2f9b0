package compressor

import (
	"fmt"
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
	start := strings.LastIndexByte(v.Text[:offset], '\n') + 1
	if start < offset && l.holds(v.Text[start:min(lineEnd(v.Text, start)+1, len(v.Text))]) {
		offset = start
	}
	for offset < len(v.Text) && !utf8.RuneStart(v.Text[offset]) {
		offset--
	}
	w.Offset = offset
	rest := v.Text[offset:]
	if w.Text = rest; l.fits(rest) {
		return w.capped(l)
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
	if end == offset { // a line larger than the window
		room := l
		room.spend(v.Text[tail:])
		line := v.Text[offset:lineEnd(v.Text, offset)]
		n := room.cut(line)
		end, head = offset+n, line[:n]
		if n < len(line) {
			more = fmt.Sprintf("…+%d", utf8.RuneCountInString(line[n:]))
		} else {
			end = min(end+1, tail)
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
	if strings.HasPrefix(v.Text, "{") {
		marker = fmt.Sprintf(`{"role":"note","name":%q,"level":0}`, marker)
	}
	w.Text = head + more + "\n" + marker
	if tail < len(v.Text) {
		w.Text += "\n" + v.Text[tail:]
	}
	return w.capped(l)
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

// capped cuts a window at the hard cap.
func (w Window) capped(l Limits) Window {
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
	}
	w.Text, w.Truncated, w.Degraded = w.Text[:at], true, true
	if w.Next < 0 || w.Offset+next < w.Next {
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

// cut says how many bytes of a line there is room for, on a grapheme; one at least.
func (l Limits) cut(line string) int {
	at, state, rest := 0, -1, line
	best := 0
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if best > 0 && !l.has(at+len(cluster), line) {
			break
		}
		at += len(cluster)
		best = at
	}
	return best
}

// has says whether there is room for the first n bytes of a line. A token is a byte
// at least: counting them all again and again would take too long.
func (l Limits) has(n int, line string) bool {
	if l.Chars > 0 && n > 4*l.Chars {
		return false
	}
	if l.Chars > 0 && utf8.RuneCountInString(line[:n]) > l.Chars-markerChars {
		return false
	}
	return l.Tokens <= 0 || n <= l.Tokens-markerTokens
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
