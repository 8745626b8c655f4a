package shipdir

import "ocaptain/fleet/mailbox"

// NextMail returns the message that is next.
func NextMail(h Dir) (mailbox.Message, bool) {
	box, err := mailbox.Open(h.Mail())
	if err != nil {
		return mailbox.Message{}, false
	}
	m, ok, err := box.NextMessage()
	return m, ok && err == nil // what cannot be read now is for a later turn
}
