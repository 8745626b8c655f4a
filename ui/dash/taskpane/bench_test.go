package taskpane

import (
	"strconv"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/ui/dash/golden"
	"ocaptain/ui/dash/patchview"
	"ocaptain/ui/dash/standing/standingtest"
	"ocaptain/ui/dash/tasksheet"
)

// again returns a copy of a board as if read again, with the first n waiting tasks claimed.
func again(b *fleet.Board, n int) *fleet.Board {
	next := *b
	next.Tasks = make([]tasks.State, len(b.Tasks))
	for i := range b.Tasks {
		next.Tasks[i] = b.Tasks[i]
		next.Tasks[i].ID = string([]byte(b.Tasks[i].ID)) // equal to the old id, but another string, as from JSON
		next.Tasks[i].BlockedBy = copied(b.Tasks[i].BlockedBy)
		next.Tasks[i].Blocks = copied(b.Tasks[i].Blocks)
		if n > 0 && next.Tasks[i].Status == tasks.Pending {
			n--
			next.Tasks[i].Status, next.Tasks[i].Owner = tasks.InProgress, "ship-7"
		}
	}
	return &next
}

func copied(ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string([]byte(id))
	}
	return out
}

func BenchmarkSetBoard(b *testing.B) {
	board := standingtest.Large(10_000)
	other := standingtest.Large(9_999)
	for name, next := range map[string]*fleet.Board{"same": again(board, 0), "changed=10": again(board, 10)} {
		for m := List; m <= Graph; m++ {
			b.Run(name+"/"+m.String(), func(b *testing.B) {
				p := showing(board)
				p.SetMode(m)
				pair := [2]*fleet.Board{next, board}
				n := 0
				for b.Loop() {
					p.SetBoard(pair[n%2], standingtest.Noon)
					n++
				}
			})
		}
	}
	for m := List; m <= Graph; m++ {
		b.Run("another/"+m.String(), func(b *testing.B) {
			p := showing(board)
			p.SetMode(m)
			pair := [2]*fleet.Board{other, board}
			n := 0
			for b.Loop() {
				p.SetBoard(pair[n%2], standingtest.Noon)
				n++
			}
		})
	}
}

func BenchmarkView(b *testing.B) {
	for m := List; m <= Graph; m++ {
		b.Run(m.String(), func(b *testing.B) {
			p := showing(standingtest.Large(10_000))
			p.SetMode(m)
			p.Select("5000")
			for b.Loop() {
				p.View(200, 50)
			}
		})
	}
}

func BenchmarkGrep(b *testing.B) {
	p := showing(standingtest.Large(10_000))
	n := 0
	for b.Loop() {
		n++
		if err := p.SetFilter("number " + strconv.Itoa(n%10) + ".*usual"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCauses(b *testing.B) {
	p := showing(standingtest.Large(10_000))
	for b.Loop() {
		p.Causes("10000")
	}
}

func BenchmarkCompanions(b *testing.B) {
	p := showing(standingtest.Large(10_000))
	p.ShowBlockers("10000")
	d := tasksheet.New(&showing(standingtest.Told()).Tasks, "3")
	d.SetData(standingtest.Loaded())
	d.Bottom()
	v := patchview.NewDiffView("ship-0")
	v.SetLines(standingtest.Loaded().Patch)
	for name, s := range map[string]golden.View{"why": p, "detail": d, "diff": v} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s.View(200, 50)
			}
		})
	}
}

// A frame with a megabyte of text costs little more than any other.
func BenchmarkHugeText(b *testing.B) {
	p := showing(standingtest.Haunted(strings.Repeat("\x1b[1m語", 200_000)))
	for b.Loop() {
		p.View(200, 50)
	}
}
