package launch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/install"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider/sprites"
)

// A token of another organization does not take the place of that with which ships can be sunk.
func TestKeepSpritesOfAnotherOrganization(t *testing.T) {
	dir := t.TempDir()
	hub := fleet.Hub{Home: dir, Config: dir, State: filepath.Join(dir, "state"), Voyages: filepath.Join(dir, "voyages"), Runtime: filepath.Join(dir, "run")}
	keep := func(token string) error { return KeepSprites(hub, sprites.Credentials{Token: token}, "") }
	if err := keep("acme/org/id/0123456789"); err != nil {
		t.Fatal(err)
	}
	d := fleet.Dir(filepath.Join(hub.Voyages, "voyage-aaaaaaaaaaaa"))
	if err := os.Mkdir(string(d), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := (fleet.Voyage{ID: d.ID()}).Save(d); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		token, provider string
		refused         bool
	}{
		{"acme/org/id/abcdefghij", "sprites", false},
		{"wile/org/id/0123456789", "sprites", true},
		{"wile/org/id/0123456789", "local", false},
	} {
		if err := (&fleet.Fleet{Phase: fleet.Sailing, Ships: []*fleet.Ship{{Name: "ship0", Provider: c.provider}}}).Save(d); err != nil {
			t.Fatal(err)
		}
		err := keep(c.token)
		if c.refused != (err != nil) || err != nil && !strings.Contains(err.Error(), `voyage-aaaaaaaaaaaa has ships of the organization "acme"`) {
			t.Errorf("%+v: %v", c, err)
		}
		if kept, err := sprites.Kept(hub); err != nil || (kept.Token == c.token) == c.refused {
			t.Errorf("%+v: kept is of %s, %v", c, kept.OrganizationOf(), err)
		}
	}
}

// A token whose text does not tell whose it is, is looked at all the same, and so are machines whose voyage is gone.
func TestKeepSpritesByTheirWord(t *testing.T) {
	dir := t.TempDir()
	hub := fleet.Hub{Home: dir, Config: dir, State: filepath.Join(dir, "state"), Voyages: filepath.Join(dir, "voyages"), Runtime: filepath.Join(dir, "run")}
	bare := func(org string) error { return KeepSprites(hub, sprites.Credentials{Token: "0123456789"}, org) }
	e := machines.Record{ID: machines.ID{Provider: "sprites", Name: "voyage-aaaaaaaaaaaa-ship0"}, Voyage: "voyage-aaaaaaaaaaaa", Account: "acme"}
	if err := install.Machines(hub).Put(e); err != nil {
		t.Fatal(err)
	}
	if err := bare("wile"); err == nil || !strings.Contains(err.Error(), `has ships of the organization "acme" on sprites.dev, and this token is of "wile"`) {
		t.Errorf("another organization's: %v", err)
	}
	if err := errors.Join(bare("acme"), bare("Acme")); err != nil {
		t.Error(err)
	}
	if err := os.Remove(install.Machines(hub).File(e.ID)); err != nil {
		t.Fatal(err)
	}
	if err := bare("wile"); err != nil {
		t.Errorf("once nothing is there any more: %v", err)
	}
}
