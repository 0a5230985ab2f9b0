package exchange

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"handrail/host/policy"
	"handrail/host/wire"
)

// defaultPatience bounds how long a request waits for the person's answer;
// HANDRAIL_APPROVAL says another time.
const approvalPatience = 60 * time.Second

func approvalTime() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("HANDRAIL_APPROVAL")); err == nil && d > 0 {
		return d
	}
	return approvalPatience
}

// questions are those that the person has to answer, one at a time for each permit.
type questions struct {
	mu   sync.Mutex
	open map[wire.Permit]*question
}

// question is asked about the request of one client. Others that need the same
// permit wait for it as well: a rule answers them, too. What a client reads in the
// same words is one thing to the person; of two acts in the same words one may be
// on another row.
type question struct {
	client wire.Client
	what   string
	done   chan struct{} // closed when the rest is known
	answer string        // "": it was withdrawn
	err    error         // why it could not be asked

	waiting  int
	withdraw context.CancelFunc
}

// onces are the permits that the person gave one request.
type onces struct {
	mu    sync.Mutex
	given map[wire.Permit]bool
}

type oncesKey struct{}

// withOnces makes a request remember what was approved for it.
func withOnces(ctx context.Context) context.Context {
	return context.WithValue(ctx, oncesKey{}, &onces{given: map[wire.Permit]bool{}})
}

func approveOnce(ctx context.Context, p wire.Permit) {
	if o, ok := ctx.Value(oncesKey{}).(*onces); ok {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.given[p] = true
	}
}

func approvedOnce(ctx context.Context, p wire.Permit) bool {
	o, ok := ctx.Value(oncesKey{}).(*onces)
	if !ok {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.given[p]
}

// approved returns when a client's request has a permit: by a rule, or once for
// this request. It refuses with not_approved when the rules or the person do, or
// nobody answers.
func (l *link) approved(ctx context.Context, need wire.Permit, tab int, what string) (once bool, err error) {
	late := time.NewTimer(l.patience)
	defer late.Stop()
	told := false
	for {
		verdict, err := l.decide(ctx, need)
		switch {
		case err != nil:
			return false, err
		case verdict == policy.Never:
			return false, forbidden(need)
		case verdict == policy.Always:
			return false, nil
		case approvedOnce(ctx, need):
			return true, nil
		}
		q, own := l.join(need, l.client, tab, what)
		if !told && l.tell != nil {
			told = true
			l.tell(wire.Waiting{ID: wire.RequestID(ctx), Code: "waiting_for_approval", Permit: need, Expires: l.now().Add(l.patience).UnixMilli()})
		}
		select {
		case <-q.done:
			l.leave(need, q, own)
		case <-ctx.Done():
			l.leave(need, q, own)
			return false, ctx.Err()
		case <-late.C:
			l.leave(need, q, own)
			f := refused(need, "nobody approved it within %v", l.patience)
			return false, f
		}
		switch mine := own || need.Kind == policy.Read && q.client == l.client && q.what == what; {
		case q.err != nil:
			return false, q.err
		case mine && q.answer == "once":
			approveOnce(ctx, need)
			return true, nil
		case mine && q.answer == "deny":
			f := refused(need, "the person said not now")
			f.Hint, f.Retry = "do something else, or ask the person in words before trying again", wire.RetryNever
			return false, f
		}
		// A rule was made, or another's request was answered.
	}
}

func refused(need wire.Permit, format string, args ...any) *wire.Fault {
	f := wire.Fail(wire.NotApproved, format, args...)
	f.Need = &need
	return f
}

// forbidden is the refusal of what a rule, or its absence, forbids.
func forbidden(need wire.Permit) *wire.Fault {
	var f *wire.Fault
	switch need.Kind {
	case policy.Eval:
		f = wire.Fail(wire.EvalOff, "")
	case policy.Reveal:
		f = wire.Fail(wire.RevealOff, "")
	default:
		f = wire.Fail(wire.NotApproved, "a rule of the person's forbids to %s on %s", need.Kind, need.Origin)
		f.Hint, f.Retry = "the rules stand in Handrail's side panel, tab Sites", wire.RetryNever
	}
	f.Need = &need
	return f
}

// join waits for the question that is open about a permit, and asks its own where there is none.
func (h *host) join(need wire.Permit, client wire.Client, tab int, what string) (q *question, own bool) {
	h.asked.mu.Lock()
	defer h.asked.mu.Unlock()
	if q := h.asked.open[need]; q != nil {
		q.waiting++
		return q, false
	}
	ctx, withdraw := context.WithCancel(h.quit)
	q = &question{client: client, what: what, done: make(chan struct{}), waiting: 1, withdraw: withdraw}
	if h.asked.open == nil {
		h.asked.open = map[wire.Permit]*question{}
	}
	h.asked.open[need] = q
	go h.put(ctx, q, wire.AskParams{
		ID: randomHex(8), Permit: need, Client: wire.Asker{Kind: client.Kind, Name: plain(client.Name, maxName)}, Tab: tab, What: what, Expires: h.now().Add(h.patience).UnixMilli(),
	})
	return q, true
}

// leave stops waiting for a question. It is withdrawn with the last, and with the
// one that it is about, so that nobody else's act is done on the answer.
func (h *host) leave(need wire.Permit, q *question, own bool) {
	h.asked.mu.Lock()
	defer h.asked.mu.Unlock()
	if q.waiting--; q.waiting == 0 || own && need.Kind != policy.Read {
		q.withdraw()
		if h.asked.open[need] == q {
			delete(h.asked.open, need)
		}
	}
}

// put asks the person and lets the answer take effect.
func (h *host) put(ctx context.Context, q *question, p wire.AskParams) {
	var r wire.AskResult
	err := h.call(ctx, "ask", p, &r)
	if err == nil && (r.Answer == policy.Always || r.Answer == policy.Never) {
		if policy.Keepable(p.Origin) {
			err = h.rule(context.WithoutCancel(ctx), p.Kind, p.Origin, r.Answer, min(max(r.Minutes, 0), maxMinutes))
		} else {
			r.Answer = map[string]string{policy.Always: "once", policy.Never: "deny"}[r.Answer] // no rule could name it
		}
	}
	h.asked.mu.Lock()
	defer h.asked.mu.Unlock()
	if h.asked.open[p.Permit] == q {
		delete(h.asked.open, p.Permit)
	}
	switch {
	case err == nil:
		q.answer = r.Answer
	case ctx.Err() == nil || h.quit.Err() != nil:
		q.err = err
		if errors.Is(err, context.Canceled) {
			q.err = wire.Fail(wire.Detached, "")
		}
	}
	close(q.done)
}

// reconsider withdraws the questions that rules answer by now.
func (h *host) reconsider(ctx context.Context) {
	h.asked.mu.Lock()
	defer h.asked.mu.Unlock()
	for need, q := range h.asked.open {
		if verdict, err := h.decide(ctx, need); err == nil && verdict != policy.Ask {
			delete(h.asked.open, need)
			q.withdraw()
		}
	}
}
