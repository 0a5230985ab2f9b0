package compressor

import "strings"

// state is what the properties of a node say of it.
type state uint16

const (
	disabled state = 1 << iota
	checked
	unchecked
	expanded
	collapsed
	selected
	focused
	editable
	focusable
	clickable
)

// printedStates are the states that a line shows, in its order.
var printedStates = []struct {
	state state
	label string
}{
	{disabled, "disabled"}, {checked, "checked"}, {unchecked, "unchecked"}, {expanded, "expanded"},
	{collapsed, "collapsed"}, {selected, "selected"}, {focused, "focused"}, {editable, "editable"},
}

const printed = disabled | checked | unchecked | expanded | collapsed | selected | focused | editable

// with is the state after one more property. When a property occurs twice the
// last that says anything counts.
func (s state) with(name string, v raw, t *texts) state {
	switch name {
	case "disabled":
		return s.set(truth(v, t), disabled, 0)
	case "checked":
		if is, _ := token(v, t); is == "mixed" {
			return s&^unchecked | checked
		}
		return s.set(truth(v, t), checked, unchecked)
	case "expanded":
		return s.set(truth(v, t), expanded, collapsed)
	case "selected":
		return s.set(truth(v, t), selected, 0)
	case "focused":
		return s.set(truth(v, t), focused, 0)
	case "editable":
		if is, _ := token(v, t); is == "plaintext" || is == "richtext" {
			return s | editable
		}
		if isNumber(v) {
			return s
		}
		return s.set(truth(v, t), editable, 0)
	case "focusable":
		return s.set(truth(v, t), focusable, 0)
	case "clickable":
		return s.set(truth(v, t), clickable, 0)
	}
	return s
}

func (s state) set(t answer, yes, no state) state {
	switch t {
	case isTrue:
		return s&^no | yes
	case isFalse:
		return s&^yes | no
	}
	return s
}

type answer int

const (
	saysNothing answer = iota
	isTrue
	isFalse
)

// truth reads a property's value as a bool, as far as it is one.
func truth(v raw, t *texts) answer {
	switch {
	case v == "true":
		return isTrue
	case v == "false":
		return isFalse
	case isNumber(v):
		if isZero(string(v)) {
			return isFalse
		}
		return isTrue
	}
	if is, ok := token(v, t); ok {
		switch is {
		case "true", "1", "yes":
			return isTrue
		case "false", "0", "no", "":
			return isFalse
		}
	}
	return saysNothing
}

// token is a string's text in lower case.
func token(v raw, t *texts) (string, bool) {
	if v == "" || v[0] != '"' {
		return "", false
	}
	return t.lower(t.text(v)), true
}

func isNumber(v raw) bool {
	return v != "" && (v[0] == '-' || '0' <= v[0] && v[0] <= '9')
}

// isZero says that a number's digits before the exponent are all 0.
func isZero(number string) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	return strings.Trim(mantissa, "-0.") == ""
}
