//go:build long

package voyage

import (
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/need"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestNightOfSession is one night of a session of three epics: the account meets its limit for two hours, helm is ended again and again, the
// laptop sleeps, a worker's machine is lost, and the validator's does not answer for an hour. In the morning all is verified.
func TestNightOfSession(t *testing.T) {
	t.Parallel()
	n := newShift(t, 1)
	n.at(1)
	n.mu.Lock()
	n.dies = true
	n.mu.Unlock()
	n.at(2)
	n.limits()
	n.kill()
	if out, err := n.life.v.Captain.AddEpic(t.Context(), api.EpicRequest{Text: "one more", Priority: 2}); err != nil {
		t.Fatal(out, err)
	}
	n.at(4)
	n.passes(time.Hour, true)
	if is := n.needs(); len(is) > 0 {
		t.Errorf("after a sleep it needs %q", is)
	}
	n.at(5)
	n.reviewing("validator-0")
	n.loses("validator-0", true)
	was := n.done()
	for i := range int(time.Hour / step) {
		n.passes(step, false)
		if i == 6 {
			n.kill()
		}
		if i == 0 || i == 6 {
			continue // it may come back in a moment
		}
		if is := n.needs(); len(is) != 1 || !strings.Contains(is[0], "validator-0 cannot be reached") {
			t.Errorf("without its validator it needs %q", is)
		}
	}
	if is := n.done(); is != was {
		t.Errorf("%d tasks are merged without the validator", is-was)
	}
	n.loses("validator-0", false)
	n.at(10)
	n.kill()
	n.at(12)
	v := n.life.v
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	if is := n.needs(); len(is) > 0 {
		t.Errorf("in the morning it needs %q", is)
	}
	if b := v.Board(); !b.Verify.Passed || b.Verify.Commit != git(t, n.dir, "rev-parse", v.Info.Branch) {
		t.Errorf("it was verified as %+v", b.Verify)
	}
	if n.deaths != 1 {
		t.Errorf("%d machines were lost", n.deaths)
	}
	n.end()
	checkSimulation(t, n.simulation, true)
}

// limits has the account limited for two hours, in which helm is ended. No agent has to go on sooner, and the captain is not asked.
func (n *shift) limits() {
	n.t.Helper()
	n.mu.Lock()
	n.limit = time.Now().Add(2 * time.Hour)
	n.mu.Unlock()
	was := n.done()
	for i := range int(2*time.Hour/step) - 1 {
		n.passes(step, false)
		if i == 8 {
			n.kill()
		}
		n.mu.Lock()
		if len(n.told) > 0 && i > 2 {
			n.t.Errorf("at step %d of the limit agents were told to go on: %v", i, n.told)
		}
		n.mu.Unlock()
		if is := n.needs(); len(is) > 0 {
			n.t.Errorf("at step %d of the limit it needs %q", i, is)
		}
	}
	if is := n.done(); is > was+1 { // that was approved before
		n.t.Errorf("%d tasks are merged during the limit", is-was)
	}
}

// TestNightWithoutValidator loses the machine of the only validator: everything that can be done without it is done, and in the morning the
// captain hears of nothing else.
func TestNightWithoutValidator(t *testing.T) {
	t.Parallel()
	n := newShift(t, 1)
	n.at(1)
	n.reviewing("validator-0")
	n.loses("validator-0", true)
	for range int(8 * time.Hour / step) {
		n.passes(step, false)
	}
	n.kill()
	n.passes(step, false)
	v := n.life.v
	b := v.Board()
	is := need.All(time.Now(), &b, need.Away{})
	if len(is) != 1 || is[0].Kind != fleet.NeedUnreachable || is[0].Who() != "validator-0" || is[0].Command != "ocaptain ship replace validator-0 --voyage "+n.dir.ID() {
		t.Errorf("in the morning it needs %+v", is)
	}
	for _, s := range v.Store.Snapshot().Tasks {
		if s.Parent() != "" && s.Status != tasks.Completed && s.HandIn == nil {
			t.Errorf("task %s is %s, and is not handed in", s.ID, s.Status)
		}
	}
	n.end()
	checkSimulation(t, n.simulation, false)
}

// TestNightOfLimits has the account's service refuse it without end, and never say until when: the captain hears so once it has
// lasted.
func TestNightOfLimits(t *testing.T) {
	t.Parallel()
	n := newShift(t, 1)
	n.at(1)
	n.mu.Lock()
	n.limit, n.mute = time.Now().Add(1000*time.Hour), true
	n.mu.Unlock()
	for i := range 2 * int(time.Hour/step) {
		if n.passes(step, false); i < 9 && len(n.needs()) > 0 {
			t.Errorf("at step %d it needs %q", i, n.needs())
		}
	}
	n.kill()
	n.passes(step, false)
	b := n.life.v.Board()
	now := time.Now()
	is := need.All(now, &b, need.Away{})
	if len(is) != 1 || is[0].Kind != fleet.NeedLimited || is[0].Why != "session limit" || now.Sub(is[0].Since) < time.Hour {
		t.Errorf("in the morning it needs %+v", is)
	}
	n.mu.Lock()
	n.limit = time.Time{}
	n.mu.Unlock()
	n.at(8)
	if is := n.needs(); len(is) > 0 {
		t.Errorf("when it is over it needs %q", is)
	}
	n.end()
}
