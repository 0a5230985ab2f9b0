package exchange

import (
	"context"
	"sync"
)

// turns lets one at a time through for each key.
type turns[K comparable] struct {
	mu   sync.Mutex
	held map[K]chan struct{} // closed when let go of
}

// take waits for its turn and returns what ends it.
func (t *turns[K]) take(ctx context.Context, key K) (release func(), err error) {
	for {
		t.mu.Lock()
		before := t.held[key]
		if before == nil {
			if t.held == nil {
				t.held = map[K]chan struct{}{}
			}
			mine := make(chan struct{})
			t.held[key] = mine
			t.mu.Unlock()
			return func() {
				t.mu.Lock()
				delete(t.held, key)
				t.mu.Unlock()
				close(mine)
			}, nil
		}
		t.mu.Unlock()
		select {
		case <-before:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
