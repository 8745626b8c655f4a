package dash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ocaptain/fleet/mix"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/agentpane"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/launch"
	"ocaptain/ui/words"
)

// shipName returns the name of the ship that actions apply to, "" for none.
func (m *Model) shipName() string {
	if s := m.current(); s != nil {
		return s.Name
	}
	return ""
}

func (m *Model) noShip() string {
	switch {
	case m.current() != nil:
		return ""
	case m.onCoordinator():
		return fleet.Coordinator + " is a part of helm and has no machine; m asks it for something"
	}
	return "no ship is selected"
}

// onCoordinator reports whether actions apply to the coordinator of a session.
func (m *Model) onCoordinator() bool {
	return m.v != nil && m.typing == "" && m.place != onWall && m.v.agents.OnCoordinator()
}

func (m *Model) noShips() string {
	if m.v == nil || len(m.v.board.Ships) == 0 {
		return "no ship is out; s adds one"
	}
	return ""
}

// noneYet is the message of an action that needs a voyage when there is none.
const noneYet = "there is no voyage yet; s sails a plan, p gives a worker something to do"

func (m *Model) noVoyage() string {
	if m.v == nil || !m.v.loaded {
		return noneYet
	}
	return ""
}

// notAttachable says why the selected ship has no terminal to show.
func (m *Model) notAttachable() string {
	s := m.current()
	switch {
	case s == nil:
		return m.noShip()
	case s.Phase != fleet.Afloat:
		return s.Name + " is not provisioned yet"
	}
	return ""
}

func (m *Model) markShip() cmd {
	m.v.agents.ToggleMark()
	return nil
}

// shipBy selects another ship without leaving the live view.
func shipBy(n int) action {
	return func(m *Model) cmd {
		m.v.agents.MoveBy(n)
		return nil
	}
}

// logsOfShip shows the logs of the selected ship alone.
func (m *Model) logsOfShip() cmd {
	m.v.logs.SelectShip(m.shipName())
	m.focus, m.low, m.place = logs, logs, full
	return nil
}

func (m *Model) noTaskHeld() string {
	s := m.current()
	switch {
	case s == nil:
		return m.noShip()
	case s.Task == "":
		return s.Name + " holds no task"
	}
	return ""
}

// taskOfShip selects the task that the ship holds.
func (m *Model) taskOfShip() cmd {
	m.showTask(m.current().Task)
	return nil
}

// openShip shows everything known about a ship.
func (m *Model) openShip() cmd {
	s := m.current()
	m.show(dialog.NewPager(clean.Line(s.Name), agentpane.Details(s, m.now), 84, false))
	return nil
}

// replaceShip asks for confirmation, and then gives a ship a new machine.
func (m *Model) replaceShip() cmd {
	return m.askReplace(m.shipName())
}

func (m *Model) askReplace(name string) cmd {
	voyage := m.v.dir.ID()
	lost := m.losses(name)
	ask := dialog.NewConfirm("Give "+name+" a new machine?", lost, typedWhen(lost, name), func() tea.Cmd {
		if m.losesMore(lost, name) {
			return m.askReplace(name)
		}
		client := m.client
		return m.do("replace "+name, func(ctx context.Context, report func(api.Progress)) error {
			return client.ReplaceShip(ctx, voyage, name, report)
		})
	})
	m.show(ask)
	return m.bringHome(ask, name)
}

// bringHome has helm fetch the newest work of ships while the captain is asked about them; the board then says what they have. Only
// now does helm count their git-ignored files, which it adds to the question.
func (m *Model) bringHome(ask *dialog.Confirm, ships ...string) cmd {
	ctx, client, voyage := m.ctx, m.client, m.v.dir.ID()
	if client == nil {
		return nil
	}
	return func() tea.Msg {
		board, err := client.CopyWork(ctx, voyage, ships...)
		if err != nil {
			return nil // the board says which ships could not be reached
		}
		return result(func(*Model) cmd {
			ask.Add(ignored(&board, ships)...)
			return nil
		})
	}
}

// namedShips returns the marked ships, or the selected one.
func (m *Model) namedShips() []string {
	if names := m.v.agents.Marked(); len(names) > 0 && m.place != onWall {
		return names
	}
	return []string{m.shipName()}
}

// pauseOrResumeShips pauses ships, or resumes them when all of them are paused.
func (m *Model) pauseOrResumeShips() cmd {
	names := m.namedShips()
	paused := func(name string) bool {
		s := m.v.ship(name)
		return s != nil && (s.Rate.IsReached() || fleet.Paused(m.now, s.Pause, fleet.Budget{}) != "")
	}
	if slices.ContainsFunc(names, func(name string) bool { return !paused(name) }) {
		voyage, client := m.v.dir.ID(), m.client
		return m.do("pause "+strings.Join(names, ", "), func(ctx context.Context, _ func(api.Progress)) error {
			return client.Pause(ctx, voyage, api.PauseRequest{Ships: names})
		})
	}
	return m.resume(names)
}

// resume ends the pause of ships, or without ships the pause of the voyage.
func (m *Model) resume(names []string) cmd {
	name := strings.TrimSpace("resume " + strings.Join(names, ", "))
	voyage, client := m.v.dir.ID(), m.client
	if client == nil {
		return m.noHelm(name)
	}
	return m.job(name, func(ctx context.Context, _ func(api.Progress)) (ending, error) {
		notes, err := client.Resume(ctx, voyage, api.ResumeRequest{Ships: names})
		return ending{words.Notes(notes), true}, err
	})
}

// sinkShip asks for confirmation, and then sinks the marked ships, or the selected one.
func (m *Model) sinkShip() cmd {
	return m.askSink(m.namedShips())
}

func (m *Model) askSink(names []string) cmd {
	lost := m.losses(names...)
	title, typed, lines := "Sink "+names[0]+"?", names[0], lost
	if len(names) > 1 {
		typed, title = "sink", "Sink "+words.Counted(len(names), "ship")+": "+strings.Join(names, ", ")+"?"
		if ansi.StringWidth(title) > 56 { // so that all names can be read
			title = "Sink " + words.Counted(len(names), "ship") + "?"
			lines = append([]string{strings.Join(names, ", ")}, lost...)
		}
	}
	voyage := m.v.dir.ID()
	ask := dialog.NewConfirm(title, lines, typedWhen(lost, typed), func() tea.Cmd {
		if m.losesMore(lost, names...) {
			return m.askSink(names)
		}
		var cmds []cmd
		client := m.client
		for _, name := range names {
			cmds = append(cmds, m.do("sink "+name, func(ctx context.Context, report func(api.Progress)) error {
				return client.RemoveShip(ctx, voyage, name, report)
			}))
		}
		return tea.Batch(cmds...)
	})
	m.show(ask.Tell(m.sinkFacts(names, len(lost) == 0)...))
	return m.bringHome(ask, names...)
}

// sinkFacts says what happens to the work of ships that are sunk, and what they cost.
func (m *Model) sinkFacts(names []string, merged bool) []string {
	var ships []*fleet.ShipView
	for i := range m.v.board.Ships {
		if s := &m.v.board.Ships[i]; slices.Contains(names, s.Name) {
			ships = append(ships, s)
		}
	}
	var facts []string
	if len(ships) == 1 {
		facts = append(facts, "Its machine is destroyed, and it leaves the voyage.")
	} else {
		facts = append(facts, "Their machines are destroyed, and they leave the voyage.")
	}
	if merged {
		facts = append(facts, "Nothing is lost: all that was copied from there is merged.")
	}
	var hour, so, agents float64
	for _, s := range ships {
		if s.Task != "" {
			facts = append(facts, "Task "+clean.Line(s.Task)+" of "+s.Name+" becomes ready for others.")
		}
		hour += s.Price
		so += s.Price * s.AgeAt(m.now).Hours()
		agents += s.Usage.CostUSD
	}
	if hour > 0 {
		facts = append(facts, fmt.Sprintf("That saves %s an hour; so far it has cost about %s.", words.Dollars(hour), words.Dollars(so)))
	}
	if agents > 0 {
		facts = append(facts, "Agents there have cost "+words.Dollars(agents)+".")
	}
	return facts
}

// ignored lists the git-ignored files that are destroyed with ships; without names, with all ships.
func ignored(board *fleet.Board, names []string) []string {
	var all []string
	for i := range board.Ships {
		s := &board.Ships[i]
		if text := words.Ignored(s); text != "" && (len(names) == 0 || slices.Contains(names, s.Name)) {
			all = append(all, clean.Line(text)+"; ocaptain sink --keep-ignored copies them first")
		}
	}
	return all
}

func typedWhen(lost []string, name string) string {
	if len(lost) == 0 {
		return ""
	}
	return name
}

// losses lists what would be lost with ships; without names, with all ships.
func (m *Model) losses(names ...string) []string {
	var lost []string
	for i := range m.v.board.Ships {
		s := &m.v.board.Ships[i]
		if l := words.Losses(s); l != "" && (len(names) == 0 || slices.Contains(names, s.Name)) {
			lost = append(lost, clean.Line(l))
		}
	}
	return lost
}

// losesMore reports whether work would be lost now although none would have been when the captain was asked.
func (m *Model) losesMore(asked []string, names ...string) bool {
	return len(asked) == 0 && len(m.losses(names...)) > 0
}

// addShip adds a ship to the voyage.
func (m *Model) addShip() cmd { return m.addShipTo(m.v.dir.ID()) }

// addShipTo adds a ship. It asks for the provider when ships of the voyage come from several.
func (m *Model) addShipTo(voyage string) cmd {
	mix, err := mix.Parse(m.v.board.Voyage.Provider, launch.Providers())
	if err != nil || !mix.Several() {
		return m.addShipFrom(voyage, "")
	}
	var from []dialog.Choice
	for _, p := range mix {
		from = append(from, dialog.Choice{Name: p.Provider, Do: func() tea.Cmd { return m.addShipFrom(voyage, p.Provider) }})
	}
	m.show(dialog.NewChoose("Add a ship from", "", from))
	return nil
}

func (m *Model) addShipFrom(voyage, provider string) cmd {
	client := m.client
	return m.do("add a ship", func(ctx context.Context, report func(api.Progress)) error {
		return client.AddShips(ctx, voyage, api.AddRequest{Ships: 1, Provider: provider}, report)
	})
}
