package dash

import (
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
	"ocaptain/ui/dash/act/ondecision"
	"ocaptain/ui/dash/act/onship"
	"ocaptain/ui/dash/act/ontask"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/screen"
	"ocaptain/ui/dash/selection"
	"ocaptain/ui/dash/toast"
)

// twice is the time within which a second ! lists all needs.
const twice = time.Second

// nextNeed goes to the need after the last visited one; pressed twice it lists all needs.
func (m *Model) nextNeed() cmd {
	now := m.o.Now()
	if again := now.Sub(m.calls.asked) < twice; again {
		m.calls.asked = time.Time{}
		return m.openNeeds()
	}
	m.calls.asked = now
	all := m.v.Needs.All
	next := &all[(m.v.Needs.Find(m.calls.visited)+1)%len(all)]
	m.calls.visited = next.ID()
	return m.goTo(next)
}

// goTo selects the ship or task of a need and shows the need's text; a need about no ship and no task is shown in a
// dialog.
func (m *Model) goTo(n *need.Need) cmd {
	switch {
	case attention.IsOfTask(n) && m.showTask(n.Task):
	case n.Kind == fleet.NeedProposal:
		return m.openProposal(n.Number)
	case m.v.Ship(n.Ship()) != nil:
		m.showShip(n.Ship())
	default:
		return m.tellNeed(n)
	}
	return m.say(toast.Need, attention.Text(n))
}

// showShip selects a ship on the dashboard.
func (m *Model) showShip(name string) {
	m.place, m.page = home, nil
	m.v.Agents.Select(name)
	focusOn(screen.Agents)(m)
}

// showTask selects a task on the dashboard, and clears filters that hide it. It reports whether the task exists.
func (m *Model) showTask(id string) bool {
	list := m.v.Tasks
	list.HideBlockers()
	if !list.Select(id) {
		list.ClearFilters()
		if !list.Select(id) {
			return false
		}
	}
	m.place, m.page = home, nil
	focusOn(screen.Tasks)(m)
	return true
}

// tellNeed shows the whole text of a need.
func (m *Model) tellNeed(n *need.Need) cmd {
	const width = 92
	m.calls.telling = dialog.NewPager("What needs you", attention.Lines(attention.Whole(n, m.v.Board), m.now, min(width, m.width-2)-4), width, false)
	m.show(m.calls.telling)
	return nil
}

// openNeeds lists all needs; choosing one helps with it.
func (m *Model) openNeeds() cmd {
	m.show(dialog.NewList("What needs you", attention.Items(m.v.Needs.All, m.v.Board, m.now, m.helpWith)))
	return nil
}

// helpWith runs the action that helps with a need, unless the need is over.
func (m *Model) helpWith(id string) cmd {
	at := m.v.Needs.Find(id)
	if at < 0 {
		return m.say(toast.Good, "that does not need you any more")
	}
	n := m.v.Needs.All[at]
	m.calls.visited = id
	switch n.Do {
	case need.DoAttach, need.DoLogIn:
		return m.there(&n, (*Model).attachNow, why(selection.Selection.NotAttachable))
	case need.DoMessage:
		return m.there(&n, (*Model).messageOne, why(selection.Selection.NoShip))
	case need.DoDiff:
		return m.there(&n, (*Model).openDiff, why(selection.Selection.NothingToDiff))
	case need.DoReplace:
		return m.there(&n, onShip(onship.Replace), why(selection.Selection.NoShip))
	case need.DoRequeue:
		if len(n.Tasks) > 1 {
			return ontask.RequeueAll(m.deck(), n.Tasks, attention.Whole(&n, m.v.Board).String())
		}
		return m.there(&n, onTask(ontask.RequeueFailed), why(selection.Selection.NothingToRequeue))
	case need.DoApprove:
		return m.there(&n, (*Model).approve, why(selection.Selection.NothingAsked))
	case need.DoAdd:
		if n.Provider != "" {
			return onship.AddFrom(m.deck(), n.Provider)
		}
		return onship.Add(m.deck())
	case need.DoAdopt, need.DoReject:
		return m.openProposal(n.Number)
	case need.DoVerify:
		return m.verify()
	case need.DoAccept:
		return ondecision.Accept(m.deck(), n.Why)
	case need.DoBudget:
		return ondecision.Budget(m.deck(), n.Number)
	case need.DoResume:
		return onship.Resume(m.deck(), n.Ships)
	case need.DoSettle:
		return m.openTrees()
	case need.DoSweep:
		return m.desk.Sweep()
	case need.DoSink:
		if len(n.Ships) > 0 {
			return onship.Sink(m.deck(), n.Ships)
		}
		return m.sinkVoyage()
	}
	return m.tellNeed(&n)
}

// there goes to a need and runs an action there, unless off says why it cannot be done.
func (m *Model) there(n *need.Need, do action, off func(*Model) string) cmd {
	said := m.goTo(n)
	if len(m.dialogs) > 0 && m.dialogs[len(m.dialogs)-1] == m.calls.telling {
		return said // the need is nowhere on the board
	}
	if why := off(m); why != "" {
		return m.say(toast.Warn, why)
	}
	return do(m)
}
