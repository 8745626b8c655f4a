package voyage

import (
	"errors"
	"os"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
)

// TestSweepOfWhatIsGone sweeps a machine that no provider lists any more: nothing is destroyed, and nothing fails.
func TestSweepOfWhatIsGone(t *testing.T) {
	t.Parallel()
	h := startHelm(t, newHub(t))
	var said []api.Progress
	gone := api.SweepRequest{Machines: []api.SweepTarget{{Provider: "local", Name: "voyage-0f0f0f0f0f0f-ship0"}}}
	err := h.Sweeper.Sweep(t.Context(), gone, func(p api.Progress) { said = append(said, p) })
	if err != nil || len(said) != 1 || said[0].State != api.StepNote || !strings.Contains(said[0].Text, "local does not list it any more") {
		t.Errorf("%v, %+v", err, said)
	}
}

// TestSweepOfADamagedVoyage sweeps a machine whose voyage cannot be read: that voyage may still need the machine.
func TestSweepOfADamagedVoyage(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	d := newVoyage(t, hub, fleet.Voyage{}, "")
	if err := os.WriteFile(d.FleetFile(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := startHelm(t, hub)
	of := api.SweepRequest{Machines: []api.SweepTarget{{Provider: "local", Name: d.ID() + "-ship0"}}}
	if err := h.Sweeper.Sweep(t.Context(), of, func(api.Progress) {}); !errors.Is(err, api.ErrRefused) || !strings.Contains(err.Error(), "a voyage has it") {
		t.Errorf("it is %v", err)
	}
}
