package sailform

import (
	"fmt"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/dash/form"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/problem"
	"ocaptain/ui/words"
)

// How much of long texts is shown.
const (
	maxOffered = 6
	maxDefects = 4
)

// judgement draws the verdict on the plan.
func (b *body) judgement() {
	f, p := b.form, b.form.preview
	switch {
	case !f.looked || f.of.Plan != trimmed(f.plan):
		b.Below("◌", theme.Dim.Render, "reading …", 1)
	case f.of.Plan == "":
		b.Below("○", theme.Dim.Render, "no plan: one ship with an interactive agent", 2)
		b.defects(p.Warnings, theme.Title.Render)
	case len(p.Errors) > 0:
		b.Below(theme.No.Glyph, theme.Bad.Render, words.Counted(len(p.Errors), "error")+": it cannot sail", 1)
		b.defects(p.Errors, theme.Plain.Render)
	default:
		b.Below(theme.Yes.Glyph, theme.Good.Render, planSummary(p), 2)
		b.Below(" ", theme.Dim.Render, p.About, 2)
		b.defects(p.Warnings, theme.Title.Render)
	}
}

// planSummary describes a plan in one sentence.
func planSummary(p launch.Preview) string {
	s := fmt.Sprintf("%s: %s in %s, longest chain %d", p.Name, words.Counted(p.Tasks, "task"), words.Counted(p.Levels, "level"), p.Chain)
	if p.Takes > 0 {
		s += ", about " + words.Age(p.Takes)
	}
	return s
}

// defects lists what is wrong with the plan, each with what to do.
func (b *body) defects(all []problem.Defect, style func(...string) string) {
	for _, d := range all[:min(len(all), maxDefects)] {
		b.Below(theme.Warn.Glyph, style, d.What, form.MostRows)
		b.Below(" ", theme.Dim.Render, d.Fix, form.MostRows)
	}
	if more := len(all) - maxDefects; more > 0 {
		b.Below(" ", theme.Dim.Render, fmt.Sprintf("and %d more; see: ocaptain plan check %s", more, clean.Line(b.form.of.Plan)), 2)
	}
}

// drawPlans lists the plans that can be chosen.
func (b *body) drawPlans() {
	f := b.form
	if !f.listed {
		b.Below("◌", theme.Dim.Render, "looking for plans …", 1)
		return
	}
	rows, first := f.window(maxOffered)
	for i, name := range rows {
		row := pane.Fit("  "+name, b.Room())
		if first+i == f.picked {
			row = theme.Selected.Render(pane.Fit("› "+name, b.Room()))
		}
		b.Indented(row)
	}
	if rest := len(f.offered()) - len(rows); rest > 0 {
		b.Below(" ", theme.Dim.Render, fmt.Sprintf("%d more with ↑ ↓", rest), 1)
	}
}

// number draws the number of ships and the keys that change it.
func (b *body) number() string {
	f := b.form
	n := f.shownShips()
	switch {
	case n == "":
		return theme.Dim.Render("◌ reading …")
	case f.at == atShips:
		return theme.Key.Render("-") + " " + theme.Title.Render(n) + " " + theme.Key.Render("+")
	}
	return theme.Plain.Render(n)
}

// choice draws a field with words, and marks the word that takes effect.
func (b *body) choice(at field, name string, c form.Choice, holds launch.Choice) {
	b.Choice(at, name, c, holds.Value, b.sourceText(c.Chosen, holds.From))
}

// sourceText says where a value comes from, nothing when the captain has just given it.
func (b *body) sourceText(given, from string) string {
	if given != "" || !b.form.looked || from == "you" {
		return ""
	}
	return from
}

// problems draws the problem of the order, at its field.
func (b *body) problems(at field) { b.Problem(b.form.problemAt(at)) }

// problemAt returns the problem of a field, nil for none.
func (f *Form) problemAt(at field) (p *problem.Problem) {
	for _, known := range f.preview.Problems {
		if fieldOf(known.Field) == at && (at != atPlan || len(f.preview.Errors) == 0) {
			p = known
			break
		}
	}
	if f.wrong != nil && fieldOf(f.wrong.Field) == at && (at != atPlan || len(f.preview.Errors) == 0) {
		p = f.wrong
	}
	return p
}

// fileConsent asks about git-ignored files, when there are any.
func (b *body) fileConsent() {
	f := b.form
	if !f.showsFiles() {
		return
	}
	b.Field(atFiles, func() {
		b.Files(atFiles, f.bring, f.files)
		b.problems(atFiles)
	})
	b.Gap()
}

// consent asks about agents without a sandbox, when that is needed.
func (b *body) consent() {
	f := b.form
	if f.unwalled == nil {
		return
	}
	b.Field(atWalls, func() {
		b.Agree(atWalls, "Walls", "sail without walls", f.agreed)
		b.Below(theme.Warn.Glyph, theme.Title.Render, "agents "+f.where+" could do whatever you can: they cannot be confined ("+clean.Line(f.unwalled.Error())+")", 4)
		if f.walling != "" {
			b.Below(" ", theme.Dim.Render, "to confine them: "+f.walling, 2)
		}
	})
	b.Gap()
}
