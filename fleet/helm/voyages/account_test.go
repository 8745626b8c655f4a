package voyages

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/tasks/eventually"
)

// TestAnotherOrganization replaces the token of the organization that made a sprite by another organization's,
// once with a text that tells so and once with a text that only sprites.dev can attribute: a missing sprite
// proves nothing.
func TestAnotherOrganization(t *testing.T) {
	t.Parallel()
	at := func(name string) machines.ID { return machines.ID{Provider: "sprites", Name: name} }
	for _, bare := range []bool{false, true} {
		hub := helmtest.Hub(t)
		acme := spritestest.Start(t, spritestest.Options{Exe: helmtest.Program, Args: []string{"aboard", "sshd"}, Bare: bare})
		wile := spritestest.Start(t, spritestest.Options{Exe: helmtest.Program, Args: []string{"aboard", "sshd"}, Bare: bare, Org: "wile"})
		helmtest.AtSprites(t, acme, hub)
		h := newSet(t, hub)
		p := h.Providers["sprites"]
		const old, unseen, lost, name = "voyage-0123456789ab-ship0", "voyage-0123456789ab-ship1", "voyage-0123456789ab-ship2", "voyage-0123456789ab-ship3"
		for _, n := range []string{old, lost, name} {
			acme.Add(n, "ocaptain:"+h.Install, "voyage:voyage-0123456789ab")
		}
		asked := time.Now().UTC()
		for n, account := range map[string]string{old: "", unseen: "", lost: "", name: "acme"} { // "" when nothing told it
			if err := h.Machines.Put(machines.Record{ID: at(n), Voyage: "voyage-0123456789ab", Asked: asked, Account: account}); err != nil {
				t.Fatal(err)
			}
		}
		acme.Remove(lost)
		for _, o := range find(t, h, "sprites").Orphans {
			if seen := o.Name == old || o.Name == name; o.Seen != seen || !seen && !strings.Contains(o.Why, "cannot be looked for: nothing tells which account it belongs to, and in acme it is not") {
				t.Errorf("bare %v: %+v", bare, o)
			}
		}
		if e, _ := h.Machines.Get(at(old)); e.Account != "acme" {
			t.Errorf("whose a machine is that was seen is not learnt: %+v", e)
		}

		helmtest.AtSprites(t, wile, hub)
		for _, n := range []string{old, unseen, name} {
			why := "it belongs to acme, and the token or login is of wile"
			if n == unseen {
				why = "nothing tells which account it belongs to, and in wile it is not; if it is gone for certain, remove " + h.Machines.File(at(n))
			}
			_, ensured := p.Ensure(context.Background(), n)
			_, created := p.Create(context.Background(), provider.Spec{Name: n})
			for what, err := range map[string]error{
				"ensure": ensured, "create": created, "destroy": p.Destroy(context.Background(), n),
			} {
				if err == nil || !strings.Contains(err.Error(), why) {
					t.Errorf("bare %v: %s %s: %v", bare, what, n, err)
				}
			}
			if !h.Machines.Has(at(n)) {
				t.Errorf("bare %v: %s is forgotten", bare, n)
			}
		}
		for _, o := range find(t, h, "sprites").Orphans {
			if !strings.Contains(o.Why, "cannot be looked for") || strings.Contains(o.Why, "may be gone") {
				t.Errorf("bare %v: %+v", bare, o)
			}
		}
		if got := wile.Names(); len(got) > 0 {
			t.Errorf("made in the other organization: %q", got)
		}

		helmtest.AtSprites(t, acme, hub)
		for _, n := range []string{unseen, lost} { // the captain knows better
			if err := os.Remove(h.Machines.File(at(n))); err != nil {
				t.Fatal(err)
			}
		}
		eventually.Holds(t, "all are gone", func() bool { // without anybody's asking again
			all, err := h.Machines.All()
			return err == nil && len(all) == 0
		})
		if got := acme.Names(); len(got) > 0 {
			t.Errorf("left: %q", got)
		}
		helmtest.NoRecords(t, hub)
	}
}

// A captain at exe.dev who logs in as another is told so, and nothing is forgotten.
func TestAnotherAccountAtExe(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	exe := helmtest.Exe(t)
	helmtest.AtExe(t, exe, hub)
	h := newSet(t, hub)
	id := machines.ID{Provider: "exedev", Name: "voyage-0123456789ab-ship0"}
	for _, account := range []string{"eve@example.org", ""} {
		if err := h.Machines.Put(machines.Record{ID: id, Account: account, Asked: time.Now()}); err != nil {
			t.Fatal(err)
		}
		err := h.Providers["exedev"].Destroy(context.Background(), id.Name)
		if err == nil || !strings.Contains(err.Error(), "cannot be looked for") || !h.Machines.Has(id) {
			t.Errorf("destroyed: %v", err)
		}
		if got := find(t, h, "exedev").Orphans; len(got) != 1 || !strings.Contains(got[0].Why, "cannot be looked for") {
			t.Errorf("found %+v", got)
		}
	}
}
