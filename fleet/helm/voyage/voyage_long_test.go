//go:build long

package voyage

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	gosync "sync"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks/eventually"
)

// TestPassedForAnOlderHead verifies at the captain's word after a failure, while he commits: what passed is not what is there.
func TestPassedForAnOlderHead(t *testing.T) {
	t.Parallel()
	v := lacksTwo(t)
	d := v.Dir
	commit := func(file string) {
		if err := os.WriteFile(filepath.Join(d.Workspace(), file), nil, 0o600); err != nil {
			t.Error(err)
		}
		git(t, d, "add", file)
		git(t, d, "-c", "user.name=c", "-c", "user.email=c@example.org", "commit", "-qm", file)
	}
	commit("two")
	var once gosync.Once
	err := v.Verifier.Now(t.Context(), api.VerifyRequest{}, func(api.Progress) { once.Do(func() { commit("three") }) })
	if err == nil || !strings.Contains(err.Error(), "verify again") || !v.is(fleet.VerifyFailed)() {
		t.Fatalf("%v, %s", err, v.Roster.Now().Phase)
	}
	if err := v.Verifier.Now(t.Context(), api.VerifyRequest{}, nil); err != nil || !v.is(fleet.Complete)() {
		t.Fatalf("%v, %s", err, v.Roster.Now().Phase)
	}
}

// TestHelmEndsDuringSail ends helm while ships are fitted out: nothing is taken back,
// and the next helm goes on.
func TestHelmEndsDuringSail(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "echo 1 >one"))
	first := startHelm(t, hub)
	v := openIt(t, first, d)
	ctx, cancel := context.WithCancel(first.ctx) // as a request's
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- v.Fit.ProvisionFirst(ctx, api.SailRequest{Ships: 2}, func(p api.Progress) {
			if p.Step == "look" {
				first.stop()
			}
		})
	}()
	if err := <-ended; err == nil {
		t.Fatal("sail came through although helm ended")
	}
	first.Close()
	f, err := fleet.LoadFleet(d)
	if err != nil || f.Phase != fleet.Fitting || len(f.Ships) != 2 {
		t.Fatalf("after the end: %+v, %v", f, err)
	}
	second := startHelm(t, hub)
	sinkAfter(t, second, d)
	eventually.Holds(t, "complete", openIt(t, second, d).is(fleet.Complete))
}
