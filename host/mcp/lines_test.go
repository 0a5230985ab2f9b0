package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"handrail/host/client"
)

// A line that is no message is answered by an error without an id, and ends nothing.
func TestLinesAmiss(t *testing.T) {
	t.Parallel()
	for line, code := range map[string]int{
		"garbage":          -32700,
		"\xff\xfe":         -32700,
		`{"jsonrpc":"2.0"`: -32700,
		`{"jsonrpc":"2.0","id":1,"method":"ping"} {}`: -32700,
		`{}`:                -32600,
		`null`:              -32600,
		`7`:                 -32600,
		`[]`:                -32600,
		`[7]`:               -32600,
		`{"jsonrpc":"2.0"}`: -32600,
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`:  -32600,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`: -32600,
		"":    0,
		" \r": 0,
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			in, ours := io.Pipe()
			theirs, out := io.Pipe()
			ended := make(chan error, 1)
			go func() {
				err := Run(context.Background(), Options{Choice: client.Choice{Dir: t.TempDir(), Warn: func(string) {}}, Log: zerolog.Nop()}, in, out)
				out.Close()
				ended <- err
			}()
			answers := bufio.NewScanner(theirs)
			ask := func(line string) (got struct {
				ID     json.RawMessage
				Error  struct{ Code int }
				Result json.RawMessage
			}) {
				t.Helper()
				go io.WriteString(ours, line+"\n")
				if !answers.Scan() {
					t.Fatal("the session has ended")
				}
				if err := json.Unmarshal(answers.Bytes(), &got); err != nil {
					t.Fatalf("%v: %s", err, answers.Bytes())
				}
				return got
			}
			ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
			if code != 0 {
				if got := ask(line); got.Error.Code != code || string(got.ID) != "null" {
					t.Errorf("error %d to id %s, want %d to null", got.Error.Code, got.ID, code)
				}
				line = ""
			} else {
				line += "\n"
			}
			if got := ask(line + `{"jsonrpc":"2.0","id":9,"method":"ping"}`); string(got.ID) != "9" || got.Result == nil {
				t.Errorf("what came after was not answered: %+v", got)
			}
			ours.Close()
			if err := <-ended; err != nil {
				t.Errorf("the server ended: %v", err)
			}
		})
	}
}

// What is passed on is what came, also where it is longer than a buffer, has no end
// of line, or is longer than any message may be.
func TestLines(t *testing.T) {
	t.Parallel()
	message := func(n int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":%q}}`, strings.Repeat("x", n))
	}
	for name, text := range map[string]string{
		"short":       message(1) + "\n",
		"several":     message(1) + "\r\n" + message(2) + "\n",
		"long":        message(1<<20) + "\n",
		"batch":       "[" + message(1) + "," + message(2) + "]\n",
		"without end": message(5),
		"too long":    message(17<<20) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var answers bytes.Buffer
			got, err := io.ReadAll(io.LimitReader(&lines{from: bufio.NewReader(strings.NewReader(text)), to: &answers}, 16<<20))
			if err != nil || answers.Len() > 0 || !strings.HasPrefix(text, string(got)) || len(got) < min(len(text), 16<<20) {
				t.Errorf("%d of %d bytes, %v; answered %s", len(got), len(text), err, &answers)
			}
		})
	}
}
