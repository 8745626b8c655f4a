package dash

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/dialog"
)

// drafts are texts that the captain began and did not send, by their purpose.
type drafts map[string]string

// compose asks for a text under the title and sends it. Esc keeps the text as a draft for the next dialog of that purpose.
func (m *Model) compose(what, title, placeholder string, send func(text string) tea.Cmd) {
	m.write(what, dialog.NewCompose(title, placeholder, m.sent(what, send)))
}

// change asks for changes of a text, as compose asks for a text.
func (m *Model) change(what, title, text string, send func(text string) tea.Cmd) {
	m.write(what, dialog.NewEdit(title, text, m.sent(what, send)))
}

// write shows a dialog that takes a text, with the draft of that purpose.
func (m *Model) write(what string, c *dialog.Compose) {
	if m.drafts == nil {
		m.drafts = drafts{}
	}
	c.Keep(m.drafts[what], func(text string) { m.drafts[what] = text })
	m.show(c)
}

// sent returns send, which then also drops the draft.
func (m *Model) sent(what string, send func(text string) tea.Cmd) func(text string) tea.Cmd {
	return func(text string) tea.Cmd {
		delete(m.drafts, what)
		return send(text)
	}
}
