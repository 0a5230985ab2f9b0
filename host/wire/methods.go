package wire

import "encoding/json"

// The methods. A link is JSON-RPC 2.0 in both directions: extension ⇄ host over
// native messaging, client ⇄ host over a unix socket.

// Hello opens a link. The extension sends it with Browser and Epoch, a client
// with Client.
type Hello struct {
	Min     int      `json:"min"`     // oldest protocol understood
	Max     int      `json:"max"`     // newest protocol understood
	Version string   `json:"version"` // release of the sender
	Client  *Client  `json:"client,omitempty"`
	Browser *Browser `json:"browser,omitempty"`
	Epoch   int64    `json:"epoch,omitempty"` // number of this native port, counted up by the worker in storage.session
}

// Client names who asks. Views are delivered to a client and its uids are
// looked up in them.
type Client struct {
	Kind string `json:"kind" wire:"enum=panel|cli|mcp|program"`
	Name string `json:"name" wire:"max=200"`
}

// Browser is one profile of one running browser.
type Browser struct {
	Instance string `json:"instance" wire:"max=64"` // random, kept in storage.local: one per profile
	Name     string `json:"name" wire:"max=200"`
	Version  string `json:"version" wire:"max=200"`
	Label    string `json:"label,omitempty" wire:"max=200"`
}

// Welcome answers Hello.
type Welcome struct {
	Protocol  int      `json:"protocol"`
	Version   string   `json:"version"`
	Epoch     int64    `json:"epoch,omitempty"`
	Dedicated bool     `json:"dedicated"` // the browser was started by Handrail: all acts are allowed
	Ephemeral bool     `json:"ephemeral"` // the store is in memory
	Store     string   `json:"store"`     // "" or the code that keeps the store from being used
	Part      int      `json:"part"`      // largest frame, in bytes, in which the extension sends a part; PartToHost unless HANDRAIL_PART says less
	Policy    *Policy  `json:"policy,omitempty"`
	Browser   *Browser `json:"browser,omitempty"` // to clients
}

// Policy is what clients may do in a browser (docs/PROTOCOL.md).
type Policy struct {
	Wide  map[string]string `json:"wide"`  // kind → verdict where an origin has no rule of its own
	Rules []SiteRule        `json:"rules"` // those that hold
}

// SiteRule is what a person said about a kind of request on an origin.
type SiteRule struct {
	Origin  string `json:"origin"` // "" is all sites
	Kind    string `json:"kind"`
	Verdict string `json:"verdict"`
	Made    int64  `json:"made"`              // Unix ms
	Expires int64  `json:"expires,omitempty"` // Unix ms
}

// PolicyParams lists the rules, makes one, or takes one away. A client may make it
// stricter only: set never, revoke always.
type PolicyParams struct {
	Action  string `json:"action,omitempty" wire:"enum=list|set|revoke"`
	Origin  string `json:"origin,omitempty" wire:"max=2048"`                              // absent: all sites
	Kind    string `json:"kind,omitempty" wire:"enum=read|act|submit|upload|eval|reveal"` // absent in revoke: every kind
	Verdict string `json:"verdict,omitempty" wire:"enum=ask|always|never"`                // set
	Minutes int    `json:"minutes,omitempty"`                                             // set: then it is over
}

// RulesParams is empty: the extension asks for the policy anew.
type RulesParams struct{}

// Permit is leave for a kind of request on an origin; "null" is what has no site.
type Permit struct {
	Kind   string `json:"kind" wire:"enum=read|act|submit|upload|eval|reveal"`
	Origin string `json:"origin" wire:"max=2048"`
}

// Grant is what an act stands on.
type Grant struct {
	By      string   `json:"by" wire:"enum=dedicated|rule|once|person"` // person: who uses the browser does it, in the panel
	Permits []Permit `json:"permits"`
}

// Scope is what may be read of a tab; absent, all.
type Scope struct {
	Origin string   `json:"origin"`         // of the page
	Never  []string `json:"never"`          // frames of these origins are left out
	Only   []string `json:"only,omitempty"` // and those of all origins but the page's and these
}

// AskParams asks the extension to ask the person.
type AskParams struct {
	ID string `json:"id"`
	Permit
	Client  Asker  `json:"client"`
	Tab     int    `json:"tab,omitempty"`
	What    string `json:"what"`    // short words, what a page says in them is quoted
	Expires int64  `json:"expires"` // Unix ms
}

// Asker is the client that asks, as it calls itself.
type Asker struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// AskResult is the answer: once is for this request, always and never make a rule,
// deny is not now.
type AskResult struct {
	Answer  string `json:"answer" wire:"enum=once|always|never|deny"`
	Minutes int    `json:"minutes,omitempty"` // always: then it is over
}

// Waiting tells a client that its request waits for the person.
type Waiting struct {
	ID   int64  `json:"id"` // of the client's request
	Code string `json:"code" wire:"enum=waiting_for_approval"`
	Permit
	Expires int64 `json:"expires"` // Unix ms
}

// CaptureParams asks the extension for a bundle of one tab (docs/FORMAT.md).
type CaptureParams struct {
	Capture  string         `json:"capture" wire:"max=64"` // 128-bit id, hex
	Tab      int            `json:"tab"`
	Ordinals map[string]int `json:"ordinals"` // CDP targetId → session ordinal known so far
	Next     int            `json:"next"`     // the first free ordinal
	Limits   Limits         `json:"limits"`
	Scope    *Scope         `json:"scope,omitempty"`
}

// Limits bound one capture; times in ms.
type Limits struct {
	Frames  int `json:"frames"`  // child frames at most
	FrameMs int `json:"frameMs"` // for each child frame
	TotalMs int `json:"totalMs"` // for all child frames
	StallMs int `json:"stallMs"` // without progress of the root frame
}

// CaptureResult holds the bundle exactly as the extension made it.
type CaptureResult struct {
	Bundle json.RawMessage `json:"bundle"`
}

// Target is what an act is aimed at: a node and all that must still be true of
// it. The fields are those of compressor.Target, in its order.
type Target struct {
	UID              string `json:"uid"`
	Session          int    `json:"session"`  // ordinal of the frame's CDP session; 0 is the tab's own
	TargetID         string `json:"targetId"` // CDP target of that session; "" is the tab's own
	FrameID          string `json:"frameId"`
	LoaderID         string `json:"loaderId"` // the document
	Origin           string `json:"origin"`
	BackendDOMNodeID int64  `json:"backendDOMNodeId"`
	NodeID           string `json:"nodeId"` // AX nodeId, for sorting candidates only
	Role             string `json:"role"`
	Name             string `json:"name"`
	Context          string `json:"context"`                // key text of the row, item or group around it
	ContextNode      int64  `json:"contextNode"`            // backendDOMNodeId of what tells it from its twins, 0 where a role does
	ContextTexts     int    `json:"contextTexts,omitempty"` // how many texts in it make the key, 0 where it is a header, heading, link or one text
	NameExact        bool   `json:"nameExact"`              // trailing counts belong to the name
	ContextExact     bool   `json:"contextExact"`           // trailing counts belong to the context
	Secret           bool   `json:"secret"`                 // its value must never be read back
}

// Act is what to do. Fields that do not belong to Kind must be absent.
type Act struct {
	ID         string   `json:"id" wire:"max=64"` // 128-bit, hex, made by the caller
	Kind       string   `json:"kind" wire:"enum=click|type|set_field|select|check|press|hover|focus|blur|drag|scroll|set_value|upload|navigate|back|forward|reload|eval|dialog"`
	Text       string   `json:"text,omitempty" wire:"max=1048576"`              // type, set_field; dialog: of a prompt
	Clear      bool     `json:"clear,omitempty"`                                // type: replace what is there
	Submit     bool     `json:"submit,omitempty"`                               // type, set_field: submit the form afterwards
	Keys       bool     `json:"keys,omitempty"`                                 // type: key by key
	Secret     bool     `json:"secret,omitempty"`                               // type, set_field: the field is secret for the life of its document
	Values     []string `json:"values,omitempty" wire:"max=4096"`               // select: values, labels or uids' names; set_value: one value
	On         *bool    `json:"on,omitempty"`                                   // check: on or off
	Key        string   `json:"key,omitempty" wire:"max=64"`                    // press: a key or chord, as in Control+Shift+K
	Button     string   `json:"button,omitempty" wire:"enum=left|middle|right"` // click
	Count      int      `json:"count,omitempty"`                                // click: 2 is a double click; default 1, at most 3
	Modifiers  []string `json:"modifiers,omitempty" wire:"max=16"`              // click: Alt, Control, Meta, Shift
	Second     bool     `json:"second,omitempty"`                               // click: one synthetic click more where the trusted one did nothing
	Pages      float64  `json:"pages,omitempty"`                                // scroll: so many views down, negative up; 0 only into view
	Until      string   `json:"until,omitempty" wire:"max=4096"`                // scroll: until this text is there
	Offset     *Offset  `json:"offset,omitempty"`                               // drag: by so much, where there is no other target
	Files      []string `json:"files,omitempty" wire:"max=4096"`                // upload: absolute paths
	Again      bool     `json:"again,omitempty"`                                // a form that was submitted a moment ago is meant again
	Settle     bool     `json:"settle,omitempty"`                               // wait until the page is quiet
	Accept     bool     `json:"accept,omitempty"`                               // dialog: accept it
	Expect     *string  `json:"expect,omitempty"`                               // accept the node under this new name
	URL        string   `json:"url,omitempty" wire:"max=1400000"`               // navigate
	Expression string   `json:"expression,omitempty" wire:"max=1048576"`        // eval
	TimeoutMs  int      `json:"timeoutMs,omitempty"`                            // budget of waiting before the act (default 2000) or for the load (default 15000)
}

// Offset is a way in CSS px.
type Offset struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// PerformParams asks the extension to do an act once.
type PerformParams struct {
	Epoch   int64   `json:"epoch"`   // of the host's port; another is old_epoch
	Expires int64   `json:"expires"` // Unix ms; later is expired
	Grant   Grant   `json:"grant"`
	Tab     int     `json:"tab"`
	Act     Act     `json:"act"`
	Target  *Target `json:"target,omitempty"` // what is acted on; without one press acts on what has the focus, scroll on the page
	To      *Target `json:"to,omitempty"`     // drag: where it is dropped
}

// Evidence is what an act did, as far as it was seen when the reply was made.
type Evidence struct {
	Dispatched    string          `json:"dispatched" wire:"enum=yes|no|uncertain"`
	Effect        string          `json:"effect" wire:"enum=seen|none_seen|unknown"`
	Settled       bool            `json:"settled"` // true only when it was waited for
	Method        string          `json:"method"`  // mouse, insertText, keys, navigation, synthetic …
	Hit           *Hit            `json:"hit,omitempty"`
	Changes       []string        `json:"changes,omitempty"` // what was seen: url, title, focus, name, state, mutations, removed, frame_removed, value, dialog, new_tab, download …
	URL           string          `json:"url,omitempty"`
	Title         string          `json:"title,omitempty"`
	Navigates     bool            `json:"navigates,omitempty"` // the node is a link to another document, or submits a form
	Before        []string        `json:"before,omitempty"`    // states of the node: checked, expanded, selected, pressed, disabled …
	After         []string        `json:"after,omitempty"`     // likewise, where they are others
	Focus         string          `json:"focus,omitempty"`     // role and name of what has the focus now, where it moved
	NewTab        int             `json:"new_tab,omitempty"`   // that it opened
	Download      string          `json:"download,omitempty"`  // suggested file name
	ConsoleErrors int             `json:"console_errors,omitempty"`
	ChangedNodes  int             `json:"changed_nodes,omitempty"`
	ValueNow      *string         `json:"value_now,omitempty"` // read back; "‹hidden›" for secret fields
	Reverted      bool            `json:"reverted,omitempty"`  // the page took it back
	Unchanged     bool            `json:"unchanged,omitempty"` // it was so already: nothing was sent
	Chosen        []string        `json:"chosen,omitempty"`    // select: labels of what is selected now
	Scroll        *Scroll         `json:"scroll,omitempty"`
	NewDocument   bool            `json:"new_document,omitempty"`
	Dialog        string          `json:"dialog,omitempty"` // text of a dialog that the act opened
	Value         json.RawMessage `json:"value,omitempty"`  // eval
	Hint          string          `json:"hint,omitempty"`   // what to try where no effect was seen
	Tab           int             `json:"tab,omitempty"`
}

// Scroll is where a scroll ended, in CSS px.
type Scroll struct {
	Moved  float64  `json:"moved"`           // down, negative up
	Top    float64  `json:"top"`             // of what is in view
	View   float64  `json:"view"`            // its height
	Height float64  `json:"height"`          // of all there is, so far
	End    bool     `json:"end"`             // there is no more
	Found  bool     `json:"found,omitempty"` // the text that was looked for
	Lines  []string `json:"lines,omitempty"` // texts that came into view, 20 at most
}

// Hit is the node that an act met.
type Hit struct {
	Tag  string     `json:"tag"`
	Role string     `json:"role"`
	Name string     `json:"name"`
	Rect [4]float64 `json:"rect"` // x, y, width, height in CSS px of its frame's viewport
	Href string     `json:"href,omitempty"`
}

// LedgerParams asks the extension what became of acts.
type LedgerParams struct {
	IDs []string `json:"ids"`
}

// LedgerResult has a row for each id the extension knows.
type LedgerResult struct {
	Acts []LedgerRow `json:"acts"`
}

// LedgerRow is the extension's half of the ledger.
type LedgerRow struct {
	ID     string    `json:"id"`
	State  string    `json:"state" wire:"enum=started|done|failed"`
	Result *Evidence `json:"result,omitempty"` // done
	Fault  *Fault    `json:"fault,omitempty"`  // failed
}

// InspectParams asks the extension whether targets still are what they were.
type InspectParams struct {
	Tab     int      `json:"tab"`
	Targets []Target `json:"targets"`
	Scope   *Scope   `json:"scope,omitempty"`
}

// InspectResult has one row for each target, in order.
type InspectResult struct {
	Nodes []NodeState `json:"nodes"`
}

// NodeState is the present state of a target.
type NodeState struct {
	UID    string     `json:"uid"`
	State  string     `json:"state" wire:"enum=alive|stale|unknown"`
	Reason string     `json:"reason,omitempty"` // gone, document, renamed, moved_context
	Role   string     `json:"role,omitempty"`
	Name   string     `json:"name,omitempty"`
	Box    [4]float64 `json:"box"`
	Frame  string     `json:"frame,omitempty"` // its frame's origin
}

// WaitParams asks to wait until one thing holds. Exactly one of Text, Gone, UID, URL,
// Stable, Quiet and Ms is given.
type WaitParams struct {
	Tab       int    `json:"tab,omitempty"`
	Text      string `json:"text,omitempty" wire:"max=4096"` // it stands on the page
	Gone      string `json:"gone,omitempty" wire:"max=4096"` // it does not
	UID       string `json:"uid,omitempty" wire:"max=64"`    // the node is in State
	State     string `json:"state,omitempty" wire:"enum=visible|hidden|enabled|disabled|checked|unchecked|gone"`
	Handle    string `json:"handle,omitempty" wire:"max=64"` // of the view that the uid is from
	URL       string `json:"url,omitempty" wire:"max=4096"`  // the address holds it; * stands for anything
	Stable    bool   `json:"stable,omitempty"`               // nothing on the page moves or changes for 500 ms
	Quiet     bool   `json:"quiet,omitempty"`                // no request for 500 ms
	Ms        int    `json:"ms,omitempty"`                   // so long
	TimeoutMs int    `json:"timeout_ms,omitempty"`           // default 10000, at most 600000
}

// AwaitParams asks the extension to wait: WaitParams with the uid's target.
type AwaitParams struct {
	Tab       int     `json:"tab"`
	Text      string  `json:"text,omitempty"`
	Gone      string  `json:"gone,omitempty"`
	Target    *Target `json:"target,omitempty"`
	State     string  `json:"state,omitempty"`
	URL       string  `json:"url,omitempty"`
	Stable    bool    `json:"stable,omitempty"`
	Quiet     bool    `json:"quiet,omitempty"`
	Ms        int     `json:"ms,omitempty"`
	TimeoutMs int     `json:"timeoutMs"`
	Scope     *Scope  `json:"scope,omitempty"`
}

// Waited says whether it came, and what was seen last.
type Waited struct {
	Met   bool   `json:"met"`
	Ms    int    `json:"ms"`             // it took
	Seen  string `json:"seen,omitempty"` // why it was not met: what stands there instead
	URL   string `json:"url,omitempty"`
	Title string `json:"title,omitempty"`
}

// ScreenshotParams asks for a picture of a tab's viewport, or of a node.
type ScreenshotParams struct {
	Tab    int    `json:"tab,omitempty"`
	UID    string `json:"uid,omitempty" wire:"max=64"`
	Handle string `json:"handle,omitempty" wire:"max=64"`
	Full   bool   `json:"full,omitempty"`  // the whole page
	Marks  bool   `json:"marks,omitempty"` // with the uids of the newest view drawn on their nodes
}

// ShootParams asks the extension for a picture.
type ShootParams struct {
	Tab    int      `json:"tab"`
	Target *Target  `json:"target,omitempty"`
	Full   bool     `json:"full,omitempty"`
	Marks  []Target `json:"marks,omitempty"` // drawn where their nodes are
	Scope  *Scope   `json:"scope,omitempty"`
}

// Picture is a PNG, base64 in JSON.
type Picture struct {
	PNG    []byte `json:"png"`
	Width  int    `json:"width"`  // device pixels
	Height int    `json:"height"` // device pixels
	Marked int    `json:"marked,omitempty"`
}

// RevealParams asks the extension for the values of secret fields.
type RevealParams struct {
	Tab     int      `json:"tab"`
	Targets []Target `json:"targets"`
}

// RevealResult has those that may be told: no password is.
type RevealResult struct {
	Fields []Revealed `json:"fields"`
}

// Revealed is the value of a secret field.
type Revealed struct {
	UID   string `json:"uid"`
	Value string `json:"value"`
}

// HighlightParams draws a target in the page; without one the drawing goes.
type HighlightParams struct {
	Tab    int     `json:"tab"`
	Target *Target `json:"target,omitempty"`
	Scroll bool    `json:"scroll,omitempty"` // into view first
}

// HighlightResult is empty.
type HighlightResult struct{}

// TabsParams lists, opens, closes or selects tabs.
type TabsParams struct {
	Action string `json:"action,omitempty" wire:"enum=list|open|close|select"`
	Tab    int    `json:"tab,omitempty"`
	URL    string `json:"url,omitempty" wire:"max=1400000"`
}

// TabsResult lists the browser's tabs after the action.
type TabsResult struct {
	Tab  int   `json:"tab,omitempty"` // the tab opened or selected
	Tabs []Tab `json:"tabs"`
}

// Tab is one tab.
type Tab struct {
	Tab        int    `json:"tab"`
	Window     int    `json:"window"`
	Active     bool   `json:"active"`
	Focused    bool   `json:"focused"` // active tab of the window used last
	URL        string `json:"url"`
	Title      string `json:"title"`
	Restricted bool   `json:"restricted,omitempty"` // the browser does not let extensions read it
	Current    bool   `json:"current,omitempty"`    // the client's current tab (host → client)
}

// Event tells the host what happened to a tab it has seen.
type Event struct {
	Tab    int    `json:"tab"`
	Kind   string `json:"kind" wire:"enum=navigated|input|detached|closed"`
	Reason string `json:"reason,omitempty" wire:"max=200"`
}

// CancelParams gives up a request of the sender's.
type CancelParams struct {
	ID int64 `json:"id"`
}

// SnapshotParams asks for a view of a tab.
type SnapshotParams struct {
	Tab int    `json:"tab,omitempty"` // default: the client's current tab, else the active one
	URL string `json:"url,omitempty" wire:"max=1400000"`

	// Reveal shows the values of secret fields, but for passwords, in this reply
	// alone: they are read anew and stored nowhere.
	Reveal bool `json:"reveal,omitempty"`

	// Bounds of child frames: how many are read (default 16), ms for each (default
	// 3000) and for all (default 12000).
	MaxFrames *int `json:"max_frames,omitempty"`
	FrameMs   int  `json:"frame_ms,omitempty"`
	FramesMs  int  `json:"frames_ms,omitempty"`

	ViewOptions
}

// ReadParams asks for another view of a stored snapshot; the page is not touched.
type ReadParams struct {
	Handle string `json:"handle,omitempty" wire:"max=64"` // default the newest view shown to the client
	ViewOptions
}

// ViewOptions say what a view shows, and how much of it is given at once
// (docs/FORMAT.md). What is absent has its default: for a live snapshot profile
// balanced, window 80000, tail 5000 and max_tokens 20000; 0 is no limit.
type ViewOptions struct {
	Profile          string `json:"profile,omitempty" wire:"enum=full|balanced|light"`
	Query            string `json:"query,omitempty" wire:"max=4096"` // only what its words find
	Under            string `json:"under,omitempty" wire:"max=64"`   // uid: only its subtree
	Filter           string `json:"filter,omitempty" wire:"enum=all|visible|viewport|interactive"`
	Handles          string `json:"handles,omitempty" wire:"enum=all"`      // headings, cells and texts have uids, too
	MaxDepth         int    `json:"max_depth,omitempty"`                    // levels
	TruncateNamesAt  int    `json:"truncate_names_at,omitempty"`            // graphemes
	TruncateValuesAt int    `json:"truncate_values_at,omitempty"`           // graphemes
	TruncateTextAt   int    `json:"truncate_text_at,omitempty"`             // graphemes
	URLs             bool   `json:"urls,omitempty"`                         // links say where they lead
	Context          *bool  `json:"context,omitempty"`                      // light: headings and names that stand above; default true
	Format           string `json:"format,omitempty" wire:"enum=text|json"` // json: an object to a line
	Window           *int   `json:"window,omitempty"`                       // characters
	Tail             *int   `json:"tail,omitempty"`                         // characters of the view's end in every window
	MaxTokens        *int   `json:"max_tokens,omitempty"`                   // of a window
	MaxChars         int    `json:"max_chars,omitempty"`                    // hard cap, in characters
	Offset           int    `json:"offset,omitempty"`                       // where the window begins, in bytes of the view
	Page             int    `json:"page,omitempty"`                         // or which window, from 1
	Since            string `json:"since,omitempty" wire:"max=64"`          // handle: only what is different from that view's page
	Structure        bool   `json:"structure,omitempty"`                    // a summary of forms, tables and results beside the view
	Fence            bool   `json:"fence,omitempty"`                        // between lines that the page cannot know
}

// Snapshot is the object an agent is handed.
type Snapshot struct {
	UIDs           string          `json:"uids"` // the view, or its window
	RecoveryHandle string          `json:"recovery_handle"`
	TokensBefore   int             `json:"tokens_before"`
	ViewTokens     int             `json:"view_tokens"`  // of the view or its window, alone
	TokensAfter    int             `json:"tokens_after"` // of this whole object
	Ratio          float64         `json:"ratio"`
	Basis          string          `json:"basis"`
	Tab            int             `json:"tab"`
	TotalChars     int             `json:"total_chars"`             // of the whole view
	TotalNodes     int             `json:"total_nodes"`             // AX nodes that are not ignored
	NextOffset     json.RawMessage `json:"next_offset"`             // of the next window; null at the end
	Truncated      bool            `json:"truncated"`               // the view is given in part
	Smaller        *bool           `json:"smaller,omitempty"`       // false when the view is not smaller than the payload
	Superseded     bool            `json:"superseded,omitempty"`    // the page has moved on since
	AutoDegraded   bool            `json:"auto_degraded,omitempty"` // max_chars cut the window off
	TryDepth       int             `json:"try_depth,omitempty"`     // a max_depth that would fit
	Structure      json.RawMessage `json:"structure,omitempty"`     // docs/FORMAT.md, Structure; null when it failed
	Reason         string          `json:"structure_reason,omitempty"`
	Note           string          `json:"note,omitempty"`
}

// FindParams looks for a text, or /a regular expression/, in a stored snapshot.
type FindParams struct {
	Text   string `json:"text" wire:"max=4096"`
	Handle string `json:"handle,omitempty" wire:"max=64"` // default the newest view shown to the client
}

// Found has the lines in which a text stands, 50 at most.
type Found struct {
	Lines          string `json:"lines"`
	Total          int    `json:"total"` // lines with a hit, given or not
	RecoveryHandle string `json:"recovery_handle"`
	Superseded     bool   `json:"superseded,omitempty"`
}

// ExtractParams asks for data of a stored snapshot by a schema that names uids.
type ExtractParams struct {
	Schema json.RawMessage `json:"schema"`                                   // docs/FORMAT.md, Extraction
	Handle string          `json:"handle,omitempty" wire:"max=64"`           // default the newest view shown to the client
	Locale string          `json:"locale,omitempty" wire:"enum=en|de|fr|ch"` // of numbers
	Fresh  bool            `json:"fresh,omitempty"`                          // compare every uid with the page first
}

// Extracted is the data.
type Extracted struct {
	Data       json.RawMessage `json:"data"`
	Superseded bool            `json:"superseded,omitempty"` // the page has moved on since
}

// ActParams asks for one act on a uid. Fields that do not belong to Action must be
// absent; Act says what they mean.
type ActParams struct {
	UID       string   `json:"uid,omitempty" wire:"max=64"` // may be absent for press (what has the focus) and scroll (the page)
	Action    string   `json:"action" wire:"enum=click|type|set_field|select|check|press|hover|focus|blur|drag|scroll|set_value|upload"`
	Text      *string  `json:"text,omitempty" wire:"max=1048576"`
	Clear     bool     `json:"clear,omitempty"`
	Submit    bool     `json:"submit,omitempty"`
	Keys      bool     `json:"keys,omitempty"`
	Secret    bool     `json:"secret,omitempty"`
	Values    []string `json:"values,omitempty" wire:"max=4096"`
	On        *bool    `json:"on,omitempty"`
	Key       string   `json:"key,omitempty" wire:"max=64"`
	Button    string   `json:"button,omitempty" wire:"enum=left|middle|right"`
	Count     int      `json:"count,omitempty"`
	Modifiers []string `json:"modifiers,omitempty" wire:"max=16"`
	Second    bool     `json:"second,omitempty"`
	Pages     float64  `json:"pages,omitempty"`
	Until     string   `json:"until,omitempty" wire:"max=4096"`
	To        string   `json:"to,omitempty" wire:"max=64"` // drag: uid
	Offset    *Offset  `json:"offset,omitempty"`
	Files     []string `json:"files,omitempty" wire:"max=4096"`
	Again     bool     `json:"again,omitempty"`
	Settle    bool     `json:"settle,omitempty"`
	Then      string   `json:"then,omitempty" wire:"enum=diff|none"` // diff: then say what is different on the page
	Handle    string   `json:"handle,omitempty" wire:"max=64"`
	ActID     string   `json:"act_id,omitempty" wire:"max=64"`
	Expect    *string  `json:"expect,omitempty" wire:"max=4096"`
	TimeoutMs int      `json:"timeout_ms,omitempty"`
	Tab       int      `json:"tab,omitempty"` // without a uid
}

// ActResult is the evidence of an act and its id.
type ActResult struct {
	ActID          string `json:"act_id"`
	UID            string `json:"uid,omitempty"`
	Diff           string `json:"diff,omitempty"`            // what is different now, or the new page
	RecoveryHandle string `json:"recovery_handle,omitempty"` // of the view after
	Evidence
}

// NavigateParams moves a tab.
type NavigateParams struct {
	Tab       int    `json:"tab,omitempty"`
	URL       string `json:"url,omitempty" wire:"max=1400000"`
	Action    string `json:"action,omitempty" wire:"enum=url|back|forward|reload"`
	ActID     string `json:"act_id,omitempty" wire:"max=64"`
	TimeoutMs int    `json:"timeout_ms,omitempty"`
}

// DialogParams answers the dialog that a page has open.
type DialogParams struct {
	Tab    int     `json:"tab,omitempty"`
	Accept bool    `json:"accept"`
	Text   *string `json:"text,omitempty" wire:"max=1048576"` // of a prompt
	ActID  string  `json:"act_id,omitempty" wire:"max=64"`
}

// EvalParams runs an expression in a tab's root frame.
type EvalParams struct {
	Tab        int    `json:"tab,omitempty"`
	Expression string `json:"expression" wire:"max=1048576"`
	ActID      string `json:"act_id,omitempty" wire:"max=64"`
	TimeoutMs  int    `json:"timeout_ms,omitempty"`
}

// RecoverParams asks for the stored payload of a view.
type RecoverParams struct {
	Handle string `json:"handle" wire:"max=64"`
	Frame  *int   `json:"frame,omitempty"` // one frame's node array
	UIDs   bool   `json:"uids,omitempty"`  // the uid map instead
}

// RecoverResult holds the bytes, base64 in JSON.
type RecoverResult struct {
	SHA256  string `json:"sha256"`
	Bytes   int64  `json:"bytes"`
	Payload []byte `json:"payload"`
}

// ResolveParams asks whether uids still are what they were.
type ResolveParams struct {
	UID    string `json:"uid,omitempty" wire:"max=64"`
	All    bool   `json:"all,omitempty"`
	Handle string `json:"handle,omitempty" wire:"max=64"`
}

// HighlightUIDParams draws a uid's node in its page; "" clears.
type HighlightUIDParams struct {
	UID    string `json:"uid,omitempty" wire:"max=64"`
	Handle string `json:"handle,omitempty" wire:"max=64"`
	Tab    int    `json:"tab,omitempty"`
	Scroll bool   `json:"scroll,omitempty"` // into view first
}

// HistoryParams asks for what was shown and done.
type HistoryParams struct {
	Tab    int   `json:"tab,omitempty"`    // default all
	Before int64 `json:"before,omitempty"` // Unix ms; default now
	Limit  int   `json:"limit,omitempty"`  // default 100, at most 500
}

// HistoryResult has the entries, newest first.
type HistoryResult struct {
	Entries []HistoryEntry `json:"entries"`
}

// HistoryEntry is a view that was shown to a client, with Handle, or an act, with ActID.
type HistoryEntry struct {
	At     int64  `json:"at"` // Unix ms
	Tab    int    `json:"tab"`
	Client string `json:"client"` // kind:name

	Handle       string `json:"handle,omitempty"`
	Origin       string `json:"origin,omitempty"`
	Path         string `json:"path,omitempty"`
	Title        string `json:"title,omitempty"`
	Options      string `json:"options,omitempty"` // JSON, "" for those of profile full
	TokensBefore int    `json:"tokens_before,omitempty"`
	ViewTokens   int    `json:"view_tokens,omitempty"`
	Superseded   bool   `json:"superseded,omitempty"`
	Pinned       bool   `json:"pinned,omitempty"`

	ActID  string `json:"act_id,omitempty"`
	UID    string `json:"uid,omitempty"`
	Action string `json:"action,omitempty"`
	State  string `json:"state,omitempty" wire:"enum=sent|done|failed|uncertain"`
	Effect string `json:"effect,omitempty"`
	Code   string `json:"code,omitempty"` // of the failure
}

// PinParams keeps a snapshot from being let go, or with Off lets it go again.
type PinParams struct {
	Handle string `json:"handle" wire:"max=64"`
	Off    bool   `json:"off,omitempty"`
}

// PinResult says what it is now.
type PinResult struct {
	Pinned bool `json:"pinned"`
}

// PurgeParams removes what is stored: what is older, or all.
type PurgeParams struct {
	OlderThanS int64 `json:"older_than_s,omitempty"`
	All        bool  `json:"all,omitempty"`
}

// PurgeResult says how many snapshots went.
type PurgeResult struct {
	Snapshots int64 `json:"snapshots"`
}

// ExportParams asks for views with their payloads in one file.
type ExportParams struct {
	Handles []string `json:"handles" wire:"max=64"`
}

// ExportResult is a tar packed with zstd (docs/FORMAT.md, Bundle), base64 in JSON.
type ExportResult struct {
	Name   string `json:"name"`
	Bundle []byte `json:"bundle"`
}

// ActivityParams asks who is connected and what they asked for.
type ActivityParams struct{}

// ActivityResult has the clients, the newest requests first, and those who were disconnected.
type ActivityResult struct {
	Clients  []ActiveClient `json:"clients"`
	Requests []Request      `json:"requests"` // the last 200
	Blocked  []string       `json:"blocked"`  // kind:name; may not connect
}

// ActiveClient is a client that is connected.
type ActiveClient struct {
	ID     int    `json:"id"`
	Client string `json:"client"` // kind:name
	Since  int64  `json:"since"`  // Unix ms
	Reads  int    `json:"reads"`
	Acts   int    `json:"acts"`
	Now    string `json:"now,omitempty"` // the method under way
}

// Request is one that was answered; nothing of a page is in it.
type Request struct {
	At     int64  `json:"at"` // Unix ms
	Client string `json:"client"`
	Method string `json:"method"`
	Action string `json:"action,omitempty"`
	Tab    int    `json:"tab,omitempty"`
	Code   string `json:"code,omitempty"` // of the failure
	Ms     int64  `json:"ms"`
}

// DisconnectParams ends a client's connection and keeps it from making another for
// ten minutes; with Allow it may at once.
type DisconnectParams struct {
	ID    int    `json:"id,omitempty"`
	Allow string `json:"allow,omitempty" wire:"max=210"` // kind:name
}

// DisconnectResult is empty.
type DisconnectResult struct{}

// ToolsParams asks for the tools of an agent in the side panel.
type ToolsParams struct{}

// ToolsResult lists them, in the shapes of MCP's tools/list.
type ToolsResult struct {
	Tools        []Tool `json:"tools"`
	Instructions string `json:"instructions"` // what an agent is told beside them
}

// Tool is one of them.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"` // JSON Schema
}

// ToolParams calls one, for the agent in the side panel. The host keeps what the
// agent was shown apart from what the panel was.
type ToolParams struct {
	Name      string          `json:"name" wire:"max=64"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	ActID     string          `json:"act_id,omitempty" wire:"max=64"` // of an act that the call does: the same id is never done twice
}

// ToolResult is what an agent is told.
type ToolResult struct {
	Text   string          `json:"text"`
	Object json.RawMessage `json:"object,omitempty"` // the same for programs
	PNG    []byte          `json:"png,omitempty"`
	Fault  *Fault          `json:"fault,omitempty"` // the call failed; Text words it
}

// Method is one row of the table of methods.
type Method struct {
	Name   string
	By     string // who may ask whom: "extension→host", "client→host" (the panel counts as a client), "host→extension"
	Params any
	Result any // nil for notifications
	Doc    string
}

// Methods is the table of all methods.
var Methods = []Method{
	{"hello", "extension→host, client→host", Hello{}, Welcome{}, "opens the link; must be the first message"},
	{"cancel", "any", CancelParams{}, nil, "gives up a request of the sender's"},
	{"event", "extension→host", Event{}, nil, "what happened to a tab that was seen"},
	{"policy", "extension→host, client→host", PolicyParams{}, Policy{}, "reads or changes what clients may do in this browser"},
	{"rules", "host→extension", RulesParams{}, nil, "what clients may do has changed"},
	{"ask", "host→extension", AskParams{}, AskResult{}, "asks the person whether a client may"},
	{"waiting", "host→client", Waiting{}, nil, "a request of the client's waits for the person"},
	{"snapshot", "client→host", SnapshotParams{}, Snapshot{}, "captures a tab, records it and gives its view"},
	{"read", "client→host", ReadParams{}, Snapshot{}, "gives another view, or window, of a stored snapshot"},
	{"find", "client→host", FindParams{}, Found{}, "looks for a text in a stored snapshot"},
	{"extract", "client→host", ExtractParams{}, Extracted{}, "gives data of a stored snapshot by a schema"},
	{"act", "client→host", ActParams{}, ActResult{}, "does one act on a uid, once"},
	{"navigate", "client→host", NavigateParams{}, ActResult{}, "moves a tab"},
	{"eval", "client→host", EvalParams{}, ActResult{}, "runs an expression in a tab"},
	{"dialog", "client→host", DialogParams{}, ActResult{}, "answers the dialog that a page has open"},
	{"resolve", "client→host", ResolveParams{}, InspectResult{}, "says whether uids still are what they were"},
	{"recover", "client→host", RecoverParams{}, RecoverResult{}, "gives a stored payload byte for byte"},
	{"tabs", "client→host, host→extension", TabsParams{}, TabsResult{}, "lists, opens, closes or selects tabs"},
	{"highlight", "client→host", HighlightUIDParams{}, HighlightResult{}, "draws a uid's node in its page"},
	{"history", "extension→host", HistoryParams{}, HistoryResult{}, "lists what was shown and done"},
	{"pin", "extension→host", PinParams{}, PinResult{}, "keeps a snapshot from being let go"},
	{"purge", "extension→host", PurgeParams{}, PurgeResult{}, "removes what is stored"},
	{"export", "extension→host", ExportParams{}, ExportResult{}, "gives stored views with their payloads in one file"},
	{"activity", "extension→host", ActivityParams{}, ActivityResult{}, "says who is connected and what they asked for"},
	{"disconnect", "extension→host", DisconnectParams{}, DisconnectResult{}, "ends a client's connection"},
	{"tools", "extension→host", ToolsParams{}, ToolsResult{}, "lists the tools of the side panel's agent"},
	{"tool", "extension→host", ToolParams{}, ToolResult{}, "calls one of them"},
	{"capture", "host→extension", CaptureParams{}, CaptureResult{}, "reads a tab into a bundle"},
	{"perform", "host→extension", PerformParams{}, Evidence{}, "does an act once"},
	{"ledger", "host→extension", LedgerParams{}, LedgerResult{}, "says what became of acts"},
	{"inspect", "host→extension", InspectParams{}, InspectResult{}, "compares targets with the page"},
	{"wait", "client→host", WaitParams{}, Waited{}, "waits until something holds"},
	{"screenshot", "client→host", ScreenshotParams{}, Picture{}, "takes a picture of a tab or a node"},
	{"await", "host→extension", AwaitParams{}, Waited{}, "waits until something holds"},
	{"shoot", "host→extension", ShootParams{}, Picture{}, "takes a picture"},
	{"reveal", "host→extension", RevealParams{}, RevealResult{}, "reads the values of secret fields, but for passwords"},
	{"mark", "host→extension", HighlightParams{}, HighlightResult{}, "draws a target in the page"},
}
