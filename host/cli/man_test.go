package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func run(t *testing.T, args ...string) string {
	t.Helper()
	var out, errOut bytes.Buffer
	if status := Main(args, strings.NewReader(""), &out, &errOut); status != 0 {
		t.Fatalf("handrail %q: exit status %d, %s", args, status, &errOut)
	}
	return out.String()
}

// Every command has an example and a page of the manual, and no page is of none.
func TestManual(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run(t, "man", dir)
	pages := map[string]bool{}
	for _, name := range directory(t, dir) {
		pages[name] = true
	}
	var each func(cmd *cobra.Command)
	each = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			each(sub)
		}
		if cmd.Hidden || cmd.Name() == "help" {
			return
		}
		page := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
		body, err := os.ReadFile(filepath.Join(dir, page))
		if err != nil || !bytes.Contains(body, []byte(".SH EXAMPLE")) {
			t.Errorf("%s has no page with an example: %v", cmd.CommandPath(), err)
		}
		delete(pages, page)
		help := run(t, append(strings.Fields(cmd.CommandPath())[1:], "--help")...)
		if _, example, ok := strings.Cut(help, "Examples:\n"); !ok || !strings.HasPrefix(example, "  ") {
			t.Errorf("%s --help has no example", cmd.CommandPath())
		}
		if cmd.Short == "" {
			t.Errorf("%s does not say what it is", cmd.CommandPath())
		}
	}
	each((&command{}).root())
	for page := range pages {
		t.Errorf("%s is of no command", page)
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		script := run(t, "completion", shell)
		if !strings.Contains(script, "__complete") {
			t.Errorf("%s: the script asks for nothing", shell)
		}
		path, err := exec.LookPath(shell)
		if err != nil || shell == "powershell" {
			continue
		}
		check := exec.Command(path, "-n")
		check.Stdin = strings.NewReader(script)
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s does not read its script: %v, %s", shell, err, out)
		}
	}
	const files, none = ":0\n", ":4\n"
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"commands", []string{"sta"}, "stats\tSay what is stored, and how many tokens the views saved\n" + none},
		{"values of a flag", []string{"compress", "--profile", ""}, "full\nbalanced\nlight\n" + none},
		{"type", []string{"compress", "--type", ""}, "a11y\n" + none},
		{"a payload is a file", []string{"compress", ""}, files},
		{"so may be a page", []string{"diff", "hr_0123", ""}, files},
		{"a uid is no file", []string{"act", "u9"}, none},
		{"nor is one of a frame", []string{"resolve", "f2u7"}, none},
		{"nor is a handle", []string{"retrieve", "hr_63e71866225b25abbbcf2f3b4f613a0a"}, none},
		{"after a handle", []string{"read", "hr_63e71866225b25abbbcf2f3b4f613a0a", "--format", ""}, "text\njson\n" + none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := run(t, append([]string{"__complete"}, tt.args...)...); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
