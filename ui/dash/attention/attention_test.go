package attention

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
	"ocaptain/tasks"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// board returns a board with ships in these statuses, and a task for them.
func board(all ...fleet.Status) *fleet.Board {
	b := &fleet.Board{Phase: fleet.Sailing, Tasks: []tasks.State{{Task: tasks.Task{ID: "1", Status: tasks.Pending}}}}
	for i, st := range all {
		s := fleet.ShipView{Status: st}
		s.Name = "ship-" + string(rune('0'+i))
		b.Ships = append(b.Ships, s)
	}
	return b
}

func asks(since time.Time) fleet.Status {
	return fleet.Status{Word: fleet.Waiting, Need: fleet.NeedAnswer, Reason: "which one?", Since: since}
}

var works = fleet.Status{Word: fleet.Working, Since: noon}

// look returns what the captain is told about a board at a time.
func (w *Watch) look(b *fleet.Board, at time.Time) []string {
	news, _ := w.News(b, Look(at, b, need.Away{}), at)
	return news
}

// A need is announced once when it arises, and once more when it has waited for an hour.
func TestWatch(t *testing.T) {
	var w Watch
	at := func(d time.Duration) time.Time { return noon.Add(d) }
	says := func(when time.Duration, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("after %v it tells %q, want %q", when, got, want)
		}
	}
	old, fresh := asks(at(-3*time.Hour)), asks(at(time.Minute))
	says(0, w.look(board(old, works), at(0))) // the needs are on the screen already
	both := board(old, fresh)
	says(time.Minute, w.look(both, at(time.Minute)), "ship-1 asks you: which one?")
	says(2*time.Minute, w.look(both, at(2*time.Minute)))
	says(time.Hour, w.look(both, at(time.Hour)))
	says(61*time.Minute, w.look(both, at(61*time.Minute)), "ship-1 asks you: which one?, for 1h00m")
	says(62*time.Minute, w.look(both, at(62*time.Minute)))
	says(5*time.Hour, w.look(both, at(5*time.Hour)))
	says(6*time.Hour, w.look(board(works, works), at(6*time.Hour)))
	says(7*time.Hour, w.look(board(works, asks(at(7*time.Hour))), at(7*time.Hour)), "ship-1 asks you: which one?")
	// A need without a beginning counts as waiting since it was first seen.
	held := board(works)
	held.Tasks[0].OnHold, held.Tasks[0].Reason = true, "exit 3"
	says(8*time.Hour, w.look(held, at(8*time.Hour)), "task 1 is on hold: exit 3")
	says(9*time.Hour, w.look(held, at(9*time.Hour)), "task 1 is on hold: exit 3, for 1h00m")
	many := board(fresh, fresh, fresh, fresh, fresh)
	if got := w.look(many, at(10*time.Hour)); len(got) != 3 || got[2] != "and 3 more need you; ! goes to them" {
		t.Errorf("of many it tells %q", got)
	}
}

// The end of a voyage is announced, and earlier needs are not; a failed verify.sh is a need.
func TestWatchOfTheEnd(t *testing.T) {
	var w Watch
	b := board(works)
	end := func(p fleet.Phase) (string, bool) {
		next := *b
		next.Phase, next.Since = p, noon
		news, completed := w.News(&next, Look(noon, &next, need.Away{}), noon)
		return strings.Join(news, "\n"), completed
	}
	if _, completed := end(fleet.Complete); completed {
		t.Error("what was so before is told")
	}
	end(fleet.Sailing)
	if news, completed := end(fleet.VerifyFailed); completed || !strings.Contains(news, "failed to verify") {
		t.Errorf("it tells %q, completed: %v", news, completed)
	}
	if _, completed := end(fleet.Complete); !completed {
		t.Error("the end is not told")
	}
}

// The watch knows beforehand when time alone will make a need, so that the dashboard looks again.
func TestRipens(t *testing.T) {
	b := board(fleet.Status{Word: fleet.Exited, Need: fleet.NeedExited, Reason: "exit code 1", Since: noon})
	if n := Look(noon, b, need.Away{}); len(n.All) != 0 || !n.Ripens() {
		t.Errorf("before its grace is over: %+v, ripens: %v", n.All, n.Ripens())
	}
	if n := Look(noon.Add(time.Minute), b, need.Away{}); len(n.All) != 1 || n.Ripens() {
		t.Errorf("afterwards: %+v, ripens: %v", n.All, n.Ripens())
	}
	b.Disk = fleet.Hindrance{Why: "no space left on device", Since: noon.Add(time.Minute)}
	if n := Look(noon.Add(time.Minute), b, need.Away{}); !n.Ripens() {
		t.Error("a full disk is forgotten")
	}
	b.Phase, b.Tasks[0].Status, b.Disk = fleet.Complete, tasks.Completed, fleet.Hindrance{}
	if n := Look(noon, b, need.Away{}); n.Ripens() {
		t.Error("it is looked again and again at what never becomes a need")
	}
}

// A note that says the same as a need, or a coming one, is kept and not shown: the need is announced instead.
func TestNotesOfNeeds(t *testing.T) {
	b := board(asks(noon), works)
	b.Repository = fleet.Hindrance{Why: "a merge of yours is under way", Since: noon}
	b.Ships[1].Guard = "older than 8h"
	var n Notes
	n.News(b, Look(noon, b, need.Away{}))
	b.Notes = []fleet.Note{
		{Ship: "ship-0", Text: "its screen which one?, and nobody answers"},
		{Ship: "ship-1", Text: "which one?"},
		{Text: "nothing is merged: a merge of yours is under way; it goes on by itself"},
		{Ship: "ship-1", Text: "it is old", Guard: "older than 8h"},
		{Text: "it rains"},
	}
	show, keep := n.News(b, Look(noon, b, need.Away{}))
	if want := []string{"ship-1: which one?", "it rains"}; !slices.Equal(show, want) || len(keep) != 3 {
		t.Errorf("shown: %q, want %q; kept: %+v", show, want, keep)
	}
}

// Ships with needs are told from ships whose status only looks like a need.
func TestNeedsOfShips(t *testing.T) {
	limited := fleet.Status{Word: fleet.Limited, Reason: "until 14:00", Since: noon.Add(-time.Hour)}
	b := board(limited, works, asks(noon))
	b.Ships[1].Guard = "older than 8h"
	n := Look(noon, b, need.Away{})
	for i, want := range []struct{ has, status bool }{{false, false}, {true, false}, {true, true}} {
		if s := &b.Ships[i]; n.Has(s.Name) != want.has || n.HasStatus(s) != want.status {
			t.Errorf("%s: has %v, status %v", s.Name, n.Has(s.Name), n.HasStatus(s))
		}
	}
	if n.Rank("ship-2") != 0 || n.Rank("ship-1") != 1 || n.Rank("ship-0") != 2 {
		t.Errorf("the ranks are %d, %d and %d", n.Rank("ship-2"), n.Rank("ship-1"), n.Rank("ship-0"))
	}
}
