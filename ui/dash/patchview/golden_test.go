package patchview

import (
	"errors"
	"testing"

	"ocaptain/ui/changes"
	"ocaptain/ui/dash/golden"
	"ocaptain/ui/dash/standing/standingtest"
)

func TestScreens(t *testing.T) {
	golden.Screens(t, map[string]func() golden.View{
		"diff": func() golden.View {
			v := NewDiffView("ship-0")
			v.SetLines(standingtest.Loaded().Patch)
			return v
		},
		"diffloading": func() golden.View { return NewDiffView("ship-0") },
		"diffnone": func() golden.View {
			v := NewDiffView("3")
			v.SetError(&changes.NotFound{Text: "task 3 is not completed", Advice: "see what its ship is changing: ocaptain diff ship-0"})
			return v
		},
		"difffailed": func() golden.View {
			v := NewDiffView("ship-0")
			v.SetError(errors.New("git diff: bad object 0badcaf"))
			return v
		},
	})
}
