package helm

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/ledger"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/sprites/spritestest"
)

// TestAnotherOrganization has the token of another organization take the place of that which made a sprite, once
// with a text that tells so and once with one that only sprites.dev can tell of: what is not there says nothing.
func TestAnotherOrganization(t *testing.T) {
	for _, bare := range []bool{false, true} {
		hub := newHub(t)
		acme := spritestest.Start(t, spritestest.Options{Exe: program, Args: []string{"aboard", "sshd"}, Bare: bare})
		wile := spritestest.Start(t, spritestest.Options{Exe: program, Args: []string{"aboard", "sshd"}, Bare: bare, Org: "wile"})
		atSprites(t, acme, hub)
		h := startHelm(t, hub)
		p := h.providers["sprites"].(booked)
		const old, unseen, lost, name = "voyage-0123456789ab-ship0", "voyage-0123456789ab-ship1", "voyage-0123456789ab-ship2", "voyage-0123456789ab-ship3"
		for _, n := range []string{old, lost, name} {
			acme.Add(n, "ocaptain:"+h.install, "voyage:voyage-0123456789ab")
		}
		asked := time.Now().UTC()
		for n, account := range map[string]string{old: "", unseen: "", lost: "", name: "acme"} { // earlier versions kept none
			if err := h.book.Enter(ledger.Entry{Provider: "sprites", Name: n, Voyage: "voyage-0123456789ab", Asked: asked, Account: account}); err != nil {
				t.Fatal(err)
			}
		}
		acme.Remove(lost)
		for _, o := range look(t, h, "sprites").Orphans {
			if seen := o.Name == old || o.Name == name; o.Seen != seen || !seen && !strings.Contains(o.Why, "cannot be looked for: nothing tells which account it belongs to, and in acme it is not") {
				t.Errorf("bare %v: %+v", bare, o)
			}
		}
		if e, _ := h.book.Get("sprites", old); e.Account != "acme" {
			t.Errorf("whose a machine is that was seen is not learnt: %+v", e)
		}

		atSprites(t, wile, hub)
		for _, n := range []string{old, unseen, name} {
			why := "it belongs to acme, and the token or login is of wile"
			if n == unseen {
				why = "nothing tells which account it belongs to, and in wile it is not; if it is gone for certain, remove " + h.book.File("sprites", n)
			}
			_, ensured := p.Ensure(context.Background(), n)
			_, created := p.Create(context.Background(), provider.Spec{Name: n})
			for what, err := range map[string]error{
				"ensure": ensured, "create": created, "destroy": p.Destroy(context.Background(), n),
				"scrap": p.Scrap(context.Background(), provider.Machine{Name: n, Labels: map[string]string{provider.Install: h.install}}),
			} {
				if err == nil || !strings.Contains(err.Error(), why) {
					t.Errorf("bare %v: %s %s: %v", bare, what, n, err)
				}
			}
			if !h.book.Has("sprites", n) {
				t.Errorf("bare %v: %s is struck out", bare, n)
			}
		}
		for _, o := range look(t, h, "sprites").Orphans {
			if !strings.Contains(o.Why, "cannot be looked for") || strings.Contains(o.Why, "may be gone") {
				t.Errorf("bare %v: %+v", bare, o)
			}
		}
		if got := wile.Names(); len(got) > 0 {
			t.Errorf("made in the other organization: %q", got)
		}

		atSprites(t, acme, hub)
		for _, n := range []string{unseen, lost} { // the captain knows better
			if err := os.Remove(h.book.File("sprites", n)); err != nil {
				t.Fatal(err)
			}
		}
		for _, n := range []string{old, unseen, lost, name} {
			if err := p.Destroy(context.Background(), n); err != nil {
				t.Error(err)
			}
		}
		if got := acme.Names(); len(got) > 0 {
			t.Errorf("left: %q", got)
		}
		emptyBook(t, hub)
	}
}

// Who logs in as another while a machine is being destroyed has not seen the end of it.
func TestLoginChangesMeanwhile(t *testing.T) {
	hub := newHub(t)
	acme := newSprites(t)
	wile := spritestest.Start(t, spritestest.Options{Org: "wile"})
	atSprites(t, acme, hub)
	h := startHelm(t, hub)
	p := h.providers["sprites"].(booked)
	const name = "voyage-0123456789ab-ship0"
	if err := h.book.Enter(ledger.Entry{Provider: "sprites", Name: name, Account: "acme"}); err != nil {
		t.Fatal(err)
	}
	err := p.strike(context.Background(), name, SweepTarget{}, func() error { atSprites(t, wile, hub); return nil })
	if err == nil || !strings.Contains(err.Error(), "changed meanwhile") || !h.book.Has("sprites", name) {
		t.Errorf("got %v", err)
	}
}

// A captain at exe.dev who logs in as another is told so, and nothing is struck out.
func TestAnotherAccountAtExe(t *testing.T) {
	hub := newHub(t)
	exe := newExe(t)
	knowsExe(t, exe, hub)
	h := startHelm(t, hub)
	const name = "voyage-0123456789ab-ship0"
	for _, account := range []string{"eve@example.org", ""} {
		if err := h.book.Enter(ledger.Entry{Provider: "exedev", Name: name, Account: account}); err != nil {
			t.Fatal(err)
		}
		err := h.providers["exedev"].Destroy(context.Background(), name)
		if err == nil || !strings.Contains(err.Error(), "cannot be looked for") || !h.book.Has("exedev", name) {
			t.Errorf("destroyed: %v", err)
		}
		if got := look(t, h, "exedev").Orphans; len(got) != 1 || !strings.Contains(got[0].Why, "cannot be looked for") {
			t.Errorf("found %+v", got)
		}
	}
}

// TestNeverAskedFor destroys what a provider that was down may have, and never had: nothing is left to look for.
func TestNeverAskedFor(t *testing.T) {
	hub := newHub(t)
	atSprites(t, newSprites(t), hub)
	h := startHelm(t, hub)
	const name = "voyage-0123456789ab-ship0"
	if err := h.book.Doom("sprites", name, "no answer"); err != nil {
		t.Fatal(err)
	}
	if err := h.providers["sprites"].Destroy(t.Context(), name); err != nil || h.book.Has("sprites", name) {
		t.Errorf("%v; in the ledger: %t", err, h.book.Has("sprites", name))
	}
}
