package taskpane

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/ui/changes"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/patchview"
	"ocaptain/ui/dash/taskstory"
)

// evil are texts that mean harm.
var evil = []string{
	"\x1b]0;owned\x07\x1b[2J\x1b[31mred", "\u009b31mc1", "\x9bbyte", "a\rb\bc\x7f", "\u202etxt.exe\u2066", "👩‍👩‍👧‍👦 family", "日本語の件名がとても長いときにどう切られるか",
	"é́́́́", "\ufe0f⚠️ warning", "tab\tand\nlines\n\n", "\xff\xfe\xfd", strings.Repeat("\x1b[1m", 500) + "x", strings.Repeat("語", 100_000), strings.Repeat("x", 1<<20),
	"\x1bP\x1b[A", "\u2028\u2029", "", "   ", "العربية",
}

// haunted is a board whose every text is one of those.
func haunted(text string) *fleet.Board {
	b := harbour()
	b.Ships = append(b.Ships, ship(text, fleet.Waiting, text), ship(text, fleet.Word(text), text))
	for i := range b.Tasks {
		t := &b.Tasks[i]
		t.Subject, t.Description, t.ActiveForm, t.Reason = text, text, text, text
		t.Metadata = map[string]any{"run": text, "verify": text, "group": text, text: text, "x": []any{text}}
		t.ReservedFor = text
		if t.Status != tasks.Pending {
			t.Owner, t.Commit = text, text
		}
		t.BlockedBy = append(t.BlockedBy, text)
	}
	b.Tasks = append(b.Tasks, task(text+"!", text, tasks.Pending, "1", text))
	return b
}

func TestHostileText(t *testing.T) {
	for _, text := range evil {
		p := showing(haunted(text))
		d := NewDetail(&p.Tasks, "3")
		d.SetData(taskstory.DetailData{
			ID:      "3",
			History: []taskstory.Event{{At: noon, What: "note", Ship: pane.Line(text), Text: pane.Line(text)}, {At: noon, What: "refused", Ship: "", Text: pane.Line(text)}},
			Commits: []changes.Commit{{ID: pane.Line(text), Subject: pane.Line(text), Merged: true, Trailers: [][2]string{{pane.Line(text), pane.Line(text)}}}},
			Patch: changes.Patch{
				Title: text, Lines: []changes.Line{{Kind: changes.Head, Text: pane.Line(text)}, {Kind: changes.Added, Text: "+" + pane.Line(text)}},
				Files: []changes.Place{{File: changes.File{Path: pane.Line(text)}}, {File: changes.File{Path: pane.Line(text)}, Line: -1}},
			},
		})
		v := patchview.NewDiffView(text)
		v.SetLines(d.data.Patch)
		q := patchview.NewDiffView("ship-0")
		q.SetError(errors.New(text))
		screens := []screen{d, v, q, NewDetail(&p.Tasks, text+"!"), patchview.NewDiffView(text)}
		for _, width := range []int{20, 100} {
			for _, s := range screens {
				exact(t, s.View(width, 40), width, 40)
				harmless(t, s.Title()+s.Info())
			}
			for m := List; m <= Graph; m++ {
				p.SetMode(m)
				_ = p.SetFilter(text)
				exact(t, p.View(width, 30), width, 30)
				p.ClearFilters()
				exact(t, p.View(width, 30), width, 30)
				harmless(t, p.Title()+p.Info())
			}
			for _, id := range []string{"10", text + "!"} {
				p.ShowBlockers(id)
				exact(t, p.View(width, 30), width, 30)
				harmless(t, p.Title()+p.Info())
			}
			p.HideBlockers()
		}
	}
}

func FuzzView(f *testing.F) {
	for _, text := range evil[:10] {
		f.Add(text, 60, 20, 0)
	}
	f.Fuzz(func(t *testing.T, text string, width, height, mode int) {
		if !utf8.ValidString(text) && len(text) > 1000 {
			return
		}
		width, height = 1+width&127, 1+height&63
		p := showing(haunted(text))
		p.SetMode(Mode(mode & 3))
		exact(t, p.View(width, height), width, height)
		d := NewDetail(&p.Tasks, "3")
		exact(t, d.View(width, height), width, height)
	})
}
