package exchange_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"handrail/host/exchange/faketest"
	"handrail/host/socket"
	"handrail/host/wire"
)

func frame(body string) []byte {
	return append(binary.NativeEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func helloFrame(min, max int) []byte {
	return frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"hello","params":{"min":%d,"max":%d,"version":"0","browser":{"instance":"i","name":"n","version":"1"},"epoch":1}}`, min, max))
}

// What an extension may never send: the host answers with a code or ends, and
// writes nothing but frames (faketest checks that).
func TestBrokenInput(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 600) + strings.Repeat("]", 600)
	for _, tt := range []struct {
		name  string
		input []byte
		code  wire.Code // of the first answer; "" when none comes
		exit  int
	}{
		{"nothing", nil, "", 0},
		{"half a length", []byte{1, 0}, wire.BadFrame, 1},
		{"empty frame", frame(""), wire.BadFrame, 1},
		{"cut frame", frame("{}")[:5], wire.BadFrame, 1},
		{"length beyond the limit", []byte{0xff, 0xff, 0xff, 0xff}, wire.TooLarge, 1},
		{"one byte too many", binary.NativeEndian.AppendUint32(nil, wire.MaxFrame+1), wire.TooLarge, 1},
		{"text", []byte("hello, host\n"), wire.TooLarge, 1},
		{"no JSON", frame("hello"), wire.BadRequest, 0},
		{"no UTF-8", frame("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}"), wire.BadRequest, 0},
		{"no JSON-RPC", frame(`{"id":1,"method":"hello"}`), wire.BadRequest, 0},
		{"a batch", frame(`[{"jsonrpc":"2.0","id":1,"method":"hello"}]`), wire.BadRequest, 0},
		{"deep", frame(`{"jsonrpc":"2.0","id":1,"method":"hello","params":` + deep + `}`), wire.BadRequest, 0},
		{"no hello first", frame(`{"jsonrpc":"2.0","id":1,"method":"snapshot"}`), wire.BadRequest, 0},
		{"unknown method", append(helloFrame(1, 1), frame(`{"jsonrpc":"2.0","id":2,"method":"kick"}`)...), wire.UnknownMethod, 0},
		{"hello twice", append(helloFrame(1, 1), helloFrame(1, 1)...), wire.BadRequest, 0},
		{"hello without a browser", frame(`{"jsonrpc":"2.0","id":1,"method":"hello","params":{"min":1,"max":1,"version":"0"}}`), wire.BadRequest, 0},
		{"newer protocol", helloFrame(2, 3), wire.BadVersion, 1},
		{"older protocol", helloFrame(0, 0), wire.BadVersion, 1},
		{"parts out of order", frame(`{"part":{"id":"a","seq":1,"of":2,"data":"x"}}`), wire.BadFrame, 1},
		{"parts of another hash", append(frame(`{"part":{"id":"a","seq":0,"of":2,"data":"{"}}`), frame(`{"part":{"id":"a","seq":1,"of":2,"data":"}","sha256":"0"}}`)...), wire.BadFrame, 1},
		{"an answer nobody waits for", frame(`{"jsonrpc":"2.0","id":99,"result":{}}`), "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := faketest.Spawn(t, testBinary, nil, "HANDRAIL_HOME="+home(t))
			if _, err := p.Stdin.Write(tt.input); err != nil {
				t.Fatal(err)
			}
			if tt.code != wire.BadVersion { // after that it ends by itself
				p.Stdin.Close()
			}
			var code wire.Code
			for _, m := range p.Frames(t) {
				if m.Error != nil && m.Error.Data != nil && code == "" {
					code = m.Error.Data.Code
				}
			}
			if code != tt.code {
				t.Errorf("answered %q, want %q", code, tt.code)
			}
			if got := p.Exit(t); got != tt.exit {
				t.Errorf("exit status %d, want %d", got, tt.exit)
			}
		})
	}
}

func TestForbiddenOrigin(t *testing.T) {
	t.Parallel()
	added := strings.Repeat("p", 32)
	dir := home(t)
	if err := os.WriteFile(filepath.Join(dir, "extension-ids"), []byte(added+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, origin string
		ok           bool
	}{
		{"ours", faketest.Origin, true},
		{"added at install", "chrome-extension://" + added + "/", true},
		{"another's", "chrome-extension://" + strings.Repeat("a", 32) + "/", false},
		{"without its slash", strings.TrimSuffix(faketest.Origin, "/"), false},
		{"with a path", faketest.Origin + "x", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := faketest.Spawn(t, testBinary, []string{tt.origin}, "HANDRAIL_HOME="+dir)
			if tt.ok {
				p.Stdin.Close()
			}
			// One that is refused ends though stdin is open: it is not read.
			frames := p.Frames(t)
			if tt.ok {
				if len(frames) != 0 || p.Exit(t) != 0 {
					t.Errorf("refused: %+v", frames)
				}
				return
			}
			if len(frames) != 1 || frames[0].Error == nil || frames[0].Error.Data.Code != wire.ForbiddenOrigin || frames[0].ID != nil {
				t.Errorf("answered %+v", frames)
			}
			if code := p.Exit(t); code != 1 {
				t.Errorf("exit status %d", code)
			}
		})
	}
}

func TestClosedStdout(t *testing.T) {
	t.Parallel()
	dir := home(t)
	cmd := exec.Command(testBinary, faketest.Origin)
	cmd.Env = append(os.Environ(), "HANDRAIL_HOME="+dir)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stdin.Write(helloFrame(1, 1))
	stdin.Write(helloFrame(1, 1))
	stdin.Close()
	if err := cmd.Wait(); err != nil || strings.Contains(stderr.String(), "goroutine") {
		t.Errorf("%v\n%s", err, stderr.String())
	}
	wantNoSocket(t, dir)
}

func wantNoSocket(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "run", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// A frame of exactly 64 MiB is read, and nothing of 1 MiB or more is written.
func TestLimits(t *testing.T) {
	t.Parallel()
	p := faketest.Spawn(t, testBinary, nil, "HANDRAIL_HOME="+home(t))
	open, end := `{"jsonrpc":"2.0","id":7,"method":"kick","params":{"pad":"`, `"}}`
	full := frame(open + strings.Repeat("x", wire.MaxFrame-len(open)-len(end)) + end)
	if len(full) != wire.MaxFrame+4 {
		t.Fatal(len(full))
	}
	go p.Stdin.Write(full)
	answer, err := wire.ReadFrame(p.Stdout, wire.MaxToExtension)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := wire.ParseMessage(answer); err != nil || *m.ID != 7 || m.Error.Data.Code != wire.UnknownMethod {
		t.Errorf("answered %s, %v", answer, err)
	}
}

// Messages larger than a frame travel in parts, either way. faketest checks
// that no frame to the extension is larger than Chrome takes.
func TestParts(t *testing.T) {
	t.Parallel()
	const part = 5_000
	w := &world{t: t, dir: home(t), browser: faketest.NewBrowser(site)}
	w.env = []string{"HANDRAIL_HOME=" + w.dir, dedicated, fmt.Sprintf("HANDRAIL_PART=%d", part)}
	w.browser.Part = part
	w.restart()
	if w.link.Welcome.Part != part {
		t.Errorf("the extension is told to send parts of %d bytes", w.link.Welcome.Part)
	}
	panel := &client{t: t, Conn: w.link.Conn}
	s := panel.snapshot(wire.SnapshotParams{URL: big, ViewOptions: wire.ViewOptions{Query: "save"}})
	bundle := w.browser.Bundle()
	if len(bundle) < wire.MaxToExtension {
		t.Fatalf("the page is no big one: %d bytes", len(bundle))
	}
	var r wire.RecoverResult
	panel.must("recover", wire.RecoverParams{Handle: s.RecoveryHandle}, &r)
	if !bytes.Equal(r.Payload, bundle) {
		t.Errorf("recovered %d bytes of %d", len(r.Payload), len(bundle))
	}
	// A text at its limit, whose JSON is twice as long.
	long := strings.Repeat(`"`, wire.MaxText)
	panel.snapshot(wire.SnapshotParams{URL: first})
	got := panel.act(wire.ActParams{UID: "u7", Action: "type", Text: &long, Clear: true})
	if got.ValueNow == nil || *got.ValueNow != long {
		t.Error("the text did not arrive")
	}
}

// The host ends soon after end-of-file or a signal, whatever it is doing, tells
// who waits, and leaves no socket.
func TestEndMidRequest(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(*world)
	}{
		{"end of file", func(w *world) { w.link.Stdin.Close() }},
		{"SIGTERM", func(w *world) { w.link.Signal(w.t, syscall.SIGTERM) }},
		{"SIGINT", func(w *world) { w.link.Signal(w.t, syscall.SIGINT) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := start(t, dedicated)
			c := w.client("c")
			c.snapshot(wire.SnapshotParams{URL: first})
			began := make(chan bool)
			w.browser.On("capture", func(context.Context, json.RawMessage) (any, error) {
				close(began)
				<-t.Context().Done() // a worker that answers nothing any more
				return nil, nil
			})
			errs := make(chan error)
			go func() { errs <- c.call("snapshot", wire.SnapshotParams{}, nil) }()
			<-began
			tt.end(w)
			if f, ok := (<-errs).(*wire.Fault); !ok || f.Code != wire.Detached {
				t.Errorf("the client heard %v", f)
			}
			if code := w.link.Exit(t); code != 0 {
				t.Errorf("exit status %d", code)
			}
			wantNoSocket(t, w.dir)
		})
	}
}

// A client that breaks its own link harms nobody else.
func TestBrokenClient(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	good := w.client("good")
	bad := w.client("bad")
	bad.refused(wire.BadRequest, "hello", wire.Hello{})
	raw := dial(t, w)
	raw.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
	answer, err := wire.ReadFrame(raw, wire.MaxFrame)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := wire.ParseMessage(answer); err != nil || m.Error == nil || m.Error.Data.Code != wire.TooLarge {
		t.Errorf("answered %s, %v", answer, err)
	}
	good.snapshot(wire.SnapshotParams{URL: first})
}

func dial(t *testing.T, w *world) net.Conn {
	t.Helper()
	conn, err := socket.Dial(t.Context(), w.entry())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func TestClientHello(t *testing.T) {
	t.Parallel()
	w := start(t)
	for _, tt := range []struct {
		name  string
		hello wire.Hello
		code  wire.Code
	}{
		{"newer", wire.Hello{Min: 2, Max: 9, Client: &wire.Client{Kind: "cli", Name: "x"}}, wire.BadVersion},
		{"nobody", wire.Hello{Min: 1, Max: 1}, wire.BadRequest},
		{"no name", wire.Hello{Min: 1, Max: 1, Client: &wire.Client{Kind: "cli"}}, wire.BadRequest},
		{"poses as the panel", wire.Hello{Min: 1, Max: 1, Client: &wire.Client{Kind: "panel", Name: "x"}}, wire.BadRequest},
		{"unknown kind", wire.Hello{Min: 1, Max: 1, Client: &wire.Client{Kind: "boss", Name: "x"}}, wire.BadRequest},
	} {
		conn := dial(t, w)
		c := wire.NewConn(conn, conn, wire.Options{})
		go c.Serve(context.Background())
		refused(t, c, tt.code, "hello", tt.hello)
		refused(t, c, wire.BadRequest, "tabs", wire.TabsParams{})
	}
}

func TestEphemeralLeavesNothing(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated, "HANDRAIL_EPHEMERAL=1")
	c := w.client("c")
	if !c.welcome.Ephemeral || !w.entry().Ephemeral {
		t.Errorf("welcome %+v", c.welcome)
	}
	s := c.snapshot(wire.SnapshotParams{URL: first})
	c.must("recover", wire.RecoverParams{Handle: s.RecoveryHandle}, nil)
	c.act(wire.ActParams{UID: "u5", Action: "click"})
	w.link.Stdin.Close()
	w.link.Exit(t)
	if _, names := everyFile(t, w.dir); len(names) > 0 {
		t.Errorf("left on disk: %q", names)
	}
}

// Without a store there is no snapshot and no act, but what needs none works.
func TestNoStore(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		code wire.Code
		make func(dir string) (home string, err error)
	}{
		{"a file stands for the directory", wire.NoStore, func(dir string) (string, error) {
			path := filepath.Join(dir, "file")
			return path, os.WriteFile(path, nil, 0o600)
		}},
		{"the directory is read-only", wire.NoStore, func(dir string) (string, error) {
			if os.Geteuid() == 0 {
				return "", nil // root writes all the same
			}
			return filepath.Join(dir, "sub"), os.Chmod(dir, 0o500)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, err := tt.make(home(t))
			if err != nil {
				t.Fatal(err)
			}
			if dir == "" {
				t.Skip("root writes to read-only directories")
			}
			b := faketest.NewBrowser(site)
			b.Load(1, first)
			link := b.Start(t, testBinary, "HANDRAIL_HOME="+dir, dedicated)
			if link.Welcome.Store != string(tt.code) {
				t.Errorf("hello says %q, want %q", link.Welcome.Store, tt.code)
			}
			panel := &client{t: t, Conn: link.Conn}
			panel.must("tabs", wire.TabsParams{}, nil)
			for method, params := range map[string]any{
				"snapshot": wire.SnapshotParams{}, "act": wire.ActParams{UID: "u5", Action: "click"}, "recover": wire.RecoverParams{Handle: "hr_"},
				"navigate": wire.NavigateParams{URL: second}, "resolve": wire.ResolveParams{All: true},
			} {
				if f := panel.refused(tt.code, method, params); !strings.Contains(f.Hint, "HANDRAIL_HOME") {
					t.Errorf("%s: hint %q", method, f.Hint)
				}
			}
			if n := b.Asked("capture") + b.Asked("perform"); n > 0 {
				t.Errorf("the page was asked %d times for nothing", n)
			}
		})
	}
}

// The store may come to work while the host runs.
func TestStoreComesBack(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(home(t), "state")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b := faketest.NewBrowser(site)
	b.Load(1, first)
	link := b.Start(t, testBinary, "HANDRAIL_HOME="+dir)
	panel := &client{t: t, Conn: link.Conn}
	panel.refused(wire.NoStore, "snapshot", wire.SnapshotParams{})
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	panel.snapshot(wire.SnapshotParams{})
}

func TestBadCaptures(t *testing.T) {
	t.Parallel()
	w := start(t, dedicated)
	c := w.client("c")
	good := c.snapshot(wire.SnapshotParams{URL: first})
	bundle := w.browser.Bundle()
	for _, tt := range []struct {
		name   string
		bundle string
		code   wire.Code
		reason string
	}{
		{"of an earlier capture", string(bundle), wire.CaptureFailed, ""},
		{"an array", `[{"nodeId":"1","role":{"value":"button"}}]`, wire.CaptureFailed, ""},
		{"no tree", `{"a":1}`, wire.Declined, "not_ax_tree"},
		{"nothing", `null`, wire.Declined, "not_ax_tree"},
	} {
		w.browser.On("capture", func(context.Context, json.RawMessage) (any, error) {
			return wire.CaptureResult{Bundle: json.RawMessage(tt.bundle)}, nil
		})
		if f := c.refused(tt.code, "snapshot", wire.SnapshotParams{}); f.Reason != tt.reason {
			t.Errorf("%s: reason %q", tt.name, f.Reason)
		}
	}
	w.browser.On("capture", func(context.Context, json.RawMessage) (any, error) {
		return nil, wire.Fail(wire.DebuggerTaken, "")
	})
	c.refused(wire.DebuggerTaken, "snapshot", wire.SnapshotParams{})
	// What was shown before is still there.
	c.must("recover", wire.RecoverParams{Handle: good.RecoveryHandle}, nil)
	c.act(wire.ActParams{UID: "u5", Action: "click"})
}

// The real binary is this host.
func TestBinary(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the binary")
	}
	binary := filepath.Join(t.TempDir(), "handrail")
	if out, err := exec.Command("go", "build", "-o", binary, "handrail/host/cmd/handrail").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	w := &world{t: t, dir: home(t), browser: faketest.NewBrowser(site)}
	w.env = []string{"HANDRAIL_HOME=" + w.dir, dedicated}
	w.link = w.browser.Start(t, binary, w.env...)
	c := w.client("c")
	c.snapshot(wire.SnapshotParams{URL: first})
	c.act(wire.ActParams{UID: "u5", Action: "click"})
	w.link.Stdin.Close()
	if code := w.link.Exit(t); code != 0 {
		t.Errorf("exit status %d", code)
	}
	wantNoSocket(t, w.dir)
}
