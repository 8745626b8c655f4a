package helm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/apitest"
)

// What helm has on the tailnet as a node by itself is in the book before it has it, and is removed however helm ends.
func TestNodeIsBooked(t *testing.T) {
	fake, h, _ := moorage(t, apitest.Options{})
	join := func(h *Helm) (host, secret string) {
		t.Helper()
		p, err := h.node().Pass(t.Context())
		if err != nil || p.Tag != tailnet.DefaultTag {
			t.Fatal(p, err)
		}
		r, there, err := h.harbour.book.Get(p.Host)
		if err != nil || !there || r.Leaving || len(fake.Keys()) != 1 || fake.Keys()[0].ID != r.Key {
			t.Fatalf("%+v, %v; there are %+v", r, err, fake.Keys())
		}
		d, err := fake.Join(p.Secret, p.Host)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.node().Joined(p.Host, d.Node); err != nil {
			t.Fatal(err)
		}
		return p.Host, p.Secret
	}
	first, secret := join(h)
	if strays, err := h.strays(t.Context()); err != nil || len(strays) > 0 {
		t.Errorf("helm's own node is an orphan: %+v, %v", strays, err)
	}
	if err := h.sweepStray(t.Context(), first); err == nil {
		t.Error("helm's own node was swept")
	}
	if err := h.node().Known(t.Context(), first); err != nil {
		t.Error(err)
	}
	_ = filepath.WalkDir(h.hub.Home, func(path string, _ os.DirEntry, _ error) error {
		if raw, _ := os.ReadFile(path); strings.Contains(string(raw), secret) {
			t.Errorf("the key is in %s", path)
		}
		return nil
	})
	again := startHelm(t, h.hub) // as after a crash
	second, _ := join(again)
	if first == second || len(fake.Devices()) != 2 {
		t.Errorf("%s, %s: %+v", first, second, fake.Devices())
	}
	if left, _ := again.clearLeaving(nil); len(left) > 0 || len(fake.Devices()) != 1 || fake.Devices()[0].Host != second {
		t.Errorf("left of the first: %v, %+v", left, fake.Devices())
	}
	again.node().Left(second)
	again.harbour.depart()
	away(t, fake, again)
	fake.Plan(apitest.Fault{Method: "POST", Path: "/tailnet/-/keys", Times: 1, Misdeed: apitest.Refuse})
	if _, err := again.node().Pass(t.Context()); err == nil {
		t.Error("there is a key all the same")
	}
	again.clearLeaving(nil)
	away(t, fake, again)
}

// The node is needed as long as a voyage has ships in the tailnet.
func TestNodeIsNeeded(t *testing.T) {
	_, h, v := moorage(t, apitest.Options{})
	if h.sailsTailnet() {
		t.Error("without a ship")
	}
	f := hand(0)
	v.keep(func(all *fleet.Fleet) { all.Ships = append(all.Ships, f) })
	if h.sailsTailnet() {
		t.Error("with one that is not in the tailnet")
	}
	v.keep(func(*fleet.Fleet) { f.Tailnet = &fleet.Tailnet{Node: "n1", IP: "fd7a:115c:a1e0::1", Port: 2222} })
	if !h.sailsTailnet() {
		t.Error("with one that is")
	}
	v.keep(func(all *fleet.Fleet) { all.Ships = nil })
	if h.sailsTailnet() {
		t.Error("with none any more")
	}
}

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
