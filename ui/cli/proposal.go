package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/words"
)

func acceptProposalCmd(b *bridge) *cobra.Command {
	var force bool
	cmd := proposalCmd(b, func(ctx context.Context, board *fleet.Board, client *api.Client, p *fleet.Proposal, why string) error {
		fmt.Fprintln(b.out, strings.Join(board.Describe(p), "\n"))
		if why := p.Unacceptable(board.Voyage.Kind, board.Phase); why != "" {
			return newExitError(Refused, fmt.Sprintf("take it off the list: ocaptain task reject %d", p.ID), "proposal %d cannot be accepted", p.ID)
		}
		r := api.ProposalRequest{Proposal: p.ID, Accept: true, Saw: p, Reason: why}
		ask := fmt.Sprintf("accept proposal %d", p.ID)
		var more []string
		if p.Cancel {
			r.Tasks, more = board.CancelledWith(p.Task)
			ask += ", and cancel " + words.Counted(max(1, len(r.Tasks)), "task")
		}
		if err := b.confirm(ctx, ask, more, clean.Line(p.Task), force); err != nil {
			return err
		}
		done, err := client.DecideProposal(ctx, board.Voyage.ID, r)
		if err != nil {
			return err
		}
		what := "changed"
		switch {
		case p.Cancel:
			what = "cancelled"
		case p.Edit.Task == "":
			what = "added"
		}
		fmt.Fprintln(b.out, clean.Line(fmt.Sprintf("proposal %d is accepted: task %s is %s", p.ID, done.Task, what)))
		return nil
	})
	cmd.Use = "accept NUMBER"
	cmd.Short = "Do what an agent proposes: add a task, change one, or cancel one"
	cmd.Long = `Accept what an agent proposes, by its number in ocaptain needs. All of it is shown first, as it will be, and you are asked.

A new task gets the next free id, and any agent may claim it; its metadata say who proposed it. A task that is changed must be
open still. One that an agent would like deleted is cancelled, with all that waits for it, as by ocaptain cancel. What agents
propose to be run, such as metadata.verify, is never taken over. The agent that proposed it is told.`
	cmd.Example = `ocaptain task accept 3
ocaptain task accept 3 --force`
	cmd.Flags().BoolVarP(&force, "force", "f", false, "do not ask")
	return cmd
}

func rejectProposalCmd(b *bridge) *cobra.Command {
	cmd := proposalCmd(b, func(ctx context.Context, board *fleet.Board, client *api.Client, p *fleet.Proposal, why string) error {
		if _, err := client.DecideProposal(ctx, board.Voyage.ID, api.ProposalRequest{Proposal: p.ID, Reason: why}); err != nil {
			return err
		}
		fmt.Fprintln(b.out, clean.Line(fmt.Sprintf("proposal %d is rejected, and off the list: %s", p.ID, p.Text)))
		return nil
	})
	cmd.Use = "reject NUMBER"
	cmd.Short = "Take an agent's proposal off the list of what waits for you"
	cmd.Long = `Reject what an agent proposes, by its number in ocaptain needs. The agent is told; nothing else is changed.`
	cmd.Example = `ocaptain task reject 3 --why "the old form stays"`
	return cmd
}

// proposalCmd makes a command by which the captain decides about a proposal.
func proposalCmd(b *bridge, decide func(context.Context, *fleet.Board, *api.Client, *fleet.Proposal, string) error) *cobra.Command {
	var voyage, why string
	cmd := &cobra.Command{
		Args: wantArgs("NUMBER"),
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
			board, err := client.Board(cmd.Context(), d.ID())
			if err != nil {
				return err
			}
			p := board.Proposal(number)
			if p == nil {
				return newExitError(NotFound, "see: ocaptain needs", "there is no proposal %d: it was decided about already, or never was", number)
			}
			return decide(cmd.Context(), &board, client, p, why)
		},
	}
	voyageFlag(b, cmd, &voyage)
	cmd.Flags().StringVar(&why, "why", "", "the reason: the agent is told")
	return cmd
}
