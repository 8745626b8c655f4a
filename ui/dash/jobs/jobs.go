// Package jobs runs what the captain has asked for beside the model: a message shows that a job runs, its progress, and how it ended.
package jobs

import (
	"context"
	"errors"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/toast"
	"ocaptain/ui/words"
)

// List is the running jobs. Only the goroutine that updates the model calls its methods.
type List struct {
	ctx    context.Context // ends with the program
	now    func() time.Time
	toasts *toast.List
	send   func(context.Context, act.Then)

	running, last int
}

// New returns a list without jobs, which shows its messages among toasts. send has the goroutine that updates the model call a
// function.
func New(ctx context.Context, now func() time.Time, toasts *toast.List, send func(context.Context, act.Then)) *List {
	return &List{ctx: ctx, now: now, toasts: toasts, send: send}
}

// Running returns how many jobs run.
func (l *List) Running() int { return l.running }

// nextID returns a number that no job has.
func (l *List) nextID() int {
	l.last++
	return l.last
}

// Run runs a job that has no other ending than done.
func (l *List) Run(name string, work func(context.Context, func(api.Progress)) error) tea.Cmd {
	return l.Start(name, func(ctx context.Context, report func(api.Progress)) (act.Ending, error) {
		return act.Ending{}, work(ctx, report)
	})
}

// Start runs a job.
func (l *List) Start(name string, work func(context.Context, func(api.Progress)) (act.Ending, error)) tea.Cmd {
	l.running++
	id, began, ctx := l.nextID(), l.now(), l.ctx
	l.toasts.Begin(began, id, name+" …")
	return func() tea.Msg {
		end, err := work(ctx, l.reporter(ctx, id, name))
		return act.Then(func() tea.Cmd { return l.ended(id, name, began, end, err) })
	}
}

// Through runs a job through helm. A nil client, when helm is not there, is told.
func (l *List) Through(client *api.Client, name string, work act.Work) tea.Cmd {
	if client == nil {
		return l.say(toast.Bad, name+": helm is not there yet; it is being started")
	}
	return l.Start(name, func(ctx context.Context, report func(api.Progress)) (act.Ending, error) {
		return work(ctx, client, report)
	})
}

func (l *List) say(level toast.Level, text string) tea.Cmd {
	l.toasts.Say(l.now(), level, text)
	return nil
}

// reporter returns a callback for the progress of an action. The callback never blocks: helm drops a client that does
// not read, and while a ship has the terminal, the program takes no news.
func (l *List) reporter(ctx context.Context, id int, name string) func(api.Progress) {
	var mu sync.Mutex
	var waiting []api.Progress
	deliver := func() tea.Cmd {
		mu.Lock()
		all := waiting
		waiting = nil
		mu.Unlock()
		for _, p := range all {
			l.progress(id, name, p)
		}
		return nil
	}
	return func(p api.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if waiting = append(waiting, p); len(waiting) == 1 {
			go l.send(ctx, deliver)
		}
	}
}

// progress shows the progress of an action. Each finished step is kept among the messages.
func (l *List) progress(id int, name string, p api.Progress) {
	text := p.Text
	if p.Step != "" {
		text = p.Step
		if p.Text != "" {
			text += ": " + p.Text
		}
	}
	if p.Ship != "" {
		text = p.Ship + " " + text
	}
	switch p.State {
	case api.StepDone:
		l.toasts.Keep(l.now(), toast.Good, text+" "+words.Duration(p.Took))
	case api.StepFailed:
		l.toasts.Keep(l.now(), toast.Bad, text)
	case api.StepNote:
		l.toasts.Keep(l.now(), toast.Warn, text)
	}
	l.toasts.Change(id, name+" … "+words.FirstLine(text))
}

// ended shows how an action ended.
func (l *List) ended(id int, name string, began time.Time, end act.Ending, err error) tea.Cmd {
	l.running--
	l.toasts.End(id)
	switch {
	case err == nil && end.Well:
		return l.say(toast.Good, name+": "+end.Text)
	case err == nil && end.Text != "":
		return l.say(toast.Warn, name+": "+end.Text)
	case err == nil:
		return l.say(toast.Good, name+": done in "+words.Duration(l.now().Sub(began)))
	case errors.Is(err, context.Canceled):
		return l.say(toast.Warn, name+": stopped")
	}
	return l.say(toast.Bad, name+": "+err.Error())
}
