package dash

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/ui/clean"
	"ocaptain/ui/dash/agentpane"
	"ocaptain/ui/words"
)

// attention remembers who needed the captain, so that each need is told once.
type attention struct {
	known map[string]need // of ships at the last board
	guard string          // of the voyage
	phase fleet.Phase
	rung  time.Time
}

// need is what may make a ship need the captain.
type need struct {
	word  fleet.Word
	guard string
}

// attend tells the captain of ships that need them now and did not before, and of the end
// of the voyage.
func (m *Model) attend() cmd {
	b := m.v.board
	first := m.watch.known == nil
	known := make(map[string]need, len(b.Ships))
	var news []string
	for i := range b.Ships {
		s := &b.Ships[i]
		known[s.Name] = need{s.Status.Word, s.Guard}
		was := m.watch.known[s.Name]
		if !first && (was.word != s.Status.Word && agentpane.Troubled(s) || was.guard != s.Guard && s.Guard != "") {
			news = append(news, reason(s, m.now))
		}
	}
	if !first && b.Guard != m.watch.guard && b.Guard != "" {
		news = append([]string{clean.Line(b.Guard)}, news...)
	}
	was := m.watch.phase
	m.watch.known, m.watch.guard, m.watch.phase = known, b.Guard, b.Phase
	var cmds []cmd
	if len(news) > 3 {
		news = append(news[:2], fmt.Sprintf("and %d more ships need you; ! goes to them", len(news)-2))
	}
	for _, text := range news {
		cmds = append(cmds, m.say(warn, text))
	}
	switch {
	case !b.Phase.Over(): // it may go on after a verification that failed
		m.overAt = time.Time{}
	case m.overAt.IsZero():
		m.overAt = m.o.Now()
	}
	if !first && was != b.Phase && (b.Phase == fleet.Complete || b.Phase == fleet.VerifyFailed) {
		l, text := good, "the voyage is complete: every task is merged and verified"
		if b.Phase == fleet.VerifyFailed {
			l, text = bad, "verify failed: "+words.FirstLine(clean.Text(lastLines(b.Verify.Output)))
		}
		cmds = append(cmds, m.say(l, text))
		news = append(news, text)
	}
	if len(news) > 0 {
		cmds = append(cmds, m.ring(news[0]))
	}
	return tea.Batch(cmds...)
}

// lastLines is the last line of an output that says something.
func lastLines(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// reason says in words why a ship needs the captain.
func reason(s *fleet.ShipView, now time.Time) string {
	if !agentpane.Troubled(s) && s.Guard != "" {
		return clean.Line(s.Name + ": " + s.Guard)
	}
	text := s.Name + " " + map[fleet.Word]string{
		fleet.Waiting: "waits for you", fleet.Errored: "has failed", fleet.Exited: "has exited",
		fleet.Limited: "is at a limit", fleet.Stalled: "is stalled", fleet.Unreachable: "cannot be reached",
	}[s.Status.Word]
	if s.Status.Reason != "" {
		text += ": " + s.Status.Reason
	}
	if !s.Status.Since.IsZero() && now.Sub(s.Status.Since) > time.Minute {
		text += ", for " + words.Age(now.Sub(s.Status.Since))
	}
	if s.Guard != "" {
		text += "; " + s.Guard
	}
	return clean.Line(text)
}

// ring rings the bell and sends the terminal a notification, at most every five seconds.
func (m *Model) ring(text string) cmd {
	now := m.o.Now()
	if m.o.Quiet || m.attached || now.Sub(m.watch.rung) < 5*time.Second {
		return nil
	}
	m.watch.rung = now
	text = strings.ReplaceAll(clean.Line(text), ";", ",")
	return tea.Raw("\a\x1b]9;ocaptain: " + text + "\x1b\\")
}

// needyShips lists the ships that need the captain, the most urgent first.
func (m *Model) needyShips() []*fleet.ShipView {
	if m.v == nil {
		return nil
	}
	var all []*fleet.ShipView
	for i := range m.v.board.Ships {
		if agentpane.Needs(&m.v.board.Ships[i]) {
			all = append(all, &m.v.board.Ships[i])
		}
	}
	slices.SortStableFunc(all, func(a, b *fleet.ShipView) int { return agentpane.Urgency(b) - agentpane.Urgency(a) })
	return all
}

func (m *Model) noneNeedy() string {
	if len(m.needyShips()) == 0 {
		return "no ship needs you"
	}
	return ""
}

// nextNeedy goes to the next ship that needs the captain and says why.
func (m *Model) nextNeedy() cmd {
	all := m.needyShips()
	at := slices.IndexFunc(all, func(s *fleet.ShipView) bool { return s.Name == m.shipName() })
	next := all[(at+1)%len(all)]
	m.place = home
	m.v.agents.Select(next.Name)
	focusOn(agents)(m)
	return m.say(warn, reason(next, m.now))
}
