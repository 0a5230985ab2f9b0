package extract

import (
	"fmt"
	"strings"

	"handrail/compressor"
)

// item is one row or list item of an x-each.
type item struct {
	compressor.Node
	list compressor.Node // what the x-each names
}

var (
	rows  = []string{"row", "layouttablerow"}
	cells = []string{"cell", "gridcell", "columnheader", "rowheader", "layouttablecell"}
	kinds = append([]string{"listitem", "option", "article", "treeitem"}, rows...)
	lists = []string{"list", "listbox", "feed", "tree", "rowgroup", "table", "grid", "treegrid", "layouttable"}
)

// itemsOf are the rows or list items in a list, but for those in another item:
// all that are of the first one's role.
func itemsOf(list compressor.Node) (items []compressor.Node) {
	for at := range list.Outermost(kinds...) {
		if len(items) == 0 || at.Role() == items[0].Role() {
			items = append(items, at)
		}
	}
	return items
}

// isHeader says that a row heads columns: all its cells but empty ones do.
func isHeader(row compressor.Node) bool {
	heads := false
	for at := range row.Outermost(cells...) {
		if at.Is("columnheader") {
			heads = true
		} else if at.Text() != "" {
			return false
		}
	}
	return heads
}

// inItem finds a property's node in an item: the column's cell, in that the node
// of the role; without both the item itself.
func (e *extraction) inItem(p *property, in *item) (at compressor.Node, reason string) {
	at = in.Node
	if p.column != nil {
		if at, reason = e.cell(*p.column, in); reason != "" {
			return at, reason
		}
	}
	if p.role == "" {
		return at, ""
	}
	nth := 0
	for found := range at.Inside(p.role) {
		if nth++; nth == p.nth {
			return found, ""
		}
	}
	return at, fmt.Sprintf("%d nodes of role %q stand in it", nth, clip(p.role))
}

func (e *extraction) cell(c column, in *item) (at compressor.Node, reason string) {
	var row []compressor.Node
	for cell := range in.Outermost(cells...) {
		row = append(row, cell)
	}
	if c.number == 0 {
		if c.number, reason = e.numberOf(c.header, len(row), in); reason != "" {
			return at, reason
		}
	}
	if c.number > len(row) {
		return at, fmt.Sprintf("the row has %d cells", len(row))
	}
	return row[c.number-1], ""
}

// heading is a column's header in a table, for rows of some width.
type heading struct {
	table compressor.Node
	text  string
	width int
}

// place is what a heading was found to be: the column's number, or why it has none.
type place struct {
	number int
	reason string
}

// numberOf finds a column by its header.
func (e *extraction) numberOf(header string, width int, in *item) (number int, reason string) {
	table, found := in.Table()
	if !found {
		table = in.list
	}
	h := heading{table, header, width}
	at, known := e.columns[h]
	if !known {
		at.number, at.reason = find(header, width, e.headersOf(table))
		e.columns[h] = at
	}
	return at.number, at.reason
}

// find looks for a header in header rows. A cell may span columns, which the tree
// does not tell: only a header row with as many cells as the row counts.
func find(header string, width int, headers [][]string) (number int, reason string) {
	reason = fmt.Sprintf("no column is headed %q", clip(header))
	for _, texts := range headers {
		for i, text := range texts {
			switch {
			case text != header:
			case len(texts) != width:
				reason = fmt.Sprintf("the row has %d cells, its header %d", width, len(texts))
			case number != 0 && number != i+1:
				return 0, fmt.Sprintf("several columns are headed %q", clip(header))
			default:
				number = i + 1
			}
		}
	}
	if number == 0 {
		return 0, reason
	}
	return number, ""
}

// headersOf are the texts of a table's header rows.
func (e *extraction) headersOf(table compressor.Node) [][]string {
	headers, known := e.headers[table]
	if known {
		return headers
	}
	for row := range table.Outermost(rows...) {
		if !isHeader(row) {
			continue
		}
		var texts []string
		for cell := range row.Outermost(cells...) {
			text, _ := textOf(cell, "")
			texts = append(texts, folded(text))
		}
		headers = append(headers, texts)
	}
	e.headers[table] = headers
	return headers
}

// folded is what headers are compared by.
func folded(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
