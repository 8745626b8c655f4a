package helm

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/sprites"
	"ocaptain/fleet/tokens"
)

func TestCounted(t *testing.T) {
	lost := provider.Machine{State: provider.Unknown, Note: "host build1: no route"}
	record, listed := &machines.Record{}, &provider.Machine{State: provider.Running}
	for name, tt := range map[string]struct {
		all  []machines.Machine
		err  error
		want []Tally
	}{
		"listed":          {[]machines.Machine{{Record: record, Listed: listed}, {Listed: listed}}, nil, []Tally{{Recorded: 1, Machines: 2}}},
		"not listed":      {[]machines.Machine{{Record: record, Absent: "it may be gone"}}, nil, []Tally{{Recorded: 1, Unlisted: 1}}},
		"others'":         {[]machines.Machine{{Listed: listed, Others: true}}, nil, nil},
		"cannot be asked": {[]machines.Machine{{Record: record}}, errors.New("no \x1b[2Jroute"), []Tally{{Recorded: 1, Why: "no route"}}},
		"never used":      {nil, sprites.ErrNoToken, nil},
		"token is gone":   {[]machines.Machine{{Record: record}}, sprites.ErrNoToken, []Tally{{Recorded: 1, Why: sprites.ErrNoToken.Error()}}},
		"one is silent":   {[]machines.Machine{{Listed: listed}, {Record: record, Listed: &lost}}, nil, []Tally{{Recorded: 1, Machines: 2, Why: "host build1: no route"}}},
	} {
		if got := counted(tt.all, []machines.Answer{{Err: tt.err}}, owned{}); !slices.Equal(got.Tallies, tt.want) {
			t.Errorf("%s: %+v", name, got.Tallies)
		}
	}
}

// TestCensus counts the machines of this install at providers that answer, and tells of those
// that do not what is on record.
func TestCensus(t *testing.T) {
	hub := newHub(t)
	if got := Count(t.Context(), hub, Places{}).Tallies; len(got) > 0 {
		t.Errorf("before anything was made: %+v", got)
	}
	h := startHelm(t, hub)
	d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "true"))
	sinkAfter(t, h, d)
	if err := openIt(t, h, d).sail(context.Background(), api.SailRequest{Ships: 2}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	if got := Count(t.Context(), hub, Places{}).Tallies; len(got) != 1 || got[0] != (Tally{Provider: "local", Machines: 2, Recorded: 2}) {
		t.Errorf("two ships: %+v", got)
	}

	// A machine of which nothing but its record is left, at a service that is down.
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	defer down.Close()
	if err := tokens.Of(hub).Keep("sprites", tokens.Token{Secret: "acme/org-1/token-1/secret", URL: down.URL}); err != nil {
		t.Fatal(err)
	}
	one := machines.Record{ID: machines.ID{Provider: "sprites", Name: fleet.NewID() + "-ship0"}}
	if err := Machines(hub).Put(one); err != nil {
		t.Fatal(err)
	}
	got := Count(t.Context(), hub, Places{}).Tallies
	if len(got) != 2 || got[0].Machines != 2 || got[1].Provider != "sprites" || got[1].Recorded != 1 || got[1].Why == "" || got[1].Machines != 0 {
		t.Errorf("a service that is down: %+v", got)
	}
	if err := os.Remove(Machines(hub).File(one.ID)); err != nil {
		t.Fatal(err)
	}
}
