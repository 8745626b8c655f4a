// Package sailform is the dialog that asks for everything a new voyage needs, checks it while the captain types, and
// hands over a checked order.
//
// The results of its commands are form.Msgs, which the dashboard passes to its Update.
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
	"ocaptain/ui/launch/problem"
)

// pause is how long the form waits after a key before it previews the wish.
const pause = 150 * time.Millisecond

// ownChoice stands for the model when the captain names none.
const ownChoice = "the agent's own choice"

// Form is the dialog.
type Form struct {
	yard   launch.Yard
	onSail func(*launch.Order) tea.Cmd

	at                                 field
	plan, repo, model, maxAge, maxCost *dialog.Line
	ships                              string
	provider, agent, sink, sync, bring form.Choice

	plans  []string // plans to offer
	listed bool     // plans was filled
	filter string   // text typed into the field of plans
	picked int      // place in the offered plans, -1 for none

	turn    int // grows with every change; results of older turns are ignored
	preview launch.Preview
	of      launch.Wish // the wish of the preview
	looked  bool        // there is a preview

	checking bool
	news     *form.News         // progress of the check
	stop     context.CancelFunc // ends the running check
	wrong    *problem.Problem   // the problem that the last check found
	unwalled error              // why agents cannot be sandboxed, once a check has found that
	where    string             // where those agents are
	walling  string             // how to install a sandbox there, "" for no way
	agreed   bool               // the captain agreed to agents without a sandbox
	files    bring.Chosen       // the git-ignored files that ships get, as they were shown last

	first int // first visible row of the body
}

// New returns a form, and its first command, which looks for plans. onSail gets a checked order that can sail; the
// form closes with the command that it returns.
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

// currentWish returns the wish in the form.
func (f *Form) currentWish() launch.Wish {
	return launch.Wish{
		Plan: trimmed(f.plan), Repo: trimmed(f.repo), Model: trimmed(f.model), Ships: f.ships,
		Provider: f.provider.Chosen, Agent: f.agent.Chosen, Unconfined: f.agreed,
		Bring: f.bring.Chosen == form.FilesBring, NoBring: f.bring.Chosen == form.FilesNone,
		MaxAge: trimmed(f.maxAge), MaxCost: trimmed(f.maxCost), Sink: f.sink.Chosen, Sync: f.sync.Chosen,
	}
}

// Update handles a key, a paste, the wheel, or a form.Msg.
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
