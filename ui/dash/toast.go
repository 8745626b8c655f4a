package dash

import (
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/toast"
)

// say shows a message for a while and keeps it.
func (m *Model) say(level toast.Level, text string) cmd {
	m.toasts.Say(m.o.Now(), level, text)
	return nil
}

// openHistory shows all messages so far.
func (m *Model) openHistory() cmd {
	m.show(dialog.NewPager("Messages", m.toasts.Lines(), 96, true).Wrap(11))
	return nil
}
