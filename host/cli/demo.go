package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handrail/host/client"
	"handrail/host/wire"
	"handrail/host/words"
)

//go:embed demo.html
var demoPage []byte

// demo shows the whole path once, in a state directory of its own.
func (c *command) demo() *cobra.Command {
	return &cobra.Command{
		Use:     "demo",
		Short:   "Read a page in a headless browser, act on it and recover what it was made from",
		Example: "  handrail demo",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := os.MkdirTemp("", "handrail-demo-")
			if err != nil {
				return wire.Fail(wire.NoStore, "%v", err)
			}
			defer os.RemoveAll(dir)
			ctx, cancel := context.WithTimeout(cmd.Context(), 2*time.Minute)
			defer cancel()
			err = c.demonstrate(ctx, dir)
			if _, closeErr := closeAll(context.WithoutCancel(ctx), dir); err == nil {
				err = closeErr
			}
			if err == nil {
				fmt.Fprintln(c.out, "Closed the browser; nothing is left running.")
			}
			return err
		},
	}
}

func (c *command) demonstrate(ctx context.Context, dir string) error {
	say := func(format string, args ...any) { fmt.Fprintf(c.out, format+"\n", args...) }
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("serve the page: %w", err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(demoPage)
	})}
	go server.Serve(listener)
	defer server.Close()

	say("Starting a headless Chromium with the extension; the extension starts the host …")
	link, err := client.Connect(ctx, client.Choice{
		Dir: dir, Headless: true, Client: wire.Client{Kind: "cli", Name: "demo"},
		Warn: func(text string) { say("(%s)", text) },
	})
	if err != nil {
		return err
	}
	defer link.Close()

	var before, after wire.Snapshot
	if err := link.Read(ctx, "snapshot", wire.SnapshotParams{URL: "http://" + listener.Addr().String() + "/"}, &before); err != nil {
		return err
	}
	say("Read the page: %d tokens of accessibility tree became %d.\n\n%s\n", before.TokensBefore, before.ViewTokens, before.UIDs)

	found := regexp.MustCompile(`\[(\w+)\] button "Save settings"`).FindStringSubmatch(before.UIDs)
	if found == nil {
		return wire.Fail(wire.CaptureFailed, "the view does not show the button that the demo clicks")
	}
	var did wire.ActResult
	if err := link.Act(ctx, "act", wire.ActParams{UID: found[1], Action: "click", ActID: newID()}, &did); err != nil {
		return err
	}
	say("Clicked [%s] once: %s.", found[1], words.Evidence(did))

	if err := link.Read(ctx, "snapshot", wire.SnapshotParams{}, &after); err != nil {
		return err
	}
	was := map[string]bool{}
	for line := range strings.Lines(before.UIDs) {
		was[strings.TrimSpace(line)] = true
	}
	say("What the page says now that it did not say before:\n")
	changed := false
	for line := range strings.Lines(after.UIDs) {
		if !was[strings.TrimSpace(line)] {
			say("%s", strings.TrimRight(line, "\n"))
			changed = true
		}
	}
	if !changed {
		return wire.Fail(wire.NotDelivered, "the click changed nothing on the page")
	}

	var payload, nodes wire.RecoverResult
	root := 0
	if err := link.Read(ctx, "recover", wire.RecoverParams{Handle: before.RecoveryHandle}, &payload); err != nil {
		return err
	}
	if err := link.Read(ctx, "recover", wire.RecoverParams{Handle: before.RecoveryHandle, Frame: &root}, &nodes); err != nil {
		return err
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(payload.Payload))
	if sum != payload.SHA256 || !bytes.Contains(payload.Payload, nodes.Payload) {
		return wire.Fail(wire.StoreCorrupt, "the recovered bytes are not those that were stored")
	}
	say("\nRecovered %s: %d bytes, sha256 %s, the same that the host received.", before.RecoveryHandle, payload.Bytes, sum)
	return nil
}
