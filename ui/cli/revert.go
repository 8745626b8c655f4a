package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/ui/words"
)

func revertCmd(b *bridge) *cobra.Command {
	var voyage string
	var r api.RevertRequest
	var force bool
	cmd := &cobra.Command{
		Use:   "revert TASK",
		Short: "Take the merged work of a task back, and have the task done again",
		Long: `Make a commit on the voyage's branch that takes back what a completed task changed, and open the task again: its next worker is told
why. What was changed in the same files since, and by which task, is shown first, and which completed tasks depend on it.

Where the same lines were changed since, git cannot do it alone: it becomes a task, and the reverted task waits for that.`,
		Example: `ocaptain revert 7 --why "the page is too slow"
ocaptain revert 7 --with-dependents`,
		Args:              wantArgs("TASK"),
		ValidArgsFunction: b.completeTasks(&voyage, func(t *tasks.State) bool { return t.Status == tasks.Completed && !t.Cancelled }),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, client, t, err := b.taskAtHelm(cmd.Context(), voyage, args[0])
			if err != nil {
				return err
			}
			r.Task, r.Tasks = t.ID, nil
			look, err := client.Revert(cmd.Context(), d.ID(), r)
			if err != nil {
				return err
			}
			for _, is := range look.Tasks {
				r.Tasks = append(r.Tasks, is.Task)
			}
			if err := b.confirm(cmd.Context(), "revert "+words.Counted(len(r.Tasks), "task"), words.Lookback(look), clean.Line(t.ID), force); err != nil {
				return err
			}
			done, err := client.Revert(cmd.Context(), d.ID(), r)
			if err != nil {
				return err
			}
			var ids []string
			for _, is := range done.Tasks {
				ids = append(ids, is.Task)
			}
			text := "reverted and open again: " + strings.Join(ids, ", ")
			if done.ByHand != "" {
				text = fmt.Sprintf("open again: %s; the same lines were changed since, so task %s takes the work of task %s back first", strings.Join(ids, ", "), done.ByHand, ids[len(ids)-1])
			}
			fmt.Fprintln(b.out, clean.Line(text))
			return nil
		},
	}
	voyageFlag(b, cmd, &voyage)
	f := cmd.Flags()
	f.BoolVar(&r.Dependents, "with-dependents", false, "revert the completed tasks that depend on it as well")
	f.StringVar(&r.Why, "why", "", "why: its next worker is told")
	f.BoolVarP(&force, "force", "f", false, "do not ask")
	return cmd
}
