package dialog

import tea "charm.land/bubbletea/v2"

// Drafts are texts that the captain began and did not send, by their purpose. Its zero value has none.
type Drafts struct{ texts map[string]string }

// Compose asks for a text under the title and sends it. Esc keeps the text as a draft for the next dialog of that purpose.
func (d *Drafts) Compose(purpose, title, placeholder string, send func(text string) tea.Cmd) *Compose {
	return d.keep(purpose, newCompose(title, placeholder, d.sent(purpose, send)))
}

// Edit asks for changes of a text, as Compose asks for a text.
func (d *Drafts) Edit(purpose, title, text string, send func(text string) tea.Cmd) *Compose {
	return d.keep(purpose, newEdit(title, text, d.sent(purpose, send)))
}

// keep has a dialog begin with the draft of its purpose, and keep its text as a draft when the captain leaves.
func (d *Drafts) keep(purpose string, c *Compose) *Compose {
	if d.texts == nil {
		d.texts = map[string]string{}
	}
	c.keep(d.texts[purpose], func(text string) { d.texts[purpose] = text })
	return c
}

// sent returns a function that calls send and then drops the draft.
func (d *Drafts) sent(purpose string, send func(text string) tea.Cmd) func(text string) tea.Cmd {
	return func(text string) tea.Cmd {
		delete(d.texts, purpose)
		return send(text)
	}
}
