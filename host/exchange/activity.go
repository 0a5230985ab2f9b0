package exchange

import (
	"context"
	"encoding/json"
	"net"
	"slices"
	"sync"
	"time"

	"handrail/host/wire"
)

const (
	// maxRequests bounds the requests that are remembered.
	maxRequests = 200
	// blockedFor is how long a client that the person disconnected may not connect
	// again: most would at once.
	blockedFor = 10 * time.Minute
)

// activity is who is connected and what they asked for. It is kept in memory, and
// nothing of a page is in it.
type activity struct {
	now func() time.Time

	mu       sync.Mutex
	last     int
	clients  map[int]*activeClient
	requests []wire.Request       // oldest first
	blocked  map[string]time.Time // until when, by client
}

type activeClient struct {
	wire.ActiveClient
	conn net.Conn
}

func newActivity(now func() time.Time) *activity {
	return &activity{now: now, clients: map[int]*activeClient{}, blocked: map[string]time.Time{}}
}

// connect notes a client that said hello, unless the person disconnected it.
func (a *activity) connect(client string, conn net.Conn) (id int, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if until, found := a.blocked[client]; found && a.now().Before(until) {
		return 0, false
	}
	delete(a.blocked, client)
	a.last++
	a.clients[a.last] = &activeClient{wire.ActiveClient{ID: a.last, Client: client, Since: a.now().UnixMilli()}, conn}
	return a.last, true
}

func (a *activity) leave(id int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.clients, id)
}

// begin notes a request of a client's; id 0 is none that is listed. done notes its end.
func (a *activity) begin(id int, client, method string, params json.RawMessage) (done func(code wire.Code)) {
	start := a.now()
	var p struct {
		Tab    int
		Action string
	}
	_ = json.Unmarshal(params, &p) // malformed ones are refused by who answers
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.clients[id]; c != nil {
		c.Now = method
		if acting[method] {
			c.Acts++
		} else {
			c.Reads++
		}
	}
	return func(code wire.Code) {
		a.mu.Lock()
		defer a.mu.Unlock()
		if c := a.clients[id]; c != nil {
			c.Now = ""
		}
		if len(p.Action) > maxAction {
			p.Action = ""
		}
		a.requests = append(a.requests, wire.Request{
			At: start.UnixMilli(), Client: client, Method: method, Action: p.Action, Tab: p.Tab, Code: string(code), Ms: a.now().Sub(start).Milliseconds(),
		})
		a.requests = a.requests[max(0, len(a.requests)-maxRequests):]
	}
}

// maxAction bounds the word for an act: what is longer is none.
const maxAction = 20

var acting = map[string]bool{"act": true, "navigate": true, "eval": true, "dialog": true}

// silent are the requests that are not remembered: the panel's about this itself.
var silent = map[string]bool{"hello": true, "event": true, "activity": true, "history": true, "policy": true, "highlight": true}

func (l *link) activity(context.Context, wire.ActivityParams) (wire.ActivityResult, error) {
	a := l.host.active
	a.mu.Lock()
	defer a.mu.Unlock()
	r := wire.ActivityResult{Clients: []wire.ActiveClient{}, Requests: slices.Clone(a.requests), Blocked: []string{}}
	slices.Reverse(r.Requests)
	if r.Requests == nil {
		r.Requests = []wire.Request{}
	}
	for _, c := range a.clients {
		r.Clients = append(r.Clients, c.ActiveClient)
	}
	slices.SortFunc(r.Clients, func(a, b wire.ActiveClient) int { return a.ID - b.ID })
	for client, until := range a.blocked {
		if a.now().Before(until) {
			r.Blocked = append(r.Blocked, client)
		}
	}
	slices.Sort(r.Blocked)
	return r, nil
}

// disconnect ends a client's connection for the person, who may let it come back.
func (l *link) disconnect(_ context.Context, p wire.DisconnectParams) (wire.DisconnectResult, error) {
	var none wire.DisconnectResult
	a := l.host.active
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.Allow != "" {
		delete(a.blocked, p.Allow)
		return none, nil
	}
	c := a.clients[p.ID]
	if c == nil {
		return none, badField("id", "no client %d is connected", p.ID)
	}
	a.blocked[c.Client] = a.now().Add(blockedFor)
	c.conn.Close()
	return none, nil
}

// blocked is the failure of a client that the person disconnected.
func blocked() *wire.Fault {
	f := wire.Fail(wire.NotApproved, "the person disconnected this client")
	f.Hint = "ask the person to allow it again in Handrail's side panel, tab Activity"
	f.Retry = wire.RetryNever
	return f
}
