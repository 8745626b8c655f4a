package launch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/follow"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/tasks/eventually"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/problem"
)

// realYard returns a yard with a home of its own and a real helm.
func realYard(t *testing.T) launch.Yard {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("OCAPTAIN_HOME", filepath.Join(home, "o"))
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	identity := "[user]\n\tname = Ada Captain\n\temail = ada@example.org\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(identity), 0o644); err != nil {
		t.Fatal(err)
	}
	hub, err := fleet.FindHub()
	if err != nil {
		t.Fatal(err)
	}
	y := launch.Yard{Hub: hub, Cwd: home, Helm: func(ctx context.Context) (*api.Client, error) { return supervise.Ensure(ctx, hub) }}
	t.Cleanup(func() {
		ctx := eventually.Context(t)
		dirs, _ := fleet.Voyages(hub.Voyages).List()
		for _, d := range dirs {
			client, err := y.Helm(ctx)
			if err == nil {
				err = client.Sink(ctx, d.ID(), nil)
			}
			if err != nil {
				t.Errorf("sink: %v", err)
			}
		}
		if err := supervise.Stop(ctx, hub); err != nil {
			t.Errorf("stop: %v", err)
		}
		_ = os.RemoveAll(hub.Runtime)
	})
	return y
}

// tiny returns an order for the smallest plan, on two ships.
func tiny(t *testing.T, y launch.Yard) *launch.Order {
	t.Helper()
	o, err := y.CheckWish(t.Context(), launch.Wish{Plan: "example:tiny", Agent: "script", Ships: "2"})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// arrives waits until the voyage is complete.
func arrives(t *testing.T, d fleet.Dir) {
	t.Helper()
	ctx := eventually.Context(t)
	complete := errors.New("complete")
	err := follow.Board(ctx, d, func(b fleet.Board) error {
		if b.Phase == fleet.Complete {
			return complete
		}
		return nil
	})
	if !errors.Is(err, complete) {
		t.Errorf("it does not arrive: %v", err)
	}
}

func TestSail(t *testing.T) {
	y := realYard(t)
	var steps []string
	d, err := y.StartVoyage(t.Context(), tiny(t, y), func(p api.Progress) { steps = append(steps, p.Ship+" "+p.Step+" "+p.State) })
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) < 4 || steps[0] != " repository start" || steps[1] != " repository done" {
		t.Errorf("it reported %q", steps)
	}
	arrives(t, d)
}

// A captain who interrupts the start of a voyage is left with nothing.
func TestSailTakesBack(t *testing.T) {
	y := realYard(t)
	ctx, cancel := context.WithCancel(t.Context())
	told := false
	_, err := y.StartVoyage(ctx, tiny(t, y), func(p api.Progress) {
		told = told || p.Text == launch.TakingBack
		if p.Ship != "" {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || !told {
		t.Errorf("got %v, said that it takes back: %v", err, told)
	}
	if left, _ := os.ReadDir(y.Hub.Voyages); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	if left, _ := filepath.Glob(filepath.Join(y.Hub.State, "ships", "[^.]*")); len(left) > 0 {
		t.Errorf("machines left: %v", left)
	}
}

// A voyage whose agents have no sandbox sails only with consent.
func TestSailWantsConsent(t *testing.T) {
	y := realYard(t)
	_, err := y.StartVoyage(t.Context(), &launch.Order{Ships: 1, Unwalled: errors.New("no bubblewrap")}, nil)
	var p *problem.Problem
	if !errors.As(err, &p) || p.Kind != problem.Refused || p.Field != problem.Unconfined {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(y.Hub.Voyages); err == nil {
		t.Error("something was made")
	}
}
