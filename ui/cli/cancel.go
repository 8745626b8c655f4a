package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/words"
)

func cancelCmd(b *bridge) *cobra.Command {
	var voyage, reason string
	var force bool
	cmd := &cobra.Command{
		Use:     "cancel TASK",
		Aliases: []string{"drop"},
		Short:   "Give a task up for good, with all that waits for it",
		Long: `Cancel a task that is not wanted any more. What it consists of and what waits for it is cancelled as well, and is named
first. Agents that work on any of it are interrupted and told why. What they did so far is kept on a ref, and is not merged.
What is merged already stays. To have a task done again instead: ocaptain requeue.`,
		Example: `ocaptain cancel 7
ocaptain cancel 1-3 --reason "we keep the old form" --force`,
		Args: wantArgs("TASK"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, client, err := b.voyageAtHelm(cmd.Context(), voyage)
			if err != nil {
				return err
			}
			board, err := client.Board(cmd.Context(), d.ID())
			if err != nil {
				return err
			}
			id := board.TaskID(args[0])
			all, more := board.CancelledWith(id)
			if err := b.confirm(cmd.Context(), "cancel "+words.Counted(max(1, len(all)), "task"), more, clean.Line(id), force); err != nil {
				return err
			}
			if err := client.Cancel(cmd.Context(), d.ID(), api.CancelRequest{Task: id, Reason: reason, Tasks: all}); err != nil {
				return err
			}
			if !slices.Contains(all, id) { // id was cancelled before
				all = append(all, id)
			}
			fmt.Fprintf(b.out, "cancelled: %s\n", clean.Line(words.Few(all)))
			return nil
		},
	}
	voyageFlag(b, cmd, &voyage)
	cmd.Flags().StringVar(&reason, "reason", "", "why: the agents are told")
	cmd.Flags().BoolVarP(&force, "force", "f", false, "do not ask")
	return cmd
}
