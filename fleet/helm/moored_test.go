package helm

import (
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/apitest"
)

// A device that is not where the ship says, or is another ship's, is not recorded as the ship's.
func TestMooredElsewhere(t *testing.T) {
	fake, h, v := moorage(t, apitest.Options{})
	one, two := hand(0), hand(1)
	key, err := v.moor(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	d, err := fake.Join(key.Secret(), two.MachineName(v.dir.ID())) // ship-0 says that it is ship-1
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.harbour.book.Change(one.MachineName(v.dir.ID()), func(r *tailnet.Berth) { r.Node = d.Node }); err != nil {
		t.Fatal(err)
	}
	if _, err := v.moor(t.Context(), two); err != nil {
		t.Fatal(err)
	}
	for ip, want := range map[string]string{"fd7a:115c:a1e0::dead": "Tailscale says otherwise", d.IPs[0]: "is that of " + one.MachineName(v.dir.ID())} {
		if _, err := v.moored(t.Context(), two, ip); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", ip, err)
		}
		if r, _, _ := h.harbour.book.Get(two.MachineName(v.dir.ID())); r.Node != "" {
			t.Errorf("%s is recorded", r.Node)
		}
	}
}

// Asking again and again for what is leaving already does not make Tailscale be asked more often.
func TestUnmoorIsPatient(t *testing.T) {
	fake, h, v := moorage(t, apitest.Options{})
	leave := func(n int) {
		t.Helper()
		key, err := v.moor(t.Context(), hand(n))
		if err == nil {
			_, err = fake.Join(key.Secret(), hand(n).MachineName(v.dir.ID()))
		}
		if err == nil {
			_, err = h.harbour.leave(hand(n).MachineName(v.dir.ID()))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	leave(0)
	tries := func(left map[string]bool) (n int) {
		before := len(fake.Requests())
		h.clearLeaving(left)
		return len(fake.Requests()) - before
	}
	fake.Plan(apitest.Fault{Times: 1000, Misdeed: apitest.Refuse})
	left, some := h.clearLeaving(nil)
	if !some || len(left) != 1 {
		t.Fatalf("%v, %t", left, some)
	}
	if n := tries(left); n > 0 {
		t.Errorf("asked %d times for what was tried just now", n)
	}
	leave2 := func() { fake.Forgive(); leave(1); fake.Plan(apitest.Fault{Times: 1000, Misdeed: apitest.Refuse}) }
	leave2()
	more, some := h.clearLeaving(left)
	if !some || len(more) != 1 || left[hand(1).MachineName(v.dir.ID())] {
		t.Errorf("the other: %v, %t", more, some)
	}
	fake.Forgive()
	h.jobs.Go(h.unmoor)
	until(t, "both are gone", 20*time.Second, func() bool { return len(fake.Devices()) == 0 })
	leave(2)
	for range 50 {
		h.harbour.poke()
	}
	until(t, "the last is gone", 20*time.Second, func() bool { return len(fake.Devices()) == 0 })
}
