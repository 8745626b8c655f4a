//go:build long

package voyage

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/install"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/tokens"
)

// TestCount counts the machines of this install at providers that answer; for the others it returns
// the machines on record.
func TestCount(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	if got := install.Count(t.Context(), hub, describe.Settings{}).Providers; len(got) > 0 {
		t.Errorf("before anything was made: %+v", got)
	}
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "true"))
	sinkAfter(t, h, d)
	if err := openIt(t, h, d).Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 2}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	if got := install.Count(t.Context(), hub, describe.Settings{}).Providers; len(got) != 1 || got[0] != (machines.Count{Provider: "local", Machines: 2, Recorded: 2}) {
		t.Errorf("two ships: %+v", got)
	}

	// A machine known only by its record, at a service that is down.
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	defer down.Close()
	if err := tokens.StoreOf(hub).KeepToken("sprites", tokens.Token{Secret: "acme/org-1/token-1/secret", URL: down.URL}); err != nil {
		t.Fatal(err)
	}
	one := machines.Record{ID: machines.ID{Provider: "sprites", Name: fleet.NewID() + "-ship0"}}
	if err := machines.Of(hub).Put(one); err != nil {
		t.Fatal(err)
	}
	got := install.Count(t.Context(), hub, describe.Settings{}).Providers
	if len(got) != 2 || got[0].Machines != 2 || got[1].Provider != "sprites" || got[1].Recorded != 1 || got[1].Why == "" || got[1].Machines != 0 {
		t.Errorf("a service that is down: %+v", got)
	}
	if err := os.Remove(machines.Of(hub).File(one.ID)); err != nil {
		t.Fatal(err)
	}
}
