package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// lines passes on what an agent writes, but for lines that are no message: those it
// answers itself, since the SDK ends the session at the first of them.
type lines struct {
	from *bufio.Reader
	to   io.Writer
	rest []byte // of the line that is passed on
}

func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.next()
		if len(bytes.TrimSpace(line)) > 0 {
			if code, why := amiss(line); code != 0 {
				fmt.Fprintf(l.to, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, why)
			} else {
				l.rest = line
			}
		}
		if err != nil && len(l.rest) == 0 {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next reads a line. One that is longer than the SDK takes comes in pieces, for it
// to refuse.
func (l *lines) next() (line []byte, err error) {
	for err = bufio.ErrBufferFull; errors.Is(err, bufio.ErrBufferFull) && len(line) <= sdk.DefaultMaxLineLength; {
		var part []byte
		part, err = l.from.ReadSlice('\n')
		line = append(line, part...)
	}
	if errors.Is(err, bufio.ErrBufferFull) {
		err = nil
	}
	return line, err
}

// amiss says why a line is no message, or no batch of them; 0 where it is one.
func amiss(line []byte) (code int, why string) {
	switch {
	case len(line) > sdk.DefaultMaxLineLength:
		return 0, ""
	case !json.Valid(line):
		return jsonrpc.CodeParseError, "the line is not well-formed JSON"
	}
	messages := []json.RawMessage{line}
	if bytes.TrimSpace(line)[0] == '[' {
		messages = nil // else the first would be written over the line
		if err := json.Unmarshal(line, &messages); err != nil || len(messages) == 0 {
			return jsonrpc.CodeInvalidRequest, "the batch is empty"
		}
	}
	for _, message := range messages {
		if _, err := jsonrpc.DecodeMessage(message); err != nil {
			return jsonrpc.CodeInvalidRequest, "the line is no message of JSON-RPC 2.0"
		}
	}
	return 0, ""
}

// writer writes a message at a time.
type writer struct {
	mu sync.Mutex
	to io.Writer
}

func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

func (*writer) Close() error { return nil }
