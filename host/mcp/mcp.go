// Package mcp serves the host's verbs as MCP tools to one agent, on two streams.
//
// It promises that an act is sent once or not at all when hosts come and go, and
// that what goes out are frames of MCP, nothing else. What the tools say is package
// tools' own.
package mcp

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"handrail/host/client"
	"handrail/host/snapshot"
	"handrail/host/state"
	"handrail/host/tools"
	"handrail/host/wire"
)

// Options say which browser is meant and which tools are offered.
type Options struct {
	Choice client.Choice // but for its Client, which the agent names
	Slim   bool          // only to look, act, evaluate and recover, in few words
	Log    zerolog.Logger
}

// Run serves one agent until in ends or ctx does.
func Run(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	s := &session{choice: o.Choice, pinned: o.Choice}
	defer s.close()
	agent := &tools.Agent{Host: s, Dir: o.Choice.Dir}
	if o.Choice.Ephemeral {
		agent.Dir = ""
	}
	server, err := newServer(o, s, agent)
	if err != nil {
		return err
	}
	o.Log.Info().Str(state.FieldVersion, wire.Version).Msg("started")
	to := &writer{to: out}
	from := &lines{from: bufio.NewReader(in), to: to}
	err = server.Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(from), Writer: to})
	if ctx.Err() != nil {
		err = nil
	}
	o.Log.Info().Msg("ended")
	return err
}

func newServer(o Options, s *session, agent *tools.Agent) (*sdk.Server, error) {
	server := sdk.NewServer(&sdk.Implementation{Name: "handrail", Version: wire.Version}, &sdk.ServerOptions{
		Instructions: tools.Instructions, Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
	})
	var listed []struct {
		Name, Description string
		InputSchema       json.RawMessage
		Annotations       *sdk.ToolAnnotations
	}
	if err := json.Unmarshal(tools.List(o.Slim), &listed); err != nil {
		return nil, fmt.Errorf("read the list of tools: %w", err)
	}
	for _, t := range listed {
		server.AddTool(&sdk.Tool{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema, Annotations: t.Annotations}, s.tool(agent, o.Log))
	}
	return server, nil
}

// tool is the handler of the tools; failures are told to the agent.
func (s *session) tool(agent *tools.Agent, log zerolog.Logger) sdk.ToolHandler {
	return func(ctx context.Context, call *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		start := time.Now()
		ctx, end := context.WithCancel(ctx)
		defer end()
		p := watch(ctx, call)
		ctx = wire.OnWaiting(ctx, func(w wire.Waiting) { go p.waits(ctx, w) })
		r, err := s.answer(ctx, agent, call, log)
		entry := log.Debug().Str(state.FieldMethod, call.Params.Name).Dur("ms", time.Since(start))
		if err != nil {
			fault, ok := snapshot.Fault(err)
			if !ok {
				fault = wire.Fail(wire.Internal, "")
				fault.LogID = rand.Text()[:8]
				log.Error().Str(state.FieldLogID, fault.LogID).Str(state.FieldMethod, call.Params.Name).Err(err).Msg("a call failed unexpectedly")
			}
			entry.Str(state.FieldCode, string(fault.Code)).Msg("answered")
			return &sdk.CallToolResult{IsError: true, StructuredContent: fault, Content: []sdk.Content{&sdk.TextContent{Text: tools.Failure(fault, call.Params.Name)}}}, nil
		}
		entry.Msg("answered")
		result := &sdk.CallToolResult{StructuredContent: r.Object, Content: []sdk.Content{&sdk.TextContent{Text: r.Text}}}
		if r.PNG != nil {
			result.Content = append(result.Content, &sdk.ImageContent{Data: r.PNG, MIMEType: "image/png"})
		}
		return result, nil
	}
}

// answer is the dispatch edge: a panic ends here.
func (s *session) answer(ctx context.Context, agent *tools.Agent, call *sdk.CallToolRequest, log zerolog.Logger) (r *tools.Reply, err error) {
	defer func() {
		if value := recover(); value != nil {
			fault := wire.Fail(wire.Internal, "")
			fault.LogID = rand.Text()[:8]
			log.Error().Str(state.FieldLogID, fault.LogID).Type("panic", value).Bytes("stack", debug.Stack()).Msg("a call panicked")
			err = fault
		}
	}()
	name := ""
	if info := call.ClientInfo(); info != nil {
		name = info.Name
	}
	s.greet(name)
	return agent.Call(ctx, call.Params.Name, call.Params.Arguments, "")
}

// hexID makes an id of so many bytes.
func hexID(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// lost tells the end of a host, or of its browser, from its answers.
func lost(err error) bool {
	fault, ok := errors.AsType[*wire.Fault](err)
	return ok && fault.Code == wire.Detached
}
