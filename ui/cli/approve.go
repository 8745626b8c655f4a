package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
)

func approveCmd(b *bridge) *cobra.Command {
	return decideCmd(b, true, &cobra.Command{
		Use:   "approve TASK",
		Short: "Say yes to what waits for you: a plan, work in review, or work that steers agents",
		Long: `Approve what waits for your word. Look at it with ocaptain diff TASK first.

The plan of an epic (ocaptain start --approve plan): workers begin. It counts as it is in its file then, which you may edit.
Work in review: it is merged, without a word of the validator. Work that changes files which steer agents (guard.steering: ask
in the configuration): it is merged. Work counts as it is shown: when it has changed since, you are asked again.`,
		Example: `ocaptain diff 7
ocaptain approve 7`,
	})
}

func rejectCmd(b *bridge) *cobra.Command {
	return decideCmd(b, false, &cobra.Command{
		Use:   "reject TASK",
		Short: "Say no to what waits for you: a plan, work in review, or work that steers agents",
		Long: `Reject what waits for your word, as ocaptain approve tells. The epic is planned anew, and the work goes back to who did it;
agents are told why.`,
		Example: `ocaptain reject 7 --why "the hooks stay as they are"`,
	})
}

// decideCmd makes a command by which the captain approves or rejects something.
func decideCmd(b *bridge, approve bool, cmd *cobra.Command) *cobra.Command {
	var voyage, why string
	cmd.Args = wantArgs("TASK")
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var ids []string
		if d, err := b.voyage(voyage); err == nil && len(args) == 0 {
			board, _ := fleet.ReadBoard(d)
			for i := range board.Tasks {
				if q := board.QuestionOf(board.Tasks[i].ID); q != nil {
					ids = append(ids, clean.Line(q.Task)+"\t"+clean.Line(q.What))
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
		board, err := fleet.ReadBoard(d) // the board that diff and the dashboard show
		if err != nil {
			return err
		}
		q := board.QuestionOf(board.TaskID(args[0]))
		if q == nil {
			return newExitError(NotFound, "see: ocaptain status", "task %s does not wait for you to approve anything", args[0])
		}
		client, err := b.connectHelm(cmd.Context())
		if err != nil {
			return err
		}
		r := api.DecideRequest{Task: q.Task, Work: q.Work, Approve: approve, Reason: why}
		if err := client.Decide(cmd.Context(), d.ID(), r); err != nil {
			return err
		}
		follows := q.No
		if approve {
			follows = q.Yes
		}
		fmt.Fprintln(b.out, clean.Line(fmt.Sprintf("task %s %s: %s", q.Task, q.What, follows)))
		return nil
	}
	voyageFlag(b, cmd, &voyage)
	cmd.Flags().StringVar(&why, "why", "", "the reason: agents are told")
	return cmd
}
