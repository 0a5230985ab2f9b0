package compressor

import (
	"strconv"
	"strings"
)

// role is one role as the payload spells it.
type role struct {
	name    string // white space folded, lower case: what roles are compared by
	printed string
	kind    kind
}

// kind is a set of what the rules ask of a role.
type kind uint32

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

	// What balanced makes of a role. Without a uid …
	inline      // it stands in a text and adds nothing to it
	unprinted   // it goes, with all in it
	seeThrough  // it goes while it has no name, what is in it stays
	landmark    // it stays, whatever is in it
	solid       // it stays even while it says nothing
	fromContent // its name is made of what stands in it
	tableCell
	tableRow
	labelled // a field that a label can name
	actedOn  // it has a uid, although it neither takes the focus nor listens
	tabular  // has rows
)

var kinds = map[string]kind{
	"button": control | fromContent, "checkbox": control | labelled, "combobox": control | field | labelled, "link": control | fromContent,
	"menuitem": control | fromContent, "menuitemcheckbox": control | fromContent, "menuitemradio": control | fromContent,
	"option": control | keyedItem | fromContent, "radio": control | labelled, "searchbox": control | field | labelled,
	"slider": control | labelled, "spinbutton": control | field | labelled, "switch": control | labelled, "tab": control | fromContent,
	"textbox": control | field | labelled, "treeitem": control | fromContent,

	"rootwebarea": document, "webarea": document,

	"main": structural | landmark, "navigation": structural | landmark, "region": structural | namedItem | landmark,
	"group": structural | namedItem | seeThrough, "generic": structural | box | seeThrough, "none": structural | box | seeThrough,
	"presentational": structural | box | seeThrough, "heading": structural | fromContent, "paragraph": structural | seeThrough,
	"statictext": structural | staticText, "inlinetextbox": structural | inlineBox, "labeltext": structural | label | seeThrough,
	"list": structural | seeThrough, "listitem": structural | keyedItem | entry, "table": structural | landmark | tabular,
	"row": structural | keyedItem | entry | tableRow | fromContent, "cell": structural | tableCell | fromContent,
	"rowheader": structural | tableCell | fromContent, "columnheader": structural | tableCell | fromContent, "grid": structural | landmark | tabular,
	"tree": structural | landmark, "directory": structural | seeThrough, "separator": structural, "toolbar": structural | landmark,
	"banner": structural | landmark, "complementary": structural | landmark, "contentinfo": structural | landmark,
	"article": structural | keyedItem | entry, "figure": structural | seeThrough, "img": structural, "image": structural,
	"form": structural | namedItem | landmark, "status": structural, "alert": structural, "log": structural, "timer": structural,
	"tooltip": structural, "document": structural | seeThrough,

	"radiogroup": namedItem | labelled, "dialog": namedItem | landmark, "alertdialog": landmark, "listbox": landmark | labelled,
	"menu": landmark, "menubar": landmark, "tablist": seeThrough, "tabpanel": landmark, "search": landmark, "treegrid": landmark | tabular,

	"gridcell": tableCell | fromContent | actedOn, "rowgroup": seeThrough, "caption": seeThrough | fromContent,
	"layouttable": seeThrough | tabular, "layouttablecell": tableCell | seeThrough | fromContent,
	// A row of a table that Chromium takes for layout: it has a record all the same.
	"layouttablerow": keyedItem | entry | tableRow | fromContent,

	"strong": inline, "emphasis": inline, "code": inline, "mark": inline, "superscript": inline, "subscript": inline, "time": inline,
	"abbr": inline, "insertion": inline, "suggestion": inline, "ruby": inline, "rubyannotation": inline,

	"listmarker": unprinted, "linebreak": unprinted,

	"definition": fromContent, "term": fromContent, "descriptionlist": seeThrough, "figcaption": seeThrough | fromContent,
	"legend": seeThrough | fromContent, "sectionheader": seeThrough, "sectionfooter": seeThrough, "pre": seeThrough,
	"menulistpopup": seeThrough, "graphicsdocument": seeThrough, "graphicsobject": seeThrough, "svgroot": seeThrough,

	"canvas": solid, "video": solid, "audio": solid, "iframe": solid | actedOn, "embeddedobject": solid, "pluginobject": solid,
	"progressbar": solid, "meter": solid,
}

// kindOf is the kind of a role.
func kindOf(lower string) kind {
	if k, known := kinds[lower]; known {
		return k
	}
	if strings.HasPrefix(lower, "mathml") {
		return inline
	}
	return 0
}

// short are the roles that balanced and light print under a shorter name.
var short = map[string]string{
	"listitem": "li", "paragraph": "p", "image": "img", "columnheader": "th", "rowheader": "th", "gridcell": "cell",
	"navigation": "nav", "complementary": "aside", "contentinfo": "footer", "banner": "header", "term": "dt", "definition": "dd",
	"blockquote": "quote", "deletion": "del", "disclosuretriangle": "summary", "layouttablerow": "row", "layouttablecell": "cell", "statictext": "",
}

// renamed are the roles that a view prints under another name.
var renamed = map[string]string{"rootwebarea": "page", "webarea": "page", "statictext": "text", "labeltext": "label"}

// newRole makes a role of its folded text.
func newRole(text, lower string) role {
	r := role{name: lower, printed: lower, kind: kindOf(lower)}
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
