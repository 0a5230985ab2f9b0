package wire

import (
	"encoding/json"
	"fmt"
	"strings"
)

// scanner passes over JSON once and checks it on the way: RFC 8259 with at most
// MaxDepth levels. encoding/json would read a bundle four times to give out its
// bytes.
type scanner struct {
	text []byte
	at   int
}

type syntaxError string

func (e syntaxError) Error() string { return string(e) }

const (
	errNotObject = syntaxError("not a JSON object")
	errNotArray  = syntaxError("not a JSON array")
	errNotJSON   = syntaxError("not well-formed JSON")
	errTooDeep   = syntaxError("JSON that is nested too deeply")
)

// wellFormed says what is wrong with text as one JSON value.
func wellFormed(text []byte) error {
	s := scanner{text: text}
	s.space()
	if err := s.value(0); err != nil {
		return err
	}
	return s.end()
}

// eachMember calls f with the members of a JSON object, in order, each value as
// it stands. A repeated key is an error: readers differ in which one they take.
func eachMember(text []byte, f func(key string, value json.RawMessage) error) error {
	s := scanner{text: text}
	if s.space(); s.peek() != '{' {
		return errNotObject
	}
	seen := map[string]bool{}
	err := s.container(1, func(quoted, value []byte) error {
		var key string
		if err := json.Unmarshal(quoted, &key); err != nil {
			return errNotJSON
		}
		if seen[key] {
			return syntaxError(fmt.Sprintf("JSON with the key %.60q twice", key))
		}
		seen[key] = true
		return f(key, value)
	})
	if err != nil {
		return err
	}
	return s.end()
}

// eachElement calls f with the elements of a JSON array, each as it stands.
func eachElement(text []byte, f func(value json.RawMessage) error) error {
	s := scanner{text: text}
	if s.space(); s.peek() != '[' {
		return errNotArray
	}
	if err := s.container(1, func(_, value []byte) error { return f(value) }); err != nil {
		return err
	}
	return s.end()
}

// container passes over an object or array at depth. f, unless it is nil, gets
// each member: its key as it stands (an array has none) and its value.
func (s *scanner) container(depth int, f func(key, value []byte) error) error {
	if depth > MaxDepth {
		return errTooDeep
	}
	object, end := s.peek() == '{', byte(']')
	if object {
		end = '}'
	}
	s.at++
	if s.space(); s.peek() == end {
		s.at++
		return nil
	}
	for {
		var key []byte
		if object {
			start := s.at
			if !s.str() {
				return errNotJSON
			}
			key = s.text[start:s.at]
			if s.space(); s.peek() != ':' {
				return errNotJSON
			}
			s.at++
			s.space()
		}
		start := s.at
		if err := s.value(depth); err != nil {
			return err
		}
		if f != nil {
			if err := f(key, s.text[start:s.at:s.at]); err != nil {
				return err
			}
		}
		s.space()
		switch s.peek() {
		case ',':
			s.at++
			s.space()
		case end:
			s.at++
			return nil
		default:
			return errNotJSON
		}
	}
}

// value passes over a value that stands inside depth containers.
func (s *scanner) value(depth int) error {
	ok := false
	switch s.peek() {
	case '{', '[':
		return s.container(depth+1, nil)
	case '"':
		ok = s.str()
	case 't':
		ok = s.word("true")
	case 'f':
		ok = s.word("false")
	case 'n':
		ok = s.word("null")
	default:
		ok = s.number()
	}
	if !ok {
		return errNotJSON
	}
	return nil
}

// peek gives the next byte, 0 at the end: no JSON outside strings has that byte.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

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

func (s *scanner) word(w string) bool {
	if len(s.text)-s.at < len(w) || string(s.text[s.at:s.at+len(w)]) != w {
		return false
	}
	s.at += len(w)
	return true
}

// plain are the bytes that stand for themselves in a string.
var plain = func() (set [256]bool) {
	for c := 0x20; c < len(set); c++ {
		set[c] = c != '"' && c != '\\'
	}
	return set
}()

func (s *scanner) str() bool {
	if s.peek() != '"' {
		return false
	}
	text, at := s.text, s.at+1
	for {
		for at < len(text) && plain[text[at]] {
			at++
		}
		switch {
		case at == len(text):
			return false
		case text[at] == '"':
			s.at = at + 1
			return true
		case text[at] != '\\' || at+1 == len(text):
			return false
		case strings.IndexByte(`"\/bfnrt`, text[at+1]) >= 0:
			at += 2
		case text[at+1] == 'u' && at+6 <= len(text) && isHex(text[at+2]) && isHex(text[at+3]) && isHex(text[at+4]) && isHex(text[at+5]):
			at += 6
		default:
			return false
		}
	}
}

func (s *scanner) number() bool {
	if s.peek() == '-' {
		s.at++
	}
	if s.peek() == '0' {
		s.at++
	} else if !s.digits() {
		return false
	}
	if s.peek() == '.' {
		if s.at++; !s.digits() {
			return false
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		return s.digits()
	}
	return true
}

func (s *scanner) digits() bool {
	start := s.at
	for c := s.peek(); '0' <= c && c <= '9'; c = s.peek() {
		s.at++
	}
	return s.at > start
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}
