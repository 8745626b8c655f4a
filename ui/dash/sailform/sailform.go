// Package sailform is the dialog that asks for everything a new voyage needs, says at once
// what it thinks of it, and hands over an order that was checked.
//
// What its commands bring are form.Msgs. Whoever shows the form gives them to its Update.
package sailform

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/agent"
	"ocaptain/ui/bring"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/form"
	"ocaptain/ui/launch"
)

// pause is how long the captain has not typed before the wish is looked at.
const pause = 150 * time.Millisecond

// ownChoice is the model when the captain names none.
const ownChoice = "the agent's own choice"

// Form is the dialog.
type Form struct {
	yard   launch.Yard
	onSail func(*launch.Order) tea.Cmd

	at                                 field
	plan, repo, model, maxAge, maxCost *dialog.Line
	ships                              string
	provider, agent, sink, sync, bring form.Choice

	plans  []string // that are offered
	listed bool     // plans has been looked for
	filter string   // what was typed into plan
	picked int      // place in the offered plans, -1 for none

	turn    int // grows with every change; what was asked before an older one is of no use
	preview launch.Preview
	of      launch.Wish // that the preview is of
	looked  bool        // there is a preview

	checking bool
	news     *form.News         // of the check
	stop     context.CancelFunc // ends the check that is under way
	wrong    *launch.Problem    // that the last check found
	unwalled error              // why agents cannot be confined, once a check has found that
	where    string             // those agents are
	walling  string             // what would change that, "" for nothing
	agreed   bool               // to that
	files    bring.Chosen       // that git ignores and ships get, as they were shown last

	first int // row of the body that is shown first
}

// New returns a form, and the command that looks around for it. onSail gets the order when
// the captain has given an order that can sail; its command is what the form closes with.
func New(y launch.Yard, onSail func(*launch.Order) tea.Cmd) (*Form, tea.Cmd) {
	f := &Form{
		yard: y, onSail: onSail, picked: -1, turn: 1, stop: func() {},
		plan:     dialog.NewLine("", "type a path, or choose with ↑ ↓"),
		repo:     dialog.NewLine("", ""),
		model:    dialog.NewLine("", ownChoice),
		maxAge:   dialog.NewLine("", ""),
		maxCost:  dialog.NewLine("", ""),
		provider: form.Choice{Options: launch.Providers()},
		agent:    form.Choice{Options: agent.Names()},
		sink:     form.Choice{Options: []string{"never", config.Verified}},
		sync:     form.Choice{Options: launch.Ways()},
		bring:    form.FileChoice(),
	}
	return f, tea.Batch(f.list(), f.startChecks())
}

// currentWish is what the form says now.
func (f *Form) currentWish() launch.Wish {
	return launch.Wish{
		Plan: trimmed(f.plan), Repo: trimmed(f.repo), Model: trimmed(f.model), Ships: f.ships,
		Provider: f.provider.Chosen, Agent: f.agent.Chosen, Unconfined: f.agreed,
		Bring: f.bring.Chosen == form.FilesBring, NoBring: f.bring.Chosen == form.FilesNone,
		MaxAge: trimmed(f.maxAge), MaxCost: trimmed(f.maxCost), Sink: f.sink.Chosen, Sync: f.sync.Chosen,
	}
}

// Update takes a key, a paste, the wheel, or a form.Msg.
func (f *Form) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case form.Msg:
		if msg.To != f || msg.Turn != 0 && msg.Turn != f.turn {
			return false, nil
		}
		return msg.Take()
	case tea.KeyPressMsg:
		return f.handleKey(msg)
	case tea.PasteMsg:
		return false, f.editField(msg)
	case tea.MouseWheelMsg:
		if f.at == atPlan {
			return false, f.choosePlan(map[bool]int{true: -1, false: 1}[msg.Button == tea.MouseWheelUp])
		}
	}
	return false, nil
}
