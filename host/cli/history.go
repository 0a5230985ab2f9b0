package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"handrail/host/bundle"
	"handrail/host/words"
	"handrail/recovery"
)

func (c *command) history() *cobra.Command {
	var tab, limit int
	cmd := &cobra.Command{
		Use:     "history",
		Short:   "List what was shown and done, newest first",
		Example: "  handrail history\n  handrail history --tab 7 --limit 20 --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 || limit > 500 {
				return usage("--limit is 1 to 500")
			}
			store, err := c.openStore()
			if err != nil {
				return err
			}
			defer store.Close()
			entries, err := store.History(cmd.Context(), "", tab, time.Now().Add(time.Second), limit)
			if err != nil {
				return err
			}
			lines := make([]historyLine, len(entries))
			for i, e := range entries {
				lines[i] = lineOf(e)
			}
			if c.json {
				return c.printJSON(map[string][]historyLine{"entries": lines})
			}
			for _, line := range lines {
				if _, err := fmt.Fprintln(c.out, words.Printable(line.String())); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&tab, "tab", 0, "number of the tab (default all)")
	cmd.Flags().IntVar(&limit, "limit", 50, "entries to list at most")
	return cmd
}

// historyLine is an entry as it is printed.
type historyLine struct {
	At           time.Time `json:"at"`
	Tab          int       `json:"tab,omitempty"`
	Client       string    `json:"client"`
	Handle       string    `json:"recovery_handle,omitempty"`
	URL          string    `json:"url,omitempty"` // without its query
	Title        string    `json:"title,omitempty"`
	Options      string    `json:"options,omitempty"`
	TokensBefore int       `json:"tokens_before,omitempty"`
	ViewTokens   int       `json:"view_tokens,omitempty"`
	Superseded   bool      `json:"superseded,omitempty"`
	Pinned       bool      `json:"pinned,omitempty"`
	ActID        string    `json:"act_id,omitempty"`
	UID          string    `json:"uid,omitempty"`
	Action       string    `json:"action,omitempty"`
	State        string    `json:"state,omitempty"`
}

func lineOf(e recovery.Entry) historyLine {
	line := historyLine{
		At: e.At.UTC(), Tab: e.Tab, Client: e.Client, Handle: e.Handle, Title: e.Title, Options: e.Options, TokensBefore: e.TokensBefore, ViewTokens: e.ViewTokens,
		Superseded: e.Superseded != "", Pinned: e.Pinned, ActID: e.ActID, UID: e.UID, Action: e.Kind, State: e.State,
	}
	if e.Origin != "" {
		line.URL = e.Origin + e.Path
	}
	return line
}

func (l historyLine) String() string {
	at := l.At.Local().Format("2006-01-02 15:04:05")
	if l.Handle == "" {
		return fmt.Sprintf("%s  %s %s %s, by %s", at, l.Action, l.UID, l.State, l.Client)
	}
	page := ""
	if l.URL != "" {
		page = fmt.Sprintf("  %q %s", l.Title, l.URL)
	}
	return fmt.Sprintf("%s  %s  %d → %d tokens%s, for %s", at, l.Handle, l.TokensBefore, l.ViewTokens, page, l.Client)
}

func (c *command) export() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "export HANDLE… --out FILE",
		Short: "Write stored views with their payloads into one file",
		Long: "Writes a tar packed with zstd: each payload as a file that compress, find, diff, extract and structure read, each view as text, and\n" +
			"manifest.json, which says what belongs together.",
		Example: "  handrail export hr_0123… hr_4567… --out pages.tar.zst\n  tar --zstd -xf pages.tar.zst && handrail compress --type a11y --batch payloads --out views",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usage("say where to: --out FILE")
			}
			if err := writable(out); err != nil {
				return err
			}
			place := out
			if to, err := filepath.EvalSymlinks(out); err == nil {
				place = to
			}
			store, err := c.openStore()
			if err != nil {
				return err
			}
			defer store.Close()
			file, err := os.CreateTemp(filepath.Dir(place), ".export-*") // of mode 0600
			if err != nil {
				return usage("%v", err)
			}
			defer os.Remove(file.Name()) // fails when all went well
			err = bundle.Write(cmd.Context(), file, store, args)
			if err2 := file.Close(); err == nil {
				err = err2
			}
			if err == nil {
				err = os.Rename(file.Name(), place)
			}
			if err != nil {
				return told(err, args[0])
			}
			if c.json {
				return c.printJSON(map[string]string{"file": out})
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "the file to write")
	return cmd
}
