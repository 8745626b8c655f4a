package dash

import (
	"context"
	"fmt"

	"ocaptain/ui/dash/patchview"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/toast"
)

func (m *Model) noProposals() string {
	if m.v == nil || len(m.v.board.Proposals) == 0 {
		return "there is no proposal"
	}
	return ""
}

// oldestProposal shows the proposal that has waited longest.
func (m *Model) oldestProposal() cmd { return m.openProposal(m.v.board.Proposals[0].ID) }

// openProposal shows the whole of a proposal. The captain's decision is then about what is shown.
func (m *Model) openProposal(number int) cmd {
	p := m.v.board.Proposal(number)
	if p == nil {
		return m.say(toast.Good, "that proposal is off the list")
	}
	saw, view := *p, patchview.NewDiffView(fmt.Sprintf("proposal %d", number))
	view.SetText(m.v.board.Describe(p))
	m.pages.diff = &diffPage{DiffView: view, proposal: &saw}
	m.openPage(diff)
	return nil
}

// proposed returns the shown proposal, nil for none.
func (m *Model) proposed() *fleet.Proposal {
	if m.place == diff {
		return m.pages.diff.proposal
	}
	return nil
}

// acceptProposal asks the captain to confirm the shown proposal.
func (m *Model) acceptProposal(p *fleet.Proposal) cmd {
	b := m.v.board
	if why := p.Unacceptable(b.Voyage.Kind, b.Phase); why != "" {
		return m.say(toast.Warn, "it cannot be accepted: "+clean.Line(why))
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
	m.show(dialog.NewConfirm(fmt.Sprintf("Accept proposal %d?", p.ID), lines, typed, func() tea.Cmd { return m.decideProposal("accept", r) }))
	return nil
}

// rejectProposal asks the captain why to reject the shown proposal.
func (m *Model) rejectProposal(p *fleet.Proposal) cmd {
	m.compose(fmt.Sprint("no to proposal ", p.ID), fmt.Sprintf("Reject proposal %d: it is taken off the list", p.ID), "why? the agent is told", func(why string) tea.Cmd {
		return m.decideProposal("reject", api.ProposalRequest{Proposal: p.ID, Reason: why})
	})
	return nil
}

func (m *Model) decideProposal(verb string, r api.ProposalRequest) cmd {
	if m.place == diff {
		m.stepOut()
	}
	client, voyage := m.client, m.v.dir.ID()
	return m.do(fmt.Sprintf("%s proposal %d", verb, r.Proposal), func(ctx context.Context, _ func(api.Progress)) error {
		_, err := client.DecideProposal(ctx, voyage, r)
		return err
	})
}
