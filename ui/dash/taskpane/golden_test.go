package taskpane

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/sync"
	"ocaptain/tasks"
	"ocaptain/ui/changes"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/golden"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/patchview"
	"ocaptain/ui/dash/taskstory"
)

// screen is what the tests look at: a pane or one of its companions.
type screen interface {
	View(width, height int) []string
	Title() string
	Info() string
}

// steered is a list with work that changes files which steer agents: some waits for the captain, some was merged.
func steered() *Pane {
	p := at(List, "4")
	b := harbour()
	b.Steering = []fleet.Steering{
		{Steering: sync.Steering{Paths: []string{".mcp.json"}}, Task: "2", Ship: "ship-1", Epoch: 1, Word: fleet.Flagged},
		{Steering: sync.Steering{Paths: []string{".claude/settings.json", "CLAUDE.md"}}, Task: "4", Ship: "ship-1", Epoch: 1, Word: fleet.Waits},
	}
	p.SetBoard(b, noon)
	return p
}

// held is a board with a task that was given up.
func held() *fleet.Board {
	b := harbour()
	b.Tasks[8].NotBefore, b.Tasks[8].OnHold, b.Tasks[8].Reason = noon.AddDate(100, 0, 0), true, "ship-1: its check failed (exit 1): no key"
	b.Tasks = linked(append(b.Tasks, task("11", "Revoke the old keys", tasks.Pending, "9"), task("12", "Tell of the new keys", tasks.Pending, "11")))
	return b
}

// withHeld shows it.
func withHeld(m Mode) *Pane {
	p := at(m, "9")
	b := held()
	p.SetBoard(b, noon)
	p.SetNeeds(attention.Look(noon, b, fleet.Away{}))
	return p
}

// states are the screens that each look different.
var states = map[string]func() screen{
	"list": func() screen { return at(List, "8") },
	"tree": func() screen { return at(Tree, "5") },
	"graph": func() screen {
		p := at(Graph, "3")
		p.SetFocused(false)
		return p
	},
	"steering":     func() screen { return steered() },
	"held":         func() screen { return withHeld(List) },
	"heldtree":     func() screen { return withHeld(Tree) },
	"heldgraph":    func() screen { return withHeld(Graph) },
	"helddetail":   func() screen { return NewDetail(&withHeld(List).Tasks, "9") },
	"waitsforheld": func() screen { return NewDetail(&withHeld(List).Tasks, "11") },
	"whyheld": func() screen {
		p := withHeld(List)
		p.ShowBlockers("10")
		return p
	},
	"review":       func() screen { return inReview(List, "4") },
	"reviewtree":   func() screen { return inReview(Tree, "3") },
	"reviewgraph":  func() screen { return inReview(Graph, "8") },
	"reviewdetail": func() screen { return NewDetail(&inReview(List, "8").Tasks, "8") },
	"reviewwaits":  func() screen { return NewDetail(&inReview(List, "4").Tasks, "4") },
	"reviewed":     func() screen { return NewDetail(&inReview(List, "3").Tasks, "3") },
	"reviewback":   func() screen { return NewDetail(&inReview(List, "9").Tasks, "9") },
	"whyreview": func() screen {
		p := inReview(List, "4")
		p.ShowBlockers("10")
		return p
	},
	"pool":       func() screen { return measured() },
	"pooldetail": func() screen { return NewDetail(&measured().Tasks, "3") },
	"poolempty": func() screen {
		b := kites()
		b.Tasks = nil
		return showing(b)
	},
	"loading": func() screen { return New() },
	"empty":   func() screen { return showing(&fleet.Board{At: noon, Phase: fleet.Fitting}) },
	"unasked": func() screen {
		return showing(&fleet.Board{At: noon, Phase: fleet.Sailing, Voyage: fleet.Voyage{Kind: fleet.Session}})
	},
	"filtered": func() screen {
		p := at(List, "8")
		_ = p.SetFilter("login")
		p.HideCompleted(true)
		return p
	},
	"none": func() screen {
		p := at(List, "8")
		_ = p.SetFilter("no such thing")
		p.ReadyOnly(true)
		return p
	},
	"stale": func() screen {
		p := at(List, "8")
		p.SetNow(noon.Add(7 * time.Minute))
		return p
	},
	"knot": func() screen {
		p := showing(knotted())
		p.SetMode(Graph)
		return p
	},
	"why": func() screen {
		p := at(List, "8")
		p.ShowBlockers("10")
		return p
	},
	"whyknot": func() screen {
		p := showing(knotted())
		p.ShowBlockers("d")
		return p
	},
	"detail": func() screen {
		d := NewDetail(&showing(told()).Tasks, "3")
		d.SetData(loaded())
		return d
	},
	"detailloading": func() screen { return NewDetail(&showing(told()).Tasks, "10") },
	"detailfailed": func() screen {
		d := NewDetail(&showing(told()).Tasks, "9")
		err := errors.New("git is not there")
		d.SetData(taskstory.DetailData{ID: "9", HistoryErr: err, CommitsErr: err, PatchErr: err})
		return d
	},
	"diff": func() screen {
		v := patchview.NewDiffView("ship-0")
		v.SetLines(loaded().Patch)
		return v
	},
	"diffloading": func() screen { return patchview.NewDiffView("ship-0") },
	"diffnone": func() screen {
		v := patchview.NewDiffView("3")
		v.SetError(&changes.NotFound{Text: "task 3 is not completed", Advice: "see what its ship is changing: ocaptain diff ship-0"})
		return v
	},
	"difffailed": func() screen {
		v := patchview.NewDiffView("ship-0")
		v.SetError(errors.New("git diff: bad object 0badcaf"))
		return v
	},
}

func at(m Mode, id string) *Pane {
	p := showing(harbour())
	p.SetMode(m)
	p.Select(id)
	return p
}

func TestScreens(t *testing.T) {
	for name, make := range states {
		for _, width := range []int{60, 80, 120, 200} {
			t.Run(fmt.Sprintf("%s-%d", name, width), func(t *testing.T) {
				s := make()
				const height = 24
				w, h := pane.InnerSize(width, height)
				body := s.View(w, h)
				exact(t, body, w, h)
				box := pane.Box{Title: s.Title(), Info: s.Info(), Focused: true}
				golden.Screen(t, fmt.Sprintf("%s-%d", name, width), strings.Join(box.Draw(body, width, height), "\n"), width, height)
			})
		}
	}
}

// States can be told apart without colour.
func TestStatesDiffer(t *testing.T) {
	seen := map[string]string{}
	for name, make := range states {
		text := plain(make().View(80, 20))
		if other, same := seen[text]; same {
			t.Errorf("%s and %s look the same", name, other)
		}
		seen[text] = name
	}
}

// Whatever the size, a view fills it exactly.
func TestEverySize(t *testing.T) {
	for name, make := range states {
		s := make()
		for _, width := range []int{0, 1, 2, 5, 9, 17, 30, 44, 59, 61, 300} {
			for _, height := range []int{0, 1, 2, 3, 4, 7, 12, 60} {
				rows := s.View(width, height)
				if t.Run(name, func(t *testing.T) { exact(t, rows, width, height) }); t.Failed() {
					t.Fatalf("at %d×%d", width, height)
				}
			}
		}
	}
}
