package voyage

import (
	"context"
	gosync "sync"
	"testing"

	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider"
)

// yard is a provider of machines that refuse every login.
type yard struct {
	provider.Provider
	mu       gosync.Mutex
	machines []string
	install  string
	broken   error             // of every attempt to destroy one
	destroys func(name string) // is called first, nil for nothing
}

func (y *yard) Name() string { return "local" }

func (y *yard) Limits() provider.Limits { return provider.Limits{} }

func (y *yard) List(context.Context, map[string]string) ([]provider.Machine, error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	var all []provider.Machine
	for _, name := range y.machines {
		all = append(all, provider.Machine{Name: name, ID: name, State: provider.Running, Labels: map[string]string{provider.Install: y.install}})
	}
	return all, nil
}

func (y *yard) Destroy(_ context.Context, name string) error {
	if y.destroys != nil {
		y.destroys(name)
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.broken == nil {
		y.machines = nil
	}
	return y.broken
}

func (y *yard) breaks(err error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.broken = err
}

func (y *yard) Forget(context.Context, string) error { return nil }

// inYard gives helm a yard with one machine, which is on record, in the place of local ships.
func inYard(t *testing.T, h *Set, name string) *yard {
	t.Helper()
	y := &yard{machines: []string{name}, install: h.Install}
	h.Providers["local"] = h.Machines.Use(y)
	if err := h.Machines.Put(machines.Record{ID: machines.ID{Provider: "local", Name: name}, Voyage: name[:len("voyage-0123456789ab")]}); err != nil {
		t.Fatal(err)
	}
	return y
}
