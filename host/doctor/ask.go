package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"handrail/host/socket"
	"handrail/host/wire"
)

// greet starts a host as a browser does, says hello as the extension does, and
// ends it. The host enters itself as a dedicated browser's, so that no client
// takes it for a person's own.
func greet(ctx context.Context, path, dir string) (welcome wire.Welcome, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, origin)
	cmd.Env = append(os.Environ(), "HANDRAIL_HOME="+dir, "HANDRAIL_BROWSER=doctor")
	cmd.WaitDelay = time.Second
	said := &tail{}
	cmd.Stderr = said
	in, err := cmd.StdinPipe()
	if err != nil {
		return welcome, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return welcome, err
	}
	if err := cmd.Start(); err != nil {
		return welcome, fmt.Errorf("it does not start: %w", err)
	}
	link := wire.NewConn(out, in, wire.Options{MaxFrame: wire.MaxToExtension})
	served := make(chan struct{})
	go func() { link.Serve(ctx); close(served) }()
	err = link.Call(ctx, "hello", wire.Hello{
		Min: wire.ProtocolMin, Max: wire.Protocol, Version: wire.Version, Epoch: 1,
		Browser: &wire.Browser{Instance: "doctor", Name: "doctor", Version: wire.Version},
	}, &welcome)
	in.Close()
	if err != nil {
		cancel()
	}
	<-served
	ended := cmd.Wait()
	if err == nil {
		return welcome, nil
	}
	why := err.Error()
	if fault, ok := errors.AsType[*wire.Fault](err); ok {
		why = fault.Message
	}
	if ended != nil {
		why += ", " + ended.Error()
	}
	return welcome, fmt.Errorf("it starts and does not say welcome: %s%s", why, said)
}

// tail keeps the end of what was written.
type tail struct{ buf bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	if t.buf.Len() > 64<<10 {
		t.buf.Reset()
	}
	return t.buf.Write(p)
}

func (t *tail) String() string {
	text := strings.TrimSpace(t.buf.String())
	if text == "" {
		return ""
	}
	return fmt.Sprintf(", last words %.200q", text[strings.LastIndexByte(text, '\n')+1:])
}

// ask asks a connected extension for its tabs, as a client does.
func ask(ctx context.Context, entry socket.Entry) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	conn, err := socket.Dial(ctx, entry)
	if err != nil {
		return err
	}
	defer conn.Close()
	link := wire.NewConn(conn, conn, wire.Options{})
	go link.Serve(ctx)
	hello := wire.Hello{Min: wire.ProtocolMin, Max: wire.Protocol, Version: wire.Version, Client: &wire.Client{Kind: "cli", Name: "doctor"}}
	if err := link.Call(ctx, "hello", hello, nil); err != nil {
		return err
	}
	return link.Call(ctx, "tabs", wire.TabsParams{}, nil)
}
