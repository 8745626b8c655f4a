// Package ondecision has the captain's decisions: about work and plans that wait for him, about proposals, and about the budget.
package ondecision

import (
	"context"
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/toast"
)

// Shown is a question or a proposal that the captain has seen.
type Shown struct {
	*act.Deck
	Leave func() // leaves the page that shows it; called when the captain has decided
}

// Approve asks for confirmation, and then answers a question with yes.
func (s Shown) Approve(q fleet.Question) tea.Cmd {
	s.Show(dialog.NewConfirm("Approve task "+clean.Line(q.Task)+"?", []string{"It " + clean.Line(q.What) + ".", "Then " + clean.Line(q.Yes) + "."}, "", func() tea.Cmd {
		return s.decide("approve", api.DecideRequest{Task: q.Task, Work: q.Work, Approve: true})
	}))
	return nil
}

// Reject asks for the reason, and then answers a question with no.
func (s Shown) Reject(q fleet.Question) tea.Cmd {
	s.Compose("no to "+q.Task, "Reject task "+clean.Line(q.Task)+": "+clean.Line(q.No), "why? the agent is told", func(why string) tea.Cmd {
		return s.decide("reject", api.DecideRequest{Task: q.Task, Work: q.Work, Reason: why})
	})
	return nil
}

func (s Shown) decide(verb string, r api.DecideRequest) tea.Cmd {
	s.Leave()
	return s.Do(verb+" task "+clean.Line(r.Task), func(ctx context.Context, client *api.Client) error {
		return client.Decide(ctx, s.Voyage, r)
	})
}

// Accept asks for confirmation, and then accepts a proposal.
func (s Shown) Accept(p *fleet.Proposal) tea.Cmd {
	b := s.Board()
	if why := p.Unacceptable(b.Voyage.Kind, b.Phase); why != "" {
		return s.Say(toast.Warn, "it cannot be accepted: "+clean.Line(why))
	}
	r := api.ProposalRequest{Proposal: p.ID, Accept: true, Saw: p}
	lines, typed := []string{"It becomes a task that agents may claim."}, ""
	switch {
	case p.Cancel:
		r.Tasks, lines = b.CancelledWith(p.Task)
		if lines = append([]string{"Task " + p.Task + " is cancelled for good."}, lines...); len(lines) > 1 {
			typed = p.Task
		}
	case p.Edit.Task != "":
		lines = []string{"Task " + p.Task + " is changed."}
	}
	s.Show(dialog.NewConfirm(fmt.Sprintf("Accept proposal %d?", p.ID), lines, typed, func() tea.Cmd { return s.decideProposal("accept", r) }))
	return nil
}

// Refuse asks for the reason, and then rejects a proposal.
func (s Shown) Refuse(p *fleet.Proposal) tea.Cmd {
	s.Compose(fmt.Sprint("no to proposal ", p.ID), fmt.Sprintf("Reject proposal %d: it is taken off the list", p.ID), "why? the agent is told", func(why string) tea.Cmd {
		return s.decideProposal("reject", api.ProposalRequest{Proposal: p.ID, Reason: why})
	})
	return nil
}

func (s Shown) decideProposal(verb string, r api.ProposalRequest) tea.Cmd {
	s.Leave()
	return s.Do(fmt.Sprintf("%s proposal %d", verb, r.Proposal), func(ctx context.Context, client *api.Client) error {
		_, err := client.DecideProposal(ctx, s.Voyage, r)
		return err
	})
}

// Budget asks for the voyage's budget in US dollars, and proposes an amount.
func Budget(d *act.Deck, proposed int) tea.Cmd {
	b := d.Board().Budget
	lines := []string{"Its agents have cost " + b.String() + ", by what they say themselves."}
	if b.IsReached() {
		lines = append(lines, "They begin nothing more until it may cost more.")
	}
	d.Show(dialog.NewAsk("What may this voyage cost, in US dollars? 0 is any sum", lines, strconv.Itoa(proposed), func(text string) (tea.Cmd, error) {
		most, err := config.ParseSum(text)
		if err != nil {
			return nil, fmt.Errorf("it %w", err)
		}
		return d.Do("set the budget", func(ctx context.Context, client *api.Client) error {
			_, err := client.SetBudget(ctx, d.Voyage, api.BudgetRequest{Max: most})
			return err
		}), nil
	}))
	return nil
}

// Verify runs verify.sh now.
func Verify(d *act.Deck, r api.VerifyRequest) tea.Cmd {
	return d.DoSteps("verify", func(ctx context.Context, client *api.Client, report func(api.Progress)) error {
		return client.Verify(ctx, d.Voyage, r, report)
	})
}

// Accept names the files of the voyage that were changed, and asks whether the captain agrees to them.
func Accept(d *act.Deck, changed string) tea.Cmd {
	d.Show(dialog.NewConfirm("Agree to verify.sh, spec.md and prompts as they are now?", []string{changed}, "", func() tea.Cmd { return Verify(d, api.VerifyRequest{Accept: true}) }))
	return nil
}
