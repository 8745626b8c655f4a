package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
)

func requeueCmd(b *bridge) *cobra.Command {
	var voyage, reason string
	cmd := &cobra.Command{
		Use:   "requeue TASK",
		Short: "Take a task from its ship, so that any ship may claim it",
		Long: `Take a task from the ship that holds it and make it pending again. Its agent is interrupted and told why, and so
is the next owner. What the ship did for it so far is kept on a ref and is not merged. A completed task stays completed.`,
		Example: `ocaptain requeue 7 --reason "wrong approach"`,
		Args:    wantArgs("TASK"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			if d, err := b.voyage(voyage); err == nil && len(args) == 0 {
				board, _ := fleet.ReadBoard(d)
				for i := range board.Tasks {
					if t := &board.Tasks[i]; t.Owner != "" {
						ids = append(ids, clean.Line(t.ID)+"\t"+clean.Line(t.Subject))
					}
				}
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := b.voyage(voyage)
			if err != nil {
				return err
			}
			client, err := b.connectHelm(cmd.Context())
			if err != nil {
				return err
			}
			if err := client.Requeue(cmd.Context(), d.ID(), api.RequeueRequest{Task: args[0], Reason: reason}); err != nil {
				return err
			}
			fmt.Fprintln(b.out, clean.Line("task "+args[0]+" is pending again"))
			return nil
		},
	}
	voyageFlag(b, cmd, &voyage)
	cmd.Flags().StringVar(&reason, "reason", "", "why: the agents are told")
	return cmd
}
