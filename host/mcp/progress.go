package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handrail/host/wire"
)

// beat is how often an agent that asked for progress hears of a call that lasts.
const beat = time.Second

// progress tells an agent what becomes of its call, where it asked for that.
type progress struct {
	call *sdk.CallToolRequest

	mu   sync.Mutex
	told int // notifications, which must count up
}

// watch tells every second that a call is under way, until its context ends.
func watch(ctx context.Context, call *sdk.CallToolRequest) *progress {
	p := &progress{call: call}
	if call.Params.GetProgressToken() != nil {
		go p.beat(ctx)
	}
	return p
}

func (p *progress) beat(ctx context.Context) {
	start := time.Now()
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			p.tell(ctx, fmt.Sprintf("%s is under way, %.0f s", p.call.Params.Name, now.Sub(start).Seconds()))
		case <-ctx.Done():
			return
		}
	}
}

// waits tells that the call waits for the person. The protocol has no other message
// to a call that is not deprecated; a failure says where to answer.
func (p *progress) waits(ctx context.Context, w wire.Waiting) {
	p.tell(ctx, fmt.Sprintf("%s: the person is asked for leave to %s on %s, in Handrail's side panel and notification", w.Code, w.Kind, w.Origin))
}

func (p *progress) tell(ctx context.Context, message string) {
	token := p.call.Params.GetProgressToken()
	if token == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told++
	// An agent that cannot be told loses nothing by it: the answer follows.
	_ = p.call.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(p.told), Message: message})
}
