package compressor

import (
	"net/url"
	"strings"
	"unicode"
)

// hint tells a control without a readable name from its neighbours, "" when nothing does:
// its title, alternative text or description, words of its icon, where it leads.
// It never stands in place of the name.
func (p *Page) hint(r *record) string {
	f, n := &p.Frames[r.frame], &p.tree.nodes[r.node]
	m, a := p.tree.more(n), p.attributes(f, n)
	for _, text := range []string{a.title, a.alt, m.description, a.placeholder} {
		if text != "" {
			return text
		}
	}
	for _, text := range []string{a.icon, a.class, a.id, a.name} {
		if words := iconWords(text); words != "" {
			return words
		}
	}
	return urlTail(m.url)
}

// isGlyph says that a name is empty or of an icon font, whose characters are private.
func isGlyph(name string) bool {
	return strings.IndexFunc(name, func(c rune) bool { return !unicode.Is(unicode.Co, c) && c != ' ' }) < 0
}

// iconNoise are words of classes and ids that say how and not what.
var iconNoise = map[string]bool{
	"fa": true, "fas": true, "far": true, "fab": true, "fal": true, "fad": true, "icon": true, "icons": true, "ico": true, "btn": true, "button": true,
	"svg": true, "glyphicon": true, "bi": true, "mdi": true, "ti": true, "ri": true, "lucide": true, "feather": true, "material": true, "symbols": true,
	"outlined": true, "rounded": true, "sharp": true, "solid": true, "regular": true, "img": true, "image": true, "sprite": true, "sm": true, "md": true,
	"lg": true, "xl": true, "fw": true, "link": true, "control": true, "wrapper": true, "container": true, "inner": true, "item": true, "primary": true,
	"secondary": true, "default": true, "clickable": true, "round": true, "small": true, "large": true, "ng": true, "scope": true, "css": true, "js": true,
}

// iconWords gives what the words of a class or an id say, three at most: "fa fa-trash" says trash.
func iconWords(text string) string {
	var words []string
	for _, word := range strings.Fields(strings.ToLower(spaced(text))) {
		if len(words) == 3 {
			break
		}
		if len(word) < 2 || len(word) > 24 || iconNoise[word] || strings.IndexFunc(word, unicode.IsDigit) >= 0 {
			continue
		}
		if len(words) == 0 || words[len(words)-1] != word {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// spaced puts spaces between the words of an identifier.
func spaced(text string) string {
	var b strings.Builder
	before := ' '
	for _, c := range text {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			c = ' '
		case unicode.IsUpper(c) && unicode.IsLower(before):
			b.WriteByte(' ')
		}
		b.WriteRune(c)
		before = c
	}
	return b.String()
}

// urlTail gives the last words of an address's path.
func urlTail(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "javascript" || u.Scheme == "data" {
		return ""
	}
	parts := strings.FieldsFunc(u.Path, func(c rune) bool { return c == '/' })
	if len(parts) == 0 {
		return u.Host
	}
	if tail := foldString(parts[len(parts)-1]); tail != "" && len(tail) <= 80 {
		return tail
	}
	return ""
}

// shortURL is an address as it stands under its page's origin.
func shortURL(address, base string) string {
	page, err := url.Parse(base)
	if err == nil && page.Host != "" {
		if rest, ok := strings.CutPrefix(address, page.Scheme+"://"+page.Host); ok && (rest == "" || strings.ContainsRune("/?#", rune(rest[0]))) {
			if rest == "" {
				return "/"
			}
			if within, ok := strings.CutPrefix(rest, page.EscapedPath()); ok && strings.HasPrefix(within, "#") {
				return within
			}
			return rest
		}
	}
	return address
}
