package notify

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
	"ocaptain/fleet/summed"
)

// look is one look at the needs, at some time after the first helm began.
type look struct {
	at      time.Duration
	all     []need.Need
	restart bool          // helm restarted just before
	slept   time.Duration // how long ago the hub woke; 0 when it has not slept since helm began
	tells   string        // the reason in the announced need; "" if none is announced
}

var start = time.Date(2026, 11, 25, 8, 0, 0, 0, time.UTC)

// asks returns the need of a ship that asks a question, since that long after the start.
func asks(ship, why string, since time.Duration) need.Need {
	return need.Need{Kind: fleet.NeedAnswer, Voyage: "v", Ships: []string{ship}, Why: why, Since: start.Add(since)}
}

func away(why string, ships ...string) need.Need {
	return need.Need{Kind: fleet.NeedUnreachable, Voyage: "v", Ships: ships, Why: why, Since: start}
}

func failed(why string, ships ...string) need.Need {
	return need.Need{Kind: fleet.NeedFailed, Voyage: "v", Ships: ships, Why: why, Since: start}
}

func held(why string, ids ...string) need.Need {
	n := need.Need{Kind: fleet.NeedHold, Voyage: why, Task: ids[0], Why: why, Since: start}
	if len(ids) > 1 {
		n.Tasks = ids
	}
	return n
}

func disk(since time.Duration) need.Need {
	return need.Need{Kind: fleet.NeedDisk, Voyage: "v", Why: "full", Since: start.Add(since)}
}

func list(all ...need.Need) []need.Need { return all }

func TestTold(t *testing.T) {
	const minute = time.Minute
	one := list(asks("ship-0", "a", 0))
	for name, looks := range map[string][]look{
		"once, once more after an hour, and never again": {
			{at: 0, all: one, tells: "a"},
			{at: 1, all: one},
			{at: 59 * minute, all: one},
			{at: 60 * minute, all: one, tells: "a"},
			{at: 61 * minute, all: one},
			{at: 48 * time.Hour, all: one},
		},
		"the most urgent first, one after the other": {
			{at: 0, all: list(asks("ship-0", "a", 0), asks("ship-1", "b", 0)), tells: "a"},
			{at: 1, all: list(asks("ship-0", "a", 0), asks("ship-1", "b", 0)), tells: "b"},
			{at: 2, all: list(asks("ship-0", "a", 0), asks("ship-1", "b", 0))},
		},
		"what comes back is told again": {
			{at: 20 * minute, all: list(away("x", "ship-0")), tells: "x"},
			{at: 25 * minute},
			{at: 35 * minute, all: list(away("x", "ship-0")), tells: "x"},
			{at: 36 * minute, all: list(away("x", "ship-0"))},
		},
		"what comes and goes is told every ten minutes at most": {
			{at: 20 * minute, all: list(away("x", "ship-0")), tells: "x"},
			{at: 21 * minute},
			{at: 22 * minute, all: list(away("x", "ship-0"))},
			{at: 23 * minute},
			{at: 24 * minute, all: list(away("x", "ship-0"))},
			{at: 30 * minute, all: list(away("x", "ship-0")), tells: "x"},
			{at: 31 * minute, all: list(away("x", "ship-0"))},
		},
		"nor does it help to give another reason": {
			{at: 20 * minute, all: list(away("x", "ship-0", "ship-1")), tells: "x"},
			{at: 21 * minute, all: list(away("y", "ship-1"))},
			{at: 22 * minute, all: list(away("y", "ship-1"))},
			{at: 40 * minute, all: list(away("z", "ship-0", "ship-1"))},
		},
		"a ship's next question waits for its turn, that of another ship does not": {
			{at: 20 * minute, all: one, tells: "a"},
			{at: 21 * minute, all: list(asks("ship-0", "a", 21*minute))},
			{at: 22 * minute, all: list(asks("ship-0", "a", 21*minute), asks("ship-1", "b", 22*minute)), tells: "b"},
			{at: 30 * minute, all: list(asks("ship-0", "a", 21*minute)), tells: "a"},
		},
		"another ship with the same trouble is not told": {
			{at: 0, all: list(failed("x", "ship-0")), tells: "x"}, {at: 20 * minute, all: list(failed("x", "ship-0", "ship-1"))},
		},
		"another ship that is out of reach is told, after a while": {
			{at: 0, all: list(away("x", "ship-0")), tells: "x"},
			{at: 9 * minute, all: list(away("y", "ship-0", "ship-1"))},
			{at: 10 * minute, all: list(away("z", "ship-0", "ship-1")), tells: "z"},
			{at: 20 * minute, all: list(away("x", "ship-1"))},
			{at: 30 * minute, all: list(away("x", "ship-0", "ship-1"))},
			{at: 60 * minute, all: list(away("x", "ship-0", "ship-1")), tells: "x"},
			{at: 70 * minute, all: list(away("x", "ship-0", "ship-1"))},
		},
		"a task that is one of several is told of every ten minutes at most": {
			{at: 0, all: list(held("x", "1", "2")), tells: "x"},
			{at: 5 * minute, all: list(held("y", "2"))},
			{at: 6 * minute, all: list(held("y", "2", "3")), tells: "y"},
			{at: 16 * minute, all: list(held("z", "2")), tells: "z"},
		},
		"a restart tells nothing again": {
			{at: 20 * minute, all: one, tells: "a"},
			{at: 40 * minute, restart: true},
			{at: 45 * minute, all: one},
			{at: 55 * minute, all: one},
			{at: 80 * minute, all: one, tells: "a"},
			{at: 100 * minute, restart: true, all: one},
			{at: 10 * time.Hour, all: one},
		},
		"not even what helm dates anew": {
			{at: 20 * minute, all: list(disk(20 * minute)), tells: "full"},
			{at: 40 * minute, restart: true},
			{at: 41 * minute, all: list(disk(41 * minute))},
			{at: 55 * minute, all: list(disk(41 * minute))},
			{at: 56 * minute},
			{at: 57 * minute, all: list(disk(57 * minute)), tells: "full"},
		},
		"what began while helm was down is new": {
			{at: 20 * minute, all: one, tells: "a"}, {at: 40 * minute, restart: true, all: list(asks("ship-0", "a", 39*minute)), tells: "a"},
		},
		"what is over after a restart is over": {
			{at: 20 * minute, all: one, tells: "a"}, {at: 40 * minute, restart: true}, {at: 51 * minute}, {at: 52 * minute, all: one, tells: "a"},
		},
		"a sleep of the hub ends nothing": {
			{at: 20 * minute, all: list(away("x", "ship-0")), tells: "x"}, {at: 40 * minute, slept: minute}, {at: 45 * minute, slept: 6 * minute, all: list(away("x", "ship-0"))},
		},
		"a clock that is set back keeps nothing quiet for longer": {
			{at: 48 * time.Hour, all: one, tells: "a"}, {at: 0, all: one}, {at: 60 * minute, all: one, tells: "a"},
		},
	} {
		t.Run(name, func(t *testing.T) { follow(t, looks) })
	}
}

// follow makes the looks one after the other, and stores what was announced in a file, as helm does.
func follow(t *testing.T, looks []look) {
	path := filepath.Join(t.TempDir(), "told.json")
	began := start
	told, err := Load(path, began)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range looks {
		now := start.Add(l.at)
		if l.restart {
			began = now
			if told, err = Load(path, began); err != nil {
				t.Fatal(err)
			}
		}
		awake := began
		if l.slept > 0 {
			awake = now.Add(-l.slept)
		}
		changed, tells := told.See(now, awake, l.all), ""
		if n := told.Next(now, l.all); n != nil {
			told.Add(now, n)
			tells, changed = n.Why, true
		}
		if changed {
			if err := summed.Write(path, told, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if tells != l.tells {
			t.Errorf("after %s it tells %q, not %q; it has told %+v", l.at, tells, l.tells, told.Calls)
		}
	}
}

// Needs that have ended are forgotten after a while.
func TestToldForgets(t *testing.T) {
	told := &Told{}
	for n := range 100 {
		now := start.Add(time.Duration(n) * time.Minute)
		all := list(asks("ship-0", "a", time.Duration(n)*time.Minute))
		told.See(now, start.Add(-time.Hour), all)
		if next := told.Next(now, all); next != nil {
			told.Add(now, next)
		}
	}
	if len(told.Calls) > 2 || slices.ContainsFunc(told.Calls, func(c Call) bool { return start.Add(99*time.Minute).Sub(c.Last) > rest }) {
		t.Errorf("it remembers %+v", told.Calls)
	}
}
