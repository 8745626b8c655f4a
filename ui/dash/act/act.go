// Package act is what an action on a voyage is made of: the voyage, helm, and what the action may do on the screen.
package act

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/toast"
)

// Deck is the part of the dashboard that an action uses. Its functions are called by the goroutine that updates the
// model, except for Send.
type Deck struct {
	Voyage string              // the id of the voyage
	Now    time.Time           // when the captain asked for the action
	Board  func() *fleet.Board // the newest board that is shown, never nil

	Say  func(level toast.Level, text string) tea.Cmd
	Show func(dialog.Dialog) // opens a dialog above the others
	// Compose asks for a text and sends it. Esc keeps the text as a draft for the next dialog of that purpose.
	Compose func(purpose, title, placeholder string, send func(text string) tea.Cmd)
	// Edit asks for changes of a text as Compose asks for a text.
	Edit func(purpose, title, text string, send func(text string) tea.Cmd)

	// Run does work through helm: a message shows that it runs, its progress, and how it ended. Without a helm it says so.
	Run func(name string, work Work) tea.Cmd
	// Ask asks helm for something without a message. Without a helm it asks nothing.
	Ask func(func(context.Context, *api.Client) Then) tea.Cmd
	// Send has the goroutine that updates the model call a function.
	Send func(context.Context, Then)
	// Start returns a client of a running helm, starting helm when there is none.
	Start func(context.Context) (*api.Client, error)
}

// Work is what an action does through helm.
type Work func(ctx context.Context, client *api.Client, report func(api.Progress)) (Ending, error)

// Ending is the text for how an action ended and whether that is what the captain meant; it replaces a plain "done". Its zero value
// replaces nothing.
type Ending struct {
	Text string
	Well bool
}

// Then is a message: a function that the goroutine which updates the model calls; nil for none.
type Then func() tea.Cmd

// Do does work through helm that has no other ending than done, and reports no progress.
func (d *Deck) Do(name string, work func(context.Context, *api.Client) error) tea.Cmd {
	return d.Run(name, func(ctx context.Context, client *api.Client, _ func(api.Progress)) (Ending, error) {
		return Ending{}, work(ctx, client)
	})
}

// DoSteps does work through helm that has no other ending than done.
func (d *Deck) DoSteps(name string, work func(context.Context, *api.Client, func(api.Progress)) error) tea.Cmd {
	return d.Run(name, func(ctx context.Context, client *api.Client, report func(api.Progress)) (Ending, error) {
		return Ending{}, work(ctx, client, report)
	})
}

// Ship finds a ship of the board by its name, nil when there is none.
func (d *Deck) Ship(name string) *fleet.ShipView {
	ships := d.Board().Ships
	for i := range ships {
		if ships[i].Name == name {
			return &ships[i]
		}
	}
	return nil
}

// Ask asks helm for something; a nil client asks nothing.
func Ask(ctx context.Context, client *api.Client, ask func(context.Context, *api.Client) Then) tea.Cmd {
	if client == nil {
		return nil
	}
	return func() tea.Msg {
		if then := ask(ctx, client); then != nil {
			return then
		}
		return nil
	}
}
