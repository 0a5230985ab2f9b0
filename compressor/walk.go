package compressor

// none stands for no node, no record or no frame where there is an index.
const none = -1

// record is one line of the view to be.
type record struct {
	frame  int32
	node   int32 // none where only an iframe that was not read is noted
	parent int32 // record it stands under
	depth  int32
	home   int32 // the node above it, or itself, that names its frame
	role   int32
	nth    int32 // 0 has no uid, 1 is the first with its uid, 2 the second …
	state  state
	repeat bool // text that another record says: not shown
	name   string
	value  string
}

// forced says that an ignored node becomes a record all the same: only layout
// knows that it can be clicked.
func (p *Page) forced(f *Frame, n *node) bool {
	return n.ignored && !n.repeat && p.facts(f, n).reachable()
}

// facts returns what layout says of a node.
func (p *Page) facts(f *Frame, n *node) facts {
	if p.layouts == nil || n.backend <= 0 {
		return 0
	}
	return p.layouts[f.Session][n.backend].facts
}

// reachable says that a node can be clicked where no role says so.
func (f facts) reachable() bool { return f&(layoutClickable|layoutHidden) == layoutClickable }

// record makes the record of a node, and says whether it is one (docs/FORMAT.md, Records).
func (p *Page) record(f *Frame, n *node) (r record, emitted bool) {
	r.role, r.state = n.role, n.state
	seen := p.facts(f, n)
	if seen&layoutClickable != 0 {
		r.state |= clickable
	}
	switch {
	case p.forced(f, n):
		r.role = p.tree.role(`"generic"`)
	case !n.live():
		return r, false
	}
	kind := p.tree.roles[r.role].kind
	if kind&inlineBox != 0 {
		return r, false
	}
	r.name, r.value = p.tree.text(n.name), p.tree.text(n.value)
	if r.name == "" && r.value == "" {
		if kind&label != 0 && r.state&printed == 0 && !seen.reachable() {
			return r, false
		}
		if kind&box != 0 && r.state&(printed&^editable|focusable|clickable) == 0 {
			return r, false
		}
	}
	return r, true
}

// hasUID says whether a node of this kind and state has a uid (docs/FORMAT.md, uids).
func hasUID(k kind, s state, backend int64) bool {
	return backend > 0 && k&document == 0 && (k&control != 0 || s&(focusable|clickable) != 0 || k&structural == 0)
}

// walk makes the records of all frames, in page order. It keeps what is still to
// do on a stack of its own, so that no depth overflows the goroutine's.
type walk struct {
	*Page
	todo   []step  // the last is next
	seen   []bool  // by node: visited, or a repeat
	listed []bool  // by node: a child of some node
	frames []place // by frame
	owned  map[owner][]int32
	said   sayings // by records other than text
	texts  []int32 // records of text
}

// step is something still to do at a place in the view.
type step struct {
	do     action
	which  int32 // the node or frame
	frame  int32
	parent int32 // record
	depth  int32
	home   int32 // node
}

type action int8

const (
	visitNode   action = iota // and then all below it
	enterFrame                // anywhere
	enterIframe               // below the record of its iframe
	sweepFrame                // visit what its roots did not reach, then enter frames whose iframe was not found
)

// place is where a frame stands.
type place struct {
	parent   int32   // the frame around it
	children []int32 // the frames in it
	top      int32   // its first record
	swept    int32   // all nodes before it were visited
	uids     *table  // how often a backendDOMNodeId gave a uid in its session
	entered  bool
}

// owner is an iframe element.
type owner struct {
	frame   int32
	backend int64
}

func (p *Page) walk() {
	w := &walk{
		Page:   p,
		seen:   make([]bool, len(p.tree.nodes)),
		texts:  make([]int32, 0, len(p.tree.nodes)/3+8),
		listed: make([]bool, len(p.tree.nodes)),
		frames: make([]place, len(p.Frames)),
		owned:  map[owner][]int32{},
		said:   sayings{numbers: make(map[string]int32, len(p.tree.nodes)/8), alsoIn: map[saying]bool{}},
	}
	p.records = make([]record, 0, len(p.tree.nodes)*3/4+8)
	p.below = map[int32]int32{}
	w.join()
	w.run(step{do: enterFrame, which: int32(p.root), parent: none})
	for k := range w.frames {
		if !w.frames[k].entered { // frames that name each other as parents
			w.run(step{do: enterFrame, which: int32(k), parent: w.frames[p.root].top, depth: 1})
		}
	}
	// Text that another record of its frame says is a repeat.
	for _, i := range w.texts {
		r := &p.records[i]
		r.repeat = w.said.has(p.tree.lower(r.name), r.frame)
	}
}

// join finds each frame's parent and iframe.
func (w *walk) join() {
	byID := map[string]int32{}
	for k := len(w.Frames) - 1; k >= 0; k-- {
		byID[w.Frames[k].ID] = int32(k) // the first of equal ones stays
	}
	uids := map[int]*table{}
	for k := range w.Frames {
		f := &w.Frames[k]
		if uids[f.Session] == nil {
			t := newTable(int(f.to - f.from))
			uids[f.Session] = &t
		}
		w.frames[k] = place{parent: none, top: none, swept: f.from, uids: uids[f.Session]}
		if k == w.root {
			continue
		}
		parent, known := byID[f.Parent]
		if !known || f.Parent == "" || parent == int32(k) {
			parent = int32(w.root)
		}
		w.frames[k].parent = parent
		if f.owner > 0 {
			o := owner{parent, f.owner}
			w.owned[o] = append(w.owned[o], int32(k))
		}
	}
	for k := range w.frames {
		if parent := w.frames[k].parent; parent != none {
			w.frames[parent].children = append(w.frames[parent].children, int32(k))
		}
	}
}

func (w *walk) run(first step) {
	w.todo = append(w.todo, first)
	for len(w.todo) > 0 {
		s := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		switch s.do {
		case visitNode:
			w.visit(s)
		case sweepFrame:
			w.sweep(s)
		default:
			w.enter(s)
		}
	}
}

func (w *walk) visit(s step) {
	if w.seen[s.which] {
		return
	}
	w.seen[s.which] = true
	f, n := &w.Frames[s.frame], &w.tree.nodes[s.which]
	r, emitted := w.record(f, n)
	if emitted || n.live() {
		// A node that has a uid counts even where it is no record: another
		// profile may show it, and spells all uids alike.
		if hasUID(w.tree.roles[r.role].kind, r.state, n.backend) {
			times := w.frames[s.frame].uids.at(n.backend)
			*times++
			r.nth = *times
		}
	}
	below := s
	if n.frameID != noID {
		below.home = s.which
	}
	if emitted {
		r.frame, r.node, r.parent, r.depth, r.home = s.frame, s.which, s.parent, s.depth, below.home
		below.parent, below.depth = w.add(r), s.depth+1
	}
	if len(w.owned) > 0 {
		do := enterFrame
		if emitted {
			do = enterIframe
		}
		w.push(below, do, w.owned[owner{s.frame, n.backend}])
	}
	w.push(below, visitNode, w.tree.kids[n.kid:n.end])
}

// push puts steps of one kind on the stack, the first of them on top.
func (w *walk) push(s step, do action, which []int32) {
	s.do = do
	for i := len(which) - 1; i >= 0; i-- {
		if s.which = which[i]; s.which != none {
			w.todo = append(w.todo, s)
		}
	}
}

func (w *walk) add(r record) int32 {
	i := int32(len(w.records))
	if top := &w.frames[r.frame].top; *top == none {
		*top = i
	}
	if w.tree.roles[r.role].kind&staticText != 0 {
		w.texts = append(w.texts, i)
	} else {
		w.said.add(w.tree.lower(r.name), r.frame)
		w.said.add(w.tree.lower(r.value), r.frame)
	}
	w.records = append(w.records, r)
	return i
}

func (w *walk) enter(s step) {
	k := s.which
	if w.frames[k].entered {
		return
	}
	w.frames[k].entered = true
	f := &w.Frames[k]
	here := step{frame: k, parent: s.parent, depth: s.depth, home: none}

	_, taken := w.below[s.parent]
	switch {
	case s.do == enterIframe && !taken:
		w.below[s.parent] = k
	case f.Err != "":
		w.below[w.add(record{
			frame: w.frames[k].parent, node: none, parent: s.parent, depth: s.depth, role: w.tree.role(`"Iframe"`),
		})] = k
	}
	if f.Err != "" {
		w.push(here, enterFrame, w.frames[k].children)
		return
	}

	for i := f.from; i < f.to; i++ {
		n := &w.tree.nodes[i]
		w.seen[i] = n.repeat
		for _, kid := range w.tree.kids[n.kid:n.end] {
			if kid != none {
				w.listed[kid] = true
			}
		}
	}
	here.do, here.which = sweepFrame, k
	w.todo = append(w.todo, here)
	here.do = visitNode
	for i := f.to - 1; i >= f.from; i-- {
		if !w.listed[i] && !w.seen[i] {
			here.which = i
			w.todo = append(w.todo, here)
		}
	}
}

func (w *walk) sweep(s step) {
	f, place := &w.Frames[s.which], &w.frames[s.which]
	for ; place.swept < f.to; place.swept++ {
		if !w.seen[place.swept] {
			w.todo = append(w.todo, s, step{visitNode, place.swept, s.which, s.parent, s.depth, none})
			return
		}
	}
	s.parent, s.depth = place.top, w.records[place.top].depth+1
	w.push(s, enterFrame, place.children)
}

// sayings are the texts that records say as their names or values, in lower case,
// frame by frame.
type sayings struct {
	numbers map[string]int32
	firstIn []int32         // by number: the frame that says it first
	alsoIn  map[saying]bool // the others
}

type saying struct{ text, frame int32 }

func (s *sayings) add(lower string, frame int32) {
	if lower == "" {
		return
	}
	n, known := s.numbers[lower]
	switch {
	case !known:
		s.numbers[lower] = int32(len(s.firstIn))
		s.firstIn = append(s.firstIn, frame)
	case s.firstIn[n] != frame:
		s.alsoIn[saying{n, frame}] = true
	}
}

func (s *sayings) has(lower string, frame int32) bool {
	n, known := s.numbers[lower]
	return known && (s.firstIn[n] == frame || s.alsoIn[saying{n, frame}])
}
