package cli

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"ocaptain/fleet/aboard/task"
)

// The groups of commands for tasks.
const (
	groupYours  = "yours"
	groupAboard = "aboard"
)

// taskCmd holds the commands with which the captain decides about proposals of agents. On a ship, an agent without hooks
// claims and completes tasks with it.
func taskCmd(b *bridge) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "task",
		Short: "Accept or reject what agents propose; on a ship, claim and complete",
		Long: `Agents may not change the task list. What they would like changed is a proposal, which ocaptain needs lists with its number:
you accept or reject it. All other commands here are for agents without hooks, which run them on their ships.`,
		Example: `ocaptain needs
ocaptain task accept 3
ocaptain task reject 4 --why "we have one already"`,
	}
	cmd.AddGroup(&cobra.Group{ID: groupYours, Title: "for you"}, &cobra.Group{ID: groupAboard, Title: "for agents, aboard a ship"})
	for _, c := range []*cobra.Command{acceptProposalCmd(b), rejectProposalCmd(b)} {
		c.GroupID = groupYours
		cmd.AddCommand(c)
	}
	part := func(use, short, example string, args cobra.PositionalArgs, run func(ctx context.Context, home, id string, out io.Writer) error) *cobra.Command {
		c := &cobra.Command{Use: use, GroupID: groupAboard, Short: short, Example: example, Args: args, RunE: func(cmd *cobra.Command, args []string) error {
			home, err := os.UserHomeDir()
			if err != nil {
				return err
			}
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			return run(cmd.Context(), home, id, b.raw)
		}}
		cmd.AddCommand(c)
		return c
	}
	var summary, reason, why string
	part("list [TASK]", "List the tasks, or show one in full", "ocaptain task list 3", wantArgs("[TASK]"), func(_ context.Context, home, id string, out io.Writer) error {
		return task.List(home, id, out)
	})
	part("claim [TASK]", "Claim a task, the best ready one unless named", "ocaptain task claim 3", wantArgs("[TASK]"), task.Claim)
	part("complete TASK", "Have your work merged as the result of a task", `ocaptain task complete 3 --summary "what you did and why"`, wantArgs("TASK"), func(ctx context.Context, home, id string, out io.Writer) error {
		return task.Complete(ctx, home, id, summary, out)
	}).Flags().StringVar(&summary, "summary", "", "what was done, for the commit message")
	part("release TASK", "Give a task back", `ocaptain task release 3 --reason "why"`, wantArgs("TASK"), func(ctx context.Context, home, id string, out io.Writer) error {
		return task.Release(ctx, home, id, reason, out)
	}).Flags().StringVar(&reason, "reason", "", "why it could not be done")
	part("plan FILE", "Hand in the tasks into which you break down an epic, as JSON; - reads standard input", "ocaptain task plan tasks.json", wantArgs("FILE"), task.Plan)
	part("review approve|reject|FILE", "Say whether the work that you review is good, or hand that in as JSON; - reads standard input", `ocaptain task review reject --why "what must be mended, where, and how one sees that it is"`, wantArgs("approve|reject|FILE"), func(ctx context.Context, home, answer string, out io.Writer) error {
		return task.Review(ctx, home, answer, why, out)
	}).Flags().StringVar(&why, "why", "", "the reason, which whoever did the work is told")
	part("wait", "Wait until there is something to do", "ocaptain task wait", wantArgs(), func(ctx context.Context, home, _ string, out io.Writer) error {
		_, err := task.Wait(ctx, home, out)
		return err
	})
	return cmd
}
