package dash

import (
	"ocaptain/ui/dash/screen"
)

// stream streams exactly the ships that are on the screen.
func (m *Model) stream() {
	v := m.v
	if !v.Loaded || m.visits.IsAway() || m.layout().TooSmall() {
		return
	}
	var wanted []string
	switch {
	case m.page != nil:
	case m.place == onWall:
		ships, _ := m.tiles().Shown()
		for _, s := range ships {
			wanted = append(wanted, s.Name)
		}
	default:
		if _, shown := m.layout().Places()[screen.Ship]; shown && m.watched() != "" {
			wanted = append(wanted, m.watched())
		}
	}
	v.Views.ShowOnly(wanted...)
}

// watched returns the ship of the live view, "" for none. A ship that gets the captain's keys is shown even when it
// is gone, as the keys are still meant for it.
func (m *Model) watched() string {
	if m.typing != "" {
		return m.typing
	}
	return m.shipName()
}
