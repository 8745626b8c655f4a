package dash

import (
	"ocaptain/ui/dash/diffpage"
	"ocaptain/ui/dash/toast"
)

// oldestProposal shows the proposal that has waited longest.
func (m *Model) oldestProposal() cmd { return m.openProposal(m.v.Board.Proposals[0].ID) }

// openProposal shows the whole of a proposal. The captain's decision is then about what is shown.
func (m *Model) openProposal(number int) cmd {
	p := m.v.Board.Proposal(number)
	if p == nil {
		return m.say(toast.Good, "that proposal is off the list")
	}
	m.pages.diff = diffpage.OfProposal(m.v.Board, p)
	m.openPage(diff)
	return nil
}
