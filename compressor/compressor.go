// Package compressor turns accessibility trees as Chromium gives them into
// indented lines that a language model reads at a fraction of the tokens.
//
// It is a pure function of the payload and the options: no clock, no I/O, no
// random order, so the same input gives the same bytes. Nothing of a page can
// forge a line, a uid or a state of the view: all that comes from it is quoted.
// Memory and time grow with the payload and with nothing else; depth and cycles
// are no danger. What is no AX tree is declined with a Reason, never guessed at.
//
// Read a payload, then ask the page for a View, by a profile as Balanced, and the view
// for a Window of it; Search the page, summarize its Structure, or Diff it with another.
// Each has an example. The package needs neither cgo nor a store and may be imported
// alone; handrail/compressor/extract gives data by a schema.
//
// The payload shapes, the view's grammar and all rules are in docs/FORMAT.md.
package compressor

import (
	"fmt"
	"unsafe"
)

// Shape is one of the three forms of a payload.
type Shape string

const (
	ShapeArray  Shape = "array"  // [node, …]
	ShapeObject Shape = "object" // {"nodes":[node, …]}
	ShapeBundle Shape = "bundle" // {"v":1,"frames":[…],…}, what the extension sends
)

// Page is a payload that was read: its frames and their records.
type Page struct {
	Shape  Shape
	Frames []Frame // in payload order; one for an array or object

	// What a bundle says of itself; zero for the other shapes.
	Capture    string
	Tab        int
	URL, Title string
	Time       int64 // Unix ms
	Complete   bool
	Redacted   int // values blanked because they are secret

	tree     tree
	layouts  map[int]layout  // by session ordinal
	root     int             // index of the root frame
	records  []record        // in page order
	below    map[int32]int32 // record of an iframe → frame under it
	index    *index          // nil until a node is asked for
	revealed map[int32]bool  // records of secret fields whose values were read for this view alone
}

// Frame is one document of a page.
type Frame struct {
	ID       string // CDP frameId
	Parent   string // ID of the frame around it
	TargetID string // CDP target of its session; "" is the tab's own
	LoaderID string // the document
	URL      string
	Origin   string
	Session  int    // ordinal of its CDP session; 0 is the tab's own
	Err      string // why it has no records; "" when it has

	owner    int64 // backendDOMNodeId of its iframe, in the parent's session
	listed   bool  // nodes is an array of objects
	array    raw   // nodes as received
	from, to int32 // its nodes in tree.nodes
}

// Read parses a payload into frames and records. The error is a *Decline.
//
// The page's strings are cut from the payload, not copied: the caller must not
// change it while the page, or a string it gave out, is in use.
func Read(payload []byte) (*Page, error) {
	p := newPage(payload)
	if d := p.read(); d != nil {
		return nil, d
	}
	if d := p.check(); d != nil {
		return nil, d
	}
	p.walk()
	return p, nil
}

func newPage(payload []byte) *Page {
	p := &Page{Shape: ShapeArray}
	// The one conversion without a copy; Read's promise makes it sound.
	p.tree.reader = newReader(unsafe.String(unsafe.SliceData(payload), len(payload)), payload)
	return p
}

// Nodes counts the live nodes: those that are not ignored, in the frames that were read.
func (p *Page) Nodes() int {
	n := 0
	for _, f := range p.Frames {
		if f.Err != "" {
			continue
		}
		for i := f.from; i < f.to; i++ {
			if p.tree.nodes[i].live() {
				n++
			}
		}
	}
	return n
}

// FrameNodes returns the node array of frame k as it stands in the payload, and
// false when there is no such frame or it has none.
func (p *Page) FrameNodes(k int) ([]byte, bool) {
	if k < 0 || k >= len(p.Frames) || p.Frames[k].array == "" {
		return nil, false
	}
	return []byte(p.Frames[k].array), true
}

func decline(reason Reason, format string, args ...any) *Decline {
	return &Decline{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}
