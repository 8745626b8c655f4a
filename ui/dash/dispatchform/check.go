package dispatchform

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/tasks"
	"ocaptain/ui/dash/form"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/problem"
)

// pause is how long the form waits after a key before it checks the wish. A check may use the network.
const pause = 400 * time.Millisecond

// changed checks the wish as soon as the captain pauses.
func (f *Form) changed() tea.Cmd {
	f.drop()
	turn := f.turn
	return tea.Tick(pause, func(time.Time) tea.Msg {
		return form.Msg{To: f, Turn: turn, Take: func() (bool, tea.Cmd) { return false, f.look() }}
	})
}

// drop drops the results and the pending checks from before a change.
func (f *Form) drop() {
	f.stop()
	f.turn++
	f.looking, f.looked, f.sending, f.asked, f.wrong, f.order = false, false, false, false, nil, nil
}

// look checks the wish with a placeholder for the command, which may not be written yet and does not matter to the
// check.
func (f *Form) look() tea.Cmd { return f.check(launch.Command{Text: "…"}) }

// check checks a command as a dispatch would.
func (f *Form) check(c launch.Command) tea.Cmd {
	f.stop()
	f.turn++
	ctx, cancel := context.WithCancel(context.Background())
	f.looking, f.looked, f.stop = true, false, cancel
	y, wish, turn := f.yard, f.wish(), f.turn
	f.news = &form.News{}
	y.Say = f.news.Say
	return func() tea.Msg {
		defer cancel()
		o, err := y.CheckDispatch(ctx, wish, &c)
		walling := ""
		if err == nil {
			walling = o.Walling()
		}
		return form.Msg{To: f, Turn: turn, Take: func() (bool, tea.Cmd) { return f.found(o, c, err, walling) }}
	}
}

// found handles the result of a check.
func (f *Form) found(o *launch.Order, c launch.Command, err error, walling string) (bool, tea.Cmd) {
	sending := f.sending
	f.looking, f.looked, f.sending, f.wrong, f.order = false, true, false, nil, nil
	if err != nil {
		if !errors.As(err, &f.wrong) {
			f.wrong = &problem.Problem{Kind: problem.Failed, Err: err}
		}
		if sending {
			f.at = fieldOf(f.wrong.Field)
		}
		return false, nil
	}
	f.order, f.most, f.walling = o, c.Workers, walling
	shown := f.files.List()
	if f.bring.Chosen != form.FilesNone {
		f.files = o.Bring
	}
	if f.bring.Chosen == form.FilesBring && !slices.Equal(o.Bring.List(), shown) {
		f.bring.Chosen, o.BringAgreed = "", false // the captain agreed only to the files that were shown
	}
	f.worker.Options = []string{nextIdle}
	for _, s := range o.Workers() {
		if !s.Draining {
			f.worker.Options = append(f.worker.Options, s.Name)
		}
	}
	if !sending {
		return false, nil
	}
	return f.send(c)
}

// submit checks the command and everything that it depends on. When nothing is wrong, the form closes.
func (f *Form) submit() tea.Cmd {
	if f.sending {
		return nil
	}
	c := f.written()
	if err := (tasks.Dispatch{Command: c.Text}).Check(); err != nil {
		f.wrong, f.at = &problem.Problem{Kind: problem.Usage, Field: problem.Text, Err: err}, atCommand
		return nil
	}
	f.sending = true
	return f.check(c)
}

// send asks for the consent that is needed, and hands over the order. A captain who wants no costly machine waits for an
// existing worker.
func (f *Form) send(c launch.Command) (bool, tea.Cmd) {
	switch able := len(f.order.Able()); {
	case f.order.AsksForFiles():
		f.at = atFiles
		return false, nil
	case f.unwalled() && !f.order.Unconfined:
		f.at = atWalls
		return false, nil
	case !f.order.MayCost(c) || f.free:
	case !f.asked:
		f.asked, f.at = true, atCost
		return false, nil
	case able == 0:
		f.wrong = &problem.Problem{Kind: problem.Refused, Field: problem.Provider, Err: fmt.Errorf("the first worker is a machine at %s, which may cost: agree, or choose another provider", f.order.Mix)}
		f.at = atCost
		return false, nil
	default:
		c.Workers = len(f.order.Workers())
	}
	return true, f.onDispatch(f.order, c)
}

// fieldOf returns the field at which a problem is shown.
func fieldOf(f problem.Field) form.Field {
	switch f {
	case problem.Repo:
		return atRepo
	case problem.Text:
		return atCommand
	case problem.Agent:
		return atAgent
	case problem.Provider:
		return atProvider
	case problem.MaxCost:
		return atMaxCost
	case problem.Files:
		return atFiles
	}
	return atDispatch
}
