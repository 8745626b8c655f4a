package dash

import (
	"ocaptain/ui/dash/toast"
)

// hear keeps helm's notes to the captain since the last board, and shows the important ones.
func (m *Model) hear() {
	news, past := m.heard.News(m.v.Board, m.v.Needs)
	for _, n := range past {
		m.toasts.Keep(n.At, toast.Warn, n.Text)
	}
	for _, text := range news {
		m.say(toast.Warn, text)
	}
	if len(past) > 0 { // first, so that they are older than other messages
		m.toasts.Sort()
	}
}
