package dash

import (
	"context"
	"errors"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/toast"
	"ocaptain/ui/words"
)

// deck returns what an action on the shown voyage has of the dashboard.
func (m *Model) deck() *act.Deck {
	return &act.Deck{
		Voyage: m.v.dir.ID(), Now: m.now, Board: func() *fleet.Board { return m.v.board },
		Say: m.say, Show: m.show, Compose: m.compose, Edit: m.change,
		Run: m.throughHelm, Ask: m.askHelm, Send: func(ctx context.Context, then act.Then) { m.news.Send(ctx, then) }, Start: m.o.Helm,
	}
}

// throughHelm does work through helm: a message shows that it runs, its progress, and how it ended.
func (m *Model) throughHelm(name string, work act.Work) cmd {
	client := m.client
	if client == nil {
		return m.say(toast.Bad, name+": helm is not there yet; it is being started")
	}
	return m.job(name, func(ctx context.Context, report func(api.Progress)) (act.Ending, error) {
		return work(ctx, client, report)
	})
}

// askHelm asks helm for something without a message.
func (m *Model) askHelm(ask func(context.Context, *api.Client) act.Then) cmd {
	client, ctx := m.client, m.ctx
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

// quiet runs an action that needs no helm and reports no progress.
func (m *Model) quiet(name string, run func(context.Context) error) cmd {
	return m.run(name, func(ctx context.Context, _ func(api.Progress)) error { return run(ctx) })
}

// run runs an action that needs no helm.
func (m *Model) run(name string, run func(context.Context, func(api.Progress)) error) cmd {
	return m.job(name, func(ctx context.Context, report func(api.Progress)) (act.Ending, error) {
		return act.Ending{}, run(ctx, report)
	})
}

func (m *Model) job(name string, run func(context.Context, func(api.Progress)) (act.Ending, error)) cmd {
	m.jobs++
	m.lastJob++
	id := m.lastJob
	m.toasts.Begin(m.o.Now(), id, name+" …")
	began := m.o.Now()
	ctx := m.ctx
	return func() tea.Msg {
		end, err := run(ctx, m.reporter(ctx, id, name))
		return result(func(m *Model) cmd { return m.ended(id, name, began, end, err) })
	}
}

// reporter returns a callback for the progress of an action. The callback never blocks: helm drops a client that does
// not read, and while a ship has the terminal, the program takes no news.
func (m *Model) reporter(ctx context.Context, id int, name string) func(api.Progress) {
	var mu sync.Mutex
	var waiting []api.Progress
	deliver := func(m *Model) cmd {
		mu.Lock()
		all := waiting
		waiting = nil
		mu.Unlock()
		for _, p := range all {
			m.progress(id, name, p)
		}
		return nil
	}
	return func(p api.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if waiting = append(waiting, p); len(waiting) == 1 {
			go m.news.Send(ctx, result(deliver))
		}
	}
}

// progress shows the progress of an action. Each finished step is kept among the messages.
func (m *Model) progress(id int, name string, p api.Progress) {
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
		m.toasts.Keep(m.o.Now(), toast.Good, text+" "+words.Duration(p.Took))
	case api.StepFailed:
		m.toasts.Keep(m.o.Now(), toast.Bad, text)
	case api.StepNote:
		m.toasts.Keep(m.o.Now(), toast.Warn, text)
	}
	m.toasts.Change(id, name+" … "+words.FirstLine(text))
}

// ended shows how an action ended.
func (m *Model) ended(id int, name string, began time.Time, end act.Ending, err error) cmd {
	m.jobs--
	m.toasts.End(id)
	switch {
	case err == nil && end.Well:
		return m.say(toast.Good, name+": "+end.Text)
	case err == nil && end.Text != "":
		return m.say(toast.Warn, name+": "+end.Text)
	case err == nil:
		return m.say(toast.Good, name+": done in "+words.Duration(m.o.Now().Sub(began)))
	case errors.Is(err, context.Canceled):
		return m.say(toast.Warn, name+": stopped")
	}
	return m.say(toast.Bad, name+": "+err.Error())
}
