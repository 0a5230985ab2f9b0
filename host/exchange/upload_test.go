package exchange

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handrail/host/wire"
)

func TestUploads(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(root, name) }
	for _, dir := range []string{"in", "in/sub", "inner", "out", "state"} {
		if err := os.Mkdir(at(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"in/a.txt", "in/sub/b.txt", "inner/c.txt", "out/secret.txt", "state/store.db"} {
		if err := os.WriteFile(at(file), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"in/away.txt": "out/secret.txt", "in/near.txt": "in/a.txt", "in/folder": "out", "door": "in", "in/state.db": "state/store.db"} {
		if err := os.Symlink(at(to), at(link)); err != nil {
			t.Fatal(err)
		}
	}
	const none = "\x00"
	for _, tt := range []struct {
		name    string
		kind    string
		folders string // of HANDRAIL_UPLOAD
		files   []string
		want    []string // nil: refused
		field   string
		says    string
	}{
		{"the command line, any file", "cli", none, []string{"out/secret.txt", "in/a.txt"}, []string{"out/secret.txt", "in/a.txt"}, "", ""},
		{"the command line, a folder", "cli", "in", []string{"in/a.txt"}, []string{"in/a.txt"}, "", ""},
		{"the command line, beside the folder", "cli", "in", []string{"out/secret.txt"}, nil, "files", "none of the folders"},
		{"mcp without folders", "mcp", none, []string{"in/a.txt"}, nil, "files", "HANDRAIL_UPLOAD"},
		{"mcp, no folder", "mcp", "", []string{"in/a.txt"}, nil, "files", "none of the folders"},
		{"mcp, below a folder", "mcp", "in", []string{"in/sub/b.txt"}, []string{"in/sub/b.txt"}, "", ""},
		{"mcp, a second folder", "mcp", "in:out", []string{"out/secret.txt"}, []string{"out/secret.txt"}, "", ""},
		{"mcp, a folder's longer name", "mcp", "in", []string{"inner/c.txt"}, nil, "files", "none of the folders"},
		{"mcp, by way of the folder above", "mcp", "in", []string{"in/../out/secret.txt"}, nil, "files", "none of the folders"},
		{"mcp, a link out", "mcp", "in", []string{"in/away.txt"}, nil, "files", "none of the folders"},
		{"mcp, a link to a folder out", "mcp", "in", []string{"in/folder/secret.txt"}, nil, "files", "none of the folders"},
		{"mcp, a link that stays in", "mcp", "in", []string{"in/near.txt"}, []string{"in/a.txt"}, "", ""},
		{"mcp, a folder that is a link", "mcp", "door", []string{"in/a.txt"}, []string{"in/a.txt"}, "", ""},
		{"mcp, what is not there says no more", "mcp", "in", []string{"out/nothing.txt"}, nil, "files", "none of the folders"},
		{"one of two", "mcp", "in", []string{"in/a.txt", "out/secret.txt"}, nil, "files", "none of the folders"},
		{"not there", "cli", none, []string{"in/none.txt"}, nil, "files", "not there"},
		{"a folder", "cli", none, []string{"in/sub"}, nil, "files", "no regular file"},
		{"a relative path", "cli", none, []string{"./a.txt"}, nil, "files", "no absolute path"},
		{"Handrail's state", "cli", none, []string{"in/state.db"}, nil, "files", "own"},
		{"the panel", "panel", none, []string{"in/a.txt"}, nil, "action", "MCP only"},
		{"a program", "program", none, []string{"in/a.txt"}, nil, "action", "MCP only"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(uploadEnv, "")
			if tt.folders == none {
				os.Unsetenv(uploadEnv)
			} else if tt.folders != "" {
				os.Setenv(uploadEnv, strings.Join(paths(at, strings.Split(tt.folders, ":")), ":"))
			}
			l := &link{host: &host{dir: at("state")}, client: wire.Client{Kind: tt.kind, Name: "c"}}
			got, err := l.uploads(paths(at, tt.files))
			if tt.want != nil {
				if err != nil || !slices.Equal(got, paths(at, tt.want)) {
					t.Errorf("got %q, %v", got, err)
				}
				return
			}
			f, ok := errors.AsType[*wire.Fault](err)
			if !ok || f.Code != wire.BadRequest || f.Field != tt.field || !strings.Contains(f.Message, tt.says) {
				t.Errorf("got %q, %v; want %s with %q", got, err, tt.field, tt.says)
			}
		})
	}
}

// paths makes names absolute; one that begins with a dot stays as it is.
func paths(at func(string) string, names []string) []string {
	var all []string
	for _, name := range names {
		switch {
		case strings.HasPrefix(name, "./"):
			all = append(all, name)
		case strings.Contains(name, ".."):
			all = append(all, at("")+"/"+name)
		default:
			all = append(all, at(name))
		}
	}
	return all
}
