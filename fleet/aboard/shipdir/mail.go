package shipdir

import "ocaptain/fleet/mailbox"

// NextMail returns the next message, or false if there is none.
func NextMail(h Dir) (mailbox.Message, bool) {
	box, err := mailbox.Open(h.Mail())
	if err != nil {
		return mailbox.Message{}, false
	}
	m, ok, err := box.NextMessage()
	return m, ok && err == nil // an unreadable message waits for a later turn
}
