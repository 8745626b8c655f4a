package sailform

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/form"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/problem"
)

// list finds plans to offer.
func (f *Form) list() tea.Cmd {
	y := f.yard
	return func() tea.Msg {
		plans := y.ListPlans()
		return form.Msg{To: f, Take: func() (bool, tea.Cmd) {
			f.plans, f.listed = plans, true
			return false, nil
		}}
	}
}

// changed previews the wish as soon as the captain pauses.
func (f *Form) changed() tea.Cmd {
	f.dropChecks()
	turn := f.turn
	return tea.Tick(pause, func(time.Time) tea.Msg {
		return form.Msg{To: f, Turn: turn, Take: func() (bool, tea.Cmd) { return false, f.startChecks() }}
	})
}

// dropChecks drops results and pending checks from before a change.
func (f *Form) dropChecks() {
	f.stop()
	f.turn++
	f.checking, f.wrong = false, nil
}

// startChecks shows what can be said about the wish at once.
func (f *Form) startChecks() tea.Cmd {
	y, wish, turn := f.yard, f.currentWish(), f.turn
	return func() tea.Msg {
		p := y.Preview(wish)
		return form.Msg{To: f, Turn: turn, Take: func() (bool, tea.Cmd) {
			f.preview, f.of, f.looked = p, wish, true
			if !wish.NoBring {
				f.files = p.Bring
			}
			f.agent.Options = p.Agents
			if wish.Repo == "" {
				f.repo.Placeholder = repoDefault(p)
			}
			if wish.Model == "" {
				f.model.Placeholder = cmp.Or(p.Model.Value, ownChoice)
			}
			if wish.MaxAge == "" {
				f.maxAge.Placeholder = ageDefault(p.MaxAge.Value)
			}
			if wish.MaxCost == "" {
				f.maxCost.Placeholder = p.MaxCost.Value + "; like 20: at $20 agents begin nothing more"
			}
			return false, nil
		}}
	}
}

// repoDefault returns the default repository.
func repoDefault(p launch.Preview) string {
	if p.Repo.Value == "none" {
		return "a fresh, empty one"
	}
	return p.Repo.Value
}

// ageDefault returns the default for what happens to old ships.
func ageDefault(told string) string {
	if told != "never" {
		told = "you are told past " + told
	}
	return told + "; like 8h: older ships are sunk"
}

// submit checks the whole order. When nothing is wrong, the form closes.
func (f *Form) submit() tea.Cmd {
	if f.checking {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.checking, f.wrong, f.stop = true, nil, cancel
	y, wish, turn := f.yard, f.currentWish(), f.turn
	f.news = &form.News{}
	y.Say = f.news.Say
	return func() tea.Msg {
		defer cancel()
		o, err := y.CheckWish(ctx, wish)
		walling := o.Walling()
		return form.Msg{To: f, Turn: turn, Take: func() (bool, tea.Cmd) { return f.checked(o, err, walling) }}
	}
}

// checked handles the result of a check.
func (f *Form) checked(o *launch.Order, err error, walling string) (bool, tea.Cmd) {
	f.checking = false
	switch {
	case err != nil:
		if !errors.As(err, &f.wrong) {
			f.wrong = &problem.Problem{Kind: problem.Failed, Err: err}
		}
		f.at = fieldOf(f.wrong.Field)
		return false, nil
	case o.AsksForFiles() || o.Bring.Asks() && !slices.Equal(o.Bring.List(), f.files.List()): // the captain agreed only to the files that were shown
		f.files, f.bring.Chosen, f.at = o.Bring, "", atFiles
		return false, nil
	case o.Unwalled != nil && !o.Unconfined:
		f.unwalled, f.where, f.walling, f.agreed, f.at = o.Unwalled, o.SharedPlaces(), walling, false, atWalls
		return false, nil
	}
	return true, f.onSail(o)
}
