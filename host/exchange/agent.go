package exchange

import (
	"context"
	"encoding/json"
	"fmt"

	"handrail/host/snapshot"
	"handrail/host/tools"
	"handrail/host/wire"
)

// agentClient is the side panel's agent: a client of the host it stands in, under
// a name of its own, so that its uids are those that it was shown.
var agentClient = wire.Client{Kind: "panel", Name: "agent"}

// inside is the host, asked from within.
type inside struct{ *link }

func (i inside) Read(ctx context.Context, method string, params, result any) error {
	asked, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("ask for %s: %w", method, err)
	}
	answer, err := i.handle(ctx, method, asked)
	if err != nil {
		return err
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("answer %s: %w", method, err)
	}
	return json.Unmarshal(text, result)
}

func (i inside) Once(ctx context.Context, method string, params, result any) error {
	return i.Read(ctx, method, params, result)
}

func (i inside) Dedicated(context.Context) (bool, error) { return i.dedicated != "", nil }

// newAgent makes the panel's agent. Payloads that it recovers come in parts, since
// it could not read a file.
func (h *host) newAgent() *tools.Agent {
	l := &link{host: h, client: agentClient}
	l.greeted.Store(true)
	return &tools.Agent{Host: inside{l}}
}

// tools lists the agent's tools.
func (l *link) tools(context.Context, wire.ToolsParams) (wire.ToolsResult, error) {
	r := wire.ToolsResult{Instructions: tools.Instructions}
	if err := json.Unmarshal(tools.List(false), &r.Tools); err != nil {
		return r, fmt.Errorf("read the list of tools: %w", err)
	}
	return r, nil
}

// tool calls one. Its failure is told to the model, as every answer is.
func (l *link) tool(ctx context.Context, p wire.ToolParams) (wire.ToolResult, error) {
	r, err := l.agent.Call(ctx, p.Name, p.Arguments, p.ActID)
	if err != nil {
		fault, ok := snapshot.Fault(err)
		if !ok {
			return wire.ToolResult{}, err
		}
		return wire.ToolResult{Text: tools.Failure(fault, p.Name), Fault: fault}, nil
	}
	result := wire.ToolResult{Text: r.Text, PNG: r.PNG}
	if r.Object != nil {
		if result.Object, err = json.Marshal(r.Object); err != nil {
			return result, fmt.Errorf("word the answer: %w", err)
		}
	}
	return result, nil
}
