//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The independent vectors of the base rules, where they are at hand.
func TestConform(t *testing.T) {
	checks := os.Getenv("HANDRAIL_CHECKS")
	if checks == "" {
		t.Skip("HANDRAIL_CHECKS is not set: the independent vectors are not at hand")
	}
	out, err := exec.Command("node", filepath.Join(checks, "conform.mjs"), "--bin", binary).CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	t.Log(lines[len(lines)-1])
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
