package compressor

// Table is a table, grid or treegrid; tables that only lay a page out are none.
type Table struct {
	Label          string `json:"label"`   // its name or caption
	Headers        []Cell `json:"headers"` // the first row, when it is one of column headers; then it is not in rows
	Rows           []Row  `json:"rows"`
	RowCount       int    `json:"rowCount"`    // rows without the one of headers
	ColumnCount    int    `json:"columnCount"` // cells of the longest row
	RowsTruncated  bool   `json:"rowsTruncated,omitempty"`
	CellsTruncated bool   `json:"cellsTruncated,omitempty"` // of headers
	TextTruncated  bool   `json:"textTruncated,omitempty"`  // of label
}

// Row is a row of a table.
type Row struct {
	UID            string `json:"uid,omitempty"` // of a row that can be clicked or focused
	Cells          []Cell `json:"cells"`
	CellsTruncated bool   `json:"cellsTruncated,omitempty"`
}

// Cell is a cell of a row: the text that stands in it, and the uids of itself and
// the controls in it that can be acted on.
type Cell struct {
	Text          string   `json:"text"`
	UIDs          []string `json:"uids,omitempty"`
	UIDsTruncated bool     `json:"uidsTruncated,omitempty"`
	TextTruncated bool     `json:"textTruncated,omitempty"`
}

// grids collects which rows and cells belong to which table.
type grids struct {
	*skeleton
	table, row []int32 // around a record, or itself
	tables     []int32
	rows       map[int32][]int32 // by table
	cells      map[int32][]int32 // by row
	captions   map[int32]int32   // by table
}

func (o *skeleton) tables() (tables []Table, truncated bool) {
	g := &grids{
		skeleton: o, table: make([]int32, len(o.records)), row: make([]int32, len(o.records)),
		rows: map[int32][]int32{}, cells: map[int32][]int32{}, captions: map[int32]int32{},
	}
	for i := range o.records {
		g.take(int32(i))
	}
	tables = []Table{}
	for _, i := range most(g.tables, maxTables, &truncated) {
		tables = append(tables, g.build(i))
	}
	return tables, truncated
}

func (g *grids) take(i int32) {
	table, row := int32(none), int32(none)
	if up := g.above(i); up != none {
		table, row = g.table[up], g.row[up]
	}
	switch g.role(i) {
	case "table", "grid", "treegrid":
		table, row = i, none
		g.tables = append(g.tables, i)
	case "row":
		if table != none {
			row = i
			g.rows[table] = append(g.rows[table], i)
		}
	case "cell", "gridcell", "columnheader", "rowheader":
		if row != none {
			g.cells[row] = append(g.cells[row], i)
		}
	case "caption":
		if _, known := g.captions[table]; !known && table != none {
			g.captions[table] = i
		}
	}
	g.table[i], g.row[i] = table, row
}

func (g *grids) build(table int32) Table {
	t := Table{Headers: []Cell{}, Rows: []Row{}}
	label := g.records[table].name
	if caption, ok := g.captions[table]; ok && label == "" {
		label = g.textOf(caption)
	}
	t.Label = bound(label, &t.TextTruncated)
	rows := g.rows[table]
	for _, row := range rows {
		t.ColumnCount = max(t.ColumnCount, len(g.cells[row]))
	}
	if len(rows) > 0 && g.isHeader(g.cells[rows[0]]) {
		t.Headers = g.buildCells(g.cells[rows[0]], &t.CellsTruncated)
		rows = rows[1:]
	}
	t.RowCount = len(rows)
	for _, row := range most(rows, maxRows, &t.RowsTruncated) {
		r := Row{}
		if g.acts(row) {
			r.UID = g.uid(row)
		}
		r.Cells = g.buildCells(g.cells[row], &r.CellsTruncated)
		t.Rows = append(t.Rows, r)
	}
	return t
}

// isHeader says that cells are column headers, but for empty corners.
func (g *grids) isHeader(cells []int32) bool {
	headers := false
	for _, i := range cells {
		if g.role(i) == "columnheader" {
			headers = true
		} else if g.textOf(i) != "" {
			return false
		}
	}
	return headers
}

func (g *grids) buildCells(list []int32, truncated *bool) []Cell {
	cells := []Cell{}
	for _, i := range most(list, maxCells, truncated) {
		c := Cell{}
		text := g.textOf(i)
		if text == "" {
			text = g.records[i].name
		}
		c.Text = bound(text, &c.TextTruncated)
		g.each(i, func(i int32) bool {
			if uid := g.uid(i); uid != "" && g.acts(i) {
				if len(c.UIDs) == maxCells {
					c.UIDsTruncated = true
				} else {
					c.UIDs = append(c.UIDs, uid)
				}
			}
			return !c.UIDsTruncated && g.field[i] != i // a field's options are no controls of the cell
		})
		cells = append(cells, c)
	}
	return cells
}

// acts says that a record does something when it is clicked or typed into.
func (o *skeleton) acts(i int32) bool {
	return o.kind(i)&control != 0 || o.field[i] == i || o.records[i].state&(focusable|clickable) != 0
}
