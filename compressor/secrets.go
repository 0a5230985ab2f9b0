package compressor

// SecretAutocomplete are the autocomplete tokens of fields whose values are
// never shown, stored or sent: passwords, one-time codes and card data.
// The extension's list is generated from this one.
var SecretAutocomplete = []string{
	"current-password", "new-password", "one-time-code",
	"cc-number", "cc-csc", "cc-exp", "cc-exp-month", "cc-exp-year",
}

// SecretWords mark a field as secret when they occur as whole words (camelCase,
// digits and punctuation separate words) in its id, name or label. A phrase's
// words must follow each other. "author", "postcard" and "compass" do not match.
var SecretWords = []string{
	"password", "passwd", "passphrase", "passcode", "pwd",
	"otp", "totp", "one time code", "one time password", "verification code", "security code", "2fa", "mfa", "pin code",
	"card number", "cardnumber", "credit card", "cvc", "cvv", "csc",
	"secret", "token", "api key", "apikey", "access key", "private key", "client secret",
}
