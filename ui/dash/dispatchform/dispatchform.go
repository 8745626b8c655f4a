// Package dispatchform is the dialog that asks for a command for a worker of a pool, says what is wrong with it
// before anything is made, and hands over a checked order.
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
	"ocaptain/ui/launch/problem"
)

// nextIdle stands for the worker when the captain names none.
const nextIdle = "next idle"

// The fields, from top to bottom.
const (
	atRepo form.Field = iota
	atCommand
	atWorker
	atAgent
	atProvider
	atMaxCost
	atFiles // only when there are git-ignored files to bring
	atWalls // only when the captain must agree to no sandbox
	atCost  // only when the captain must agree to a cost
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
	bring                   form.Choice  // whether workers get git-ignored files
	files                   bring.Chosen // these files, as they were shown last
	confined, free          bool         // what the captain agreed to: agents without a sandbox; a machine that may cost money
	asked                   bool         // the form asks whether a machine may be made that may cost money

	turn    int              // grows with every change; results of older turns are ignored
	looking bool             // a check is running
	looked  bool             // a check has ended since the last change
	sending bool             // the running check is the last before the dispatch
	order   *launch.Order    // the checked order, nil for none
	most    int              // limit of the number of workers
	walling string           // how to sandbox agents that run without a sandbox, "" for no way
	wrong   *problem.Problem // the problem that the last check found
	stop    context.CancelFunc
	news    *form.News // progress of the check

	first int // first visible row of the body
}

// New returns a form for a repository, and its first command, which examines the repository. onDispatch gets a checked
// order and the command; the form closes with the command that it returns.
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

// wish returns what the form says about the pool.
func (f *Form) wish() launch.Wish {
	return launch.Wish{Repo: strings.TrimSpace(f.repo.Value()), Agent: f.agent.Chosen, Provider: f.provider.Chosen, MaxCost: strings.TrimSpace(f.maxCost.Value()), Unconfined: f.confined, Bring: f.bring.Chosen == form.FilesBring, NoBring: f.bring.Chosen == form.FilesNone}
}

// written returns the command in the form.
func (f *Form) written() launch.Command {
	c := launch.Command{Text: f.command.Value()}
	if f.worker.Chosen != nextIdle {
		c.Worker = f.worker.Chosen
	}
	return c
}

// costs reports whether a machine that may cost money would be made when no worker is idle.
func (f *Form) costs() bool {
	c := f.written()
	c.Workers = f.most
	return f.order != nil && f.order.MayCost(c)
}

// unwalled reports whether agents would work without a sandbox.
func (f *Form) unwalled() bool { return f.order != nil && f.order.Unwalled != nil }

// Update handles a key, a paste, or a form.Msg.
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
