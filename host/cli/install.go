package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"handrail/host/keeper"
	"handrail/host/state"
	"handrail/host/wire"
	"handrail/host/words"
	"handrail/manifest"
)

// Where an installation stands, below the home directory.
const (
	prefix          = ".local/share/handrail"
	binaryPlace     = prefix + "/bin/handrail"
	extensionPlace  = prefix + "/extension"
	extensionBeside = extensionPlace + ".new"
	extensionBefore = extensionPlace + ".old"
)

// home opens the home directory, which is HOME: by it browsers find their
// profiles. Nothing is written outside it, whatever links there are in it.
func home() (*os.Root, error) {
	path, err := os.UserHomeDir()
	if err == nil && (!filepath.IsAbs(path) || filepath.Clean(path) == "/") {
		err = errors.New("it is no home directory")
	}
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(path)
	}
	if err == nil {
		err = owned(root)
	}
	if err != nil {
		fault := wire.Fail(wire.NoStore, "HOME is %q, which cannot be used: %v", path, err)
		fault.Hint = "set HOME to your home directory"
		return nil, fault
	}
	return root, nil
}

// owned refuses a home directory of another user, as sudo may leave it, or of
// everybody.
func owned(home *os.Root) error {
	info, err := home.Stat(".")
	if err != nil {
		return err
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; int(owner) != os.Geteuid() {
		return fmt.Errorf("it belongs to user %d", owner)
	}
	if info.Mode().Perm()&0o002 != 0 {
		return errors.New("everybody may write in it")
	}
	return nil
}

// below gives the path of a name below the home directory.
func below(home *os.Root, name string) string { return filepath.Join(home.Name(), name) }

func (c *command) install() *cobra.Command {
	var named string
	var more []string
	var dry bool
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Install the host and the extension for the browsers found",
		Long: "Copies this program and the extension to ~/" + prefix + " and registers the host with each browser found;\n" +
			"on a terminal it asks with which. It prints every path it writes, and the step that is left to you.",
		Example: "  handrail install\n  handrail install --browser chromium,brave --dry-run",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			for _, id := range more {
				if len(id) != 32 || strings.Trim(id, "abcdefghijklmnop") != "" {
					return usage("%q is no extension id: it has 32 letters from a to p", id)
				}
			}
			home, err := home()
			if err != nil {
				return err
			}
			defer home.Close()
			browsers, err := c.chosen(home, named)
			if err != nil {
				return err
			}
			files, manifests, err := plan(home, browsers, more)
			if err != nil {
				return err
			}
			return c.carryOut(home, browsers, files, manifests, dry)
		},
	}
	cmd.Flags().StringVar(&named, "browser", "", "the browsers, with commas between them: "+strings.Join(ids(), ", ")+" (default those found)")
	cmd.Flags().StringSliceVar(&more, "extension-id", nil, "allow this extension too")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only print what would be written")
	return cmd
}

// browsersOf lists the browsers that there may be under home.
func browsersOf(home *os.Root) []manifest.Browser {
	config, _ := manifest.Config(home)
	return manifest.Browsers(runtime.GOOS, config)
}

func ids() (all []string) {
	for _, b := range manifest.Browsers(runtime.GOOS, "") {
		all = append(all, b.ID)
	}
	return all
}

// byID finds the browsers named, with commas between them.
func byID(home *os.Root, named string) (browsers []manifest.Browser, err error) {
	all := browsersOf(home)
	for id := range strings.SplitSeq(named, ",") {
		b, ok := manifest.ByID(id, all)
		if !ok {
			return nil, usage("no browser %q: there are %s", id, strings.Join(ids(), ", "))
		}
		if !slices.ContainsFunc(browsers, func(other manifest.Browser) bool { return other.ID == b.ID }) {
			browsers = append(browsers, b)
		}
	}
	return browsers, nil
}

// chosen gives the browsers named, those that the person chooses on a terminal,
// or those found; never one that is there from snap or flatpak only.
func (c *command) chosen(home *os.Root, named string) ([]manifest.Browser, error) {
	if _, elsewhere := manifest.Config(home); elsewhere != "" {
		c.say("XDG_CONFIG_HOME is %q, outside the home directory: nothing is written there", elsewhere)
	}
	found := manifest.Installed(home, browsersOf(home))
	browsers := found
	if named != "" {
		var err error
		if browsers, err = byID(home, named); err != nil {
			return nil, err
		}
	}
	for _, s := range manifest.Unable(home, runtime.GOOS) {
		c.say("%s is in a sandbox that keeps it from starting hosts; use a browser from a system package", s.Name)
		if _, able := manifest.ByID(s.ID, found); !able {
			browsers = slices.DeleteFunc(slices.Clone(browsers), func(b manifest.Browser) bool { return b.ID == s.ID })
		}
	}
	if len(browsers) == 0 {
		fault := wire.Fail(wire.NoBrowser, "no browser that can use Handrail was found under %q or on PATH", home.Name())
		fault.Hint = "install one from a system package, or name one that is to come: handrail install --browser " + strings.Join(ids(), "|")
		return nil, fault
	}
	if named == "" && !c.json && len(browsers) > 1 && isTerminal(c.in) {
		return ask(c.stdin, c.errOut, browsers)
	}
	return browsers, nil
}

func isTerminal(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// ask lets a person choose among browsers by their numbers; all is an empty line.
func ask(in io.Reader, out io.Writer, browsers []manifest.Browser) (chosen []manifest.Browser, err error) {
	for i, b := range browsers {
		fmt.Fprintf(out, "%2d  %s\n", i+1, b.Name)
	}
	fmt.Fprint(out, "Install for which? Numbers, or Enter for all: ")
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil {
		return nil, wire.Fail(wire.Canceled, "no browser was chosen")
	}
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	if len(words) == 0 {
		return browsers, nil
	}
	for _, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(browsers) {
			return nil, usage("%q is none of 1 to %d", word, len(browsers))
		}
		chosen = append(chosen, browsers[n-1])
	}
	return chosen, nil
}

// step is one path that is to be written.
type step struct {
	path string
	do   func() error
}

// plan says what is to be written: the files, without which the manifests would
// name nothing, and the manifests.
func plan(home *os.Root, browsers []manifest.Browser, more []string) (files, manifests []step, err error) {
	program, err := keeper.Binary()
	if err != nil {
		return nil, nil, err
	}
	folder, err := keeper.Extension(program)
	if err != nil {
		return nil, nil, err
	}
	dir, err := state.Dir()
	if err != nil {
		return nil, nil, wire.Fail(wire.NoStore, "%v", err)
	}
	allowed := filepath.Join(dir, "extension-ids")
	known := slices.Concat(knownIDs(allowed), more)
	slices.Sort(known)
	known = slices.Compact(known)
	body, err := manifest.Bytes(below(home, binaryPlace), known...)
	if err != nil {
		return nil, nil, wire.Fail(wire.NoStore, "%v", err)
	}
	files = []step{
		{below(home, binaryPlace), func() error { return copyFile(program, home, binaryPlace, 0o755) }},
		{below(home, extensionPlace), func() error { return copyExtension(folder, home) }},
	}
	if len(more) > 0 {
		files = append(files, step{allowed, func() error {
			return manifest.Write(allowed, []byte(strings.Join(known, "\n")+"\n"), 0o600)
		}})
	}
	registry := manifest.OpenRegistry()
	planned := map[manifest.Place]bool{} // some browsers share one
	for _, b := range browsers {
		for _, place := range b.Places() {
			if !planned[place] {
				manifests = append(manifests, step{place.Path(home), func() error { return place.Write(home, registry, body) }})
			}
			planned[place] = true
		}
	}
	return files, manifests, nil
}

func (c *command) carryOut(home *os.Root, browsers []manifest.Browser, files, manifests []step, dry bool) error {
	verb, written := "wrote", []string{}
	if dry {
		verb = "would write"
	}
	do := func(s step) error {
		if !dry {
			if err := s.do(); err != nil {
				return err
			}
		}
		written = append(written, s.path)
		if !c.json {
			fmt.Fprintf(c.out, "%s %s\n", verb, words.Printable(s.path))
		}
		return nil
	}
	for _, s := range files {
		if err := do(s); err != nil {
			return unwritten("install", err)
		}
	}
	var failed []error
	for _, s := range manifests { // one browser is no hindrance to another
		failed = append(failed, do(s))
	}
	folder := below(home, extensionPlace)
	if c.json {
		if err := c.printJSON(map[string]any{strings.ReplaceAll(verb, " ", "_"): written, "extension": folder}); err != nil {
			return err
		}
	} else if !dry {
		fmt.Fprint(c.out, "\nOne step is left to you:\n")
		for _, b := range browsers {
			fmt.Fprintf(c.out, "  in %s open %s,\n", b.Name, b.Page)
		}
		fmt.Fprintf(c.out, "  switch on Developer mode, choose \"Load unpacked\" and take the folder\n\n    %s\n\nThen %s doctor says whether all works.\n",
			words.Printable(folder), words.Printable(below(home, binaryPlace)))
	}
	return unwritten("install", errors.Join(failed...))
}

// unwritten is the failure of an installation or its removal, nil without err.
func unwritten(what string, err error) error {
	if err == nil {
		return nil
	}
	fault := wire.Fail(wire.StoreIO, "%s: %v", what, err)
	fault.Hint = "put that right and try again"
	return fault
}

// knownIDs are those that an earlier install added.
func knownIDs(path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}

// copyFile leaves a file that has the right bytes as it is.
func copyFile(from string, home *os.Root, to string, mode fs.FileMode) error {
	body, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if info, err := home.Lstat(to); err == nil && info.Mode() == mode {
		if old, err := home.ReadFile(to); err == nil && bytes.Equal(old, body) {
			return nil
		}
	}
	return manifest.WriteIn(home, to, body, mode)
}

// copyExtension puts what ships of the extension in its place: beside it first,
// so that a browser sees the old folder or the new one.
func copyExtension(from string, home *os.Root) error {
	if from == below(home, extensionPlace) {
		return nil // installed from itself
	}
	if info, err := home.Lstat(extensionPlace); err == nil && !info.IsDir() {
		return fmt.Errorf("%q is not a folder", below(home, extensionPlace))
	}
	if same(from, home) {
		return errors.Join(home.RemoveAll(extensionBeside), home.RemoveAll(extensionBefore))
	}
	if err := errors.Join(home.RemoveAll(extensionBeside), home.RemoveAll(extensionBefore)); err != nil {
		return err
	}
	err := fs.WalkDir(os.DirFS(from), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == "test":
			return fs.SkipDir
		case entry.IsDir():
			return nil
		case !entry.Type().IsRegular():
			return fmt.Errorf("%q is not a regular file", filepath.Join(from, name))
		}
		return copyFile(filepath.Join(from, name), home, filepath.Join(extensionBeside, name), 0o644)
	})
	if err != nil {
		return errors.Join(err, home.RemoveAll(extensionBeside))
	}
	if err := home.Rename(extensionPlace, extensionBefore); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := home.Rename(extensionBeside, extensionPlace); err != nil {
		return errors.Join(err, home.Rename(extensionBefore, extensionPlace))
	}
	return home.RemoveAll(extensionBefore)
}

// same tells whether the extension that is installed is the one at from, file by
// file: then a browser that has it loaded is left alone.
func same(from string, home *os.Root) bool {
	list := func(files fs.FS, top string) (all []string, err error) {
		err = fs.WalkDir(files, top, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				if name == path.Join(top, "test") {
					return fs.SkipDir
				}
				return err
			}
			body, err := fs.ReadFile(files, name)
			if !entry.Type().IsRegular() {
				err = fs.ErrInvalid
			}
			all = append(all, strings.TrimPrefix(name, top+"/"), string(body))
			return err
		})
		return all, err
	}
	want, err := list(os.DirFS(from), ".")
	got, err2 := list(home.FS(), extensionPlace)
	return err == nil && err2 == nil && slices.Equal(got, want)
}

func (c *command) uninstall() *cobra.Command {
	return &cobra.Command{
		Use:     "uninstall",
		Short:   "Remove the host's registrations, the program and the extension's folder",
		Long:    "Closes the dedicated browser and removes what install wrote, and nothing else. Stored snapshots stay: they are in the state directory, which is named.",
		Example: "  handrail uninstall",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			home, err := home()
			if err != nil {
				return err
			}
			defer home.Close()
			dir, err := state.Dir()
			if err != nil {
				return wire.Fail(wire.NoStore, "%v", err)
			}
			if _, err := closeAll(cmd.Context(), dir); err != nil {
				return err
			}
			removed, failed := remove(home, dir)
			if c.json {
				if err := c.printJSON(map[string]any{"removed": removed, "state": dir}); err != nil {
					return err
				}
				return unwritten("uninstall", failed)
			}
			for _, path := range removed {
				fmt.Fprintf(c.out, "removed %s\n", words.Printable(path))
			}
			fmt.Fprintf(c.out, "stored snapshots, if any, are in %s\n", words.Printable(dir))
			return unwritten("uninstall", failed)
		},
	}
}

// remove removes what install wrote, as far as it can, and gives the paths.
func remove(home *os.Root, dir string) (removed []string, failed error) {
	removed = []string{}
	note := func(path string, gone bool, err error) {
		if gone && err == nil {
			removed = append(removed, path)
		}
		failed = errors.Join(failed, err)
	}
	registry := manifest.OpenRegistry()
	for _, b := range browsersOf(home) {
		for _, place := range slices.Backward(b.Places()) { // keys before the file that they name
			gone, err := place.Remove(home, registry)
			note(place.Path(home), gone, err)
		}
	}
	for _, name := range []string{extensionPlace, extensionBeside, extensionBefore, binaryPlace, binaryPlace + ".new"} {
		_, missing := home.Lstat(name)
		note(below(home, name), missing == nil, home.RemoveAll(name))
	}
	home.Remove(filepath.Dir(binaryPlace)) // both only when they are empty
	home.Remove(prefix)
	allowed := filepath.Join(dir, "extension-ids")
	err := os.Remove(allowed)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return removed, failed
	}
	note(allowed, true, err)
	return removed, failed
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
