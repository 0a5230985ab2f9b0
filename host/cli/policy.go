package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"handrail/host/client"
	"handrail/host/policy"
	"handrail/host/wire"
	"handrail/host/words"
)

// allSites stands for all sites on the command line.
const allSites = "*"

func (c *command) policy() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "List what clients may do in a browser of your own, or make that less",
		Long: "Lists what holds on all sites (*) and the rules of single sites. What allows more is done in Handrail's side panel alone, tab Sites:\n" +
			"a program must not approve itself.",
		Example: "  handrail policy\n  handrail policy revoke https://example.com act\n  handrail policy never https://bank.example read",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.changePolicy(cmd.Context(), wire.PolicyParams{Action: "list"})
		},
	}
	for _, sub := range []struct{ name, short, example string }{
		{"revoke", "Take back what was allowed on a site (* is all sites)", "  handrail policy revoke https://example.com\n  handrail policy revoke '*' eval"},
		{"never", "Forbid a kind of request, or all, on a site (* is all sites)", "  handrail policy never https://bank.example\n  handrail policy never '*' upload"},
	} {
		cmd.AddCommand(c.live(&cobra.Command{
			Use: sub.name + " ORIGIN [KIND]", Short: sub.short, Example: sub.example, Args: cobra.RangeArgs(1, 2),
			Long: sub.short + ". Kinds: read, act, submit, upload, eval, reveal.",
			RunE: func(cmd *cobra.Command, args []string) error {
				p := wire.PolicyParams{Action: "revoke", Origin: args[0]}
				if p.Origin == allSites {
					p.Origin = ""
				} else if policy.OriginOf(p.Origin) != p.Origin || !policy.Keepable(p.Origin) {
					return usage("%q is no origin, as https://example.com is, nor * for all sites", args[0])
				}
				if len(args) == 2 {
					if p.Kind = args[1]; !slices.Contains(policy.Kinds, p.Kind) {
						return usage("no kind %q: there are %v", p.Kind, policy.Kinds)
					}
				}
				if sub.name == "revoke" {
					return c.changePolicy(cmd.Context(), p)
				}
				p.Action, p.Verdict = "set", policy.Never
				kinds := policy.Kinds
				if p.Kind != "" {
					kinds = []string{p.Kind}
				}
				var changes []wire.PolicyParams
				for _, kind := range kinds {
					p.Kind = kind
					changes = append(changes, p)
				}
				return c.changePolicy(cmd.Context(), changes...)
			},
		}))
	}
	return cmd
}

// changePolicy makes changes and prints what holds after them.
func (c *command) changePolicy(ctx context.Context, changes ...wire.PolicyParams) error {
	return c.with(ctx, func(link *client.Client) error {
		var p wire.Policy
		for _, change := range changes {
			if err := link.Read(ctx, "policy", change, &p); err != nil { // the same change again changes nothing
				return err
			}
		}
		if c.json {
			return c.printJSON(p)
		}
		for _, kind := range policy.Kinds {
			fmt.Fprintf(c.out, "%s %s %s\n", allSites, kind, p.Wide[kind])
		}
		for _, r := range p.Rules {
			if r.Origin == "" {
				continue // said above
			}
			until := ""
			if r.Expires != 0 {
				until = " until " + time.UnixMilli(r.Expires).Format(time.RFC3339)
			}
			if _, err := fmt.Fprintln(c.out, words.Printable(fmt.Sprintf("%s %s %s%s", r.Origin, r.Kind, r.Verdict, until))); err != nil {
				return err
			}
		}
		return nil
	})
}

// waits tells that a request waits for the person.
func (c *command) waits(w wire.Waiting) {
	c.say("waiting for approval to %s on %s: answer in Handrail's side panel or its notification", w.Kind, cmp.Or(w.Origin, "this page"))
}
