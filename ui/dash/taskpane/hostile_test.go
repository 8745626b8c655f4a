package taskpane

import (
	"errors"
	"testing"
	"unicode/utf8"

	"ocaptain/ui/changes"
	"ocaptain/ui/dash/golden"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/patchview"
	"ocaptain/ui/dash/standing/standingtest"
	"ocaptain/ui/dash/tasksheet"
	"ocaptain/ui/dash/taskstory"
)

func TestHostileText(t *testing.T) {
	for _, text := range standingtest.Evil {
		p := showing(standingtest.Haunted(text))
		patch := changes.Patch{
			Title: text, Lines: []changes.Line{{Kind: changes.Head, Text: pane.Line(text)}, {Kind: changes.Added, Text: "+" + pane.Line(text)}},
			Files: []changes.Place{{File: changes.File{Path: pane.Line(text)}}, {File: changes.File{Path: pane.Line(text)}, Line: -1}},
		}
		d := tasksheet.New(&p.Tasks, "3")
		d.SetData(taskstory.DetailData{
			ID:      "3",
			History: []taskstory.Event{{At: standingtest.Noon, What: "note", Ship: pane.Line(text), Text: pane.Line(text)}, {At: standingtest.Noon, What: "refused", Ship: "", Text: pane.Line(text)}},
			Commits: []changes.Commit{{ID: pane.Line(text), Subject: pane.Line(text), Merged: true, Trailers: [][2]string{{pane.Line(text), pane.Line(text)}}}},
			Patch:   patch,
		})
		v := patchview.NewDiffView(text)
		v.SetLines(patch)
		q := patchview.NewDiffView("ship-0")
		q.SetError(errors.New(text))
		screens := []golden.View{d, v, q, tasksheet.New(&p.Tasks, text+"!"), patchview.NewDiffView(text)}
		for _, width := range []int{20, 100} {
			for _, s := range screens {
				golden.Exact(t, s.View(width, 40), width, 40)
				golden.Harmless(t, s.Title()+s.Info())
			}
			for m := List; m <= Graph; m++ {
				p.SetMode(m)
				_ = p.SetFilter(text)
				golden.Exact(t, p.View(width, 30), width, 30)
				p.ClearFilters()
				golden.Exact(t, p.View(width, 30), width, 30)
				golden.Harmless(t, p.Title()+p.Info())
			}
			for _, id := range []string{"10", text + "!"} {
				p.ShowBlockers(id)
				golden.Exact(t, p.View(width, 30), width, 30)
				golden.Harmless(t, p.Title()+p.Info())
			}
			p.HideBlockers()
		}
	}
}

func FuzzView(f *testing.F) {
	for _, text := range standingtest.Evil[:10] {
		f.Add(text, 60, 20, 0)
	}
	f.Fuzz(func(t *testing.T, text string, width, height, mode int) {
		if !utf8.ValidString(text) && len(text) > 1000 {
			return
		}
		width, height = 1+width&127, 1+height&63
		p := showing(standingtest.Haunted(text))
		p.SetMode(Mode(mode & 3))
		golden.Exact(t, p.View(width, height), width, height)
		d := tasksheet.New(&p.Tasks, "3")
		golden.Exact(t, d.View(width, height), width, height)
	})
}
