package wire

import (
	"crypto/sha256"
	"encoding/base64"
	"testing"
)

func TestExtensionID(t *testing.T) {
	t.Parallel()
	der, err := base64.StdEncoding.DecodeString(ExtensionKey)
	if err != nil {
		t.Fatal(err)
	}
	id, sum := "", sha256.Sum256(der)
	for _, b := range sum[:16] {
		id += string(rune('a'+b>>4)) + string(rune('a'+b&15))
	}
	if id != ExtensionID {
		t.Errorf("the key gives %s", id)
	}
}
