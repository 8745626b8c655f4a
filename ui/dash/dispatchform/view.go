package dispatchform

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/dash/form"
	"ocaptain/ui/words"
)

// View draws the form, and scrolls to the focused field when the screen is too low.
func (f *Form) View(width, height int) ([]string, *tea.Cursor) {
	b := form.New(f.at, width)
	b.Gap()
	f.field(b, atRepo, func() {
		b.Text(atRepo, "Repository", f.repo.Draw)
		f.pool(b)
	})
	b.Gap()
	f.field(b, atCommand, func() {
		rows, cursor := f.command.Draw(b.Room(), max(2, min(8, height-18)))
		b.Area(atCommand, "Command", rows, cursor)
	})
	b.Gap()
	f.field(b, atWorker, func() { b.Choice(atWorker, "Worker", f.worker, nextIdle, "") })
	f.field(b, atAgent, func() { b.Choice(atAgent, "Agent", f.agent, f.agentName(), "") })
	f.field(b, atProvider, func() { b.Choice(atProvider, "Provider", f.provider, f.providerName(), "") })
	f.field(b, atMaxCost, func() { b.Text(atMaxCost, "Max cost", f.maxCost.Draw) })
	b.Gap()
	f.consents(b)
	f.problem(b, atDispatch)
	b.Buttons(atDispatch, atCancel, "Dispatch", f.news.Doing(f.sending))
	b.Gap()
	return b.Box("Dispatch", &f.first, height)
}

// field draws a field with its problem.
func (f *Form) field(b *form.Body, at form.Field, draw func()) {
	b.Field(at, func() {
		draw()
		f.problem(b, at)
	})
}

func (f *Form) problem(b *form.Body, at form.Field) {
	if f.wrong != nil && fieldOf(f.wrong.Field) == at {
		b.Problem(f.wrong)
	}
}

// pool draws which pool the command is for.
func (f *Form) pool(b *form.Body) {
	switch {
	case f.looking && f.order == nil:
		b.Below("◌", theme.Dim.Render, "looking …", 1)
	case f.order != nil:
		name, there := f.order.Pool()
		if there {
			b.Below(theme.Yes.Glyph, theme.Good.Render, "pool "+clean.Line(name)+", "+words.Counted(len(f.order.Workers()), "worker"), 2)
			return
		}
		b.Below("○", theme.Dim.Render, "makes pool "+clean.Line(name)+" and its first worker", 2)
	}
}

// consents draws the fields for the captain's consent, when consent is needed.
func (f *Form) consents(b *form.Body) {
	if f.showsFiles() {
		f.field(b, atFiles, func() { b.Files(atFiles, f.bring, f.files) })
		b.Gap()
	}
	if f.unwalled() {
		b.Field(atWalls, func() {
			b.Agree(atWalls, "Walls", "work without walls", f.order.Unconfined)
			b.Below(theme.Warn.Glyph, theme.Title.Render, "agents "+f.order.SharedPlaces()+" could do whatever you can: they cannot be confined ("+clean.Line(f.order.Unwalled.Error())+")", 4)
			if f.walling != "" {
				b.Below(" ", theme.Dim.Render, "to confine them: "+f.walling, 2)
			}
		})
		b.Gap()
	}
	if f.costs() {
		b.Field(atCost, func() {
			b.Agree(atCost, "Machine", "make one at "+f.order.Mix.String()+", which may cost", f.free)
			without := "when no worker is idle; else it waits for one of " + words.Counted(len(f.order.Able()), "worker")
			if len(f.order.Able()) == 0 {
				without = "there is no worker yet that could do it"
			}
			b.Below(" ", theme.Dim.Render, without, 2)
		})
		b.Gap()
	}
}

// Keys lists the keys of the focused field.
func (f *Form) Keys() [][2]string {
	next, send, esc := [2]string{"tab", "next"}, [2]string{"ctrl-s", "dispatch"}, [2]string{"esc", "close"}
	switch f.at {
	case atCommand:
		return [][2]string{{"enter", "new line"}, next, send, esc}
	case atWorker, atAgent, atProvider, atFiles:
		return [][2]string{{"← →", "choose"}, next, send, esc}
	case atWalls, atCost:
		return [][2]string{{"space", "agree or not"}, next, send, esc}
	case atDispatch:
		return [][2]string{{"enter", "dispatch"}, next, esc}
	case atCancel:
		return [][2]string{{"enter", "close"}, next, esc}
	}
	return [][2]string{next, send, esc}
}
