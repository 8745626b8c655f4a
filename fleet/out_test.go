package fleet

import (
	"testing"
	"time"
)

// A machine counts from the request to the proof that it is gone.
func TestOut(t *testing.T) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	f := &Fleet{}
	for _, tt := range []struct {
		phase ShipPhase
		stays string
		out   bool
	}{{Planned, "", false}, {Provisioning, "", true}, {Afloat, "", true}, {Going, "", true}, {Failed, "", false}, {Failed, "503", true}} {
		s := &Ship{Provider: "sprites", Phase: tt.phase, Remains: Remains{Stays: tt.stays}, Created: now.Add(-2 * time.Hour)}
		if f.Ships = append(f.Ships, s); s.IsOut() != tt.out {
			t.Errorf("%s %q: out is %t", tt.phase, tt.stays, s.IsOut())
		}
	}
	g := Guards{Prices: map[string]float64{"sprites": 0.5}}
	if got, want := g.AddUp(now, f), (Bill{Hour: 2, SoFar: 4}); got != want || f.CountOut() != 4 {
		t.Errorf("%d out, %+v", f.CountOut(), got)
	}
	f.Lasted(now, f.Ships[5])
	f.Ships = f.Ships[:5]
	if got, want := g.AddUp(now, f), (Bill{Hour: 1.5, SoFar: 4}); got != want {
		t.Errorf("one is gone: %+v", got)
	}
}
