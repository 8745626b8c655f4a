package taskpane

import (
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
	"ocaptain/sync"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/golden"
	"ocaptain/ui/dash/standing/standingtest"
)

// steered returns a list with work that changes files which steer agents: some waits for the captain, some
// was merged.
func steered() *Pane {
	p := at(List, "4")
	b := standingtest.Harbour()
	b.Steering = []fleet.Steering{
		{Steering: sync.Steering{Paths: []string{".mcp.json"}}, Task: "2", Ship: "ship-1", Epoch: 1, Word: fleet.Flagged},
		{Steering: sync.Steering{Paths: []string{".claude/settings.json", "CLAUDE.md"}}, Task: "4", Ship: "ship-1", Epoch: 1, Word: fleet.Waits},
	}
	p.SetBoard(b, standingtest.Noon)
	return p
}

// withHeld returns a pane with a task on hold.
func withHeld(m Mode) *Pane {
	p := at(m, "9")
	b := standingtest.Held()
	p.SetBoard(b, standingtest.Noon)
	p.SetNeeds(attention.Look(standingtest.Noon, b, need.Away{}))
	return p
}

// states are screens that must all look different.
var states = map[string]func() golden.View{
	"list": func() golden.View { return at(List, "8") },
	"tree": func() golden.View { return at(Tree, "5") },
	"graph": func() golden.View {
		p := at(Graph, "3")
		p.SetFocused(false)
		return p
	},
	"steering":  func() golden.View { return steered() },
	"held":      func() golden.View { return withHeld(List) },
	"heldtree":  func() golden.View { return withHeld(Tree) },
	"heldgraph": func() golden.View { return withHeld(Graph) },
	"whyheld": func() golden.View {
		p := withHeld(List)
		p.ShowBlockers("10")
		return p
	},
	"review":      func() golden.View { return inReview(List, "4") },
	"reviewtree":  func() golden.View { return inReview(Tree, "3") },
	"reviewgraph": func() golden.View { return inReview(Graph, "8") },
	"whyreview": func() golden.View {
		p := inReview(List, "4")
		p.ShowBlockers("10")
		return p
	},
	"pool": func() golden.View { return measured() },
	"poolempty": func() golden.View {
		b := standingtest.Kites()
		b.Tasks = nil
		return showing(b)
	},
	"loading": func() golden.View { return New() },
	"empty":   func() golden.View { return showing(&fleet.Board{At: standingtest.Noon, Phase: fleet.Fitting}) },
	"unasked": func() golden.View {
		return showing(&fleet.Board{At: standingtest.Noon, Phase: fleet.Sailing, Voyage: fleet.Voyage{Kind: fleet.Session}})
	},
	"filtered": func() golden.View {
		p := at(List, "8")
		_ = p.SetFilter("login")
		p.HideCompleted(true)
		return p
	},
	"none": func() golden.View {
		p := at(List, "8")
		_ = p.SetFilter("no such thing")
		p.ReadyOnly(true)
		return p
	},
	"stale": func() golden.View {
		p := at(List, "8")
		p.SetNow(standingtest.Noon.Add(7 * time.Minute))
		return p
	},
	"knot": func() golden.View {
		p := showing(standingtest.Knotted())
		p.SetMode(Graph)
		return p
	},
	"why": func() golden.View {
		p := at(List, "8")
		p.ShowBlockers("10")
		return p
	},
	"whyknot": func() golden.View {
		p := showing(standingtest.Knotted())
		p.ShowBlockers("d")
		return p
	},
}

func at(m Mode, id string) *Pane {
	p := showing(standingtest.Harbour())
	p.SetMode(m)
	p.Select(id)
	return p
}

func TestScreens(t *testing.T) { golden.Screens(t, states) }
