package exchange

import (
	"context"

	"handrail/host/snapshot"
	"handrail/host/state"
	"handrail/host/wire"
)

// agree chooses the newest protocol that both ends speak.
func agree(p wire.Hello) (int, error) {
	protocol := min(p.Max, wire.Protocol)
	if protocol < p.Min || protocol < wire.ProtocolMin {
		return 0, wire.Fail(wire.BadVersion, "release %.40q speaks protocol %d to %d, this host %d to %d",
			p.Version, p.Min, p.Max, wire.ProtocolMin, wire.Protocol)
	}
	return protocol, nil
}

func (l *link) helloExtension(ctx context.Context, p wire.Hello) (wire.Welcome, error) {
	protocol, err := agree(p)
	if err != nil {
		l.stdout.after(func() { l.end(err) })
		return wire.Welcome{}, err
	}
	if p.Browser == nil || p.Browser.Instance == "" {
		return wire.Welcome{}, badField("browser", "an extension says which browser it is in")
	}
	l.browser, l.release, l.epoch = *p.Browser, p.Version, p.Epoch
	l.client = wire.Client{Kind: "panel"}
	l.log.Info().Str(state.FieldVersion, p.Version).Int64(state.FieldEpoch, p.Epoch).Msg("the extension said hello")
	if store, err := l.openStore(); err == nil {
		// Nobody watched the tabs between the last host and this one.
		if err := store.Supersede(ctx, l.browser.Instance, 0, "unknown"); err != nil {
			l.log.Warn().Err(err).Msg("could not mark earlier snapshots")
		}
	}
	w := l.welcome(ctx, protocol)
	w.Epoch = p.Epoch
	l.greeted.Store(true)
	l.stdout.after(func() { l.begin(l.listen) }) // the extension is welcomed before a client makes it work
	return w, nil
}

func (l *link) helloClient(ctx context.Context, p wire.Hello) (wire.Welcome, error) {
	protocol, err := agree(p)
	if err != nil {
		return wire.Welcome{}, err
	}
	if p.Client == nil || p.Client.Name == "" || p.Client.Kind == "panel" {
		return wire.Welcome{}, badField("client", "a client says its kind (cli, mcp, program) and name")
	}
	l.client = *p.Client
	id, ok := l.active.connect(l.key(), l.conn)
	if !ok {
		return wire.Welcome{}, blocked()
	}
	l.id = id
	w := l.welcome(ctx, protocol)
	w.Browser = &l.browser
	l.greeted.Store(true)
	return w, nil
}

func (l *link) welcome(ctx context.Context, protocol int) wire.Welcome {
	allowed := l.allowed(ctx)
	w := wire.Welcome{
		Protocol: protocol, Version: wire.Version, Dedicated: l.dedicated != "", Ephemeral: l.ephemeral, Part: l.part,
		Policy: &allowed,
	}
	if _, err := l.openStore(); err != nil {
		w.Store = string(wire.Internal)
		if f, ok := snapshot.Fault(err); ok {
			w.Store = string(f.Code)
		}
	}
	return w
}

func badField(name, format string, args ...any) *wire.Fault {
	f := wire.Fail(wire.BadRequest, format, args...)
	f.Field = name
	return f
}
