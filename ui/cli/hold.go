package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
)

func holdCmd(b *bridge) *cobra.Command {
	var voyage, reason string
	cmd := &cobra.Command{
		Use:   "hold TASK",
		Short: "Keep a task from being done until you release it",
		Long: `Put a task on hold: no ship gets it, and what waits for it waits on, until ocaptain release.

A task that a ship has is taken from it: its agent is interrupted and told why. What it did so far is kept on a ref, and is not merged.`,
		Example:           `ocaptain hold 7 --reason "the interface changes first"`,
		Args:              wantArgs("TASK"),
		ValidArgsFunction: b.completeTasks(&voyage, func(t *tasks.State) bool { return t.Status != tasks.Completed && !t.OnHold }),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, client, t, err := b.taskAtHelm(cmd.Context(), voyage, args[0])
			if err != nil {
				return err
			}
			was, err := client.Requeue(cmd.Context(), d.ID(), api.RequeueRequest{Task: t.ID, Reason: reason, Hold: true})
			if err != nil {
				return err
			}
			text := "task " + t.ID + " is on hold until: ocaptain release " + t.ID
			if was.Ship != "" {
				text = "task " + t.ID + " was taken from " + was.Ship + " and is on hold until: ocaptain release " + t.ID
			}
			fmt.Fprintln(b.out, clean.Line(text))
			return nil
		},
	}
	voyageFlag(b, cmd, &voyage)
	cmd.Flags().StringVar(&reason, "reason", "", "why: it is kept with the task, and its agent is told")
	return cmd
}
