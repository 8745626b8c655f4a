package guard

import (
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
)

// A jump of the calendar makes no ship old, neither while it lasts nor when it is corrected. A sleep does, and so
// does time without a helm.
func TestJumps(t *testing.T) {
	const year = 8760 * time.Hour
	g := fleet.Guards{MaxAge: 8 * time.Hour, SinkOld: true}
	type step struct {
		ran, wall time.Duration // the times that pass before the step
		sink      bool
		told      string
	}
	for name, steps := range map[string][]step{
		"a helm begins":          {{0, 0, false, ""}, {9 * time.Minute, 9 * time.Minute, false, ""}, {2 * time.Minute, 2 * time.Minute, true, ""}},
		"asleep":                 {{0, 0, false, ""}, {9 * time.Hour, 9 * time.Hour, true, ""}},
		"small corrections":      {{0, 0, false, ""}, {time.Hour, time.Hour + time.Minute, true, ""}, {time.Hour, time.Hour - time.Minute, true, ""}},
		"a year ahead, and back": {{0, 0, false, ""}, {time.Hour, time.Hour, true, ""}, {5, year, false, "the clock has jumped by 8760h: no ship is sunk for its age until it has run evenly for 10m"}, {9 * time.Minute, 9 * time.Minute, false, "jumped by 8760h"}, {5, -year, false, "the clock has jumped and is back"}, {9 * time.Minute, 9 * time.Minute, false, "and is back"}, {time.Minute, time.Minute, true, ""}},
		"set back":               {{0, 0, false, ""}, {time.Hour, time.Hour, true, ""}, {5, -year, false, "jumped back by 8760h"}},
		"after a sleep":          {{0, 0, false, ""}, {9 * time.Hour, year, false, "the clock has jumped by 8751h"}},
		"it stays so":            {{0, 0, false, ""}, {time.Hour, time.Hour, true, ""}, {5, year, false, "by 8760h"}, {10 * time.Minute, 10 * time.Minute, true, ""}, {5, 5, true, ""}, {time.Hour, 0, false, "back by 1h"}},
	} {
		var c Clock
		wall, ran := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC), 40*time.Hour
		ship := &fleet.Ship{Name: "ship-1", Provider: "sprites", Phase: fleet.Afloat, Created: wall.Add(-9 * time.Hour)}
		if by := AsOf(g, c); TooOldForTasks(by, wall, ship) {
			t.Errorf("%s: sunk before anybody looked", name)
		}
		for i, s := range steps {
			wall, ran = wall.Add(s.wall), ran+s.ran
			c.Compare(wall, ran)
			ship.Created = wall.Add(-9 * time.Hour)
			by := AsOf(g, c)
			sunk := JudgeShip(by, wall, Watched{Ship: ship, Status: fleet.Idle}).Sink != ""
			if told := ClockDoubt(g, c); sunk != s.sink || TooOldForTasks(by, wall, ship) != s.sink || !strings.Contains(told, s.told) || s.told == "" && told != "" {
				t.Errorf("%s, step %d: sunk: %t, told %q", name, i, sunk, told)
			}
		}
	}
}

// The other guards apply whatever the clock does, and a limit of seconds does not wait for ten minutes.
func TestGuardsWithoutAges(t *testing.T) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	var c Clock
	c.Compare(now, time.Hour)
	c.Compare(now.Add(time.Hour), time.Hour)
	g := fleet.Guards{IdleWarning: time.Minute, SinkVerified: true}
	if got := AsOf(g, c); got.IdleWarning != g.IdleWarning || !got.SinkVerified || ClockDoubt(g, c) != "" {
		t.Errorf("%+v, %q", got, ClockDoubt(g, c))
	}
	short := fleet.Guards{MaxAge: 10 * time.Second, SinkOld: true}
	if AsOf(short, c).SinkOld {
		t.Error("sunk right after a jump")
	}
	c.Compare(now.Add(time.Hour+10*time.Second), time.Hour+10*time.Second)
	if !AsOf(short, c).SinkOld {
		t.Error("put off for longer than the age")
	}
}
