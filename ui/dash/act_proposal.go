package dash

import (
	"fmt"

	"ocaptain/ui/dash/patchview"

	"ocaptain/fleet"
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
