package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"handrail/host/doctor"
	"handrail/host/state"
	"handrail/host/wire"
	"handrail/host/words"
)

func (c *command) doctor() *cobra.Command {
	var named string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say whether Handrail works in each browser, and what to do where it does not",
		Long: "Reads each browser's manifest, starts the host as the browser does, opens the store and asks the extension that is connected.\n" +
			"What it calls ok was tried just then; each failure names its fix. Exit status 1 when a check failed.",
		Example: "  handrail doctor\n  handrail doctor --browser chromium --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			home, err := home()
			if err != nil {
				return err
			}
			defer home.Close()
			patient := doctor.Patient{Home: home, Browsers: browsersOf(home), Named: named != ""}
			if patient.Named {
				if patient.Browsers, err = byID(home, named); err != nil {
					return err
				}
			}
			if patient.Dir, err = state.Dir(); err != nil {
				return wire.Fail(wire.NoStore, "%v", err)
			}
			report := doctor.Examine(cmd.Context(), patient)
			if c.json {
				err = c.printJSON(report)
			} else {
				c.printReport(report)
			}
			if failure, failed := report.Failure(); failed && err == nil {
				fault := wire.Fail(failure.Code, "%s: %s", failure.Name, failure.Found)
				fault.Hint = failure.Fix
				return fault
			}
			return err
		},
	}
	cmd.Flags().StringVar(&named, "browser", "", "the browsers that are to work, with commas between them (default those found)")
	return cmd
}

func (c *command) printReport(r doctor.Report) {
	print := func(checks []doctor.Check) {
		for _, check := range checks {
			fmt.Fprintf(c.out, "  %-6s  %-15s  %s\n", check.State, check.Name, words.Printable(check.Found))
			if check.Fix != "" {
				fmt.Fprintf(c.out, "%27sfix: %s\n", "", words.Printable(check.Fix))
			}
		}
	}
	fmt.Fprintln(c.out, "Handrail", wire.Version)
	print(r.Checks)
	for _, b := range r.Browsers {
		fmt.Fprintln(c.out, b.Name)
		print(b.Checks)
	}
}
