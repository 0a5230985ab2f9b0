package wire

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Message is one JSON-RPC 2.0 message: a request (ID and Method), a
// notification (Method alone) or a response (ID and Result or Error).
type Message struct {
	ID     *int64
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *RPCError
}

// RPCError is a response's error object; Data holds the Fault.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    *Fault `json:"data,omitempty"`
}

// JSON-RPC's own numbers; every failure with a Fault has rpcFault.
const (
	rpcFault = -32000
)

// ParseMessage takes a message apart. Params and Result are the very bytes that
// came: a bundle among them is not read here. Anything that is no JSON-RPC 2.0
// message is bad_request.
func ParseMessage(text []byte) (Message, error) {
	var m Message
	if !utf8.Valid(text) {
		return m, Fail(BadRequest, "a message that is not UTF-8")
	}
	version := false
	err := eachMember(text, func(key string, value json.RawMessage) error {
		switch key {
		case "jsonrpc":
			version = string(value) == `"2.0"`
		case "id":
			if string(value) == "null" {
				return nil
			}
			m.ID = new(int64)
			return json.Unmarshal(value, m.ID)
		case "method":
			return json.Unmarshal(value, &m.Method)
		case "params":
			m.Params = value
		case "result":
			m.Result = value
		case "error":
			return json.Unmarshal(value, &m.Error)
		}
		return nil
	})
	switch {
	case err != nil:
		return m, Fail(BadRequest, "a message that cannot be read: %v", err)
	case !version:
		return m, Fail(BadRequest, `a message without "jsonrpc":"2.0"`)
	case m.Method == "" && (m.ID == nil || m.Result == nil && m.Error == nil):
		return m, Fail(BadRequest, "a message that is neither request nor response")
	}
	return m, nil
}

// Refusal is the message that tells the other end why none of its own is read.
func Refusal(f *Fault) []byte {
	text, err := encode(map[string]any{"jsonrpc": "2.0", "id": nil, "error": RPCError{rpcFault, f.Message, f}})
	if err != nil {
		panic(err) // strings and numbers
	}
	return text
}

// eachMember calls f with the members of a JSON object, in order, each value
// as it stands. Values are only checked for balance and depth; whoever reads
// one checks it.
func eachMember(text []byte, f func(key string, value json.RawMessage) error) error {
	s := scanner{text: text}
	if s.space(); s.next() != '{' {
		return errNotObject
	}
	if s.space(); s.peek() == '}' {
		s.at++
		return s.end()
	}
	for {
		s.space()
		start := s.at
		if s.peek() != '"' || !s.value() {
			return errNotJSON
		}
		var key string
		if err := json.Unmarshal(text[start:s.at], &key); err != nil {
			return err
		}
		if s.space(); s.next() != ':' {
			return errNotJSON
		}
		s.space()
		if start = s.at; !s.value() {
			return errNotJSON
		}
		if err := f(key, text[start:s.at:s.at]); err != nil {
			return err
		}
		switch s.space(); s.next() {
		case ',':
		case '}':
			return s.end()
		default:
			return errNotJSON
		}
	}
}

type syntaxError string

func (e syntaxError) Error() string { return string(e) }

const (
	errNotObject = syntaxError("not a JSON object")
	errNotJSON   = syntaxError("not well-formed JSON")
)

// scanner finds where JSON values end.
type scanner struct {
	text []byte
	at   int
}

func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) next() byte { c := s.peek(); s.at++; return c }

func (s *scanner) space() {
	for c := s.peek(); c == ' ' || c == '\n' || c == '\t' || c == '\r'; c = s.peek() {
		s.at++
	}
}

func (s *scanner) end() error {
	if s.space(); s.at != len(s.text) {
		return errNotJSON
	}
	return nil
}

// value passes over one value.
func (s *scanner) value() bool {
	depth := 0
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case '"':
			if !s.str() {
				return false
			}
		case '{', '[':
			if depth++; depth > MaxDepth {
				return false
			}
			s.at++
			continue
		case '}', ']':
			if depth--; depth < 0 {
				return false
			}
			s.at++
		case ',', ':':
			if depth == 0 {
				return false
			}
			s.at++
			continue
		case ' ', '\n', '\t', '\r':
			s.at++
			continue
		default:
			start := s.at
			for s.at < len(s.text) && bytes.IndexByte([]byte(`,:]}{["`+" \n\t\r"), s.text[s.at]) < 0 {
				s.at++
			}
			if depth == 0 && !json.Valid(s.text[start:s.at]) {
				return false
			}
		}
		if depth == 0 {
			return true
		}
	}
	return false
}

// str passes over a string.
func (s *scanner) str() bool {
	for s.at++; s.at < len(s.text); {
		i := bytes.IndexByte(s.text[s.at:], '"')
		if i < 0 {
			return false
		}
		end := s.at + i
		escapes := 0
		for end-escapes > s.at && s.text[end-escapes-1] == '\\' {
			escapes++
		}
		s.at = end + 1
		if escapes%2 == 0 {
			return true
		}
	}
	return false
}

// encode gives v as JSON with <, > and & as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
