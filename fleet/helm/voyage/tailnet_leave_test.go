package voyage

import (
	"strings"
	"testing"

	"ocaptain/fleet/machines"
	"ocaptain/fleet/tailnet/apitest"
	"ocaptain/tasks/eventually"
)

// A device that is not where the ship says, or is another ship's, is not recorded as the ship's.
func TestJoinedElsewhere(t *testing.T) {
	t.Parallel()
	fake, h, v := inTailnet(t, apitest.Options{})
	one, two := hand(0), hand(1)
	key, err := h.Machines.JoinKey(t.Context(), machines.IDOf(v.dir.ID(), one))
	if err != nil {
		t.Fatal(err)
	}
	d, err := fake.Join(key.Secret(), two.MachineName(v.dir.ID())) // ship-0 says that it is ship-1
	if err != nil {
		t.Fatal(err)
	}
	r, _ := h.Machines.Get(machines.IDOf(v.dir.ID(), one))
	r.Tailnet.Node = d.Node
	if err := h.Machines.Put(r); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Machines.JoinKey(t.Context(), machines.IDOf(v.dir.ID(), two)); err != nil {
		t.Fatal(err)
	}
	for ip, want := range map[string]string{"fd7a:115c:a1e0::dead": "Tailscale says otherwise", d.IPs[0]: "is that of " + one.MachineName(v.dir.ID())} {
		if _, err := h.Machines.Joined(t.Context(), machines.IDOf(v.dir.ID(), two), ip); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", ip, err)
		}
		if r, _ := h.Machines.Get(machines.IDOf(v.dir.ID(), two)); r.Tailnet.Node != "" {
			t.Errorf("%s is recorded", r.Tailnet.Node)
		}
	}
}

// Asking again and again for what is leaving already does not make Tailscale be asked more often.
func TestLeavingIsPatient(t *testing.T) {
	t.Parallel()
	fake, h, v := inTailnet(t, apitest.Options{})
	refuse := func() { fake.Plan(apitest.Fault{Times: 1000, Misdeed: apitest.Refuse}) }
	destroy := func(n int) {
		t.Helper()
		if err := h.Machines.Destroy(t.Context(), machines.IDOf(v.dir.ID(), hand(n)), "tested", nil); err != nil {
			t.Fatal(err)
		}
	}
	joins(t, fake, v, hand(0))
	joins(t, fake, v, hand(1))
	refuse()
	destroy(0)
	asked := len(fake.Requests())
	for range 50 {
		destroy(0)
	}
	if n := len(fake.Requests()) - asked; n > 0 {
		t.Errorf("asked %d times for what was tried just now", n)
	}
	destroy(1) // which waits for no other
	if n := len(fake.Requests()); n == asked {
		t.Error("nobody was asked for the other")
	}
	fake.Forgive()
	eventually.Holds(t, "both are gone", func() bool { return len(fake.Devices()) == 0 })
	joins(t, fake, v, hand(2))
	destroy(2)
	if len(fake.Devices()) > 0 {
		t.Error("the last is not gone")
	}
	eventually.Holds(t, "nothing is on record", func() bool { return len(records(t, h)) == 0 })
}
