package dash

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/toast"
	"ocaptain/ui/words"
)

// attend tells the captain of ships that need them now and did not before, and of the end
// of the voyage.
func (m *Model) attend() cmd {
	b := m.v.board
	news, ended := m.watch.News(b, m.now)
	var cmds []cmd
	for _, text := range news {
		cmds = append(cmds, m.say(toast.Warn, text))
	}
	switch {
	case !b.Phase.IsOver(): // it may go on after a verification that failed
		m.overAt = time.Time{}
	case m.overAt.IsZero():
		m.overAt = m.o.Now()
	}
	if ended {
		level, text := toast.Good, "the voyage is complete: every task is merged and verified"
		if b.Phase == fleet.VerifyFailed {
			level, text = toast.Bad, "verify failed: "+words.FirstLine(clean.Text(lastLines(b.Verify.Output)))
		}
		cmds = append(cmds, m.say(level, text))
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

// ring rings the bell and sends the terminal a notification, at most every five seconds.
func (m *Model) ring(text string) cmd {
	now := m.o.Now()
	if m.o.Quiet || m.attached || now.Sub(m.rung) < 5*time.Second {
		return nil
	}
	m.rung = now
	text = strings.ReplaceAll(clean.Line(text), ";", ",")
	return tea.Raw("\a\x1b]9;ocaptain: " + text + "\x1b\\")
}

// needyShips lists the ships that need the captain, the most urgent first.
func (m *Model) needyShips() []*fleet.ShipView {
	if m.v == nil {
		return nil
	}
	return attention.Ships(m.v.board)
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
	return m.say(toast.Warn, attention.Reason(next, m.now))
}
