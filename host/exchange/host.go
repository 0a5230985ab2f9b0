package exchange

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"handrail/host/socket"
	"handrail/host/state"
	"handrail/host/tools"
	"handrail/host/wire"
	"handrail/recovery"
)

// farewell is how long requests have to end when the host does.
const farewell = 700 * time.Millisecond

// host is one native port: one browser, its extension and any number of clients.
type host struct {
	log       zerolog.Logger
	dir       string
	now       func() time.Time
	dedicated string // the keeper's key, "" in a person's own browser
	ephemeral bool
	part      int // largest frame in which the extension sends a part

	port    *wire.Conn   // to the extension
	agent   *tools.Agent // the panel's
	active  *activity
	stdin   *watched
	stdout  *tap
	browser wire.Browser // of the extension's hello, as are the next
	release string
	epoch   int64
	quit    context.Context // ends with the extension's link, or when there can be none
	end     context.CancelCauseFunc
	closing atomic.Bool

	mu       sync.Mutex
	store    *recovery.Store
	storeErr error
	current  map[string]currentTab // by client
	listener *socket.Listener
	clients  map[net.Conn]bool
	beside   sync.WaitGroup // the listener and the clients

	captures turns[int]    // by tab
	acts     turns[int]    // by tab
	visits   turns[string] // by client: each moves its current tab
	actIDs   turns[string]

	asked    questions
	patience time.Duration // of a request that waits for the person
}

// open makes a host. A store that cannot be opened does not keep it from
// serving what needs none; dirErr is why there is no state directory.
func open(dir string, dirErr error, log zerolog.Logger, now func() time.Time) *host {
	h := &host{
		log: log, dir: dir, now: now, dedicated: state.Dedicated(), ephemeral: state.Ephemeral(), part: wire.PartToHost, patience: approvalTime(),
		current: map[string]currentTab{}, clients: map[net.Conn]bool{}, storeErr: dirErr,
	}
	h.quit, h.end = context.WithCancelCause(context.Background())
	h.agent, h.active = h.newAgent(), newActivity(now)
	if n, err := strconv.Atoi(os.Getenv("HANDRAIL_PART")); err == nil && n > 0 {
		h.part = min(n, wire.PartToHost)
	}
	if _, err := h.openStore(); err != nil {
		log.Warn().Err(err).Msg("could not open the store")
	}
	return h
}

// openStore returns the store, and tries again when it could not be opened before.
func (h *host) openStore() (*recovery.Store, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.store != nil {
		return h.store, nil
	}
	if h.dir == "" {
		return nil, errors.Join(recovery.ErrNoStore, h.storeErr)
	}
	store, err := recovery.Open(h.dir, recovery.Options{Ephemeral: h.ephemeral, Now: h.now})
	if err != nil {
		return nil, err
	}
	h.store = store
	return store, nil
}

// serve answers the extension and clients until in ends, ctx does or the host
// must quit, and returns the exit status.
func (h *host) serve(ctx context.Context, in io.Reader, out io.Writer) int {
	h.stdin = &watched{Reader: in, ended: make(chan struct{})}
	h.stdout = &tap{Writer: out}
	l := &link{host: h, isExtension: true}
	h.port = wire.NewConn(h.stdin, h.stdout, l.options(wire.PartToExtension))
	go func() { h.end(h.port.Serve(ctx)) }()
	select {
	case <-h.stdin.ended:
	case <-ctx.Done():
		h.end(nil)
	case <-h.quit.Done():
	}
	patience, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	h.dismiss(patience.Done())
	select {
	case <-h.quit.Done():
	case <-patience.Done():
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.store != nil {
		if err := h.store.Close(); err != nil {
			h.log.Warn().Err(err).Msg("could not close the store")
		}
	}
	if broke, ok := errors.AsType[*wire.Fault](context.Cause(h.quit)); ok {
		h.log.Warn().Str(state.FieldCode, string(broke.Code)).Msg("ended on a broken link")
		return 1
	}
	h.log.Info().Msg("ended")
	return 0
}

// begin runs f beside the rest, unless the host is ending, which waits for it.
func (h *host) begin(f func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing.Load() {
		return false
	}
	h.beside.Go(f)
	return true
}

// listen makes the socket and serves clients on it.
func (h *host) listen() {
	listener, err := socket.Listen(h.dir, socket.Entry{
		PID: os.Getpid(), Started: h.now(), Version: wire.Version, Browser: h.browser, Extension: h.release,
		Dedicated: h.dedicated, Ephemeral: h.ephemeral,
	})
	if err != nil {
		h.log.Error().Err(err).Msg("could not listen for clients")
		return
	}
	h.mu.Lock()
	h.listener = listener
	if h.closing.Load() {
		listener.Close()
	}
	h.mu.Unlock()
	for {
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			h.log.Error().Err(err).Msg("could not take a client")
			time.Sleep(100 * time.Millisecond) // too many files are open, most likely
			continue
		}
		if !h.begin(func() { h.serveClient(conn) }) {
			conn.Close()
		}
	}
}

func (h *host) serveClient(conn net.Conn) {
	h.mu.Lock()
	h.clients[conn] = true
	if h.closing.Load() {
		conn.SetReadDeadline(time.Unix(1, 0))
	}
	h.mu.Unlock()
	l := &link{host: h, conn: conn}
	served := wire.NewConn(conn, conn, l.options(wire.PartToHost))
	l.tell = func(w wire.Waiting) { go served.Notify("waiting", w) } // the client may not be reading
	if err := served.Serve(context.Background()); err != nil {
		h.log.Info().Str(state.FieldCode, string(codeOf(err))).Msg("a client broke its link")
	}
	h.active.leave(l.id)
	h.mu.Lock()
	delete(h.clients, conn)
	h.mu.Unlock()
}

// dismiss stops listening, lets clients' requests end with an answer, and gives
// up when patience does.
func (h *host) dismiss(patience <-chan struct{}) {
	h.mu.Lock()
	h.closing.Store(true)
	if h.listener != nil {
		h.listener.Close()
	}
	for conn := range h.clients {
		conn.SetReadDeadline(time.Unix(1, 0)) // ends its Serve, which ends its requests
	}
	h.mu.Unlock()
	gone := make(chan struct{})
	go func() { h.beside.Wait(); close(gone) }()
	select {
	case <-gone:
	case <-patience:
	}
}

// touch notes that a client uses this host.
func (h *host) touch() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listener != nil {
		if err := h.listener.Touch(h.now()); err != nil {
			h.log.Warn().Err(err).Msg("could not touch the registry entry")
		}
	}
}

// call asks the extension.
func (h *host) call(ctx context.Context, method string, params, result any) error {
	return h.port.Call(ctx, method, params, result)
}

// watched is a reader that says when it last read something and when it ended.
type watched struct {
	io.Reader
	once  sync.Once
	ended chan struct{}
	last  atomic.Int64 // Unix ns
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.last.Store(time.Now().UnixNano())
	if err != nil {
		w.once.Do(func() { close(w.ended) })
	}
	return n, err
}

// tap is a writer that can do something once the next write is out.
type tap struct {
	io.Writer
	mu   sync.Mutex
	then func()
}

func (t *tap) after(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.then = f
}

func (t *tap) Write(p []byte) (int, error) {
	n, err := t.Writer.Write(p)
	t.mu.Lock()
	then := t.then
	t.then = nil
	t.mu.Unlock()
	if then != nil {
		then()
	}
	return n, err
}
