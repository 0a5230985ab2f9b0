package compressor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// axNode is what encoding/json decodes the fields that are read into.
type axNode struct {
	NodeID      string   `json:"nodeId"`
	ParentID    string   `json:"parentId"`
	Ignored     bool     `json:"ignored"`
	Role        *axValue `json:"role"`
	Name        *axValue `json:"name"`
	Value       *axValue `json:"value"`
	Description *axValue `json:"description"`
	Properties  []struct {
		Name  string   `json:"name"`
		Value *axValue `json:"value"`
	} `json:"properties"`
	ChildIDs         []string `json:"childIds"`
	BackendDOMNodeID int64    `json:"backendDOMNodeId"`
	FrameID          string   `json:"frameId"`
}

type axValue struct {
	Value json.RawMessage `json:"value"`
}

// tablePayload is a table as Chromium gives it: per row a cell with a link, one
// with a button and one with text, 27 nodes of about 430 bytes.
func tablePayload(rows int) []byte {
	const source = `{"type":"relatedElement","attribute":"aria-labelledby"},{"type":"attribute","attribute":"aria-label"}`
	var b bytes.Buffer
	node := func(id, parent int, role, name, properties string, children ...int) {
		ids := make([]string, len(children))
		for i, child := range children {
			ids[i] = fmt.Sprintf("%q", fmt.Sprint(child))
		}
		if b.Len() > len(`{"nodes":[`) {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"nodeId":"%d","ignored":false,"role":{"type":"role","value":%q},"chromeRole":{"type":"internalRole","value":27},`+
			`"name":{"type":"computedString","value":%q,"sources":[%s,{"type":"contents","value":{"type":"computedString","value":%q}}]},`+
			`"properties":[%s],"parentId":"%d","childIds":[%s],"backendDOMNodeId":%d}`,
			id, role, name, source, name, properties, parent, strings.Join(ids, ","), id)
	}
	const focusable = `{"name":"focusable","value":{"type":"booleanOrUndefined","value":true}}`
	b.WriteString(`{"nodes":[`)
	ids := make([]int, rows)
	for row := range rows {
		ids[row] = 10 + 16*row
	}
	node(1, 0, "RootWebArea", "Orders", focusable, 2)
	node(2, 1, "table", "Orders awaiting review", "", ids...)
	for row, id := range ids {
		order := fmt.Sprintf("ORD-%06d", row)
		node(id, 2, "row", "", "", id+1, id+5, id+9)
		node(id+1, id, "cell", order, "", id+2)
		node(id+2, id+1, "link", order, focusable, id+3)
		node(id+3, id+2, "StaticText", order, "", id+4)
		node(id+4, id+3, "InlineTextBox", order, "")
		node(id+5, id, "cell", "Review “now”", "", id+6)
		node(id+6, id+5, "button", "Review", focusable, id+7)
		node(id+7, id+6, "StaticText", "Review", "", id+8)
		node(id+8, id+7, "InlineTextBox", "Review", "")
		node(id+9, id, "cell", "Customer of order "+order, "", id+10)
		node(id+10, id+9, "StaticText", "Customer of order "+order, "", id+11)
		node(id+11, id+10, "InlineTextBox", "Customer of order "+order, "")
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// benchPayloads are a table, and the corpus' pages joined to one where it is at hand.
func benchPayloads(b *testing.B) map[string][]byte {
	payloads := map[string][]byte{"table": tablePayload(1000)}
	if dir := os.Getenv("HANDRAIL_CORPUS"); dir != "" {
		files, err := filepath.Glob(filepath.Join(dir, "pages", "docs__*.f0.json.gz"))
		if err != nil {
			b.Fatal(err)
		}
		for _, file := range files {
			name, _, _ := strings.Cut(filepath.Base(file), ".")
			payloads[name] = gunzip(b, file)
		}
	}
	return payloads
}

// BenchmarkRead sets reading beside encoding/json decoding the same fields of the
// same payload: the parser alone, all records, and records with view and targets.
func BenchmarkRead(b *testing.B) {
	for name, payload := range benchPayloads(b) {
		bench := func(what string, run func() error) {
			b.Run(name+"/"+what, func(b *testing.B) {
				b.SetBytes(int64(len(payload)))
				b.ReportAllocs()
				for b.Loop() {
					if err := run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		bench("encoding-json", func() error {
			var tree struct{ Nodes []axNode }
			return json.Unmarshal(payload, &tree)
		})
		bench("parse", func() error {
			if d := newPage(payload).read(); d != nil {
				return d
			}
			return nil
		})
		bench("read", func() error {
			_, err := Read(payload)
			return err
		})
		bench("view", func() error {
			p, err := Read(payload)
			if err != nil {
				return err
			}
			_, err = p.View(Options{})
			return err
		})
		bench("targets", func() error {
			p, err := Read(payload)
			if err == nil {
				p.Targets()
			}
			return err
		})
	}
}

// BenchmarkGrowth shows that time and memory for a node do not depend on how many
// there are. Small payloads come in copies, so that none is met in the cache.
func BenchmarkGrowth(b *testing.B) {
	const uncached = 64 << 20
	for _, rows := range []int{83, 8333, 83333} {
		payloads := [][]byte{tablePayload(rows)}
		for len(payloads)*len(payloads[0]) < uncached {
			payloads = append(payloads, bytes.Clone(payloads[0]))
		}
		nodes := float64(12*rows + 2)
		b.Run(fmt.Sprintf("nodes=%.0f", nodes), func(b *testing.B) {
			b.ReportAllocs()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for b.Loop() {
				for _, payload := range payloads {
					p, err := Read(payload)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := p.View(Options{}); err != nil {
						b.Fatal(err)
					}
				}
			}
			runtime.ReadMemStats(&after)
			all := float64(b.N*len(payloads)) * nodes
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/all, "ns/node")
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/all, "B/node")
		})
	}
}
