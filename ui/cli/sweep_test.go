package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/install"
	"ocaptain/fleet/machines"
	"ocaptain/ui/cli/config"
)

// Sweep asks all configured providers, also those of a mixed voyage.
func TestChosenProviders(t *testing.T) {
	for text, want := range map[string][]string{
		"sprites": {"sprites"}, "sprites=3,hosts=2": {"sprites", "hosts"}, "sprites,hosts": nil, "nowhere": nil,
	} {
		c := config.Config{}
		c.Provider = text
		if got := chosenProviders(c); !slices.Equal(got, want) {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// A machine whose voyage may only be unreachable is destroyed when it is named, or by force.
func TestSweepUnsure(t *testing.T) {
	o := machines.Orphan{Provider: "sprites", Name: "voyage-0123456789ab-ship0", Unwanted: true, Trouble: "no\x1b[31m answer"}
	found := api.Sweep{Orphans: []machines.Orphan{o}, Unsure: "~/voyages is not there; is a disk unmounted?"}
	for _, c := range []struct {
		args    []string
		force   bool
		refused bool
	}{{nil, false, true}, {[]string{o.Name}, false, false}, {nil, true, false}} {
		if err := refuseUnsure(found, c.args, c.force); c.refused != (err != nil) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	var out strings.Builder
	writeSweep(&out, found, time.Now(), 200)
	for _, want := range []string{"is a disk unmounted?", "being destroyed, and helm goes on until it is gone: no answer"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// The doctor reports machines without a voyage, machines that should be gone and are not, and that a disk may not be
// mounted, also while helm does not run.
func TestMachineFindings(t *testing.T) {
	dir := t.TempDir()
	hub := fleet.Hub{Home: dir, State: filepath.Join(dir, "state"), Voyages: filepath.Join(dir, "voyages"), Config: filepath.Join(dir, "config"), Cache: filepath.Join(dir, "cache"), Runtime: filepath.Join(dir, "run")}
	if err := os.MkdirAll(hub.State, 0o700); err != nil {
		t.Fatal(err)
	}
	b := &bridge{hub: hub}
	if got := machineFindings(t.Context(), b); len(got) != 2 || got[0].State != healthy || got[1].State != healthy {
		t.Errorf("at first: %+v", got)
	}
	if _, err := install.ID(hub); err != nil {
		t.Fatal(err)
	}
	const id = "voyage-0123456789ab"
	one := machines.Record{ID: machines.ID{Provider: "local", Name: id + "-ship0"}, Voyage: id}
	if err := machines.Of(hub).Put(one); err != nil {
		t.Fatal(err)
	}
	got := machineFindings(t.Context(), b)
	if len(got) != 2 || got[0].Found != "local does not list 1 on record" || got[1].State != doubt || !strings.Contains(got[1].Found, id) || !strings.Contains(got[1].Found, "voyages is not there; is a disk unmounted?") {
		t.Errorf("unmounted: %+v", got)
	}
	one.Unwanted, one.Trouble = true, "out of order"
	if err := machines.Of(hub).Put(one); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(hub.Voyages, 0o755); err != nil {
		t.Fatal(err)
	}
	got = machineFindings(t.Context(), b)
	if len(got) != 3 || got[1].State != healthy || got[2].State != doubt || got[2].Found != id+"-ship0 at local is not proven to be gone and may cost you: out of order" {
		t.Errorf("unwanted: %+v", got)
	}
	if is := installFinding(b); is.State != healthy || len(is.Found) < 12 {
		t.Errorf("the install: %+v", is)
	}
	others := []machines.Orphan{{Name: "a", Provider: "sprites"}, {Name: "b", Provider: "exedev"}}
	if is := othersFinding(others); is.State != doubt || !strings.Contains(is.Found, "a at sprites, b at exedev") || !strings.Contains(is.Fix, "sweep NAME") {
		t.Errorf("others: %+v", is)
	}
}
