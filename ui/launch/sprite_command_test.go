package launch

import (
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/sprites"
	"ocaptain/fleet/tokens"
	"ocaptain/ui/cli/config"
)

// Without a token the login of the command sprite does, where there is one; and helm finds it.
func TestSpriteCommand(t *testing.T) {
	bin := t.TempDir()
	program := filepath.Join(bin, "sprite")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	dir := t.TempDir()
	hub := fleet.Hub{Home: dir, Config: dir, State: filepath.Join(dir, "state"), Voyages: filepath.Join(dir, "voyages"), Runtime: filepath.Join(dir, "run")}
	find := func(environ ...string) (sprites.Credentials, *Problem) {
		t.Helper()
		cfg, err := config.Load(config.Sources{Dir: hub.Config, Environ: environ})
		if err != nil {
			t.Fatal(err)
		}
		got, _, p := Sprites(hub, cfg)
		return got, p
	}
	if got, p := find(); p == nil {
		t.Errorf("nobody has logged in: %+v", got)
	}
	login := filepath.Join(dir, ".sprites", "sprites.json")
	if err := os.Mkdir(filepath.Dir(login), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(login, []byte(`{"version":"1","current_selection":{"url":"https://api.sprites.dev","org":"acme"},"urls":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	acme, wile := sprites.Credentials{Command: program, Organization: "acme"}, sprites.Credentials{Command: program, Organization: "wile"}
	if got, p := find(); p != nil || got != acme {
		t.Errorf("got %+v, %v", got, p)
	}
	if got, p := find("OCAPTAIN_SPRITES_ORG=wile", "SPRITES_API_URL=https://example.org"); p != nil || got != wile {
		t.Errorf("with an organization: %+v, %v", got, p)
	}
	if got, p := find("SPRITES_TOKEN=acme/org/id/0123456789"); p != nil || got.Command != "" || got.Token == "" {
		t.Errorf("with a token: %+v, %v", got, p)
	}
	if err := KeepSprites(hub, acme, "acme"); err != nil {
		t.Fatal(err)
	}
	if got, err := sprites.Kept(hub); err != nil || got != acme {
		t.Errorf("helm has %+v, %v", got, err)
	}
	// It has moved since.
	t.Setenv("PATH", "")
	if got, p := find(); p != nil || got != acme {
		t.Errorf("the one that is kept: %+v, %v", got, p)
	}
	if err := tokens.StoreOf(hub).KeepToken("sprites", tokens.Token{Secret: "acme/org/id/0123456789"}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	if got, p := find(); p != nil || got.Token == "" || got.Command != "" {
		t.Errorf("a token that is kept wins: %+v, %v", got, p)
	}
}
