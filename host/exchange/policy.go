package exchange

import (
	"context"
	"fmt"
	"slices"
	"time"

	"handrail/host/policy"
	"handrail/host/wire"
	"handrail/recovery"
)

// On what an act stands.
const (
	byDedicated = "dedicated" // Handrail's own browser: everything is allowed
	byRule      = "rule"
	byOnce      = "once"   // the person said so for this request
	byPerson    = "person" // who uses the browser does it, in the panel
)

// maxMinutes bounds rules that end: a year.
const maxMinutes = 366 * 24 * 60

// unasked tells whether the link's requests need nobody's leave. The panel's come
// from a click of the person's.
func (l *link) unasked() bool { return l.dedicated != "" || l.isExtension }

// rules are the person's, for this browser. Where they cannot be read nothing is known.
func (h *host) rules(ctx context.Context) ([]policy.Rule, error) {
	store, err := h.openStore()
	if err != nil {
		return nil, err
	}
	kept, err := store.Rules(ctx, h.browser.Instance)
	if err != nil {
		return nil, err
	}
	rules := make([]policy.Rule, len(kept))
	for i, r := range kept {
		rules[i] = policy.Rule(r)
	}
	return rules, nil
}

// allowed words the policy for those that show it.
func (h *host) allowed(ctx context.Context) wire.Policy {
	p := wire.Policy{Wide: map[string]string{}, Rules: []wire.SiteRule{}}
	rules, err := h.rules(ctx)
	if err != nil {
		h.log.Warn().Err(err).Msg("could not read the rules")
	}
	for _, kind := range policy.Kinds {
		p.Wide[kind] = policy.Always
		if h.dedicated == "" {
			p.Wide[kind] = policy.Decide(rules, kind, "", h.now())
		}
	}
	for _, r := range rules {
		if !r.Holds(h.now()) {
			continue
		}
		said := wire.SiteRule{Origin: r.Origin, Kind: r.Kind, Verdict: r.Verdict, Made: r.Made.UnixMilli()}
		if !r.Expires.IsZero() {
			said.Expires = r.Expires.UnixMilli()
		}
		p.Rules = append(p.Rules, said)
	}
	return p
}

// policy reads or changes the rules. What makes them wider only the person may do,
// in the panel: a program must not approve itself.
func (l *link) policy(ctx context.Context, p wire.PolicyParams) (wire.Policy, error) {
	if l.dedicated != "" && p.Action != "" && p.Action != "list" {
		return wire.Policy{}, badField("action", "in the dedicated browser everything is allowed")
	}
	var err error
	switch p.Action {
	case "set":
		err = l.setRule(ctx, p)
	case "revoke":
		err = l.revoke(ctx, p)
	}
	return l.allowed(ctx), err
}

func (l *link) setRule(ctx context.Context, p wire.PolicyParams) error {
	switch {
	case p.Kind == "":
		return badField("kind", "say which kind")
	case p.Verdict == "":
		return badField("verdict", "say which verdict")
	case p.Origin == policy.Opaque || p.Origin != "" && policy.OriginOf(p.Origin) != p.Origin:
		return badField("origin", "%.100q is no origin, as https://example.com is", p.Origin)
	case p.Minutes < 0 || p.Minutes > maxMinutes:
		return badField("minutes", "a rule ends after 1 to %d minutes", maxMinutes)
	case !l.isExtension && p.Verdict != policy.Never:
		return onlyPanel()
	}
	if !l.isExtension && p.Minutes > 0 {
		rules, err := l.rules(ctx)
		if err != nil {
			return err
		}
		// What ends takes the place of what the person said, and leaves nothing of it.
		if slices.ContainsFunc(rules, func(r policy.Rule) bool {
			return r.Origin == p.Origin && r.Kind == p.Kind && r.Verdict != policy.Always && r.Holds(l.now())
		}) {
			return onlyPanel()
		}
	}
	return l.rule(ctx, p.Kind, p.Origin, p.Verdict, p.Minutes)
}

func onlyPanel() *wire.Fault {
	f := wire.Fail(wire.NotApproved, "a program must not approve itself")
	f.Hint, f.Retry = "allow it in Handrail's side panel, tab Sites", wire.RetryNever
	return f
}

// rule makes a rule, which counts at once.
func (h *host) rule(ctx context.Context, kind, origin, verdict string, minutes int) error {
	store, err := h.openStore()
	if err != nil {
		return err
	}
	r := recovery.Rule{Origin: origin, Kind: kind, Verdict: verdict, Made: h.now()}
	if minutes > 0 {
		r.Expires = r.Made.Add(time.Duration(minutes) * time.Minute)
	}
	if err := store.SetRule(ctx, h.browser.Instance, r); err != nil {
		return fmt.Errorf("keep rule: %w", err)
	}
	h.ruled(ctx)
	return nil
}

// revoke takes rules away. Of a rule that is not always, no client may: what holds
// without it can be more.
func (l *link) revoke(ctx context.Context, p wire.PolicyParams) error {
	store, err := l.openStore()
	if err != nil {
		return err
	}
	rules, err := l.rules(ctx)
	if err != nil {
		return err
	}
	meant := slices.DeleteFunc(rules, func(r policy.Rule) bool {
		return r.Origin != p.Origin || p.Kind != "" && r.Kind != p.Kind || !l.isExtension && r.Verdict != policy.Always
	})
	if len(meant) == 0 && !l.isExtension {
		f := badField("origin", "no rule allows that")
		f.Hint = "handrail policy lists the rules; one that does not allow is revoked in Handrail's side panel, tab Sites"
		return f
	}
	for _, r := range meant {
		if err := store.DropRule(ctx, l.browser.Instance, r.Origin, r.Kind); err != nil {
			return fmt.Errorf("drop rule: %w", err)
		}
	}
	l.ruled(ctx)
	return nil
}

// ruled lets changed rules take effect: on what waits, and on what the panel shows.
func (h *host) ruled(ctx context.Context) {
	h.log.Info().Msg("the rules were changed")
	h.reconsider(ctx)
	go h.port.Notify("rules", wire.RulesParams{}) // the extension may not be reading
}

// decide gives the verdict on a request.
func (h *host) decide(ctx context.Context, p wire.Permit) (string, error) {
	rules, err := h.rules(ctx)
	if err != nil {
		return "", err
	}
	return policy.Decide(rules, p.Kind, p.Origin, h.now()), nil
}

// stands tells whether what a grant rests on still holds, after it had to wait.
func (h *host) stands(ctx context.Context, g wire.Grant) (bool, error) {
	if g.By == byDedicated || g.By == byPerson {
		return true, nil
	}
	for _, p := range g.Permits {
		if approvedOnce(ctx, p) {
			continue
		}
		if verdict, err := h.decide(ctx, p); err != nil || verdict != policy.Always {
			return false, err
		}
	}
	return true, nil
}

// grant returns what an act that needs these permits stands on. It asks the person
// where the rules say so, and refuses what is not approved.
func (l *link) grant(ctx context.Context, needs []wire.Permit, tab int, what string) (wire.Grant, error) {
	g := wire.Grant{By: byRule, Permits: []wire.Permit{}}
	switch {
	case l.dedicated != "":
		g.By = byDedicated
		return g, nil
	case l.isExtension:
		g.By = byPerson
		for _, need := range needs {
			g.Permits = append(g.Permits, need)
			if need.Kind == policy.Act {
				g.Permits = append(g.Permits, wire.Permit{Kind: policy.Submit, Origin: need.Origin})
			}
		}
		return g, nil
	}
	for _, need := range needs {
		once, err := l.approved(ctx, need, tab, what)
		if err != nil {
			return g, err
		}
		if once {
			g.By = byOnce
		}
		g.Permits = append(g.Permits, need)
		rules, err := l.rules(ctx)
		if err != nil {
			return g, err
		}
		if need.Kind == policy.Act && policy.SubmitsAsActs(rules, need.Origin, l.now()) {
			submit := wire.Permit{Kind: policy.Submit, Origin: need.Origin}
			if once {
				approveOnce(ctx, submit)
			}
			g.Permits = append(g.Permits, submit)
		}
	}
	return g, nil
}
