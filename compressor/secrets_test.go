package compressor

import "testing"

func TestSecretText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Password": true, "new-password": true, "userPwd": true, "PWD": true, "pass phrase": false, "Passphrase (optional)": true,
		"One-time code": true, "oneTimeCode": true, "Code, one time": false, "Enter the OTP": true, "optional": false, "2FA code": true, "fa 2": false,
		"Card number": true, "cardNumber2": true, "card_no": false, "postcard": false, "Postcard number": false, "discard numbers": false, "CVC": true, "cvv2": true,
		"Author": false, "compass": false, "secretary": false, "client_secret": true, "accessToken": true, "tokens": false, "API key": true, "APIKey": true, "keyboard": false,
		"": false, "密码": true, "密码箱": false, "Passwort wiederholen": true, "Mot de passe": true, "Passworte": false, "Security answer": true, "secrets": false,
	} {
		if got := isSecretText(text); got != want {
			t.Errorf("isSecretText(%q) = %v", text, got)
		}
	}
}

func TestSecretField(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name                         string
		kind, autocomplete, id, attr string
		want                         bool
	}{
		{"by type", "password", "", "", "", true},
		{"by autocomplete among others", "text", "section-a CC-Number", "", "", true},
		{"by id", "text", "", "login-password", "", true},
		{"by name", "", "", "", "otp", true},
		{"plain", "text", "email", "author", "compass", false},
		{"a button's value is its label", "submit", "", "reset-password", "", false},
		{"a box to check", "checkbox", "", "show-password", "", false},
	} {
		if got := isSecretField(test.kind, test.autocomplete, test.id, test.attr); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
