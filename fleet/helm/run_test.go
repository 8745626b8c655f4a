package helm

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/helm/voyages"
	"ocaptain/fleet/provider/describe"
)

// newHelm starts a helm in this process, without a supervisor and without a socket.
func newHelm(t *testing.T) *Helm {
	t.Helper()
	home := t.TempDir()
	hub := fleet.Hub{
		Home: home, Voyages: filepath.Join(home, "voyages"), State: filepath.Join(home, "state"),
		Config: filepath.Join(home, "config"), Cache: filepath.Join(home, "cache"),
	}
	var err error
	if hub.Runtime, err = fleet.RuntimeDir(hub.State); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(hub.Runtime) })
	if err := hub.Make(); err != nil {
		t.Fatal(err)
	}
	bin := supervise.Binary{Path: os.Args[0], Digest: "test"} // no ship runs this program
	none := describe.Settings{Hosts: func() ([]string, error) { return nil, nil }}
	h := &Helm{hub: hub, bin: bin, ctx: t.Context(), log: slog.New(slog.DiscardHandler)}
	if h.set, err = voyages.New(t.Context(), hub, bin, none, func() ([]string, error) { return nil, nil }, h.log); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.set.Close)
	return h
}
