package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/sprites"
	"ocaptain/fleet/tokens"
	"ocaptain/ui/cli/config"
)

// TestSpritesCredentials finds the token where it may be, and lets nobody else lead it away.
func TestSpritesCredentials(t *testing.T) {
	const token, kept = "acme/org/id/0123456789", "acme/org/id/abcdefghij"
	for _, c := range []struct {
		name    string
		environ []string
		dotenv  string // in the present directory
		own     string // the same, beside config.yaml
		yaml    string
		kept    string
		want    sprites.Credentials
		problem string
	}{
		{name: "none", problem: "SPRITES_TOKEN is not set"},
		{name: "environment", environ: []string{"SPRITES_TOKEN=" + token}, kept: kept, want: sprites.Credentials{Token: token}},
		{name: "other name", environ: []string{"SPRITE_TOKEN=" + token}, want: sprites.Credentials{Token: token}},
		{name: "kept", kept: kept, want: sprites.Credentials{Token: kept}},
		{name: "own file", own: "SPRITES_TOKEN=" + token + "\nSPRITES_API_URL=https://example.org\n", want: sprites.Credentials{Token: token, URL: "https://example.org"}},
		{name: "a token of others", dotenv: "SPRITES_TOKEN=" + token + "\nSPRITE_TOKEN=" + token + "\n", problem: "SPRITES_TOKEN is not set"},
		{name: "led away", environ: []string{"SPRITES_TOKEN=" + token}, dotenv: "SPRITES_API_URL=https://example.org\n", want: sprites.Credentials{Token: token}},
		{name: "kept one led away", kept: kept, dotenv: "SPRITES_TOKEN=" + token + "\nSPRITES_API_URL=https://example.org\n", want: sprites.Credentials{Token: kept}},
		{name: "in the clear", environ: []string{"SPRITES_TOKEN=" + token, "SPRITES_API_URL=http://example.org"}, problem: "in the clear"},
		{name: "organization", environ: []string{"SPRITES_TOKEN=" + token}, yaml: "sprites:\n  org: acme\n", want: sprites.Credentials{Token: token}},
		{name: "other organization", environ: []string{"SPRITES_TOKEN=" + token}, yaml: "sprites:\n  org: wile\n", problem: `belongs to "acme"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			hub := fleet.Hub{State: t.TempDir(), Config: t.TempDir()}
			cwd := t.TempDir()
			for name, content := range map[string]string{filepath.Join(cwd, ".env"): c.dotenv, filepath.Join(hub.Config, ".env"): c.own, filepath.Join(hub.Config, "config.yaml"): c.yaml} {
				if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if c.kept != "" {
				if err := tokens.StoreOf(hub).KeepToken("sprites", tokens.Token{Secret: c.kept}); err != nil {
					t.Fatal(err)
				}
			}
			cfg, err := config.Load(config.Sources{Dir: hub.Config, Cwd: cwd, Environ: c.environ})
			if err != nil {
				t.Fatal(err)
			}
			got, _, p := Sprites(hub, cfg)
			switch {
			case c.problem == "" && (p != nil || got != c.want):
				t.Errorf("got %+v, %v", got, p)
			case c.problem != "" && (p == nil || !strings.Contains(p.Error(), c.problem)):
				t.Errorf("got %v", p)
			case p != nil && (strings.Contains(p.Error()+p.Hint, "0123456789") || strings.Contains(p.Error(), "abcdefghij")):
				t.Errorf("the token is in %v", p)
			}
		})
	}
}
