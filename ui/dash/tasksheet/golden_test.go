package tasksheet

import (
	"errors"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/golden"
	"ocaptain/ui/dash/standing"
	"ocaptain/ui/dash/standing/standingtest"
	"ocaptain/ui/dash/taskstory"
)

// showing returns the tasks of a board, with what of it needs the captain.
func showing(b *fleet.Board) *standing.Tasks {
	t := &standing.Tasks{Needs: attention.Look(standingtest.Noon, b, need.Away{})}
	t.SetBoard(b, standingtest.Noon)
	return t
}

func TestScreens(t *testing.T) {
	golden.Screens(t, map[string]func() golden.View{
		"helddetail":   func() golden.View { return New(showing(standingtest.Held()), "9") },
		"waitsforheld": func() golden.View { return New(showing(standingtest.Held()), "11") },
		"reviewdetail": func() golden.View { return New(showing(standingtest.InReview()), "8") },
		"reviewwaits":  func() golden.View { return New(showing(standingtest.InReview()), "4") },
		"reviewed":     func() golden.View { return New(showing(standingtest.InReview()), "3") },
		"reviewback":   func() golden.View { return New(showing(standingtest.InReview()), "9") },
		"pooldetail":   func() golden.View { return New(showing(standingtest.Kites()), "3") },
		"detail": func() golden.View {
			d := New(showing(standingtest.Told()), "3")
			d.SetData(standingtest.Loaded())
			return d
		},
		"detailloading": func() golden.View { return New(showing(standingtest.Told()), "10") },
		"detailfailed": func() golden.View {
			d := New(showing(standingtest.Told()), "9")
			err := errors.New("git is not there")
			d.SetData(taskstory.DetailData{ID: "9", HistoryErr: err, CommitsErr: err, PatchErr: err})
			return d
		},
	})
}
