package compressor

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// SecretAutocomplete are the autocomplete tokens of fields whose values are
// never shown, stored or sent: passwords, one-time codes and card data.
// The extension's list is generated from this one.
var SecretAutocomplete = []string{
	"current-password", "new-password", "one-time-code",
	"cc-number", "cc-csc", "cc-exp", "cc-exp-month", "cc-exp-year",
}

// PasswordWords mark a field as a password: its value is never shown, not even where
// secret values may be revealed. They are words as SecretWords are.
var PasswordWords = []string{
	"password", "passwd", "passphrase", "passcode", "pwd", "passwort", "kennwort", "mot de passe", "contraseña", "senha", "palavra passe",
	"wachtwoord", "lösenord", "adgangskode", "passord", "salasana", "hasło", "heslo", "jelszó", "parola", "şifre", "пароль", "パスワード", "密码", "密碼", "비밀번호",
}

// SecretWords mark a field as secret, beside PasswordWords, when they occur as whole
// words (camelCase, digits and punctuation separate words) in its id, name or label. A
// phrase's words must follow each other. "author", "postcard" and "compass" do not match.
var SecretWords = []string{
	"otp", "totp", "one time code", "one time password", "verification code", "security code", "2fa", "mfa", "pin code",
	"code de vérification", "bestätigungscode", "código de verificación", "security answer",
	"card number", "cardnumber", "credit card", "cvc", "cvv", "csc",
	"secret", "token", "api key", "apikey", "access key", "private key", "client secret", "seed phrase", "recovery phrase", "recovery code",
	"social security number", "ssn",
}

// untyped are the input types whose value nobody types: a button's is its label.
var untyped = map[string]bool{
	"button": true, "submit": true, "reset": true, "image": true, "checkbox": true, "radio": true, "range": true, "color": true, "file": true,
}

// isSecretField judges a field by its attributes.
func isSecretField(kind, autocomplete, id, name string) bool {
	switch {
	case kind == "password":
		return true
	case untyped[kind]:
		return false
	}
	for _, token := range strings.Fields(strings.ToLower(autocomplete)) {
		if slices.Contains(SecretAutocomplete, token) {
			return true
		}
	}
	return isSecretText(id) || isSecretText(name)
}

// isSecretText says that a text holds one of SecretWords.
func isSecretText(text string) bool {
	if text == "" {
		return false
	}
	words := wordsOf(text)
	for _, phrase := range secretPhrases() {
		if strings.Contains(words, phrase) {
			return true
		}
	}
	return false
}

var secretPhrases = sync.OnceValue(func() (phrases []string) {
	for _, word := range slices.Concat(PasswordWords, SecretWords) {
		phrases = append(phrases, wordsOf(word))
	}
	return phrases
})

// wordsOf gives a text's words in lower case, a space around each: camelCase,
// digits and punctuation separate them.
func wordsOf(text string) string {
	b := []byte{' '}
	before := ' '
	runes := []rune(text)
	for i, c := range runes {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsNumber(c):
			c = ' '
		case unicode.IsUpper(c) && (unicode.IsLower(before) || unicode.IsUpper(before) && i+1 < len(runes) && unicode.IsLower(runes[i+1])),
			unicode.IsNumber(c) && unicode.IsLetter(before), unicode.IsLetter(c) && unicode.IsNumber(before):
			b = append(b, ' ')
		}
		if c != ' ' || b[len(b)-1] != ' ' {
			b = utf8.AppendRune(b, unicode.ToLower(c))
		}
		before = c
	}
	if b[len(b)-1] != ' ' {
		b = append(b, ' ')
	}
	return string(b)
}
