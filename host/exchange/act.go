package exchange

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"handrail/compressor"
	"handrail/host/policy"
	"handrail/host/snapshot"
	"handrail/host/wire"
	"handrail/recovery"
)

const (
	// expiry is how long an act may be on its way to the page.
	expiry = 10 * time.Second
	// grace is added to an act's own budget before its answer is given up.
	grace = 30 * time.Second

	defaultWait = 2 * time.Second  // for a node to become ready
	defaultLoad = 15 * time.Second // for a page to load, an expression to end
	maxWait     = 10 * time.Minute
)

const hiddenValue = "‹hidden›"

// actFields are the fields that belong to an act, beside those that all have.
var actFields = map[string]string{
	"click":     "button count modifiers second again",
	"type":      "text clear submit keys secret again",
	"set_field": "text submit keys secret again",
	"select":    "values",
	"check":     "on",
	"press":     "key again",
	"hover":     "",
	"focus":     "",
	"blur":      "",
	"drag":      "to offset",
	"scroll":    "pages until",
	"set_value": "values",
	"upload":    "files",
}

// checkAct refuses fields that do not belong to an act, and finds those it lacks.
func checkAct(p wire.ActParams) error {
	given := map[string]bool{
		"text": p.Text != nil, "clear": p.Clear, "submit": p.Submit, "keys": p.Keys, "secret": p.Secret, "values": p.Values != nil, "on": p.On != nil,
		"key": p.Key != "", "button": p.Button != "", "count": p.Count != 0, "modifiers": p.Modifiers != nil, "second": p.Second, "pages": p.Pages != 0,
		"until": p.Until != "", "to": p.To != "", "offset": p.Offset != nil, "files": p.Files != nil, "again": p.Again,
	}
	belongs := strings.Fields(actFields[p.Action])
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if given[name] && !slices.Contains(belongs, name) {
			return badField(name, "%s takes no %s", p.Action, name)
		}
	}
	for name, missing := range map[string]bool{
		"text": (p.Action == "type" || p.Action == "set_field") && p.Text == nil,
		"key":  p.Action == "press" && p.Key == "", "on": p.Action == "check" && p.On == nil,
		"values": (p.Action == "select" || p.Action == "set_value") && len(p.Values) == 0,
		"files":  p.Action == "upload" && len(p.Files) == 0,
		"to":     p.Action == "drag" && (p.To == "") == (p.Offset == nil),
		"uid":    p.UID == "" && p.Action != "press" && p.Action != "scroll",
	} {
		if missing {
			return badField(name, "%s needs %s", p.Action, needs[name])
		}
	}
	switch {
	case p.Action == "set_value" && len(p.Values) > 1:
		return badField("values", "set_value takes one value")
	case p.Count < 0 || p.Count > 3:
		return badField("count", "a click has a count of 1 to 3")
	case math.Abs(p.Pages) > 100:
		return badField("pages", "pages are 100 at most")
	case p.UID != "" && p.Tab != 0:
		return badField("tab", "the uid says which tab")
	}
	for _, m := range p.Modifiers {
		if !slices.Contains([]string{"Alt", "Control", "Meta", "Shift"}, m) {
			return badField("modifiers", "no modifier %q: there are Alt, Control, Meta and Shift", m)
		}
	}
	return nil
}

// needs words what an act lacks.
var needs = map[string]string{
	"uid": "a uid", "to": "either to or offset", "text": "the text to type", "key": "the key to press", "on": "on or off", "values": "values", "files": "files",
}

// act does one act on a uid.
func (l *link) act(ctx context.Context, p wire.ActParams) (*wire.ActResult, error) {
	if err := checkAct(p); err != nil {
		return nil, err
	}
	text := ""
	if p.Text != nil {
		text = *p.Text
	}
	args := p
	args.ActID, args.Then = "", ""
	var seen aim
	if p.Then == "diff" {
		store, err := l.openStore()
		if err != nil {
			return nil, err
		}
		if p.UID != "" {
			if seen, err = l.target(ctx, store, p.UID, p.Handle); err != nil {
				return nil, err
			}
		}
	}
	result, err := l.once(ctx, request{
		id: p.ActID, args: args, uid: p.UID, handle: p.Handle, to: p.To, tab: p.Tab, waitMs: p.TimeoutMs,
		act: wire.Act{
			Kind: p.Action, Text: text, Clear: p.Clear, Submit: p.Submit, Keys: p.Keys, Secret: p.Secret, Values: p.Values, On: p.On, Key: p.Key,
			Button: p.Button, Count: p.Count, Modifiers: p.Modifiers, Second: p.Second, Pages: p.Pages, Until: p.Until, Offset: p.Offset,
			Files: p.Files, Again: p.Again, Settle: p.Settle || p.Then == "diff", Expect: p.Expect,
		},
	})
	if err != nil || p.Then != "diff" {
		return result, err
	}
	return l.withDiff(ctx, result, seen), nil
}

// withDiff says in an act's result what is different from what the client was shown of
// the tab last. The act is done whether or not the page can be read.
func (l *link) withDiff(ctx context.Context, result *wire.ActResult, seen aim) *wire.ActResult {
	told := *result
	if store, err := l.openStore(); err == nil {
		tab := seen.tab
		if tab == 0 {
			tab = result.Tab
		}
		// What was shown last, so that what one act changed is not said again for the next.
		if view, at, err := store.Latest(ctx, l.key(), l.browser.Instance, tab); err == nil {
			seen = aim{tab: at.Tab, handle: view.Handle}
		}
	}
	object, err := l.take(ctx, seen.tab, snapshot.Request{
		Options: compressor.Options{Profile: compressor.Balanced}, Limits: compressor.DefaultLimits, Since: seen.handle,
	}, limits)
	if err != nil {
		told.Diff = fmt.Sprintf("not read: %s", codeOf(l.fault(err)))
		return &told
	}
	told.Diff, told.RecoveryHandle = object.UIDs, object.RecoveryHandle
	return &told
}

// navigate moves a tab.
func (l *link) navigate(ctx context.Context, p wire.NavigateParams) (*wire.ActResult, error) {
	kind := p.Action
	if kind == "" || kind == "url" {
		kind = "navigate"
		if err := l.checkURL(p.URL); err != nil {
			return nil, err
		}
	} else if p.URL != "" {
		return nil, badField("url", "%s goes to no address", kind)
	}
	args := p
	args.ActID = ""
	return l.once(ctx, request{
		id: p.ActID, args: args, tab: p.Tab, waitMs: p.TimeoutMs,
		act: wire.Act{Kind: kind, URL: p.URL},
	})
}

// eval runs an expression in a tab.
func (l *link) eval(ctx context.Context, p wire.EvalParams) (*wire.ActResult, error) {
	if p.Expression == "" {
		return nil, badField("expression", "there is no expression")
	}
	args := p
	args.ActID = ""
	return l.once(ctx, request{
		id: p.ActID, args: args, tab: p.Tab, waitMs: p.TimeoutMs,
		act: wire.Act{Kind: "eval", Expression: p.Expression},
	})
}

// dialog answers the dialog that a tab has open.
func (l *link) dialog(ctx context.Context, p wire.DialogParams) (*wire.ActResult, error) {
	act := wire.Act{Kind: "dialog", Accept: p.Accept}
	if p.Text != nil {
		act.Text = *p.Text
	}
	args := p
	args.ActID = ""
	return l.once(ctx, request{id: p.ActID, args: args, tab: p.Tab, act: act})
}

// request is an act as a client asks for it.
type request struct {
	id     string // made up when empty
	args   any    // all that makes it this act and no other
	act    wire.Act
	waitMs int

	uid, handle string // what it is aimed at,
	to          string // and the uid where it is dropped; or
	tab         int    // where it is done; 0 is the client's current tab
}

// aim is a request whose node or tab was found.
type aim struct {
	tab    int
	target *wire.Target
	to     *wire.Target // where it is dropped
	handle string       // of the view in which the target was seen
}

// once does an act at most once under its id: an id that the ledger knows gives
// what became of it then.
func (l *link) once(ctx context.Context, r request) (*wire.ActResult, error) {
	if r.waitMs < 0 || r.waitMs > int(maxWait.Milliseconds()) {
		return nil, badField("timeout_ms", "the time to wait is 0 to %d ms", maxWait.Milliseconds())
	}
	if r.id == "" {
		r.id = randomHex(16)
	} else if b, err := hex.DecodeString(r.id); err != nil || len(b) != 16 {
		return nil, badField("act_id", "an act id has 32 hex digits")
	}
	r.act.ID, r.act.TimeoutMs = r.id, r.waitMs
	store, err := l.openStore()
	if err != nil {
		return nil, err // what cannot be recorded is not done
	}
	release, err := l.actIDs.take(ctx, r.id)
	if err != nil {
		return nil, err
	}
	defer release()
	args, err := json.Marshal(r.args)
	if err != nil {
		return nil, fmt.Errorf("record act: %w", err)
	}
	row := &recovery.Act{ID: r.id, Client: l.key(), Browser: l.browser.Instance, UID: r.uid, Kind: r.act.Kind, Args: store.ArgsMAC(args), Epoch: l.epoch, State: stateSent, At: l.now()}
	switch known, err := store.Act(ctx, r.id); {
	case err == nil:
		return l.again(ctx, store, known, row)
	case !errors.Is(err, recovery.ErrUnknownAct):
		return nil, err
	}

	if r.act.Kind == "upload" {
		if r.act.Files, err = l.uploads(r.act.Files); err != nil {
			return nil, err
		}
	}
	at, err := l.aim(ctx, store, r)
	if err != nil {
		return nil, err
	}
	needs, err := l.needs(ctx, r, at)
	if err != nil {
		return nil, err
	}
	row.Tab = at.tab
	begun := false
	for range maxNeeds {
		result, need, err := l.attempt(ctx, store, r, at, needs, row, &begun)
		if need == nil {
			return result, err
		}
		needs = append(needs, *need)
	}
	f := wire.Fail(wire.NotApproved, "the act needs ever more approvals")
	l.finish(context.WithoutCancel(ctx), store, r.id, stateFailed, f)
	return nil, f
}

// attempt does an act on the permits it needs, or says which one more it needs: the
// extension finds out by the page that it is a submit, or in which frame it is.
// Nothing was sent then, and the act is still under way. The person is asked while
// others may use the tab.
func (l *link) attempt(ctx context.Context, store *recovery.Store, r request, at aim, needs []wire.Permit, row *recovery.Act, begun *bool) (*wire.ActResult, *wire.Permit, error) {
	for {
		grant, err := l.grant(ctx, needs, at.tab, askedFor(r, at))
		if err != nil {
			if *begun {
				l.finish(context.WithoutCancel(ctx), store, r.id, stateFailed, asFault(l.fault(err)))
			}
			return nil, nil, err
		}
		release, err := l.acts.take(ctx, at.tab)
		if err != nil {
			return nil, nil, err
		}
		if holds, err := l.stands(ctx, grant); err != nil || !holds {
			release()
			if err != nil {
				return nil, nil, err
			}
			continue // revoked meanwhile
		}
		defer release()
		if !*begun {
			if known, err := store.BeginAct(ctx, row); err != nil {
				return nil, nil, err
			} else if known != nil {
				result, err := l.again(ctx, store, known, row) // another host was faster
				return result, nil, err
			}
			*begun = true
		}
		return l.perform(ctx, store, r, at, grant)
	}
}

// States of an act in the ledger.
const (
	stateSent      = "sent"      // it was, or is about to be, sent
	stateDone      = "done"      // the result is its wire.ActResult
	stateFailed    = "failed"    // the result is its wire.Fault
	stateUncertain = "uncertain" // likewise; nobody will ever know
)

// aim finds what a request is aimed at.
func (l *link) aim(ctx context.Context, store *recovery.Store, r request) (aim, error) {
	if r.uid != "" {
		at, err := l.target(ctx, store, r.uid, r.handle)
		if err != nil || r.to == "" {
			return at, err
		}
		to, err := l.target(ctx, store, r.to, r.handle)
		if err != nil {
			return at, err
		}
		if to.tab != at.tab {
			return at, badField("to", "the two uids are of different tabs")
		}
		at.to = to.target
		return at, nil
	}
	if r.tab != 0 {
		return aim{tab: r.tab}, nil
	}
	if r.act.Kind == "navigate" {
		if l.currentTab(ctx).Tab == 0 {
			// Asked before a tab is opened for it.
			if err := l.opening(ctx, r.act.URL); err != nil {
				return aim{}, err
			}
		}
		tab, _, err := l.tabToMove(ctx, false)
		return aim{tab: tab}, err
	}
	tab, err := l.tabToUse(ctx)
	return aim{tab: tab}, err
}

// perform sends a recorded act to the extension and records what became of it, but
// where it needs another permit.
func (l *link) perform(ctx context.Context, store *recovery.Store, r request, at aim, grant wire.Grant) (*wire.ActResult, *wire.Permit, error) {
	budget := defaultWait
	if at.target == nil {
		budget = defaultLoad
	}
	if r.waitMs > 0 {
		budget = time.Duration(r.waitMs) * time.Millisecond
	}
	waiting, cancel := context.WithTimeout(ctx, budget+grace)
	defer cancel()
	p := wire.PerformParams{
		Epoch: l.epoch, Expires: l.now().Add(expiry).UnixMilli(), Grant: grant, Tab: at.tab, Act: r.act, Target: at.target, To: at.to,
	}
	result := &wire.ActResult{ActID: r.id, UID: r.uid}
	var evidence json.RawMessage
	err := l.call(waiting, "perform", p, &evidence)
	garbled := err == nil && json.Unmarshal(evidence, &result.Evidence) != nil
	// What was sent must be recorded even when the asker has gone.
	ctx = context.WithoutCancel(ctx)
	if garbled || err != nil && l.lost(waiting) {
		l.supersede(ctx, store, at.tab)
		return nil, nil, uncertain("the answer was lost")
	}
	if need := needOf(err); need != nil && !slices.Contains(grant.Permits, *need) {
		return nil, need, nil
	}
	if err != nil {
		f := asFault(err)
		if f.Dispatched != wire.DispatchedNo {
			l.supersede(ctx, store, at.tab)
		}
		l.point(ctx, store, f, at)
		l.finish(ctx, store, r.id, stateFailed, f)
		return nil, nil, f
	}
	if at.target != nil && at.target.Secret {
		withhold(&result.Evidence, r.act.Text)
	}
	l.unread(ctx, &result.Evidence)
	l.supersede(ctx, store, at.tab)
	l.finish(ctx, store, r.id, stateDone, result)
	if at.target == nil && r.act.Kind != "eval" {
		// A data: address opens in a tab that takes the place of the one moved.
		if result.Tab == 0 {
			result.Tab = at.tab
		}
		l.setCurrentTab(ctx, currentTab{Tab: result.Tab})
	}
	return result, nil, nil
}

// withhold takes out of an act's evidence what it typed into a secret field: a
// form that is sent by GET has it in the address.
func withhold(e *wire.Evidence, typed string) {
	if e.ValueNow != nil {
		*e.ValueNow = hiddenValue
	}
	if typed == "" {
		return
	}
	inForm := url.QueryEscape(typed)
	hide := strings.NewReplacer(typed, hiddenValue, inForm, hiddenValue, strings.ReplaceAll(inForm, "+", "%20"), hiddenValue).Replace
	if utf8.RuneCountInString(typed) < 4 {
		// Of a digit of a code copies stand everywhere, and where one is hidden in what is
		// known, it is told: http://‹hidden›27.0.0.‹hidden›.
		hide = func(said string) string {
			return queryValue.ReplaceAllStringFunc(said, func(value string) string {
				if value[1:] != inForm {
					return value
				}
				return "=" + hiddenValue
			})
		}
	}
	for _, said := range []*string{&e.URL, &e.Title, &e.Dialog, &e.Focus, &e.Download} {
		*said = hide(*said)
	}
	if e.Hit != nil {
		e.Hit.Name, e.Hit.Href = hide(e.Hit.Name), hide(e.Hit.Href)
	}
}

var queryValue = regexp.MustCompile(`=[^&#]*`)

// unread takes out of an act's evidence what a page says that is never read, and to
// which the act led, say.
func (l *link) unread(ctx context.Context, e *wire.Evidence) {
	origin := policy.OriginOf(e.URL)
	if l.unasked() || origin == "" {
		return
	}
	if verdict, err := l.decide(ctx, wire.Permit{Kind: policy.Read, Origin: origin}); err == nil && verdict != policy.Never {
		return
	}
	e.URL, e.Title, e.Focus, e.Dialog, e.Hit, e.ValueNow, e.Chosen = origin, "", "", "", nil, nil, nil
	if e.Scroll != nil {
		e.Scroll.Lines = nil
	}
}

// lost tells whether a failed call may have been made by this end: the other
// one's answer is then not known.
func (h *host) lost(ctx context.Context) bool {
	select {
	case <-h.port.Done():
		return true
	default:
		return ctx.Err() != nil
	}
}

// uncertain is the failure of an act of which nobody here knows the end.
func uncertain(why string) *wire.Fault {
	f := wire.Fail(wire.Uncertain, "it is not known whether the act reached the page: %s", why)
	f.Dispatched, f.Effect = wire.DispatchedUncertain, "unknown"
	return f
}

// asFault returns the failure of a call, which always is a Fault.
func asFault(err error) *wire.Fault {
	if f, ok := errors.AsType[*wire.Fault](err); ok {
		return f
	}
	return wire.Fail(wire.Internal, "")
}

// finish records an act's end. When that fails the act stays 'sent', and the
// same id finds the extension's half of the ledger.
func (l *link) finish(ctx context.Context, store *recovery.Store, id, state string, result any) {
	if r, ok := result.(*wire.ActResult); ok {
		kept := *r
		kept.ValueNow = nil // may hold what was typed
		result = &kept
	}
	body, err := json.Marshal(result)
	if err == nil {
		err = store.FinishAct(ctx, id, state, body)
	}
	if err != nil {
		l.log.Warn().Err(err).Msg("could not record the end of an act")
	}
}

func (l *link) supersede(ctx context.Context, store *recovery.Store, tab int) {
	if err := store.Supersede(ctx, l.browser.Instance, tab, "yes"); err != nil {
		l.log.Warn().Err(err).Msg("could not mark earlier snapshots")
	}
}

// again answers an act whose id is in the ledger already.
func (l *link) again(ctx context.Context, store *recovery.Store, known, asked *recovery.Act) (*wire.ActResult, error) {
	if known.Client != asked.Client || known.Kind != asked.Kind || !bytes.Equal(known.Args, asked.Args) {
		return nil, wire.Fail(wire.ActReused, "")
	}
	switch known.State {
	case stateDone:
		var result wire.ActResult
		if err := json.Unmarshal(known.Result, &result); err != nil {
			return nil, fmt.Errorf("read ledger: %w", err)
		}
		return &result, nil
	case stateFailed, stateUncertain:
		var f wire.Fault
		if err := json.Unmarshal(known.Result, &f); err != nil {
			return nil, fmt.Errorf("read ledger: %w", err)
		}
		return nil, &f
	}
	return l.ask(ctx, store, known)
}

// ask finds out from the extension what became of an act that was sent.
func (l *link) ask(ctx context.Context, store *recovery.Store, known *recovery.Act) (*wire.ActResult, error) {
	if known.Browser != l.browser.Instance {
		return nil, uncertain("it was sent to another browser")
	}
	waiting, cancel := context.WithTimeout(ctx, expiry)
	defer cancel()
	var ledger wire.LedgerResult
	if err := l.call(waiting, "ledger", wire.LedgerParams{IDs: []string{known.ID}}, &ledger); err != nil {
		return nil, uncertain("the browser did not say") // and may at the next try
	}
	ctx = context.WithoutCancel(ctx)
	for _, row := range ledger.Acts {
		switch {
		case row.ID != known.ID:
		case row.State == "done" && row.Result != nil:
			result := &wire.ActResult{ActID: known.ID, UID: known.UID, Evidence: *row.Result}
			l.finish(ctx, store, known.ID, stateDone, result)
			return result, nil
		case row.State == "failed" && row.Fault != nil:
			l.finish(ctx, store, known.ID, stateFailed, row.Fault)
			return nil, row.Fault
		case row.State == "started" && l.now().Sub(known.At) < expiry:
			f := wire.Fail(wire.ActInProgress, "")
			f.Dispatched, f.Effect = wire.DispatchedUncertain, "unknown"
			return nil, f
		}
	}
	f := uncertain("it was cut off")
	l.finish(ctx, store, known.ID, stateUncertain, f)
	return nil, f
}
