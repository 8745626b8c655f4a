package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/tokens"
	"ocaptain/ui/cli/config"
)

// The doctor reports a stored token, and how to remove a token that is no longer accepted.
func TestKeptExeToken(t *testing.T) {
	fake := exedevtest.Start(t, exedevtest.Config{})
	t.Setenv("OCAPTAIN_EXEDEV_URL", fake.URL)
	dir := t.TempDir()
	hub := fleet.Hub{Home: dir, Config: dir, State: filepath.Join(dir, "state"), Voyages: filepath.Join(dir, "voyages"), Runtime: filepath.Join(dir, "run")}
	if err := hub.Make(); err != nil {
		t.Fatal(err)
	}
	token := fake.Token("ls", "whoami")
	if err := tokens.StoreOf(hub).KeepToken("exedev", tokens.Token{Secret: token}); err != nil {
		t.Fatal(err)
	}
	c := config.Config{Provider: "exedev"}
	f := providerFindings(t.Context(), hub, c)[0]
	if f.State != healthy || !strings.Contains(f.Found, "ada@example.org") || !strings.Contains(f.Found, "by the token kept in "+tokens.StoreOf(hub).File("exedev")) {
		t.Errorf("taken: %+v", f)
	}
	fake.Revoke(token)
	f = providerFindings(t.Context(), hub, c)[0]
	if f.State != missing || !strings.Contains(f.Fix, "or remove "+tokens.StoreOf(hub).File("exedev")+" to go back to SSH") || strings.Contains(f.Found, token) {
		t.Errorf("revoked: %+v", f)
	}
}
