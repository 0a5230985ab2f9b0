package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handrail/host/state"
	"handrail/host/tools"
)

func (c *command) stats() *cobra.Command {
	return &cobra.Command{
		Use:     "stats",
		Short:   "Say what is stored, and how many tokens the views saved",
		Example: "  handrail stats\n  handrail stats --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := c.openStore()
			if err != nil {
				return err
			}
			defer store.Close()
			s, err := store.Stats(cmd.Context())
			if err != nil {
				return err
			}
			if c.json {
				return c.printJSON(struct {
					Snapshots    int64 `json:"snapshots"`
					Views        int64 `json:"views"`
					Payloads     int64 `json:"payloads"`
					PayloadBytes int64 `json:"payload_bytes"`
					StoredBytes  int64 `json:"stored_bytes"` // of the payloads
					TokensSaved  int64 `json:"tokens_saved"`
				}{s.Snapshots, s.Views, s.Payloads, s.Bytes, s.StoredBytes, s.TokensSaved})
			}
			_, err = fmt.Fprintf(c.out, "%d snapshots, %d views\n%d payloads of %d bytes, stored in %d\n%d tokens saved\n",
				s.Snapshots, s.Views, s.Payloads, s.Bytes, s.StoredBytes, s.TokensSaved)
			return err
		},
	}
}

func (c *command) purge() *cobra.Command {
	var older string
	var all bool
	cmd := &cobra.Command{
		Use:   "purge --older-than AGE | --all",
		Short: "Remove stored snapshots, so that no byte of them is left in the store",
		Long: "Removes snapshots with their payloads, views and the results of acts. AGE is 7d, 12h, 30m. Pinned snapshots stay unless --all is\n" +
			"given. By itself the store lets go what is older than 7 days, and the oldest when it has over 512 MiB.",
		Example: "  handrail purge --older-than 7d\n  handrail purge --all",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if all == (older != "") {
				return usage("say --older-than AGE or --all")
			}
			var age time.Duration
			if !all {
				var err error
				if age, err = parseAge(older); err != nil {
					return err
				}
			}
			if state.Ephemeral() {
				return usage("there is nothing to purge: with HANDRAIL_EPHEMERAL the store ends with its process")
			}
			store, err := c.openStore()
			if err != nil {
				return err
			}
			defer store.Close()
			before := time.Now().Add(-age)
			gone, err := store.Purge(cmd.Context(), before, all)
			if err != nil {
				return err
			}
			dir, err := state.Dir()
			if err != nil {
				return err
			}
			if err := tools.Forget(dir, before); err != nil {
				return err
			}
			if c.json {
				return c.printJSON(map[string]int64{"snapshots": gone})
			}
			_, err = fmt.Fprintf(c.out, "%d snapshots removed\n", gone)
			return err
		},
	}
	cmd.Flags().StringVar(&older, "older-than", "", "remove what is older: 7d, 12h, 30m")
	cmd.Flags().BoolVar(&all, "all", false, "remove all, what is pinned too")
	return cmd
}

// parseAge reads a duration, in days too.
func parseAge(text string) (time.Duration, error) {
	age, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		age = time.Duration(n) * 24 * time.Hour
		if n > 36_500 {
			err = strconv.ErrRange
		}
	}
	if err != nil || age < 0 {
		return 0, usage("%q is no age: 7d, 12h, 30m", text)
	}
	return age, nil
}

func (c *command) pin() *cobra.Command {
	var off bool
	cmd := &cobra.Command{
		Use:     "pin HANDLE",
		Short:   "Keep a stored snapshot from being let go by age and size",
		Example: "  handrail pin hr_0123…\n  handrail pin hr_0123… --off",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := c.openStore()
			if err != nil {
				return err
			}
			defer store.Close()
			if err := store.Pin(cmd.Context(), args[0], !off); err != nil {
				return unknown(err, args[0])
			}
			if c.json {
				return c.printJSON(map[string]bool{"pinned": !off})
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&off, "off", false, "let it go again")
	return cmd
}
