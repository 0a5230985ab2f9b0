package batch

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// source is one payload file.
type source struct {
	path string
	name string // below the directory of the views
	err  error  // why it cannot be read
}

func (s source) view() string { return s.name + ".txt" }

var (
	// ErrNone means that what was named is neither a directory nor a file.
	ErrNone = errors.New("no file has this name, and none matches it")
	// ErrWithin means that the payloads are where no file is taken for one.
	ErrWithin = errors.New("the payloads are in the directory of the views: give the views another")
)

// check refuses payloads below the directory of the views, which is left out.
func (r *Run) check() error {
	if r.From == "-" {
		return nil
	}
	from := r.From
	if info, err := os.Stat(from); err != nil {
		from, _ = doublestar.SplitPattern(filepath.ToSlash(from))
	} else if !info.IsDir() {
		return nil
	}
	if _, err := os.Stat(from); err != nil {
		return nil // there is nothing
	}
	if strings.HasPrefix(truePath(from)+"/", truePath(r.Out)+"/") {
		return ErrWithin
	}
	return nil
}

// each yields the files, as long as yield says so. What a directory holds is taken
// whole, but for the directory of the views.
func (r *Run) each(yield func(source) bool) error {
	if r.From == "-" {
		return r.listed(yield)
	}
	own := truePath(r.Out)
	give := func(file, name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
		case d.IsDir() && truePath(file) == own:
			return fs.SkipDir
		case d.IsDir():
			return nil
		case strings.HasPrefix(truePath(filepath.Dir(file))+"/", own+"/"):
			return nil
		}
		if !yield(newSource(file, name, err)) {
			return fs.SkipAll
		}
		return nil
	}
	info, err := os.Stat(r.From)
	switch {
	case err == nil && info.IsDir():
		// The slash leads through a symbolic link.
		return filepath.WalkDir(r.From+string(filepath.Separator), func(file string, d fs.DirEntry, err error) error {
			name, relErr := filepath.Rel(r.From, file)
			return give(file, name, d, errors.Join(err, relErr))
		})
	case err == nil:
		yield(newSource(r.From, filepath.Base(r.From), nil))
		return nil
	case !doublestar.ValidatePattern(filepath.ToSlash(r.From)):
		return fmt.Errorf("%q: %w", r.From, doublestar.ErrBadPattern)
	}
	base, pattern := doublestar.SplitPattern(filepath.ToSlash(r.From))
	any := false
	err = doublestar.GlobWalk(os.DirFS(base), pattern, func(name string, d fs.DirEntry) error {
		file := filepath.Join(base, name)
		if any = true; d.IsDir() && path.Base(pattern) != "**" && truePath(file) != own {
			if !yield(newSource(file, name, errors.New("it is a directory"))) {
				return fs.SkipAll
			}
			return nil
		}
		if err := give(file, name, d, nil); err != fs.SkipDir {
			return err
		}
		return nil
	})
	switch {
	case err == fs.SkipAll:
		return nil
	case err == nil && !any:
		return fmt.Errorf("%q: %w", r.From, ErrNone)
	}
	return err
}

// listed yields the files of the list by the names they have there: those below the
// working directory by their relative, others by their absolute path.
func (r *Run) listed(yield func(source) bool) error {
	lines := bufio.NewScanner(r.List)
	for lines.Scan() {
		file := lines.Text()
		if file == "" {
			continue
		}
		name := filepath.Clean(file)
		var err error
		if !filepath.IsLocal(name) {
			name, err = filepath.Abs(name)
		}
		if !yield(newSource(file, strings.TrimPrefix(name, "/"), err)) {
			return nil
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the list: %w", err)
	}
	return nil
}

func newSource(file, name string, err error) source {
	if err == nil && (name == own || strings.HasPrefix(name, own+"/")) {
		err = fmt.Errorf("views below %q would be among the batch's own files", own)
	}
	return source{file, name, err}
}

// truePath is a path without symbolic links, as far as it exists.
func truePath(name string) string {
	if to, err := filepath.Abs(name); err == nil {
		name = to
	}
	if to, err := filepath.EvalSymlinks(name); err == nil {
		return to
	}
	return name
}
