package helm

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/sprites"
	"ocaptain/fleet/tokens"
)

func TestCount(t *testing.T) {
	lost := provider.Machine{State: provider.Unknown, Note: "host build1: no route"}
	for name, tt := range map[string]struct {
		was      Tally
		machines []provider.Machine
		err      error
		want     Tally
	}{
		"listed":          {Tally{Recorded: 1}, make([]provider.Machine, 2), nil, Tally{Recorded: 1, Machines: 2}},
		"cannot be asked": {Tally{Recorded: 2}, nil, errors.New("no \x1b[2Jroute"), Tally{Recorded: 2, Why: "no route"}},
		"never used":      {Tally{}, nil, sprites.ErrNoToken, Tally{}},
		"token is gone":   {Tally{Recorded: 1}, nil, sprites.ErrNoToken, Tally{Recorded: 1, Why: sprites.ErrNoToken.Error()}},
		"one is silent":   {Tally{Recorded: 2}, []provider.Machine{{State: provider.Running}, lost}, nil, Tally{Recorded: 2, Machines: 2, Why: "host build1: no route"}},
	} {
		got := tt.was
		if got.count(tt.machines, tt.err); got != tt.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestCensus counts the machines of this install at providers that answer, and tells of those
// that do not what is on record.
func TestCensus(t *testing.T) {
	hub := newHub(t)
	if got := Census(t.Context(), hub, Places{}); len(got) > 0 {
		t.Errorf("before anything was made: %+v", got)
	}
	h := startHelm(t, hub)
	d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "true"))
	sinkAfter(t, h, d)
	if err := openIt(t, h, d).sail(context.Background(), SailRequest{Ships: 2}, func(Progress) {}); err != nil {
		t.Fatal(err)
	}
	if got := Census(t.Context(), hub, Places{}); len(got) != 1 || got[0] != (Tally{Provider: "local", Machines: 2, Recorded: 2}) {
		t.Errorf("two ships: %+v", got)
	}

	// A voyage of which nothing but its record is left, at a service that is down.
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	defer down.Close()
	if err := tokens.Of(hub).Keep("sprites", tokens.Token{Secret: "acme/org-1/token-1/secret", URL: down.URL}); err != nil {
		t.Fatal(err)
	}
	other := fleet.Dir(filepath.Join(hub.Voyages, fleet.NewID()))
	if err := os.MkdirAll(string(other), 0o755); err != nil {
		t.Fatal(err)
	}
	f := fleet.Fleet{Phase: fleet.Sailing, Ships: []*fleet.Ship{{Name: "ship-0", Provider: "sprites", Phase: fleet.Afloat}, {Name: "ship-1", Provider: "sprites", Phase: fleet.Failed}}}
	if err := errors.Join(fleet.Voyage{ID: other.ID()}.Save(other), f.Save(other)); err != nil {
		t.Fatal(err)
	}
	got := Census(t.Context(), hub, Places{})
	if len(got) != 2 || got[0].Machines != 2 || got[1].Provider != "sprites" || got[1].Recorded != 1 || got[1].Why == "" || got[1].Machines != 0 {
		t.Errorf("a service that is down: %+v", got)
	}
	if err := os.RemoveAll(string(other)); err != nil {
		t.Fatal(err)
	}
}
