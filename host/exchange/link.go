package exchange

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net"
	"sync/atomic"

	"handrail/host/snapshot"
	"handrail/host/state"
	"handrail/host/wire"
)

// link is one connection, the extension's or a client's, and who is behind it.
type link struct {
	*host
	isExtension bool
	greeted     atomic.Bool        // hello was answered
	conn        net.Conn           // the client's
	id          int                // of the client among those that are connected
	client      wire.Client        // on the extension's link the panel
	tell        func(wire.Waiting) // tells the client that a request waits for the person; nil where it cannot be told
}

// key names the client in the store: views are delivered to it.
func (l *link) key() string { return l.client.Kind + ":" + l.client.Name }

// offeredKey is to whom single uids are delivered that a failure offered to the
// client. They are no view: a later one is not compared with them.
func (l *link) offeredKey() string { return "offered:" + l.key() }

// verb is a method as it is served: raw parameters in, result out.
type verb func(ctx context.Context, l *link, params json.RawMessage) (any, error)

// serve makes a verb of a function that takes the method's own parameters.
func serve[P, R any](answer func(*link, context.Context, P) (R, error)) verb {
	return func(ctx context.Context, l *link, params json.RawMessage) (any, error) {
		var p P
		if err := wire.Decode(params, &p); err != nil {
			return nil, err
		}
		return answer(l, ctx, p)
	}
}

// verb returns what answers a method on this link, nil when there is none. The
// panel's requests come on the extension's link.
func (l *link) verb(method string) verb {
	switch method {
	case "hello":
		if l.isExtension {
			return serve((*link).helloExtension)
		}
		return serve((*link).helloClient)
	case "event":
		if l.isExtension {
			return serve((*link).event)
		}
	case "policy":
		return serve((*link).policy)
	case "history":
		if l.isExtension {
			return serve((*link).history)
		}
	case "pin":
		if l.isExtension {
			return serve((*link).pin)
		}
	case "purge":
		if l.isExtension {
			return serve((*link).purge)
		}
	case "export":
		if l.isExtension {
			return serve((*link).export)
		}
	case "activity":
		if l.isExtension {
			return serve((*link).activity)
		}
	case "disconnect":
		if l.isExtension {
			return serve((*link).disconnect)
		}
	case "tools":
		if l.isExtension {
			return serve((*link).tools)
		}
	case "tool":
		if l.isExtension {
			return serve((*link).tool)
		}
	case "snapshot":
		return serve((*link).snapshot)
	case "read":
		return serve((*link).read)
	case "find":
		return serve((*link).find)
	case "extract":
		return serve((*link).extract)
	case "wait":
		return serve((*link).wait)
	case "screenshot":
		return serve((*link).screenshot)
	case "act":
		return serve((*link).act)
	case "navigate":
		return serve((*link).navigate)
	case "eval":
		return serve((*link).eval)
	case "dialog":
		return serve((*link).dialog)
	case "resolve":
		return serve((*link).resolve)
	case "recover":
		return serve((*link).recover)
	case "tabs":
		return serve((*link).tabs)
	case "highlight":
		return serve((*link).highlight)
	}
	return nil
}

// options are those of the link's Conn. There every failure that has no code
// becomes internal, with the id of a line in the log.
func (l *link) options(part int) wire.Options {
	return wire.Options{
		Part:    part,
		Handler: l.handle,
		Panic: func(id string, value any, stack []byte) {
			l.log.Error().Str(state.FieldLogID, id).Type("panic", value).Bytes("stack", stack).Msg("a request panicked")
		},
		Internal: func(id, method string, err error) {
			l.log.Error().Str(state.FieldLogID, id).Str(state.FieldMethod, method).Err(err).Msg("a request failed unexpectedly")
		},
	}
}

// handle answers one request.
func (l *link) handle(ctx context.Context, method string, params json.RawMessage) (any, error) {
	start := l.now()
	done := func(wire.Code) {}
	if !silent[method] && l.greeted.Load() {
		done = l.active.begin(l.id, l.key(), method, params)
	}
	result, err := l.answer(ctx, method, params)
	entry := l.log.Debug().Str(state.FieldMethod, method).Dur("ms", l.now().Sub(start))
	if err != nil {
		err = l.fault(err)
		entry = entry.Str(state.FieldCode, string(codeOf(err)))
		done(codeOf(err))
	} else {
		done("")
	}
	entry.Msg("answered")
	return result, err
}

func (l *link) answer(ctx context.Context, method string, params json.RawMessage) (any, error) {
	answer := l.verb(method)
	switch greeted := l.greeted.Load(); {
	case answer == nil:
		return nil, wire.Fail(wire.UnknownMethod, "there is no method %q here", method)
	case !greeted && method != "hello":
		return nil, wire.Fail(wire.BadRequest, "hello must come first")
	case greeted && method == "hello":
		return nil, wire.Fail(wire.BadRequest, "hello was said already")
	}
	if method != "event" {
		l.touch()
	}
	return answer(withOnces(ctx), l, params)
}

// fault gives an error of the store's or the compressor's its code; Conn knows
// the others.
func (h *host) fault(err error) error {
	if f, ok := snapshot.Fault(err); ok {
		err = f
	}
	if h.closing.Load() && (codeOf(err) == wire.Canceled || errors.Is(err, context.Canceled)) {
		return wire.Fail(wire.Detached, "")
	}
	return err
}

func codeOf(err error) wire.Code {
	if f, ok := errors.AsType[*wire.Fault](err); ok {
		return f.Code
	}
	return wire.Internal
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b)
	return hex.EncodeToString(b)
}
