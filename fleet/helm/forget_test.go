package helm

import (
	"fmt"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// TestForgetPast has a claim taken back and its task completed by another ship. As long as somebody may ask for what was, it is known, also
// by the next helm; then nothing of it is left.
func TestForgetPast(t *testing.T) {
	t.Parallel()
	h, d, v, _ := stoppedVoyage(t)
	s, _ := fakeShip(t, v, "ship-0")
	claims := func(ship string) *tasks.State {
		g, err := v.store.Claim(t.Context(), ship, "1")
		if err != nil {
			t.Fatal(err)
		}
		v.addEvent(kindCheckout, checkout{Task: "1", Ship: ship, Epoch: g.Epoch})
		changes(v, func() {
			v.checkouts["1"], v.stands[ship] = g.Epoch, "1"
			if err := v.recordSteering(fleet.Steering{Task: "1", Ship: ship, Epoch: g.Epoch}); err != nil {
				t.Error(err)
			}
		})
		return v.state("1")
	}
	knows := func(when, want string) {
		t.Helper()
		v.forgetPast()
		is := reads(v, func() string {
			return fmt.Sprintf("%d checkouts, %d fences, %d steer, %d stand", len(v.checkouts), len(v.fences), len(v.steering), len(v.stands))
		})
		if is != want {
			t.Errorf("%s it knows %s, not %s", when, is, want)
		}
	}
	v.changeAnyway(func(f *fleet.Fleet) {
		f.Ships = append(f.Ships, &fleet.Ship{Name: "ship-0", Role: fleet.Worker, Agent: "claude", Provider: "local"})
	})
	first := claims("ship-0")
	knows("while it is held", "1 checkouts, 0 fences, 1 steer, 1 stand")
	if err := v.takeAway(first, "", tasks.Requeue{Reason: "no news"}); err != nil {
		t.Fatal(err)
	}
	knows("after it was taken back", "0 checkouts, 1 fences, 1 steer, 1 stand")
	second := claims("ship-9")
	if text := v.before("1", second.Epoch); text == "" || v.before("1", second.Epoch+1) != "" || v.before("2", 1) != "" {
		t.Errorf("its next owner is told %q", text)
	}
	if err := v.store.Complete(t.Context(), tasks.Completion{Task: "1", Owner: "ship-9", Epoch: second.Epoch}); err != nil {
		t.Fatal(err)
	}
	knows("once it is completed", "0 checkouts, 1 fences, 1 steer, 1 stand")
	if fate, err := s.claimFate(t.Context(), proto.Claim{Task: "1", Epoch: first.Epoch}); err != nil || fate.Why != "no news" {
		t.Errorf("the ship that had it is told %+v, %v", fate, err)
	}
	for n := range uint64(3 * mostFences) { // which ends with what was taken back first
		v.addFence(fence{Task: "1", Ship: "ship-0", Epoch: 100 + n, Why: "no news"})
	}
	knows("after many more", fmt.Sprintf("0 checkouts, %d fences, 1 steer, 1 stand", mostFences))
	v.saveAnyway()
	v.close()
	h.mu.Lock()
	delete(h.voyages, d.ID())
	h.mu.Unlock()
	v = openStill(t, h, d)
	knows("after helm was started again", fmt.Sprintf("0 checkouts, %d fences, 1 steer, 1 stand", mostFences))
	v.changeAnyway(func(f *fleet.Fleet) { f.Ships = nil })
	knows("when its ship is gone", "0 checkouts, 0 fences, 1 steer, 0 stand")
}
