package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"handrail/host/keeper"
	"handrail/host/state"
	"handrail/host/wire"
	"handrail/manifest"
)

// place is where an installation stands.
type place struct {
	home   string
	prefix string // <home>/.local/share/handrail, with bin/handrail and extension
	dir    string // state directory
}

// findPlace uses HOME, as browsers do to find their profiles.
func findPlace() (p place, err error) {
	if p.home, err = os.UserHomeDir(); err != nil || !filepath.IsAbs(p.home) {
		return p, wire.Fail(wire.NoStore, "the home directory is not known: set HOME to an absolute path")
	}
	p.prefix = filepath.Join(p.home, ".local", "share", "handrail")
	if p.dir, err = state.Dir(); err != nil {
		return p, wire.Fail(wire.NoStore, "%v", err)
	}
	return p, nil
}

func (p place) binary() string    { return filepath.Join(p.prefix, "bin", "handrail") }
func (p place) extension() string { return filepath.Join(p.prefix, "extension") }
func (p place) ids() string       { return filepath.Join(p.dir, "extension-ids") }

func (c *command) install() *cobra.Command {
	var more []string
	var dry bool
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Install the host and the extension for the browsers found",
		Long: "Copies this program and the extension to ~/.local/share/handrail and registers the host with each browser found.\n" +
			"It prints every path it writes, and the step that is left to you.",
		Example: "  handrail install\n  handrail install --browser chromium --dry-run",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := findPlace()
			if err != nil {
				return err
			}
			browsers, unable, err := chosen(p.home, c.browser)
			if err != nil {
				return err
			}
			for _, name := range unable {
				fmt.Fprintf(c.errOut, "handrail: %s is in a sandbox that keeps it from starting hosts; use a browser from a system package\n", name)
			}
			for _, id := range more {
				if len(id) != 32 || strings.Trim(id, "abcdefghijklmnop") != "" {
					return usage("%q is no extension id: it has 32 letters from a to p", id)
				}
			}
			if len(browsers) == 0 {
				return wire.Fail(wire.NoBrowser, "no browser that can use Handrail was found under %q; start one once, or name it: --browser %s", p.home, strings.Join(ids(), "|"))
			}
			return c.installInto(p, browsers, more, dry)
		},
	}
	cmd.Flags().StringSliceVar(&more, "extension-id", nil, "allow this extension too")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only print what would be written")
	return cmd
}

func ids() (all []string) {
	for _, b := range manifest.Browsers {
		if b.OS == runtime.GOOS {
			all = append(all, b.ID)
		}
	}
	return all
}

// chosen gives the browsers named, with commas between them, or those found.
func chosen(home, named string) (browsers []manifest.Browser, unable []string, err error) {
	if named == "" {
		browsers, unable = manifest.Installed(home, runtime.GOOS)
		return browsers, unable, nil
	}
	for id := range strings.SplitSeq(named, ",") {
		b, ok := manifest.ByID(id, runtime.GOOS)
		if !ok {
			return nil, nil, usage("no browser %q: there are %s", id, strings.Join(ids(), ", "))
		}
		browsers = append(browsers, b)
	}
	return browsers, nil, nil
}

func (c *command) installInto(p place, browsers []manifest.Browser, more []string, dry bool) error {
	source, err := keeper.Binary()
	if err != nil {
		return err
	}
	folder, err := keeper.Extension(source)
	if err != nil {
		return err
	}
	allowed := slices.Concat(knownIDs(p.ids()), more)
	slices.Sort(allowed)
	allowed = slices.Compact(allowed)
	body, err := manifest.Bytes(p.binary(), allowed...)
	if err != nil {
		return err
	}
	type step struct {
		path string
		do   func() error
	}
	steps := []step{
		{p.binary(), func() error { return copyFile(source, p.binary(), 0o755) }},
		{p.extension(), func() error { return copyExtension(folder, p.extension()) }},
	}
	if len(more) > 0 {
		steps = append(steps, step{p.ids(), func() error {
			if err := os.MkdirAll(p.dir, 0o700); err != nil {
				return err
			}
			return manifest.Write(p.ids(), []byte(strings.Join(allowed, "\n")+"\n"), 0o600)
		}})
	}
	for _, b := range browsers {
		steps = append(steps, step{b.Path(p.home), func() error { return manifest.Write(b.Path(p.home), body, 0o644) }})
	}
	verb := "wrote"
	if dry {
		verb = "would write"
	}
	for _, s := range steps {
		if !dry {
			if err := s.do(); err != nil {
				return wire.Fail(wire.StoreIO, "install: %v", err)
			}
		}
		fmt.Fprintf(c.out, "%s %s\n", verb, s.path)
	}
	if dry {
		return nil
	}
	fmt.Fprintf(c.out, "\nOne step is left to you: open chrome://extensions, switch on Developer mode,\nchoose \"Load unpacked\" and take the folder\n\n    %s\n\nThe command line is %s\n", p.extension(), p.binary())
	return nil
}

// knownIDs are those that an earlier install added.
func knownIDs(path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}

func copyFile(from, to string, mode fs.FileMode) error {
	body, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(to); err == nil && bytes.Equal(old, body) {
		return os.Chmod(to, mode)
	}
	return manifest.Write(to, body, mode)
}

// copyExtension puts what ships of the extension at to: beside it first, then in
// its place.
func copyExtension(from, to string) error {
	if from == to {
		return nil // installed from itself
	}
	if info, err := os.Lstat(to); err == nil && !info.IsDir() {
		return fmt.Errorf("%q is not a folder", to)
	}
	fresh, old := to+".new", to+".old"
	if err := errors.Join(os.RemoveAll(fresh), os.RemoveAll(old)); err != nil {
		return err
	}
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case name == "test":
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(fresh, name), 0o755)
		case !entry.Type().IsRegular():
			return fmt.Errorf("%q is not a regular file", path)
		}
		return copyFile(path, filepath.Join(fresh, name), 0o644)
	})
	if err != nil {
		return errors.Join(err, os.RemoveAll(fresh))
	}
	if err := os.Rename(to, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(fresh, to); err != nil {
		return errors.Join(err, os.Rename(old, to))
	}
	return os.RemoveAll(old)
}

func (c *command) uninstall() *cobra.Command {
	return &cobra.Command{
		Use:     "uninstall",
		Short:   "Remove the host's registrations, the program and the extension's folder",
		Long:    "Removes what install wrote, and nothing else. Stored snapshots stay: they are in the state directory, which is named.",
		Example: "  handrail uninstall",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := findPlace()
			if err != nil {
				return err
			}
			for _, b := range manifest.Browsers {
				if b.OS != runtime.GOOS {
					continue
				}
				removed, err := manifest.Remove(b.Path(p.home))
				if err != nil {
					return wire.Fail(wire.StoreIO, "uninstall: %v", err)
				}
				if removed {
					fmt.Fprintf(c.out, "removed %s\n", b.Path(p.home))
				}
			}
			for _, path := range []string{p.extension(), p.binary(), p.ids()} {
				if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if err := os.RemoveAll(path); err != nil {
					return wire.Fail(wire.StoreIO, "uninstall: %v", err)
				}
				fmt.Fprintf(c.out, "removed %s\n", path)
			}
			os.Remove(filepath.Dir(p.binary())) // both only when they are empty
			os.Remove(p.prefix)
			fmt.Fprintf(c.out, "stored snapshots, if any, are in %s\n", p.dir)
			return nil
		},
	}
}

func (c *command) version() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print this release and the protocol it speaks",
		Example: "  handrail version --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if c.json {
				return c.printJSON(map[string]any{"version": wire.Version, "protocol": []int{wire.ProtocolMin, wire.Protocol}})
			}
			_, err := fmt.Fprintf(c.out, "handrail %s, protocol %d\n", wire.Version, wire.Protocol)
			return err
		},
	}
}
