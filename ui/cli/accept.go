package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
)

func acceptCmd(b *bridge) *cobra.Command {
	return decideCmd(b, true, &cobra.Command{
		Use:   "accept TASK",
		Short: "Merge a task's work that changes files which steer agents",
		Long: `Accept the work on a task that waits for you, as it changes files that steer agents (guard.steering: ask in the
configuration). Look at it with ocaptain diff TASK first. What you accept is the work that is shown there: when the ship
has changed anything since, you are asked again.`,
		Example: `ocaptain diff 7
ocaptain accept 7`,
	})
}

func declineCmd(b *bridge) *cobra.Command {
	return decideCmd(b, false, &cobra.Command{
		Use:   "decline TASK",
		Short: "Give a task's work back that changes files which steer agents",
		Long: `Decline the work on a task that waits for you, as it changes files that steer agents (guard.steering: ask in the
configuration). Its agent is told which files to leave alone, and goes on with the task.`,
		Example: `ocaptain decline 7 --reason "the hooks stay as they are"`,
	})
}

// decideCmd makes a command of the captain's word on work that waits for it.
func decideCmd(b *bridge, accept bool, cmd *cobra.Command) *cobra.Command {
	var voyage, reason string
	cmd.Args = wantArgs("TASK")
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var ids []string
		if d, err := b.voyage(voyage); err == nil && len(args) == 0 {
			board, _ := fleet.ReadBoard(d)
			for i := range board.Steering {
				if s := &board.Steering[i]; s.Word == fleet.Waits {
					ids = append(ids, clean.Line(s.Task)+"\t"+clean.Line(s.FilesText()))
				}
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		d, err := b.voyage(voyage)
		if err != nil {
			return err
		}
		board, err := fleet.ReadBoard(d) // which diff and the dashboard show
		if err != nil {
			return err
		}
		s := board.SteeringOf(args[0])
		if s == nil || s.Word != fleet.Waits {
			return newExitError(NotFound, "see: ocaptain status", "task %s does not wait for you to accept anything", args[0])
		}
		client, err := b.connectHelm(cmd.Context())
		if err != nil {
			return err
		}
		r := api.DecideRequest{Task: s.Task, Work: s.Work, Accept: accept, Reason: reason}
		if err := client.Decide(cmd.Context(), d.ID(), r); err != nil {
			return err
		}
		if accept {
			fmt.Fprintln(b.out, clean.Line(fmt.Sprintf("task %s is accepted, and is merged unless %s has changed its work since: %s", s.Task, s.Ship, s.FilesText())))
			return nil
		}
		fmt.Fprintln(b.out, clean.Line(fmt.Sprintf("task %s goes back to %s: %s", s.Task, s.Ship, s.FilesText())))
		return nil
	}
	voyageFlag(b, cmd, &voyage)
	if !accept {
		cmd.Flags().StringVar(&reason, "reason", "", "why: the agent is told")
	}
	return cmd
}
