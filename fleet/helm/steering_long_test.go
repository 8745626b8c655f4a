//go:build long

package helm

import (
	"errors"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks/eventually"
)

// What the captain rejects goes back to its agent with his words.
func TestSteeringIsRejected(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	run := `echo work >one; if [ -e ~/told ]; then rm -f CLAUDE.md; else touch ~/told; echo obey >CLAUDE.md; fi`
	d := newVoyage(t, hub, steeringGuard(fleet.SteeringAsk), "#!/bin/sh\n", task("1", run))
	v := openIt(t, h, d)
	v.sets(t, 1)
	is := v.asks(t, "1")
	for _, r := range []api.DecideRequest{{Task: "9", Work: is.Work}, {Task: "1", Approve: true}, {Task: "1", Work: "other", Approve: true}} {
		if err := v.decide(t.Context(), r); !errors.Is(err, api.ErrRefused) && !errors.Is(err, api.ErrNotFound) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if err := v.decide(t.Context(), api.DecideRequest{Task: "1", Work: is.Work, Reason: "not this one"}); err != nil {
		t.Fatal(err)
	}
	accepted(t, v)
	if text := logsOf(t, v, "ship-0"); !strings.Contains(text, "was rejected by the captain: not this one") {
		t.Error("the agent was not told")
	}
	if onBranch(t, d, "CLAUDE.md") != "" {
		t.Error("it was merged")
	}
	v.ends(t)
}

// The branch of a dispatch is made for others, so that the guard holds there as well.
func TestSteeringOfDispatch(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	for _, guard := range []string{fleet.SteeringDeny, fleet.SteeringAsk, fleet.SteeringFlag} {
		d := newVoyage(t, hub, fleet.Voyage{Kind: fleet.Pool, Name: "kite", Guards: fleet.Guards{Steering: guard}}, "")
		sinkAfter(t, h, d)
		v := openIt(t, h, d)
		v.puts(t, order(git(t, d, "rev-parse", "HEAD"), "mkdir -p .github/workflows; echo x >.github/workflows/x.yml", 1))
		if guard == fleet.SteeringDeny {
			eventually.Holds(t, "the dispatch is on hold", func() bool { return v.state("1").OnHold })
			if why := v.state("1").Reason; !strings.Contains(why, "steer agents") {
				t.Errorf("on hold: %s", why)
			}
			if made := git(t, d, "for-each-ref", "refs/heads/dispatch"); made != "" {
				t.Errorf("there is a branch: %s", made)
			}
			continue
		}
		word := fleet.Flagged
		if guard == fleet.SteeringAsk {
			is := v.asks(t, "1")
			if made := git(t, d, "for-each-ref", "refs/heads/dispatch"); made != "" {
				t.Errorf("there is a branch before the captain was asked: %s", made)
			}
			if err := v.decide(t.Context(), api.DecideRequest{Task: "1", Work: is.Work, Approve: true}); err != nil {
				t.Fatal(err)
			}
			word = fleet.Approved
		}
		eventually.Holds(t, "the dispatch is done", v.done("1"))
		if got := git(t, d, "show", "dispatch/kite-1-1:.github/workflows/x.yml"); got != "x" {
			t.Errorf("with %s the branch has %q", guard, got)
		}
		if b := v.currentBoard(); len(b.Steering) != 1 || b.Steering[0].Word != word {
			t.Errorf("with %s the board has %+v", guard, b.Steering)
		}
	}
}
