package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/need"
)

func answerCmd(b *bridge) *cobra.Command {
	return &cobra.Command{
		Use:   "answer NEED yes|no|TEXT",
		Short: "Answer what waits for you, by its id",
		Long: `Answer something that waits for you, as ocaptain needs --json and notify name it by its id: yes does what helps, no says no to what is
asked, and any other words are the reason, or what the agent is told. Its choices say which of these it takes. An answer to what is
over changes nothing, and is refused.`,
		Example: `ocaptain answer 1f0c9a2e yes
ocaptain answer 1f0c9a2e "no, keep the old form"`,
		Args: wantArgs("NEED", "yes|no|TEXT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := b.needsOf(cmd.Context(), "")
			if err != nil {
				return err
			}
			i := slices.IndexFunc(all, func(n need.Need) bool { return n.Key == args[0] })
			if i < 0 {
				return newExitError(NotFound, "see: ocaptain needs --json", "nothing that needs you has the id %s: it is over, or never was", clean.Line(args[0]))
			}
			said, err := b.answer(cmd.Context(), &all[i], strings.TrimSpace(args[1]))
			if err == nil {
				fmt.Fprintln(b.out, clean.Line(said))
			}
			return err
		},
	}
}

// answer carries out the captain's answer to a need, and says what it did.
func (b *bridge) answer(ctx context.Context, n *need.Need, text string) (said string, err error) {
	choice := need.AnswerText
	switch low := strings.ToLower(text); low {
	case need.AnswerYes, need.AnswerNo:
		choice = low
	case "":
		return "", usageError("the answer is empty; it takes: %s", strings.Join(n.Choices, ", "))
	}
	switch {
	case slices.Contains(n.Choices, choice):
	case slices.Contains(n.Choices, need.AnswerText): // the typed text is itself the answer
		choice = need.AnswerText
	case len(n.Choices) == 0:
		return "", newExitError(Refused, "do it with: "+n.Command, "%s %s: that takes more than a word", n.Who(), n.Says())
	default:
		return "", usageError("%s %s takes: %s", n.Who(), n.Says(), strings.Join(n.Choices, ", "))
	}
	d, client, err := b.voyageAtHelm(ctx, n.Voyage)
	if err != nil {
		return "", err
	}
	board, err := client.Board(ctx, d.ID())
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(need.All(b.now(), &board, need.Away{}), func(is need.Need) bool { return is.Key == n.Key }) {
		return "", api.NotFound("%s has just become something else: look again", n.Who())
	}
	why := text
	if choice != need.AnswerText {
		why = ""
	}
	switch n.Do {
	case need.DoApprove:
		return answerQuestion(ctx, client, &board, n, choice == need.AnswerYes, why)
	case need.DoAdopt, need.DoReject:
		return answerProposal(ctx, client, &board, n, choice == need.AnswerYes, why)
	case need.DoRequeue:
		return answerHold(ctx, client, d, n, why)
	case need.DoBudget:
		return answerBudget(ctx, client, d, n, text, choice)
	case need.DoAttach, need.DoMessage:
		done, err := client.SendMessage(ctx, d.ID(), n.Ship(), api.SayRequest{Text: text})
		if err == nil && done.Queued != "" {
			return n.Ship() + " gets it: " + done.Queued, nil
		}
		return n.Ship() + " has it", err
	case need.DoVerify:
		return "it was verified", client.Verify(ctx, d.ID(), api.VerifyRequest{}, b.reporter().report)
	case need.DoResume:
		_, err := client.Resume(ctx, d.ID(), api.ResumeRequest{Ships: n.Ships})
		return strings.Join(n.Ships, ", ") + " goes on", err
	case need.DoAdd:
		return "there is one ship more", client.AddShips(ctx, d.ID(), api.AddRequest{Ships: 1, Provider: n.Provider}, b.reporter().report)
	}
	return "", fmt.Errorf("need %s: nothing is known that answers it", n.Kind)
}

// answerQuestion approves or rejects work, or a plan, in its present state.
func answerQuestion(ctx context.Context, client *api.Client, board *fleet.Board, n *need.Need, yes bool, why string) (string, error) {
	q := board.QuestionOf(n.Task)
	if q == nil {
		return "", api.NotFound("task %s does not wait for you any more", n.Task)
	}
	if err := client.Decide(ctx, board.Voyage.ID, api.DecideRequest{Task: q.Task, Work: q.Work, Approve: yes, Reason: why}); err != nil {
		return "", err
	}
	if yes {
		return "task " + q.Task + ": " + q.Yes, nil
	}
	return "task " + q.Task + ": " + q.No, nil
}

// answerProposal accepts or rejects a proposal. A bare yes does not accept a proposal that cancels tasks.
func answerProposal(ctx context.Context, client *api.Client, board *fleet.Board, n *need.Need, yes bool, why string) (string, error) {
	p := board.Proposal(n.Number)
	switch {
	case p == nil:
		return "", api.NotFound("proposal %d does not wait for you any more", n.Number)
	case yes && p.Cancel:
		return "", newExitError(Refused, "do it with: "+n.Command, "proposal %d cancels tasks: look at it first", p.ID)
	}
	_, err := client.DecideProposal(ctx, board.Voyage.ID, api.ProposalRequest{Proposal: p.ID, Accept: yes, Saw: p, Reason: why})
	return fmt.Sprintf("proposal %d is %s", p.ID, map[bool]string{true: "accepted", false: "rejected"}[yes]), err
}

// answerHold requeues all tasks of a need.
func answerHold(ctx context.Context, client *api.Client, d fleet.Dir, n *need.Need, why string) (string, error) {
	all := n.Tasks
	if len(all) == 0 {
		all = []string{n.Task}
	}
	for _, id := range all {
		if _, err := client.Requeue(ctx, d.ID(), api.RequeueRequest{Task: id, Reason: why}); err != nil {
			return "", err
		}
	}
	return "can be claimed again: " + strings.Join(all, ", "), nil
}

// answerBudget sets a budget: for yes to the amount that the need suggests, otherwise to the dollars in the text.
func answerBudget(ctx context.Context, client *api.Client, d fleet.Dir, n *need.Need, text, choice string) (string, error) {
	usd := float64(n.Number)
	if choice == need.AnswerText {
		var err error
		if usd, err = strconv.ParseFloat(strings.TrimPrefix(text, "$"), 64); err != nil || usd <= 0 {
			return "", usageError("%q is no sum; give US dollars like 40, or yes for %d", clean.Line(text), n.Number)
		}
	}
	b, err := client.SetBudget(ctx, d.ID(), api.BudgetRequest{Max: usd})
	return "the budget is " + b.String(), err
}
