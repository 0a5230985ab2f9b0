package extract

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// locale is how numbers are written.
type locale struct {
	group   string // characters that may part thousands
	decimal rune
}

var locales = map[string]locale{
	"":   {",", '.'},
	"en": {",", '.'},
	"de": {".", ','},
	"fr": {" ", ','}, // every kind of space, once folded
	"ch": {"’'", '.'},
}

// coerce reads a text as a value of a scalar type, or says why it is none.
func (l locale) coerce(text, kind string) (v any, reason string) {
	switch kind {
	case "boolean":
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "true", "yes", "on", "1", "checked":
			return true, ""
		case "false", "no", "off", "0", "unchecked", "":
			return false, ""
		}
		return nil, fmt.Sprintf("%q is neither true nor false", clip(text))
	case "number", "integer":
		number, reason := l.number(text)
		if reason == "" && kind == "integer" && strings.Contains(number, ".") {
			reason = "it is no whole number"
		}
		if reason != "" {
			return nil, fmt.Sprintf("%q: %s", clip(text), reason)
		}
		return json.Number(number), ""
	}
	return text, ""
}

// maxDigits of a number survive in a float64, which most readers of JSON use.
const maxDigits = 15

const (
	marks   = ".,'’"     // what may stand in a number, in one locale or another
	minus   = "-−"       // what says that a number is negative
	dashes  = "‐‑‒–—―﹣－" // what may say that, or may not
	vague   = "±~≈≤≥<>"  // what says that the number is another one
	opening = "#№([{:=|•\"“”„«‹‘*"
)

// Words that say that the number is another one.
var (
	short = wordSet("k m b t bn tn mm mn mr md mrd mio tsd mia cr")
	long  = wordSet("hundred thousand thousands million millions billion billions trillion trillions dozen dozens lakh lakhs crore crores " +
		"hundert tausend million millionen milliarde milliarden billion billionen dutzend mille millier milliers milliard milliards douzaine")
	negative = wordSet("minus negative negativ moins négatif")
)

// number finds the one number of a text and gives it as JSON, exactly. Where the
// text may mean another number, it gives the reason instead.
func (l locale) number(text string) (number, reason string) {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	from, to := 0, 0
	for i := 0; i < len(runes); i++ {
		switch {
		case !isDigit(runes[i]):
			if unicode.IsNumber(runes[i]) {
				return "", "it has digits other than 0 to 9"
			}
			continue
		case to > 0:
			return "", "it has several numbers"
		}
		for from, to = i, i+1; to < len(runes); to++ {
			inside := strings.ContainsRune(marks+l.group, runes[to]) && to+1 < len(runes) && isDigit(runes[to+1])
			if !isDigit(runes[to]) && !inside {
				break
			}
		}
		i = to - 1
	}
	if to == 0 {
		return "", "it has no number"
	}
	before, digits, after := runes[:from], string(runes[from:to]), runes[to:]

	if n := len(before); n > 0 && before[n-1] == l.decimal && strings.Trim(digits, "0123456789") == "" &&
		(n == 1 || unicode.IsSpace(before[n-2]) || unicode.Is(unicode.Sc, before[n-2]) || strings.ContainsRune(minus+"+", before[n-2])) {
		before, digits = before[:n-1], "0"+string(l.decimal)+digits // .5
	}
	isNegative, enclosed, reason := sign(before)
	if reason == "" {
		reason = unit(after, enclosed)
	}
	if reason == "" {
		digits, reason = l.plain(digits)
	}
	if reason != "" {
		return "", reason
	}
	if isNegative && digits != "0" {
		digits = "-" + digits
	}
	return digits, ""
}

// sign judges what stands before a number. enclosed says that a parenthesis opens
// directly there.
func sign(before []rune) (isNegative, enclosed bool, reason string) {
	text := strings.TrimRightFunc(string(before), isCurrency)
	if len(text) < len(string(before)) {
		text = strings.TrimRightFunc(text, unicode.IsLetter) // US$
	}
	rest := strings.TrimRight(text, minus+"+")
	switch signs := []rune(text[len(rest):]); {
	case len(signs) > 1:
		return false, false, "its sign is not clear"
	case len(signs) == 1:
		isNegative = signs[0] != '+'
		if last := lastOf(rest); last != 0 && !unicode.IsSpace(last) && !isCurrency(last) && last != '(' {
			return false, false, "its sign is not clear"
		}
	}
	last := lastOf(rest)
	switch {
	case last == 0, unicode.IsSpace(last), isCurrency(last), strings.ContainsRune(opening, last):
	default:
		return false, false, fmt.Sprintf("%q stands directly before the number", last)
	}
	far := withoutCurrency(rest)
	if strings.ContainsRune(minus+dashes, lastOf(far)) {
		return false, false, "its sign is not clear"
	}
	if strings.ContainsRune(vague, lastOf(far)) {
		return false, false, "it is not exact"
	}
	for _, word := range wordsOf(string(before)) {
		if negative[word] {
			return false, false, "its sign is not clear"
		}
	}
	return isNegative, lastOf(far) == '(', ""
}

// withoutCurrency is a text without the currency's symbol or code at its end.
func withoutCurrency(s string) string {
	s = strings.TrimRightFunc(s, func(c rune) bool { return unicode.IsSpace(c) || isCurrency(c) })
	if code := len(s) - 3; code >= 0 && strings.Trim(s[code:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		s = strings.TrimRight(s[:code], " ")
	}
	return s
}

// unit judges what stands behind a number.
func unit(after []rune, enclosed bool) string {
	if len(after) == 0 {
		return ""
	}
	switch c := after[0]; {
	case unicode.In(c, unicode.L, unicode.M, unicode.Cf), strings.ContainsRune("_^+"+minus+dashes, c):
		return fmt.Sprintf("%q stands directly behind the number", c)
	}
	text := strings.TrimLeft(string(after), " %")
	if amount := strings.TrimLeftFunc(text, isCurrency); amount != text {
		if strings.HasPrefix(amount, "-") || strings.HasPrefix(amount, "−") {
			return "its sign is not clear"
		}
		text = strings.TrimLeft(amount, " ")
	}
	if enclosed && strings.HasPrefix(text, ")") {
		return "in parentheses it may be a count or negative"
	}
	for i, word := range wordsOf(text) {
		if long[word] || i == 0 && short[word] {
			return fmt.Sprintf("%q stands behind the number", word)
		}
	}
	return ""
}

// plain makes a number without its thousands marks, as JSON writes it.
func (l locale) plain(s string) (number, reason string) {
	whole, fraction, _ := strings.Cut(s, string(l.decimal))
	if strings.Trim(fraction, "0123456789") != "" {
		return "", "its marks are not those of the locale"
	}
	if at := strings.IndexAny(whole, l.group); at >= 0 {
		mark := string([]rune(whole[at:])[0])
		groups := strings.Split(whole, mark)
		for i, group := range groups {
			if i > 0 && len(group) != 3 || len(group) > 3 || group[0] == '0' && i == 0 {
				return "", "its marks are not those of the locale"
			}
		}
		whole = strings.Join(groups, "")
	}
	if strings.Trim(whole, "0123456789") != "" {
		return "", "its marks are not those of the locale"
	}
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	if len(whole)+len(fraction) > maxDigits {
		return "", "it has more than 15 digits"
	}
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		return whole + "." + fraction, ""
	}
	return whole, ""
}

func isDigit(c rune) bool { return '0' <= c && c <= '9' }

func isCurrency(c rune) bool { return unicode.Is(unicode.Sc, c) }

// lastOf is the last character, 0 for none.
func lastOf(s string) rune {
	var last rune
	for _, c := range s {
		last = c
	}
	return last
}

// wordsOf are the runs of letters, in lower case.
func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(c rune) bool { return !unicode.IsLetter(c) })
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// clip bounds what a reason repeats.
func clip(s string) string {
	const limit = 120
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return s
}
