// Package policy decides what clients may do in a person's own browser: by
// origin and kind of request, from the rules that the person made. It is pure:
// no I/O, no clock.
//
// The rule of an origin goes before the one for all sites, that before what holds
// without a rule. A submit is what an act is, unless a rule speaks of submits. What
// has no site of its own (Opaque) has no rules of its own either, as they would
// hold for every such page.
package policy

import (
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/idna"
)

// Kinds of requests.
const (
	Read   = "read"   // a page's tree, picture and state
	Act    = "act"    // input, moving and closing tabs
	Submit = "submit" // an act that submits a form, or whose name says that it buys, sends, deletes
	Upload = "upload"
	Eval   = "eval"
	Reveal = "reveal" // values of secret fields, but never of passwords
)

// Kinds lists them all.
var Kinds = []string{Read, Act, Submit, Upload, Eval, Reveal}

// Verdicts on them.
const (
	Ask    = "ask"
	Always = "always"
	Never  = "never"
)

// Opaque is the origin of pages and frames without a site: data:, sandboxed.
const Opaque = "null"

// Rule is what a person said about a kind of request on an origin; "" is all sites.
type Rule struct {
	Origin  string
	Kind    string
	Verdict string
	Made    time.Time
	Expires time.Time // zero is never
}

// Holds tells whether the rule has not expired.
func (r Rule) Holds(now time.Time) bool { return r.Expires.IsZero() || now.Before(r.Expires) }

// Decide gives the verdict on a kind of request on an origin.
func Decide(rules []Rule, kind, origin string, now time.Time) string {
	if verdict := ruled(rules, kind, origin, now); verdict != "" {
		return verdict
	}
	switch kind {
	case Submit:
		return Decide(rules, Act, origin, now)
	case Eval, Reveal:
		return Never
	}
	return Ask
}

// SubmitsAsActs tells whether leave to act on an origin is leave to submit there.
func SubmitsAsActs(rules []Rule, origin string, now time.Time) bool {
	verdict := ruled(rules, Submit, origin, now)
	return verdict == "" || verdict == Always
}

// ruled gives the verdict of the rule that speaks of this, "" when none does.
func ruled(rules []Rule, kind, origin string, now time.Time) (verdict string) {
	for _, r := range rules {
		if r.Kind != kind || !r.Holds(now) {
			continue
		}
		if r.Origin == origin && Keepable(origin) {
			return r.Verdict
		}
		if r.Origin == "" {
			verdict = r.Verdict
		}
	}
	return verdict
}

// Unread lists the origins whose pages and frames are never read.
func Unread(rules []Rule, now time.Time) []string {
	origins := []string{}
	for _, r := range rules {
		if r.Kind == Read && r.Verdict == Never && r.Origin != "" && r.Holds(now) {
			origins = append(origins, r.Origin)
		}
	}
	return origins
}

// Only lists the origins of which frames are read, where the rule for all sites
// is that they never are; nil is all.
func Only(rules []Rule, now time.Time) []string {
	if ruled(rules, Read, "", now) != Never {
		return nil
	}
	origins := []string{}
	for _, r := range rules {
		if r.Kind == Read && r.Verdict != Never && r.Origin != "" && r.Holds(now) {
			origins = append(origins, r.Origin)
		}
	}
	return origins
}

// Keepable tells whether an origin can have rules.
func Keepable(origin string) bool { return origin != "" && origin != Opaque }

var ports = map[string]string{"http": ":80", "https": ":443"}

// OriginOf gives the origin of an address as location.origin does, but file:// for
// files; "" for a blank page, Opaque for what has none.
func OriginOf(address string) string {
	switch address {
	case "", "about:blank", "chrome://newtab/", "chrome://new-tab-page/":
		return ""
	}
	u, err := url.Parse(strings.TrimPrefix(address, "blob:"))
	if err != nil {
		return Opaque
	}
	switch u.Scheme {
	case "file":
		return "file://"
	case "http", "https":
		if host, err := spelt(u); err == nil && host != "" {
			return u.Scheme + "://" + strings.TrimSuffix(host, ports[u.Scheme])
		}
	}
	return Opaque
}

// spelt gives an address's host and port as a browser spells them: ä.example is
// xn--4ca.example.
func spelt(u *url.URL) (string, error) {
	if strings.IndexFunc(u.Host, func(r rune) bool { return r > 0x7e }) < 0 {
		return strings.ToLower(u.Host), nil
	}
	host, err := names.ToASCII(u.Hostname())
	if err != nil || u.Port() == "" {
		return host, err
	}
	return host + ":" + u.Port(), nil
}

var names = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false))
