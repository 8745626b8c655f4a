package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
)

func dismissCmd(b *bridge) *cobra.Command {
	var voyage string
	cmd := &cobra.Command{
		Use:   "dismiss NUMBER",
		Short: "Take an agent's proposal off the list of what waits for you",
		Long: `Agents may not change the task list. What they would like changed is kept as a proposal and listed by ocaptain needs, with
its number. Dismiss it when you have read it; nothing else is changed.`,
		Example: `ocaptain dismiss 3`,
		Args:    wantArgs("NUMBER"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (all []string, _ cobra.ShellCompDirective) {
			if d, err := b.voyage(voyage); err == nil && len(args) == 0 {
				board, _ := fleet.ReadBoard(d)
				for _, p := range board.Proposals {
					all = append(all, fmt.Sprintf("%d\t%s", p.ID, clean.Line(p.Text)))
				}
			}
			return all, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			number, err := strconv.Atoi(args[0])
			if err != nil {
				return usageError("%q is no number of a proposal: ocaptain needs lists them", args[0])
			}
			d, client, err := b.voyageAtHelm(cmd.Context(), voyage)
			if err != nil {
				return err
			}
			if err := client.Dismiss(cmd.Context(), d.ID(), number); err != nil {
				return err
			}
			fmt.Fprintf(b.out, "proposal %d is off the list\n", number)
			return nil
		},
	}
	voyageFlag(b, cmd, &voyage)
	return cmd
}
