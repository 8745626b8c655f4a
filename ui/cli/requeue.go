package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
)

func requeueCmd(b *bridge) *cobra.Command {
	var voyage string
	var r api.RequeueRequest
	var all bool
	cmd := &cobra.Command{
		Use:     "requeue [TASK]",
		Aliases: []string{"retry", "release"},
		Short:   "Make a task ready again that is on hold or that a ship has",
		Long: `Make a task ready again, so that it can be claimed.

A task that failed again and again is on hold: fix the cause, then requeue it. So is a task after ocaptain hold. --all does that for every
task on hold.

A task that a ship has is taken from it: its agent is interrupted and told why, and so is the next owner. What the ship
did for it so far is kept on a ref and is not merged. Work that was handed in or interrupted is gone on from; with --fresh the next
attempt begins at the branch. A completed task stays completed: see ocaptain revert.`,
		Example: `ocaptain requeue 7 --reason "wrong approach"
ocaptain retry 7 --fresh --agent codex
ocaptain requeue --all`,
		Args:              wantArgs("[TASK]"),
		ValidArgsFunction: b.completeTasks(&voyage, func(t *tasks.State) bool { return t.OnHold || t.Status == tasks.InProgress }),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) == 1) {
				return usageError("name one task, or all that are on hold with --all")
			}
			d, client, err := b.voyageAtHelm(cmd.Context(), voyage)
			if err != nil {
				return err
			}
			if all {
				return requeueAll(cmd.Context(), b, client, d, r)
			}
			board, err := client.Board(cmd.Context(), d.ID())
			if err != nil {
				return err
			}
			r.Task = board.TaskID(args[0])
			return requeueTask(cmd.Context(), b, client, d, r)
		},
	}
	voyageFlag(b, cmd, &voyage)
	cmd.Flags().StringVar(&r.Reason, "reason", "", "why: the agents are told")
	cmd.Flags().BoolVar(&r.Fresh, "fresh", false, "begin again at the branch; what there is of it is put aside")
	cmd.Flags().StringVar(&r.Agent, "agent", "", "the only agent that is to do it from now on")
	cmd.Flags().BoolVar(&all, "all", false, "every task that is on hold")
	return cmd
}

// requeueAll requeues every task that is on hold.
func requeueAll(ctx context.Context, b *bridge, client *api.Client, d fleet.Dir, r api.RequeueRequest) error {
	board, err := client.Board(ctx, d.ID())
	if err != nil {
		return err
	}
	held := filterTasks(board.Tasks, "on_hold", b.now())
	if len(held) == 0 {
		fmt.Fprintln(b.out, "no task is on hold")
	}
	for i := range held {
		r.Task = held[i].ID
		if err := requeueTask(ctx, b, client, d, r); err != nil {
			return err
		}
	}
	return nil
}

func requeueTask(ctx context.Context, b *bridge, client *api.Client, d fleet.Dir, r api.RequeueRequest) error {
	was, err := client.Requeue(ctx, d.ID(), r)
	if err != nil {
		return err
	}
	text := "task " + r.Task + " is pending; no ship had it"
	switch {
	case was.Review:
		text = "the work on task " + r.Task + " is out of review; it can be claimed again"
	case was.Ship != "":
		text = "task " + r.Task + " was taken from " + was.Ship + "; it can be claimed again"
	case was.OnHold:
		text = "task " + r.Task + " is off hold; it can be claimed again"
	}
	if was.Kept != "" {
		text += "; what there was of it is on " + was.Kept
	}
	fmt.Fprintln(b.out, clean.Line(text))
	return nil
}
