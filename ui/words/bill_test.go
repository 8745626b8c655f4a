package words

import (
	"testing"
	"time"

	"ocaptain/fleet"
)

func TestBill(t *testing.T) {
	for want, b := range map[string]fleet.Bill{
		"": {}, "$0.30 an hour, $2.10 so far, by your own prices": {Hour: 0.3, SoFar: 2.1},
		"$2.10 so far, by your own prices": {SoFar: 2.1}, "<$0.01 an hour, $0.00 so far, by your own prices": {Hour: 0.001},
	} {
		if got := Costs(b); got != want {
			t.Errorf("%+v is %q, want %q", b, got, want)
		}
	}
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	s := fleet.ShipView{Ship: fleet.Ship{Created: now.Add(-3 * time.Hour), Idle: 45 * time.Minute}}
	if got := ShipCost(now, &s); got != "" {
		t.Errorf("no price is %q", got)
	}
	if s.Price = 0.1; ShipCost(now, &s) != "$0.10 an hour, $0.30 so far, by your own prices" || RestTime(&s) != "45m" || RestTime(&fleet.ShipView{}) != "" {
		t.Errorf("%q, %q", ShipCost(now, &s), RestTime(&s))
	}
	if got := RestTime(&fleet.ShipView{Status: fleet.Status{Word: fleet.Done}}); got != "0s" {
		t.Errorf("it rests since the last look, and is %q", got)
	}
	working := fleet.ShipView{}
	if got := AllRest([]fleet.ShipView{s, s}) + AllRest([]fleet.ShipView{s, working}) + AllRest(nil); got != "idle for 45m" {
		t.Errorf("%q", got)
	}
}
