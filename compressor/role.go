package compressor

import "strconv"

// role is one role as the payload spells it.
type role struct {
	name    string // white space folded, lower case: what roles are compared by
	printed string
	kind    kind
}

// kind is a set of what the rules ask of a role.
type kind uint16

const (
	control    kind = 1 << iota // always has a uid
	structural                  // has one only when focusable or clickable
	document                    // the root of a frame: never has one
	staticText                  // goes when a record says the same; prints no state
	inlineBox                   // never a record
	label                       // no record while it says nothing
	box                         // likewise, unless focusable or clickable
	keyedItem                   // an item known by what stands in it: row, listitem, option, article
	namedItem                   // an item known by its name
	entry                       // what stands in it is no key of an item around it
	field                       // takes text
)

var kinds = map[string]kind{
	"button": control, "checkbox": control, "combobox": control | field, "link": control, "menuitem": control,
	"menuitemcheckbox": control, "menuitemradio": control, "option": control | keyedItem, "radio": control,
	"searchbox": control | field, "slider": control, "spinbutton": control | field, "switch": control, "tab": control,
	"textbox": control | field, "treeitem": control,

	"rootwebarea": document, "webarea": document,

	"main": structural, "navigation": structural, "region": structural | namedItem, "group": structural | namedItem,
	"generic": structural | box, "none": structural | box, "presentational": structural | box, "heading": structural,
	"paragraph": structural, "statictext": structural | staticText, "inlinetextbox": structural | inlineBox,
	"labeltext": structural | label, "list": structural, "listitem": structural | keyedItem | entry, "table": structural,
	"row": structural | keyedItem | entry, "cell": structural, "rowheader": structural, "columnheader": structural,
	"grid": structural, "tree": structural, "directory": structural, "separator": structural, "toolbar": structural,
	"banner": structural, "complementary": structural, "contentinfo": structural,
	"article": structural | keyedItem | entry, "figure": structural, "img": structural, "image": structural,
	"form": structural | namedItem, "status": structural, "alert": structural, "log": structural, "timer": structural,
	"tooltip": structural, "document": structural,

	"radiogroup": namedItem, "dialog": namedItem,

	// A row of a table that Chromium takes for layout: it has a record all the same.
	"layouttablerow": keyedItem | entry,

	// A row of a table that Chromium takes for layout: it has a record all the same.
}

// renamed are the roles that a view prints under another name.
var renamed = map[string]string{"rootwebarea": "page", "webarea": "page", "statictext": "text", "labeltext": "label"}

// newRole makes a role of its folded text.
func newRole(text, lower string) role {
	r := role{name: lower, printed: lower, kind: kinds[lower]}
	if !isWord(text) {
		r.printed = strconv.Quote(lower)
	} else if to, ok := renamed[lower]; ok {
		r.printed = to
	}
	return r
}

// isWord says that a role may print without quotes.
func isWord(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case i > 0 && ('0' <= c && c <= '9' || c == '_' || c == '-'):
		default:
			return false
		}
	}
	return 0 < len(s) && len(s) <= 64
}
