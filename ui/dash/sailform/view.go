package sailform

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"ocaptain/theme"
	"ocaptain/ui/dash/form"
	"ocaptain/ui/launch"
)

// body is the drawn form.
type body struct {
	*form.Body
	form *Form
}

// View draws the form, and scrolls to the focused field when the screen is too low.
func (f *Form) View(width, height int) ([]string, *tea.Cursor) {
	b := &body{form.New(f.at, width), f}
	b.drawFields()
	return b.Box("Set sail", &f.first, height)
}

// drawFields draws all fields below each other.
func (b *body) drawFields() {
	f := b.form
	b.Gap()
	b.Field(atPlan, func() {
		b.Text(atPlan, "Plan", f.plan.Draw)
		b.judgement()
		b.problems(atPlan)
		if f.at == atPlan {
			b.drawPlans()
		}
	})
	b.Gap()
	b.Field(atShips, func() {
		b.Value(atShips, "Ships", b.number(), b.sourceText(f.ships, f.preview.Ships.From))
		b.problems(atShips)
	})
	b.Field(atProvider, func() {
		b.choice(atProvider, "Provider", f.provider, f.preview.Provider)
		b.problems(atProvider)
	})
	b.Field(atAgent, func() {
		b.choice(atAgent, "Agent", f.agent, f.preview.Agent)
		b.problems(atAgent)
	})
	b.Field(atRepo, func() {
		b.Text(atRepo, "Repository", f.repo.Draw)
		b.problems(atRepo)
	})
	b.Field(atModel, func() {
		b.Text(atModel, "Model", f.model.Draw)
		b.problems(atModel)
	})
	b.Field(atMaxAge, func() {
		b.Text(atMaxAge, "Max age", f.maxAge.Draw)
		b.problems(atMaxAge)
	})
	b.Field(atMaxCost, func() {
		b.Text(atMaxCost, "Max cost", f.maxCost.Draw)
		b.problems(atMaxCost)
	})
	b.Field(atSink, func() {
		b.choice(atSink, "Sink when", f.sink, f.preview.Sink)
		b.problems(atSink)
	})
	b.Field(atSync, func() {
		b.choice(atSync, "Sync", f.sync, f.preview.Sync)
		b.Below(" ", theme.Dim.Render, launch.WayMeans(cmp.Or(f.sync.Chosen, f.preview.Sync.Value)), 1)
		b.problems(atSync)
	})
	b.Gap()
	b.fileConsent()
	b.consent()
	b.problems(atSail)
	b.Buttons(atSail, atCancel, "Sail", f.news.Doing(f.checking))
	b.Gap()
}

// Keys lists the keys of the focused field.
func (f *Form) Keys() [][2]string {
	keys := [][2]string{}
	switch f.at {
	case atPlan:
		keys = append(keys, [2]string{"↑ ↓", "choose a plan"})
	case atShips:
		keys = append(keys, [2]string{"+ -", "more, fewer"})
	case atProvider:
		keys = append(keys, [2]string{"← →", "choose"}, [2]string{"= ,", "several: sprites=3,hosts=2"})
	case atAgent, atSink, atSync, atFiles:
		keys = append(keys, [2]string{"← →", "choose"})
	case atWalls:
		keys = append(keys, [2]string{"space", "agree or not"})
	case atSail:
		return [][2]string{{"enter", "sail"}, {"tab", "next"}, {"esc", "close"}}
	case atCancel:
		return [][2]string{{"enter", "close"}, {"tab", "next"}, {"esc", "close"}}
	}
	return append(keys, [2]string{"tab", "next"}, [2]string{"ctrl-s", "sail"}, [2]string{"esc", "close"})
}
