package extract

import (
	"encoding/json"
	"fmt"
	"math/big"
	"testing"
)

func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		locale, text, want string // want "" is a refusal
	}{
		{"", "12", "12"}, {"", "Price 12", "12"}, {"", "Price: 12.50 each", "12.5"}, {"", "1,299.00", "1299"}, {"", "$1,234,567.891", "1234567.891"},
		{"", "1.299", "1.299"}, {"de", "1.299", "1299"}, {"de", "1.299,00 €", "1299"}, {"de", "12,5", "12.5"}, {"de", "12,- €", "12"},
		{"fr", "1 299,00 €", "1299"}, {"fr", "1\u202f299,5", "1299.5"}, {"fr", "1\u00a0299 €", "1299"}, {"ch", "CHF 1’299.50", "1299.5"}, {"ch", "1'299", "1299"},
		{"", "5 %", "5"}, {"", "5%", "5"}, {"", "-5", "-5"}, {"", "−5", "-5"}, {"", "+5", "5"}, {"", "-$5", "-5"}, {"", "$-5", "-5"}, {"", "-US$5", "-5"}, {"", "US$5", "5"},
		{"", "Change -5", "-5"}, {"", ".5", "0.5"}, {"", "-.5", "-0.5"}, {"de", ",5", "0.5"}, {"", "007", "7"}, {"", "0.0", "0"}, {"", "-0", "0"}, {"", "12.", "12"},
		{"", "20°C", "20"}, {"", "$5/month", "5"}, {"", "#5", "5"}, {"", "Page: 5.", "5"}, {"", "5 €", "5"}, {"", "\"5\"", "5"}, {"", "3.0", "3"},
		{"", "999999999999999", "999999999999999"}, {"", "Price 12 - sale", "12"}, {"", "12 min", "12"},

		{"", "", ""}, {"", "free", ""}, {"", "12 of 30", ""}, {"", "10-20", ""}, {"", "10–20", ""}, {"", "1/2", ""}, {"", "12:30", ""}, {"", "2024-01-02", ""},
		{"", "12k", ""}, {"", "12 k", ""}, {"", "3 million", ""}, {"", "$3 US million", ""}, {"de", "3 Mio. €", ""}, {"de", "3 € Mio", ""}, {"", "5kg", ""}, {"", "1st", ""}, {"", "B12", ""}, {"", "EUR5", ""},
		{"", "1e5", ""}, {"", "1E+5", ""}, {"", "0x1F", ""}, {"", "½", ""}, {"", "1½", ""}, {"", "٣", ""}, {"", "１２", ""}, {"", "10²", ""},
		{"", "1.299,00", ""}, {"", "1,29", ""}, {"", "1,2999", ""}, {"", "1234,567", ""}, {"", "0,299", ""}, {"", "1.2.3", ""}, {"", "1.299.00", ""}, {"", "1'299", ""}, {"", "1 299", ""},
		{"de", "1,299.00", ""}, {"de", "12.5", ""}, {"de", "1 299", ""}, {"fr", "1.299", ""}, {"fr", "12 30", ""}, {"fr", "1,299.00", ""}, {"ch", "1,299", ""}, {"ch", "1’299'000", ""}, {"de", ".5", ""}, {"", ",5", ""},
		{"", "(5)", ""}, {"", "($5)", ""}, {"", "Cost (5 %)", ""}, {"", "(-5)", ""}, {"", "5-", ""}, {"", "5−", ""}, {"", "5 €-", ""}, {"", "- 5", ""}, {"", "Price - 5", ""}, {"", "–5", ""}, {"", "A-5", ""}, {"", "--5", ""},
		{"", "-EUR 5", ""}, {"", "- EUR 5", ""}, {"", "- $5", ""}, {"", "minus 5", ""}, {"", "minus$5", ""}, {"de", "minus 5 €", ""}, {"", "10+", ""}, {"", "<5", ""}, {"", "> 5", ""}, {"", "±5", ""}, {"", "~5", ""}, {"", "/5", ""},
		{"", "Nr.5", ""}, {"", "v_5", ""}, {"", "\u200e5", ""}, {"", "5\u200e", ""}, {"", "1\u200b2", ""}, {"", "9999999999999999", ""}, {"", "0.1234567890123456", ""},
	} {
		v, reason := locales[test.locale].coerce(test.text, "number")
		got := ""
		if reason == "" {
			got = string(v.(json.Number))
		}
		if got != test.want {
			t.Errorf("%q in %q is %q (%s), not %q", test.text, test.locale, got, reason, test.want)
		}
	}
	for text, want := range map[string]string{"3": "3", "3.0": "3", "1,000": "1000", "3.5": "", "-2": "-2"} {
		v, reason := locales["en"].coerce(text, "integer")
		if reason == "" && string(v.(json.Number)) != want || (reason == "") != (want != "") {
			t.Errorf("%q as an integer is %v (%s)", text, v, reason)
		}
	}
}

func TestBooleans(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]any{
		"true": true, "Yes": true, "ON": true, "1": true, " checked ": true,
		"false": false, "No": false, "off": false, "0": false, "unchecked": false, "": false,
		"mixed": nil, "maybe": nil, "2": nil, "yes please": nil, "ja": nil,
	} {
		if got, _ := (locale{}).coerce(text, "boolean"); got != want {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// FuzzNumber reads any text: what it takes for a number is JSON for it, and the
// number written as the locale writes it is the same again.
func FuzzNumber(f *testing.F) {
	for _, text := range []string{"Price 12", "1.299,00 €", "(5)", "-US$5", "1’299", "\xff5", "minus"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, l := range locales {
			number, reason := l.number(text)
			if (number == "") != (reason != "") {
				t.Fatalf("%q gives %q and %q", text, number, reason)
			}
			if reason != "" {
				continue
			}
			if !json.Valid([]byte(number)) {
				t.Fatalf("%q gives %q", text, number)
			}
			exact, ok := new(big.Rat).SetString(number)
			if !ok {
				t.Fatalf("%q gives %q", text, number)
			}
			written := ""
			for _, c := range number {
				if c == '.' {
					c = l.decimal
				}
				written += string(c)
			}
			again, reason := l.number(written)
			if value, _ := new(big.Rat).SetString(again); value == nil || value.Cmp(exact) != 0 {
				t.Fatalf("%s: %q gives %s, and %s gives %q (%s)", name, text, number, written, again, reason)
			}
			if got, _ := l.number(fmt.Sprintf("%s %s", written, written)); name != "fr" && got != "" {
				t.Fatalf("two of %s give %s", written, got)
			}
		}
	})
}
