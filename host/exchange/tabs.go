package exchange

import (
	"context"
	"encoding/json"
	"net/url"
	"regexp"

	"handrail/host/policy"
	"handrail/host/wire"
)

// currentTab is the tab a client means when it names none: the one it opened,
// selected, moved or read last.
type currentTab struct {
	Tab   int  `json:"tab"`
	Blank bool `json:"blank,omitempty"` // it was opened without an address
}

func (l *link) currentKey() string { return "current:" + l.browser.Instance + ":" + l.key() }

// currentTab returns the client's current tab; the store knows it when another
// host served the client before. Tab 0: it has none.
func (l *link) currentTab(ctx context.Context) currentTab {
	l.mu.Lock()
	c, ok := l.current[l.key()]
	l.mu.Unlock()
	if ok {
		return c
	}
	if store, err := l.openStore(); err == nil {
		if kept, err := store.Setting(ctx, l.currentKey()); err == nil {
			json.Unmarshal([]byte(kept), &c)
		}
	}
	return c
}

func (l *link) setCurrentTab(ctx context.Context, c currentTab) {
	if l.currentTab(ctx) == c {
		return
	}
	l.mu.Lock()
	l.current[l.key()] = c
	l.mu.Unlock()
	store, err := l.openStore()
	if err != nil {
		return // in memory is enough for this host
	}
	kept, _ := json.Marshal(c)
	if err := store.SetSetting(ctx, l.currentKey(), string(kept)); err != nil {
		l.log.Warn().Err(err).Msg("could not keep the current tab")
	}
}

// tabs lists, opens, closes or selects tabs.
func (l *link) tabs(ctx context.Context, p wire.TabsParams) (wire.TabsResult, error) {
	var none wire.TabsResult
	switch p.Action {
	case "", "list":
	case "open":
		if p.URL != "" {
			if err := l.checkURL(p.URL); err != nil {
				return none, err
			}
		}
	case "close", "select":
		if p.Tab == 0 {
			return none, badField("tab", "say which tab to %s", p.Action)
		}
	}
	if err := l.mayChange(ctx, p); err != nil {
		return none, err
	}
	result, err := l.callTabs(ctx, p)
	if err != nil {
		return none, err
	}
	if result.Tab != 0 {
		l.setCurrentTab(ctx, currentTab{result.Tab, p.Action == "open" && blank(p.URL)})
	}
	current := l.currentTab(ctx).Tab
	for i := range result.Tabs {
		result.Tabs[i].Current = result.Tabs[i].Tab == current
	}
	return result, l.withhold(ctx, result.Tabs)
}

// mayChange asks whether a client may open an address, or close or select a tab.
func (l *link) mayChange(ctx context.Context, p wire.TabsParams) error {
	switch {
	case l.unasked():
		return nil
	case p.Action == "open":
		return l.opening(ctx, p.URL)
	case p.Action == "close" || p.Action == "select":
		origin, err := l.pageOrigin(ctx, p.Tab)
		if err != nil || origin == "" {
			return err
		}
		_, err = l.approved(ctx, wire.Permit{Kind: policy.Act, Origin: origin}, p.Tab, p.Action+" the tab")
		return err
	}
	return nil
}

// withhold takes title and path of pages that are never read out of a list of tabs.
func (l *link) withhold(ctx context.Context, tabs []wire.Tab) error {
	if l.unasked() {
		return nil
	}
	rules, err := l.rules(ctx)
	if err != nil {
		return nil // without a store nothing is read either
	}
	for i, t := range tabs {
		if origin := policy.OriginOf(t.URL); origin != "" && policy.Decide(rules, policy.Read, origin, l.now()) == policy.Never {
			tabs[i].URL, tabs[i].Title = origin, ""
		}
	}
	return nil
}

func (h *host) callTabs(ctx context.Context, p wire.TabsParams) (wire.TabsResult, error) {
	var result wire.TabsResult
	err := h.call(ctx, "tabs", p, &result)
	return result, err
}

// tabToUse returns the tab that a request without one means: the client's
// current tab, else the active tab of the window used last. A blank tab is no
// page: no_page.
func (l *link) tabToUse(ctx context.Context) (int, error) {
	if c := l.currentTab(ctx); c.Tab != 0 && !c.Blank {
		return c.Tab, nil
	}
	return l.listedTab(ctx)
}

// listedTab is tabToUse by what the browser lists.
func (l *link) listedTab(ctx context.Context) (int, error) {
	listed, err := l.callTabs(ctx, wire.TabsParams{Action: "list"})
	if err != nil {
		return 0, err
	}
	current := l.currentTab(ctx).Tab
	active := 0
	for _, t := range listed.Tabs {
		switch {
		case blank(t.URL):
		case t.Tab == current:
			return t.Tab, nil
		case t.Active && (t.Focused || active == 0):
			active = t.Tab
		}
	}
	if active == 0 {
		return 0, wire.Fail(wire.NoPage, "")
	}
	return active, nil
}

// tabToMove returns the tab in which an address is opened when the client names
// none: in the dedicated browser its current tab, else a blank one nobody else
// uses, else a new one; in a person's browser always a new one when fresh, so
// that no page of theirs is replaced.
func (l *link) tabToMove(ctx context.Context, fresh bool) (tab int, opened bool, err error) {
	release, err := l.acts.take(ctx, 0) // no tab's: clients choose one after the other
	if err != nil {
		return 0, false, err
	}
	defer release()
	if l.dedicated != "" || !fresh {
		listed, err := l.callTabs(ctx, wire.TabsParams{Action: "list"})
		if err != nil {
			return 0, false, err
		}
		current := l.currentTab(ctx).Tab
		for _, t := range listed.Tabs {
			if t.Tab == current {
				return t.Tab, false, nil
			}
		}
		for _, t := range listed.Tabs {
			if l.dedicated != "" && t.URL == "about:blank" && l.claim(t.Tab) {
				return t.Tab, false, nil
			}
		}
	}
	result, err := l.callTabs(ctx, wire.TabsParams{Action: "open"})
	if err == nil {
		l.claim(result.Tab)
	}
	return result.Tab, true, err
}

// claim makes a blank tab the client's unless it is another's.
func (l *link) claim(tab int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.current {
		if c.Tab == tab {
			return false
		}
	}
	l.current[l.key()] = currentTab{tab, true}
	return true
}

func blank(address string) bool {
	switch address {
	case "", "about:blank", "chrome://newtab/", "chrome://new-tab-page/":
		return true
	}
	return false
}

var htmlData = regexp.MustCompile(`(?i)^data:text/html[;,]`)

// checkURL refuses addresses that nobody may be sent to. Files are for the
// command line in the dedicated browser.
func (l *link) checkURL(address string) error {
	u, err := url.Parse(address)
	scheme := ""
	if err == nil {
		scheme = u.Scheme
	}
	switch {
	case address == "about:blank":
	case htmlData.MatchString(address) && len(address) <= wire.MaxText:
	case (scheme == "http" || scheme == "https") && u.Host != "":
	case scheme == "file" && l.client.Kind == "cli" && l.dedicated != "":
	default:
		f := wire.Fail(wire.BadURL, "")
		f.Field = "url"
		return f
	}
	return nil
}
