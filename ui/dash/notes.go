package dash

import (
	"fmt"

	"ocaptain/ui/dash/toast"
)

// hear keeps what helm has noted for the captain since the last board, and shows what is for everybody.
func (m *Model) hear() {
	news, past := m.heard.News(m.v.board, m.v.needs)
	for _, n := range past {
		m.toasts.Keep(n.At, toast.Warn, n.Text)
	}
	if len(news) > 3 {
		for _, text := range news[2:] {
			m.toasts.Keep(m.o.Now(), toast.Warn, text)
		}
		news = append(news[:2:2], fmt.Sprintf("and %d more messages: @ shows all", len(news)-2))
	}
	for _, text := range news {
		m.say(toast.Warn, text)
	}
	if len(past) > 0 { // before other messages
		m.toasts.Sort()
	}
}
