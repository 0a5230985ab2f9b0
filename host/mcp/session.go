package mcp

import (
	"context"
	"errors"
	"strings"
	"sync"

	"handrail/host/client"
	"handrail/host/wire"
)

// maxName bounds the agent's part of the name under which the host knows it, in bytes.
const maxName = 100

// session is one agent: one client of the host, with its own current tab, under
// a name that no other has. It connects at the first call.
type session struct {
	choice client.Choice // as it was asked for

	mu     sync.Mutex
	pinned client.Choice // the browser in use, once one is
	link   *client.Client
}

// greet names the client, once.
func (s *session) greet(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pinned.Client.Name != "" {
		return
	}
	name = strings.ToValidUTF8(name[:min(len(name), maxName)], "")
	s.pinned.Client = wire.Client{Kind: "mcp", Name: strings.TrimPrefix(name+"-"+hexID(4), "-")}
}

// connected gives the link, and makes it when there is none.
func (s *session) connected(ctx context.Context) (*client.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link != nil {
		return s.link, nil
	}
	link, err := client.Connect(ctx, s.pinned)
	if fault, ok := errors.AsType[*wire.Fault](err); ok && fault.Code == wire.NoBrowser && s.pinned.Browser != s.choice.Browser {
		s.pinned.Browser = s.choice.Browser
		return nil, wire.Fail(wire.Detached, "the browser has gone; the next call may use another")
	}
	if err != nil {
		return nil, err
	}
	if link.Welcome.Dedicated {
		s.pinned.Headless = true
	} else if b := link.Welcome.Browser; b != nil {
		s.pinned.Browser = b.Instance
	}
	s.link = link
	return link, nil
}

// drop forgets a link that has ended: the next call makes another, to the same browser.
func (s *session) drop(link *client.Client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == link {
		s.link = nil
		link.Close()
	}
}

func (s *session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link != nil {
		s.link.Close()
	}
}

// Read asks what changes nothing, of the next host when this one is lost.
func (s *session) Read(ctx context.Context, method string, params, result any) error {
	link, err := s.connected(ctx)
	if err != nil {
		return err
	}
	if err = link.Read(ctx, method, params, result); lost(err) {
		s.drop(link)
	}
	return err
}

// Once asks for what must not happen twice: when the host is lost, before or
// meanwhile, that is the answer.
func (s *session) Once(ctx context.Context, method string, params, result any) error {
	link, err := s.connected(ctx)
	if err != nil {
		return err
	}
	if link.Lost() {
		s.drop(link)
		return wire.Fail(wire.Detached, "the connection to the browser was lost; nothing was sent")
	}
	if err = link.Once(ctx, method, params, result); lost(err) {
		s.drop(link)
	}
	return err
}

// Dedicated tells whether the browser is Handrail's own.
func (s *session) Dedicated(ctx context.Context) (bool, error) {
	link, err := s.connected(ctx)
	if err != nil {
		return false, err
	}
	return link.Welcome.Dedicated, nil
}
