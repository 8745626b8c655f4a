package sprites

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/tokens"
)

const aToken, anotherToken = "acme/org/id/0123456789", "acme/org/id/abcdefghij"

// finds returns the login that is found with these variables and an organization in config.yaml.
func finds(hub fleet.Hub, variables map[string]string, org string) (Credentials, error) {
	l, err := findLogin(describe.Captain{
		Hub:      hub,
		Variable: func(name string) (string, string) { return variables[name], "environment" },
		Setting: func(key string) (string, string) {
			if key != "sprites.org" {
				return "", ""
			}
			return org, "config.yaml:1"
		},
	})
	if err != nil {
		return Credentials{}, err
	}
	return l.(*login).own, nil
}

func testHub(t *testing.T) fleet.Hub {
	t.Helper()
	dir := t.TempDir()
	return fleet.Hub{Home: dir, Config: dir, State: filepath.Join(dir, "state"), Voyages: filepath.Join(dir, "voyages"), Runtime: filepath.Join(dir, "run")}
}

// The token is found in all places, and no error contains it.
func TestFindLogin(t *testing.T) {
	type vars = map[string]string
	for name, c := range map[string]struct {
		vars    vars
		org     string
		kept    string
		want    Credentials
		problem string
	}{
		"none":               {problem: "SPRITES_TOKEN is not set"},
		"environment":        {vars: vars{"SPRITES_TOKEN": aToken}, kept: anotherToken, want: Credentials{Token: aToken}},
		"other name":         {vars: vars{"SPRITE_TOKEN": aToken}, want: Credentials{Token: aToken}},
		"kept":               {kept: anotherToken, want: Credentials{Token: anotherToken}},
		"address":            {vars: vars{"SPRITES_TOKEN": aToken, "SPRITES_API_URL": "https://example.org"}, want: Credentials{Token: aToken, URL: "https://example.org"}},
		"in the clear":       {vars: vars{"SPRITES_TOKEN": aToken, "SPRITES_API_URL": "http://example.org"}, problem: "in the clear"},
		"organization":       {vars: vars{"SPRITES_TOKEN": aToken}, org: "acme", want: Credentials{Token: aToken}},
		"other organization": {vars: vars{"SPRITES_TOKEN": aToken}, org: "wile", problem: `belongs to "acme", and sprites.org (from config.yaml:1) is "wile"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", "")
			hub := testHub(t)
			if c.kept != "" {
				if err := tokens.StoreOf(hub).KeepToken("sprites", tokens.Token{Secret: c.kept}); err != nil {
					t.Fatal(err)
				}
			}
			got, err := finds(hub, c.vars, c.org)
			var f *describe.Fault
			switch {
			case c.problem == "" && (err != nil || got != c.want):
				t.Errorf("got %+v, %v", got, err)
			case c.problem != "" && (!errors.As(err, &f) || f.Refused || f.Unreached || !strings.Contains(err.Error(), c.problem)):
				t.Errorf("got %v", err)
			case f != nil && (strings.Contains(f.Error()+f.Fix, "0123456789") || strings.Contains(f.Error(), "abcdefghij")):
				t.Errorf("the token is in %v", f)
			}
		})
	}
}

// Without a token, the login of the command sprite is used, if there is one; and helm finds it.
func TestCommandLogin(t *testing.T) {
	bin := t.TempDir()
	program := filepath.Join(bin, "sprite")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	hub := testHub(t)
	if got, err := finds(hub, nil, ""); err == nil {
		t.Errorf("nobody has logged in: %+v", got)
	}
	file := filepath.Join(hub.Home, ".sprites", "sprites.json")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{"version":"1","current_selection":{"url":"https://api.sprites.dev","org":"acme"},"urls":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	acme, wile := Credentials{Command: program, Organization: "acme"}, Credentials{Command: program, Organization: "wile"}
	if got, err := finds(hub, nil, ""); err != nil || got != acme {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := finds(hub, map[string]string{"SPRITES_API_URL": "https://example.org"}, "wile"); err != nil || got != wile {
		t.Errorf("with an organization: %+v, %v", got, err)
	}
	if got, err := finds(hub, map[string]string{"SPRITES_TOKEN": aToken}, ""); err != nil || got.Command != "" || got.Token == "" {
		t.Errorf("with a token: %+v, %v", got, err)
	}
	if err := (&login{hub: hub, own: acme, org: "acme"}).Keep(); err != nil {
		t.Fatal(err)
	}
	if got, err := Kept(hub); err != nil || got != acme {
		t.Errorf("helm has %+v, %v", got, err)
	}
	// The command was moved since.
	t.Setenv("PATH", "")
	if got, err := finds(hub, nil, ""); err != nil || got != acme {
		t.Errorf("the one that is kept: %+v, %v", got, err)
	}
	if err := tokens.StoreOf(hub).KeepToken("sprites", tokens.Token{Secret: aToken}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	if got, err := finds(hub, nil, ""); err != nil || got.Token == "" || got.Command != "" {
		t.Errorf("a token that is kept wins: %+v, %v", got, err)
	}
}

// A token of another organization does not replace the login that is needed to sink ships.
func TestKeepOfAnotherOrganization(t *testing.T) {
	hub := testHub(t)
	keep := func(token string) error { return (&login{hub: hub, own: Credentials{Token: token}}).Keep() }
	if err := keep(aToken); err != nil {
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
		{anotherToken, "sprites", false},
		{"wile/org/id/0123456789", "sprites", true},
		{"wile/org/id/0123456789", "local", false},
	} {
		if err := (&fleet.Fleet{Phase: fleet.Sailing, Ships: []*fleet.Ship{{Name: "ship0", Provider: c.provider}}}).Save(d); err != nil {
			t.Fatal(err)
		}
		err := keep(c.token)
		var f *describe.Fault
		if c.refused != (errors.As(err, &f) && f.Refused) || err != nil && !strings.Contains(err.Error(), `voyage-aaaaaaaaaaaa has ships of the organization "acme"`) {
			t.Errorf("%+v: %v", c, err)
		}
		if kept, err := Kept(hub); err != nil || (kept.Token == c.token) == c.refused {
			t.Errorf("%+v: kept is of %s, %v", c, kept.OrganizationOf(), err)
		}
	}
}

// If a token's text does not name its organization, the service is asked, and machines whose voyage is gone count,
// too.
func TestKeepByTheirWord(t *testing.T) {
	hub := testHub(t)
	bare := func(org string) error {
		return (&login{hub: hub, own: Credentials{Token: "0123456789"}, org: org}).Keep()
	}
	e := machines.Record{ID: machines.ID{Provider: "sprites", Name: "voyage-aaaaaaaaaaaa-ship0"}, Voyage: "voyage-aaaaaaaaaaaa", Account: "acme"}
	if err := machines.Of(hub).Put(e); err != nil {
		t.Fatal(err)
	}
	if err := bare("wile"); err == nil || !strings.Contains(err.Error(), `has ships of the organization "acme" on sprites.dev, and this token is of "wile"`) {
		t.Errorf("another organization's: %v", err)
	}
	if err := errors.Join(bare("acme"), bare("Acme")); err != nil {
		t.Error(err)
	}
	if err := os.Remove(machines.Of(hub).File(e.ID)); err != nil {
		t.Fatal(err)
	}
	if err := bare("wile"); err != nil {
		t.Errorf("once nothing is there any more: %v", err)
	}
}
