package facts

import (
	"testing"
	"time"
)

func TestSpent(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	at := func(minutes int) time.Time { return now.Add(time.Duration(minutes) * time.Minute) }
	u := &Used{}
	for _, s := range []struct {
		now, at int
		usd     float64
	}{
		{0, 0, 1}, {0, 0, 1}, {10, 10, 2}, {20, 15, 1}, {20, 90, 1}, {20, 20, -5}, {30, -40, 100}, // the last entry has a time long ago
	} {
		u.Spend(at(s.now), at(s.at), s.usd)
	}
	for _, test := range []struct {
		now   int
		limit float64
		cost  float64
		until int // -1 if the ship does not rest
	}{
		{30, 0, 6, -1},
		{30, 10, 6, -1},
		{30, 6, 6, 60}, // below the limit when the first two dollars are an hour old
		{30, 4, 6, 70}, // and the next two dollars
		{30, 1, 6, 80}, // and all dollars
		{65, 5, 4, -1}, // the first two dollars are too old to count
		{65, 3, 4, 70},
		{200, 1, 0, -1},
	} {
		if cost := u.HourCost(at(test.now)); cost != test.cost {
			t.Errorf("after %d minutes the last hour has cost $%g, want $%g", test.now, cost, test.cost)
		}
		want := time.Time{}
		if test.until >= 0 {
			want = at(test.until)
		}
		if got := u.RestsUntil(at(test.now), test.limit); !got.Equal(want) {
			t.Errorf("after %d minutes, with a limit of $%g: until %s, want %s", test.now, test.limit, got, want)
		}
	}
	for i := range 1000 {
		u.Spend(at(i), at(i), 1)
	}
	if len(u.Lately) > 61 {
		t.Errorf("%d moments are kept", len(u.Lately))
	}
}
