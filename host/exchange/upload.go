package exchange

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// uploadEnv lists the folders that files are uploaded from. Without it the command
// line may name any file, as a person who can read it; an MCP client none, as its
// wishes may be those of a page.
const uploadEnv = "HANDRAIL_UPLOAD"

// uploads gives the files of an upload as the browser is told them: each exists,
// is regular, and stands in a folder that files may be taken from, links followed.
func (l *link) uploads(files []string) ([]string, error) {
	folders, limited := os.LookupEnv(uploadEnv)
	switch {
	case l.isExtension || l.client.Kind != "cli" && l.client.Kind != "mcp":
		return nil, badField("action", "files are uploaded from the command line and MCP only")
	case l.client.Kind == "mcp" && !limited:
		return nil, badField("files", "no folder is given to upload from: name some in %s", uploadEnv)
	}
	var allowed []string
	for _, folder := range filepath.SplitList(folders) {
		if real, err := filepath.EvalSymlinks(folder); err == nil && filepath.IsAbs(real) {
			allowed = append(allowed, real)
		}
	}
	found := make([]string, len(files))
	for i, file := range files {
		if !filepath.IsAbs(file) {
			return nil, badField("files", "%q is no absolute path", file)
		}
		real, err := filepath.EvalSymlinks(file)
		if limited && (err != nil || !slices.ContainsFunc(allowed, func(folder string) bool { return within(folder, real) })) {
			// Nothing is said about what there is elsewhere.
			return nil, badField("files", "%q is in none of the folders of %s", file, uploadEnv)
		}
		if err != nil {
			return nil, badField("files", "%q is not there", file)
		}
		if own, err := filepath.EvalSymlinks(l.dir); err == nil && within(own, real) {
			return nil, badField("files", "%q is Handrail's own", file)
		}
		if info, err := os.Stat(real); err != nil || !info.Mode().IsRegular() {
			return nil, badField("files", "%q is no regular file", file)
		}
		open, err := os.Open(real)
		if err != nil {
			return nil, badField("files", "%q cannot be read", file)
		}
		open.Close()
		found[i] = real
	}
	return found, nil
}

// within tells whether a path stands in a folder.
func within(folder, path string) bool {
	way, err := filepath.Rel(folder, path)
	return err == nil && way != ".." && !strings.HasPrefix(way, ".."+string(filepath.Separator))
}
