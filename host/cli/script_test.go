package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"handrail": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// The scripts run the real command line, each with a home and a state directory
// of its own.
func TestScripts(t *testing.T) {
	t.Parallel()
	extension, err := filepath.Abs("../../extension")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("HANDRAIL_HOME", filepath.Join(env.WorkDir, "state"))
			env.Setenv("HANDRAIL_EXTENSION", extension)
			env.Setenv("HANDRAIL_CHROMIUM", filepath.Join(env.WorkDir, "no-chromium"))
			return nil
		},
	})
}
