package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// Message is one JSON-RPC 2.0 message: a request (ID and Method), a
// notification (Method alone) or a response (ID and Result or Error; an error
// that answers nothing readable has no ID).
type Message struct {
	ID     *int64
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *RPCError

	unread error // why the rest of a response was not
}

// RPCError is a response's error object; Data holds the Fault.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    *Fault `json:"data,omitempty"`
}

// rpcFault is JSON-RPC's number of all failures; the Fault says which it is.
const rpcFault = -32000

// ParseMessage takes a message apart in one pass. Params and Result are the very
// bytes that came, checked to be JSON: a bundle among them is not decoded here.
// What is no JSON-RPC 2.0 message is bad_request; the Message then holds what
// was read before the fault was met.
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
			id, err := strconv.ParseInt(string(value), 10, 64)
			if err != nil {
				return syntaxError("an id that is no whole number")
			}
			m.ID = &id
		case "method":
			if err := json.Unmarshal(value, &m.Method); err != nil || m.Method == "" {
				return syntaxError("a method that is no name")
			}
		case "params":
			m.Params = value
		case "result":
			m.Result = value
		case "error":
			m.Error = &RPCError{}
			if value[0] != '{' || json.Unmarshal(value, m.Error) != nil {
				return syntaxError("an error that is no error object")
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return m, Fail(BadRequest, "a message with %v", err)
	case !version:
		return m, Fail(BadRequest, `a message without "jsonrpc":"2.0"`)
	case m.Method != "" && (m.Result != nil || m.Error != nil):
		return m, Fail(BadRequest, "a message that is both request and response")
	case m.Method == "" && m.Error == nil && (m.ID == nil || m.Result == nil):
		return m, Fail(BadRequest, "a message that is neither request nor response")
	case m.Result != nil && m.Error != nil:
		return m, Fail(BadRequest, "a response with both result and error")
	}
	return m, nil
}

// text spells the message, with Params and Result as they are.
func (m Message) text() ([]byte, error) {
	b := make([]byte, 0, 128+len(m.Method)+len(m.Params)+len(m.Result))
	b = append(b, `{"jsonrpc":"2.0"`...)
	switch {
	case m.ID != nil:
		b = strconv.AppendInt(append(b, `,"id":`...), *m.ID, 10)
	case m.Method == "":
		b = append(b, `,"id":null`...)
	}
	if m.Method != "" {
		name, err := encode(m.Method)
		if err != nil {
			return nil, err
		}
		b = append(append(b, `,"method":`...), name...)
	}
	if m.Params != nil {
		b = append(append(b, `,"params":`...), m.Params...)
	}
	if m.Error != nil {
		text, err := encode(m.Error)
		if err != nil {
			return nil, err
		}
		b = append(append(b, `,"error":`...), text...)
	} else if m.Method == "" {
		b = append(append(b, `,"result":`...), m.Result...)
	}
	return append(b, '}'), nil
}

func failure(id *int64, f *Fault) Message {
	return Message{ID: id, Error: &RPCError{rpcFault, f.Message, f}}
}

// Refusal is the message that tells the other end why none of its own is read.
func Refusal(f *Fault) []byte {
	text, err := failure(nil, f).text()
	if err != nil {
		panic(err) // strings and numbers
	}
	return text
}

// raw gives v as JSON; a json.RawMessage stays as it is.
func raw(v any) (json.RawMessage, error) {
	if text, ok := v.(json.RawMessage); ok && text != nil {
		return text, wellFormed(text)
	}
	return encode(v)
}

// encode gives v as JSON with <, > and & as they are.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
