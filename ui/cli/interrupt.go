package cli

import (
	"context"

	"github.com/spf13/cobra"

	"ocaptain/fleet/helm/api"
)

func interruptCmd(b *bridge) *cobra.Command {
	var to targets
	cmd := &cobra.Command{
		Use:   "interrupt [VOYAGE] SHIP|--all|--role ROLE",
		Short: "Make agents stop what they do and wait for a message",
		Long: `Make the agent of a ship, or of several, stop what it does, as Escape does in its terminal. It lives on, keeps its
task and waits for you: send it a message to go on. One that does not work is left alone. Messages that it had
not read yet are read now.`,
		Example: `ocaptain interrupt ship-1
ocaptain interrupt --all`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: b.completeShips(&to.voyage),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, d, _, err := b.targets(cmd.Context(), to, args, 0)
			if err != nil {
				return err
			}
			return b.forEachShip(cmd.Context(), names, func(ctx context.Context, c *api.Client, ship string) (string, error) {
				i, err := c.Interrupt(ctx, d.ID(), ship)
				return stopped(i), err
			})
		},
	}
	to.addFlags(b, cmd)
	return cmd
}

// stopped says in words what an interrupt did.
func stopped(i api.Interrupted) string {
	switch {
	case !i.Was:
		return "was not working"
	case i.Still:
		return "interrupted, and works on: on what waited, or it does not heed; attach to see"
	}
	return "interrupted; it waits for a message"
}
