package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"handrail/compressor/tokens"
	"handrail/host/client"
	"handrail/host/snapshot"
	"handrail/host/wire"
)

const (
	// maxTokens bounds a reply's text; many clients take 25,000 at most.
	maxTokens = 20_000
	// maxDiff bounds what an act's reply says of the page: a click can open a long one,
	// of which not all is wanted.
	maxDiff = 2_000
	// around is what stands around a page's text in a reply: lines, handle, offset, notes.
	around = 200
	// maxURL bounds an address in a list of tabs, in bytes.
	maxURL = 300
)

// answer answers a tool's call.
type answer func(ctx context.Context, s *session, args arguments) (*reply, error)

var answers = map[string]answer{
	"browser_snapshot": snap,
	"browser_act":      act,
	"browser_read":     look,
	"browser_tabs":     tabs,
	"browser_eval":     eval,
	"browser_navigate": navigate,
	"browser_recover":  recovered,
}

// arguments are those of a call. A null is as good as none.
type arguments map[string]json.RawMessage

func read(text json.RawMessage) (arguments, error) {
	var args arguments
	if len(text) > 0 && json.Unmarshal(text, &args) != nil {
		return nil, wire.Fail(wire.BadRequest, "the arguments are no JSON object")
	}
	for name, value := range args {
		if string(value) == "null" {
			delete(args, name)
		}
	}
	return args, nil
}

// word takes out an argument that is a string; "" when there is none.
func (args arguments) word(name string) (word string, err error) {
	if text, ok := args[name]; ok && json.Unmarshal(text, &word) != nil {
		fault := wire.Fail(wire.BadRequest, "the field %q must be of type string", name)
		fault.Field = name
		return "", fault
	}
	delete(args, name)
	return word, nil
}

// into reads the rest as a method's parameters.
func (args arguments) into(params any) error {
	text, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("read the arguments: %w", err)
	}
	if len(args) == 0 {
		text = nil
	}
	return wire.Decode(text, params)
}

// said is what a page says, between lines that it cannot know. It is cut to what
// a reply may hold; cut tells so.
func said(text string) (fenced string, cut bool) {
	text, cut = within(text, maxTokens-around)
	return snapshot.Fence(text, hexID(4), ""), cut
}

// within cuts a text to so many tokens.
func within(text string, limit int) (string, bool) {
	if len(text) <= limit || tokens.CountString(text) <= limit {
		return text, false
	}
	n := prefix(text, limit)
	return fmt.Sprintf("%s\n… %d characters left out by the limit of %d tokens", text[:n], utf8.RuneCountInString(text[n:]), limit), true
}

// prefix is the length of a start of text that has at most so many tokens, and
// nearly as many.
func prefix(text string, limit int) int {
	n := min(len(text), 8*limit)
	for range 8 { // text of one kind needs two
		n = runeStart(text, n)
		count := tokens.CountString(text[:n])
		if count <= limit {
			return n
		}
		n = n * limit / count * 99 / 100
	}
	return runeStart(text, min(n, limit)) // no token has less than a byte
}

// runeStart is the last place up to n where a character begins.
func runeStart(text string, n int) int {
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// whole is a reply's object, nil when what it says had to be cut.
func whole(object any, cut bool) any {
	if cut {
		return nil
	}
	return object
}

// snap takes a snapshot.
func snap(ctx context.Context, s *session, args arguments) (*reply, error) {
	text, err := args.word("wait")
	if err != nil {
		return nil, err
	}
	var p wire.SnapshotParams
	if err := args.into(&p); err != nil {
		return nil, err
	}
	took := func(p wire.SnapshotParams) (json.RawMessage, *wire.Snapshot, error) {
		ask := s.read
		if p.URL != "" {
			if own, err := s.dedicated(ctx); err != nil {
				return nil, nil, err
			} else if !own {
				ask = s.once // it opens a tab
			}
		}
		return view(ctx, ask, "snapshot", p)
	}
	note := ""
	if text != "" {
		wait := wire.WaitParams{Tab: p.Tab, Text: text}
		if p.URL != "" {
			_, opened, err := took(wire.SnapshotParams{URL: p.URL, Tab: p.Tab, ViewOptions: wire.ViewOptions{Profile: "light"}})
			if err != nil {
				return nil, err
			}
			p.URL, p.Tab, wait.Tab = "", opened.Tab, opened.Tab
		}
		var waited wire.Waited
		if err := s.read(ctx, "wait", wait, &waited); err != nil {
			return nil, err
		}
		if _, late := client.Waited(waited); late != nil {
			note = late.Error()
		}
	}
	fence(&p.ViewOptions)
	raw, got, err := took(p)
	if err != nil {
		return nil, err
	}
	s.saw(got.Tab, got.RecoveryHandle)
	return shown(raw, got, note), nil
}

// fence makes a view fit for an agent.
func fence(o *wire.ViewOptions) {
	o.Fence = true
	if o.MaxTokens == nil {
		limit := maxTokens - around
		o.MaxTokens = &limit
	}
}

type asker func(ctx context.Context, method string, params, result any) error

// view asks for a view.
func view(ctx context.Context, ask asker, method string, params any) (json.RawMessage, *wire.Snapshot, error) {
	var raw json.RawMessage
	if err := ask(ctx, method, params, &raw); err != nil {
		return nil, nil, err
	}
	var got wire.Snapshot
	if err := json.Unmarshal(raw, &got); err != nil {
		return nil, nil, fmt.Errorf("read the snapshot: %w", err)
	}
	return raw, &got, nil
}

// shown words a view: its lines, then what an agent needs beside them.
func shown(raw json.RawMessage, got *wire.Snapshot, notes ...string) *reply {
	line := fmt.Sprintf("recovery_handle: %s, tab: %d", got.RecoveryHandle, got.Tab)
	if next := string(got.NextOffset); next != "null" && next != "" {
		line += ", next_offset: " + next
	}
	if got.Superseded {
		notes = append(notes, "the page has moved on since")
	}
	for _, note := range append(notes, got.Note) {
		if note != "" {
			line += "\n" + note
		}
	}
	r := &reply{text: got.UIDs + "\n" + line, object: raw}
	if got.Structure != nil {
		data, cut := within(string(got.Structure), max(0, maxTokens-around-got.ViewTokens))
		r.text += "\n" + snapshot.Fence(data, hexID(4), "")
		r.object = whole(raw, cut)
	}
	return r
}

// acts are what browser_act does that is no act on a uid.
var acts = map[string]answer{"dialog": dialog, "wait": wait, "screenshot": screenshot}

// act does one act, once, and says what is different then.
func act(ctx context.Context, s *session, args arguments) (*reply, error) {
	action, err := args.word("action")
	if err != nil {
		return nil, err
	}
	if other, ok := acts[action]; ok {
		return other(ctx, s, args)
	}
	if action != "" {
		args["action"], _ = json.Marshal(action) // is a string
	}
	var p wire.ActParams
	if err := args.into(&p); err != nil {
		if fault, ok := errors.AsType[*wire.Fault](err); ok && fault.Field == "action" {
			fault.Message += ", dialog, wait, screenshot"
		}
		return nil, err
	}
	p.Then, p.ActID = cmp.Or(p.Then, "diff"), cmp.Or(p.ActID, hexID(16))
	return done(ctx, s, "act", p)
}

// done asks for an act and words what it did.
func done(ctx context.Context, s *session, method string, params any) (*reply, error) {
	var r wire.ActResult
	if err := s.once(ctx, method, params, &r); err != nil {
		return nil, err
	}
	if method == "dialog" {
		s.compare(ctx, &r)
	}
	text, cut := within(client.Evidence(r), maxDiff)
	switch {
	case r.Diff == "not read: "+string(wire.DialogOpen):
		text += "\n" + hints[wire.DialogOpen]
	case ours.MatchString(r.Diff):
		text += "\n" + r.Diff
	case r.Diff != "":
		var long bool
		r.Diff, long = within(r.Diff, maxDiff)
		r.Diff = snapshot.Fence(r.Diff, hexID(4), "")
		text += "\n" + r.Diff
		if long {
			text += "\nmore: browser_read, browser_snapshot"
		}
	}
	s.saw(r.Tab, r.RecoveryHandle)
	return &reply{text: text, object: whole(r, cut)}, nil
}

// ours is what is said of a page where nothing of it is: no line of a page is so.
var ours = regexp.MustCompile(`^(unchanged|not read: [a-z_]+)$`)

// compare adds to what an act did what is different from the view seen before,
// which the host only does for acts on a uid. The act is done in any case.
func (s *session) compare(ctx context.Context, r *wire.ActResult) {
	p := wire.SnapshotParams{Tab: r.Tab, ViewOptions: wire.ViewOptions{Since: s.newest(r.Tab)}}
	if p.Since == "" {
		return
	}
	if _, got, err := view(ctx, s.read, "snapshot", p); err == nil {
		r.Diff, r.RecoveryHandle = got.UIDs, got.RecoveryHandle
	}
}

func dialog(ctx context.Context, s *session, args arguments) (*reply, error) {
	var p wire.DialogParams
	if err := args.into(&p); err != nil {
		return nil, err
	}
	p.ActID = hexID(16)
	return done(ctx, s, "dialog", p)
}

func navigate(ctx context.Context, s *session, args arguments) (*reply, error) {
	var p wire.NavigateParams
	if err := args.into(&p); err != nil {
		return nil, err
	}
	p.ActID = hexID(16)
	return done(ctx, s, "navigate", p)
}

func eval(ctx context.Context, s *session, args arguments) (*reply, error) {
	var p wire.EvalParams
	if err := args.into(&p); err != nil {
		return nil, err
	}
	p.ActID = hexID(16)
	var r wire.ActResult
	if err := s.once(ctx, "eval", p, &r); err != nil {
		return nil, err
	}
	value := "null"
	if r.Value != nil {
		value = string(r.Value)
	}
	text, cut := said(value)
	return &reply{text: text, object: whole(r, cut)}, nil
}

func wait(ctx context.Context, s *session, args arguments) (*reply, error) {
	var p wire.WaitParams
	if err := args.into(&p); err != nil {
		return nil, err
	}
	var r wire.Waited
	if err := s.read(ctx, "wait", p, &r); err != nil {
		return nil, err
	}
	line, late := client.Waited(r)
	if late != nil {
		return nil, late
	}
	return &reply{text: line, object: r}, nil
}

func screenshot(ctx context.Context, s *session, args arguments) (*reply, error) {
	var p wire.ScreenshotParams
	if err := args.into(&p); err != nil {
		return nil, err
	}
	var r wire.Picture
	if err := s.read(ctx, "screenshot", p, &r); err != nil {
		return nil, err
	}
	return &reply{
		text:   fmt.Sprintf("%d × %d", r.Width, r.Height),
		object: map[string]int{"width": r.Width, "height": r.Height, "marked": r.Marked},
		png:    r.PNG,
	}, nil
}

func tabs(ctx context.Context, s *session, args arguments) (*reply, error) {
	var p wire.TabsParams
	if err := args.into(&p); err != nil {
		return nil, err
	}
	ask := s.read
	if p.Action != "" && p.Action != "list" {
		ask = s.once
	}
	var r wire.TabsResult
	if err := ask(ctx, "tabs", p, &r); err != nil {
		return nil, err
	}
	var lines []string
	for i := range r.Tabs {
		tab := &r.Tabs[i]
		tab.URL, tab.Title = clip(tab.URL), clip(tab.Title)
		lines = append(lines, client.Tab(*tab))
	}
	text, cut := said(strings.Join(lines, "\n"))
	return &reply{text: text, object: whole(r, cut)}, nil
}

// clip shortens an address, which may be a whole page.
func clip(text string) string {
	if len(text) <= maxURL {
		return text
	}
	return strings.ToValidUTF8(text[:maxURL], "") + "…"
}

// looks are what browser_read reads.
var looks = map[string]answer{"window": window, "find": find, "structure": structure, "extract": extract, "diff": diff, "resolve": resolve}

// look reads what is stored; the page is not touched but by resolve.
func look(ctx context.Context, s *session, args arguments) (*reply, error) {
	what, err := args.word("what")
	if err != nil {
		return nil, err
	}
	read, ok := looks[cmp.Or(what, "window")]
	if !ok {
		fault := wire.Fail(wire.BadRequest, "what must be one of window, find, structure, extract, diff, resolve, not %q", what)
		fault.Field = "what"
		return nil, fault
	}
	return read(ctx, s, args)
}

func window(ctx context.Context, s *session, args arguments) (*reply, error) {
	var p wire.ReadParams
	if err := args.into(&p); err != nil {
		return nil, err
	}
	fence(&p.ViewOptions)
	raw, got, err := view(ctx, s.read, "read", p)
	if err != nil {
		return nil, err
	}
	return shown(raw, got), nil
}

func diff(ctx context.Context, s *session, args arguments) (*reply, error) {
	if args["since"] == nil {
		fault := wire.Fail(wire.BadRequest, "diff needs since: the recovery handle of the view before")
		fault.Field = "since"
		return nil, fault
	}
	return window(ctx, s, args)
}

func structure(ctx context.Context, s *session, args arguments) (*reply, error) {
	var p wire.ReadParams
	if err := args.into(&p); err != nil {
		return nil, err
	}
	p.Structure, p.Profile = true, cmp.Or(p.Profile, "light")
	_, got, err := view(ctx, s.read, "read", p)
	if err != nil {
		return nil, err
	}
	text, cut := said(string(got.Structure))
	object := map[string]any{"structure": got.Structure, "recovery_handle": got.RecoveryHandle}
	if got.Reason != "" {
		text, object["structure_reason"] = text+"\n"+got.Reason, got.Reason
	}
	return &reply{text: text, object: whole(object, cut)}, nil
}

func find(ctx context.Context, s *session, args arguments) (*reply, error) {
	var p wire.FindParams
	if err := args.into(&p); err != nil {
		return nil, err
	}
	var r wire.Found
	if err := s.read(ctx, "find", p, &r); err != nil {
		return nil, err
	}
	var cut bool
	r.Lines, cut = said(r.Lines)
	text := fmt.Sprintf("%s\n%d lines in all", r.Lines, r.Total)
	if r.Superseded {
		text += "; the page has moved on since"
	}
	return &reply{text: text, object: whole(r, cut)}, nil
}

func extract(ctx context.Context, s *session, args arguments) (*reply, error) {
	var p wire.ExtractParams
	if err := args.into(&p); err != nil {
		return nil, err
	}
	var quoted string
	if json.Unmarshal(p.Schema, &quoted) == nil && json.Valid([]byte(quoted)) {
		p.Schema = json.RawMessage(quoted) // some agents write an object as a string
	}
	var r wire.Extracted
	if err := s.read(ctx, "extract", p, &r); err != nil {
		return nil, err
	}
	text, cut := said(string(r.Data))
	if r.Superseded {
		text += "\nthe page has moved on since"
	}
	return &reply{text: text, object: whole(r, cut)}, nil
}

func resolve(ctx context.Context, s *session, args arguments) (*reply, error) {
	var p wire.ResolveParams
	if err := args.into(&p); err != nil {
		return nil, err
	}
	p.All = p.UID == ""
	var r wire.InspectResult
	if err := s.read(ctx, "resolve", p, &r); err != nil {
		return nil, err
	}
	var lines []string
	for n := range slices.Values(r.Nodes) {
		lines = append(lines, client.NodeState(n))
	}
	text, cut := said(strings.Join(lines, "\n"))
	return &reply{text: text, object: whole(r, cut)}, nil
}
