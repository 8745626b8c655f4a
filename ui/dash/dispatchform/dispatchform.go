// Package dispatchform is the dialog that asks what a worker of a pool is to do, says what is wrong with that before
// anything is made, and hands over an order that was checked.
package dispatchform

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ocaptain/tasks"
	"ocaptain/ui/bring"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/form"
	"ocaptain/ui/launch"
)

// nextIdle is the worker when the captain names none.
const nextIdle = "next idle"

// The fields, from top to bottom.
const (
	atRepo form.Field = iota
	atCommand
	atWorker
	atAgent
	atProvider
	atMaxCost
	atFiles // only when there are files that git ignores to be brought
	atWalls // only when there is something to agree to
	atCost  // as well
	atDispatch
	atCancel
	fields
)

// Form is the dialog.
type Form struct {
	yard       launch.Yard
	onDispatch func(*launch.Order, launch.Command) tea.Cmd

	at                      form.Field
	repo, maxCost           *dialog.Line
	command                 *dialog.Area
	worker, agent, provider form.Choice
	bring                   form.Choice  // whether workers get files that git ignores
	files                   bring.Chosen // that these are, as they were shown last
	confined, free          bool         // what the captain agreed to: agents without walls, a machine that may cost
	asked                   bool         // whether a machine may be made that may cost

	turn    int             // grows with every change; what was asked before an older one is of no use
	looking bool            // a look is under way
	looked  bool            // there was one since the last change
	sending bool            // the look is the last before the dispatch
	order   *launch.Order   // that was found, nil for none
	most    int             // workers that there may be
	walling string          // what would confine agents that cannot be, "" for nothing
	wrong   *launch.Problem // that was found
	stop    context.CancelFunc
	news    *form.News // of the look

	first int // row of the body that is shown first
}

// New returns a form for a repository, and the command that looks around for it. onDispatch gets an order that was checked
// and the command; its command is what the form closes with.
func New(y launch.Yard, repo string, onDispatch func(*launch.Order, launch.Command) tea.Cmd) (*Form, tea.Cmd) {
	f := &Form{
		yard: y, onDispatch: onDispatch, at: atCommand, stop: func() {},
		repo:     dialog.NewLine(repo, "owner/repo, a URL, a path, or a configured pool"),
		maxCost:  dialog.NewLine("", "as configured; a sum like 20, in US dollars, for a pool that is made now"),
		command:  dialog.NewArea("what is to be done", tasks.MaxCommand+1),
		worker:   form.Choice{Options: []string{nextIdle}},
		agent:    form.Choice{Options: y.Preview(launch.Wish{}).Agents},
		provider: form.Choice{Options: launch.Providers()},
		bring:    form.FileChoice(),
	}
	return f, f.look()
}

// wish is what the form says of the pool.
func (f *Form) wish() launch.Wish {
	return launch.Wish{Repo: strings.TrimSpace(f.repo.Value()), Agent: f.agent.Chosen, Provider: f.provider.Chosen, MaxCost: strings.TrimSpace(f.maxCost.Value()), Unconfined: f.confined, Bring: f.bring.Chosen == form.FilesBring, NoBring: f.bring.Chosen == form.FilesNone}
}

// written is what the form says of the command.
func (f *Form) written() launch.Command {
	c := launch.Command{Text: f.command.Value()}
	if f.worker.Chosen != nextIdle {
		c.Worker = f.worker.Chosen
	}
	return c
}

// costs reports whether a machine that may cost would be made when no worker is idle.
func (f *Form) costs() bool {
	c := f.written()
	c.Workers = f.most
	return f.order != nil && f.order.MayCost(c)
}

// unwalled reports whether agents would work without walls.
func (f *Form) unwalled() bool { return f.order != nil && f.order.Unwalled != nil }

// Update takes a key, a paste, or a form.Msg.
func (f *Form) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case form.Msg:
		if msg.To != f || msg.Turn != f.turn {
			return false, nil
		}
		return msg.Take()
	case tea.KeyPressMsg:
		return f.handleKey(msg)
	case tea.PasteMsg:
		return false, f.edit(msg)
	}
	return false, nil
}
