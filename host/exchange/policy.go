package exchange

import (
	"context"
	"encoding/json"
	"fmt"

	"handrail/host/wire"
)

// Grants say on what an act stands.
const (
	grantDedicated = "dedicated" // Handrail's own browser: everything is allowed
	grantPanel     = "panel"     // the user switched it on in the side panel
)

func (h *host) policyKey() string { return "policy:" + h.browser.Instance }

// allowed returns what is allowed in this browser. What cannot be read is off.
func (h *host) allowed(ctx context.Context) wire.Policy {
	if h.dedicated != "" {
		return wire.Policy{Acts: true, Eval: true, Reveal: true}
	}
	var p wire.Policy
	store, err := h.openStore()
	if err != nil {
		return p
	}
	kept, err := store.Setting(ctx, h.policyKey())
	if err != nil || kept == "" {
		return p
	}
	if json.Unmarshal([]byte(kept), &p) != nil {
		return wire.Policy{}
	}
	return p
}

// policy reads or switches what is allowed; only the extension's link has it.
func (l *link) policy(ctx context.Context, p wire.PolicyParams) (wire.Policy, error) {
	now := l.allowed(ctx)
	if l.dedicated != "" || p == (wire.PolicyParams{}) {
		return now, nil
	}
	store, err := l.openStore()
	if err != nil {
		return now, err
	}
	if p.Acts != nil {
		now.Acts = *p.Acts
	}
	if p.Eval != nil {
		now.Eval = *p.Eval
	}
	if p.Reveal != nil {
		now.Reveal = *p.Reveal
	}
	kept, err := json.Marshal(now)
	if err != nil {
		return now, fmt.Errorf("keep policy: %w", err)
	}
	if err := store.SetSetting(ctx, l.policyKey(), string(kept)); err != nil {
		return now, fmt.Errorf("keep policy: %w", err)
	}
	l.log.Info().Bool("acts", now.Acts).Bool("eval", now.Eval).Bool("reveal", now.Reveal).Msg("the policy was switched")
	return now, nil
}

// grant returns what an act of this kind stands on, or refuses it.
func (h *host) grant(ctx context.Context, kind string) (string, error) {
	if h.dedicated != "" {
		return grantDedicated, nil
	}
	p := h.allowed(ctx)
	switch {
	case kind == "eval" && !p.Eval:
		return "", wire.Fail(wire.EvalOff, "")
	case kind != "eval" && !p.Acts:
		return "", wire.Fail(wire.NotApproved, "")
	}
	return grantPanel, nil
}
