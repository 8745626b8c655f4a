//go:build long

package voyage

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/link"
	"ocaptain/fleet/need"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/tasks/eventually"
)

// TestTokenIsRevoked takes the token away in the middle of a voyage whose machines are reached
// without it: agents work on, and what needs the service says what it lacks. With another token
// it goes on, the sinking by itself.
func TestTokenIsRevoked(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	f, token := atExe(t, hub, exedevtest.Config{})
	d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "exedev"}, "#!/bin/sh\n", gated("1", "echo 1 >one"), gated("2", "echo 2 >two"))
	h := startHelm(t, hub)
	v := openIt(t, h, d)
	v.sets(t, 1)
	claim := v.works(t, "ship-0")

	f.Revoke(token)
	f.Hang() // every connection ends, and only those to machines can be made again
	why := []string{"exe.dev", "token", "EXE_TOKEN", "ocaptain doctor --provider exedev"}
	if err := v.Fit.Add(context.Background(), api.AddRequest{Ships: 1}, func(api.Progress) {}); err == nil || !contains(err.Error(), why) {
		t.Errorf("a ship is added: %v", err)
	}
	v.says(t, "ship-1", fleet.Errored, why...)
	if n := len(f.Machines()); n != 1 {
		t.Errorf("%d machines", n)
	}
	s, err := v.ShipNamed("ship-0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Reach.Link().AwaitConnected(s.Context); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reach.Link().Run(s.Context, link.Command{Argv: []string{"touch", "gate"}}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "complete", v.is(fleet.Complete))
	if now := v.Store.Snapshot().Task(claim.ID); now.Epoch != claim.Epoch {
		t.Errorf("task %s was claimed again", now.ID)
	}

	accepted(t, v)
	ended := make(chan error, 1)
	go func() {
		err := v.Fit.Sink(context.Background(), func(api.Progress) {})
		h.forget(v)
		ended <- err
	}()
	v.says(t, "ship-0", fleet.Leaving, append(why, fleet.UntilGone)...)
	eventually.Holds(t, "it is a need at once", func() bool {
		b := v.Board()
		return slices.ContainsFunc(need.All(time.Now(), &b, need.Away{}), func(n need.Need) bool { return n.Kind == fleet.NeedMachine })
	})
	fresh := helmtest.AtExe(t, f, hub)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	sunk(t, h, d, f.Machines)
	for _, secret := range []string{token, fresh} {
		for _, line := range f.Said() {
			if strings.Contains(line, secret) {
				t.Errorf("the token is in %q", line)
			}
		}
	}
}
