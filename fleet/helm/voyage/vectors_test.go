package voyage

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/search/meaning/meaningtest"
	"ocaptain/fleet/tokens"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestVectors has a ship find code by what it means, with a key that it does not get.
func TestVectors(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	fake := meaningtest.New(t)
	if err := tokens.StoreOf(hub).KeepToken("openai", tokens.Token{Secret: meaningtest.Key, URL: fake.URL}); err != nil {
		t.Fatal(err)
	}
	d := helmtest.Voyage(t, hub, fleet.Voyage{AgentTools: fleet.AgentTools{Search: true, Embeddings: fleet.Embeddings{Service: "openai", Tokens: 2000}}}, "#!/bin/sh\n",
		helmtest.Task("1", `printf 'package a\n\n// Erase does it.\nfunc Erase(name string) {\n\terase(name)\n}\n' >a.go; ocaptain search delete >~/found 2>&1; env >~/env`))
	h := startHelm(t, hub)
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "its task is completed", func() bool { return v.Store.Snapshot().Task("1").Status == tasks.Completed })
	home := reads(v, func() string { return v.Roster.Now().Ships[0].Home })
	found, err := os.ReadFile(filepath.Join(home, "found"))
	if err != nil || !strings.Contains(string(found), "a.go:3-6  Erase") {
		t.Errorf("the ship found %q: %v", found, err)
	}
	env, err := os.ReadFile(filepath.Join(home, "env"))
	if err != nil || strings.Contains(string(env), meaningtest.Key) {
		t.Errorf("the ship has the key: %v", err)
	}
}
