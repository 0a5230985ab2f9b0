package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"handrail/host/policy"
	"handrail/host/wire"
	"handrail/host/words"
)

// maxNeeds bounds how often a request finds out that it needs another permit: a
// page may move on while the person thinks.
const maxNeeds = 4

// reading does what reads a tab, once the client may read its page. The extension
// compares the page with the scope, and says what else is needed.
func (l *link) reading(ctx context.Context, tab int, what string, do func(scope *wire.Scope) error) error {
	if l.unasked() {
		return do(nil)
	}
	origin, err := l.pageOrigin(ctx, tab)
	if err != nil {
		return err
	}
	origin = cmp.Or(origin, policy.Opaque)
	for range maxNeeds {
		if _, err := l.approved(ctx, wire.Permit{Kind: policy.Read, Origin: origin}, tab, what); err != nil {
			return err
		}
		rules, err := l.rules(ctx)
		if err != nil {
			return err
		}
		err = do(&wire.Scope{Origin: origin, Never: policy.Unread(rules, l.now()), Only: policy.Only(rules, l.now())})
		need := needOf(err)
		if need == nil || need.Kind != policy.Read || need.Origin == origin {
			return err
		}
		origin = need.Origin
	}
	return wire.Fail(wire.CaptureFailed, "the page moves from site to site")
}

// scopeNow is what may be read of a tab without asking the person.
func (l *link) scopeNow(ctx context.Context, tab int) (*wire.Scope, error) {
	if l.unasked() {
		return nil, nil
	}
	origin, err := l.pageOrigin(ctx, tab)
	if err != nil {
		return nil, err
	}
	rules, err := l.rules(ctx)
	if err != nil {
		return nil, err
	}
	need := wire.Permit{Kind: policy.Read, Origin: cmp.Or(origin, policy.Opaque)}
	if policy.Decide(rules, need.Kind, need.Origin, l.now()) != policy.Always && !approvedOnce(ctx, need) {
		return nil, refused(need, "")
	}
	return &wire.Scope{Origin: need.Origin, Never: policy.Unread(rules, l.now()), Only: policy.Only(rules, l.now())}, nil
}

// needOf is the permit for want of which the extension refused a request.
func needOf(err error) *wire.Permit {
	if f, ok := errors.AsType[*wire.Fault](err); ok && f.Code == wire.NotApproved {
		return f.Need
	}
	return nil
}

// pageOrigin is the origin of the page in a tab; "" is a blank one.
func (l *link) pageOrigin(ctx context.Context, tab int) (string, error) {
	listed, err := l.callTabs(ctx, wire.TabsParams{Action: "list"})
	if err != nil {
		return "", err
	}
	for _, t := range listed.Tabs {
		if t.Tab == tab {
			return policy.OriginOf(t.URL), nil
		}
	}
	return "", wire.Fail(wire.UnknownTab, "")
}

// needs are the permits that an act needs, as far as they are known before it.
func (l *link) needs(ctx context.Context, r request, at aim) ([]wire.Permit, error) {
	if l.dedicated != "" {
		return nil, nil
	}
	kind := policy.Act
	switch r.act.Kind {
	case "eval":
		kind = policy.Eval
	case "upload":
		kind = policy.Upload
	}
	if at.target != nil {
		needs := []wire.Permit{{Kind: kind, Origin: cmp.Or(at.target.Origin, policy.Opaque)}}
		if at.to != nil && at.to.Origin != at.target.Origin {
			needs = append(needs, wire.Permit{Kind: kind, Origin: cmp.Or(at.to.Origin, policy.Opaque)})
		}
		return needs, nil
	}
	page, err := l.pageOrigin(ctx, at.tab)
	if err != nil {
		return nil, err
	}
	switch r.act.Kind {
	case "navigate", "back", "forward", "reload":
		var needs []wire.Permit
		if page != "" {
			needs = append(needs, wire.Permit{Kind: kind, Origin: page})
		}
		if to := policy.OriginOf(r.act.URL); to != "" && (to != page || to == policy.Opaque) {
			needs = append(needs, wire.Permit{Kind: policy.Read, Origin: to})
		}
		return needs, nil
	}
	return []wire.Permit{{Kind: kind, Origin: cmp.Or(page, policy.Opaque)}}, nil
}

// opening asks whether a client may open an address beside what is open.
func (l *link) opening(ctx context.Context, address string) error {
	origin := policy.OriginOf(address)
	if l.unasked() || origin == "" {
		return nil
	}
	_, err := l.approved(ctx, wire.Permit{Kind: policy.Read, Origin: origin}, 0, "open "+short(address))
	return err
}

// maxWords bounds each part of what the person is told of a request, maxName that
// by which a client calls itself: the kind and the site follow it, in a notification too.
const (
	maxWords = 120
	maxName  = 40
)

func short(text string) string { return plain(text, maxWords) }

// plain is a text in a line of so many characters, none of which is unseen or turns
// what stands beside it around.
func plain(text string, most int) string {
	text = words.Printable(text)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// askedFor says in short what an act does. What is typed is not in them.
func askedFor(r request, at aim) string {
	what := strings.ReplaceAll(r.act.Kind, "_", " ")
	switch r.act.Kind {
	case "eval":
		return "run " + short(r.act.Expression)
	case "navigate":
		return "go to " + short(r.act.URL)
	case "press":
		what += " " + short(r.act.Key)
	case "dialog":
		if what = "dismiss the dialog"; r.act.Accept {
			what = "accept the dialog"
		}
	case "upload":
		what += fmt.Sprintf(" %d files to", len(r.act.Files))
	case "select":
		what += " " + short(strings.Join(r.act.Values, ", ")) + " in"
	}
	if at.target != nil {
		what += fmt.Sprintf(" %s %q", at.target.Role, short(at.target.Name))
	}
	if at.to != nil {
		what += fmt.Sprintf(" to %s %q", at.to.Role, short(at.to.Name))
	}
	return what
}
