package helmtest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/access"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/provider/sprites/spritestest"
	"ocaptain/fleet/tokens"
)

// Sprites starts a sprites.dev of the test's own.
func Sprites(t *testing.T) *spritestest.Fake {
	t.Helper()
	return spritestest.Start(t, spritestest.Options{Exe: Program, Args: []string{"aboard", "sshd"}, Latency: 5 * time.Millisecond})
}

// AtSprites gives the captain of a hub an account on a sprites.dev.
func AtSprites(t *testing.T, f *spritestest.Fake, hub fleet.Hub) {
	t.Helper()
	if err := tokens.StoreOf(hub).KeepToken("sprites", tokens.Token{Secret: f.Token(), URL: f.URL}); err != nil {
		t.Fatal(err)
	}
}

// Exe starts an exe.dev of the test's own.
func Exe(t *testing.T) *exedevtest.Fake {
	t.Helper()
	return exedevtest.Start(t, exedevtest.Config{Latency: 5 * time.Millisecond, TellUser: true})
}

// AtExe gives the captain of a hub a new token of an exe.dev, and returns it.
func AtExe(t *testing.T, f *exedevtest.Fake, hub fleet.Hub) string {
	t.Helper()
	token := f.Token("ls", "new", "rm", "restart", "ssh", "whoami", "ssh-key add")
	if err := tokens.StoreOf(hub).KeepToken("exedev", tokens.Token{Secret: token, URL: f.URL}); err != nil {
		t.Fatal(err)
	}
	return token
}

// NoRecords fails the test if a machine is on record that is not gone.
func NoRecords(t *testing.T, hub fleet.Hub) {
	t.Helper()
	if all, err := machines.Of(hub).All(); err != nil || slices.ContainsFunc(all, IsLeft) {
		t.Errorf("on record are %+v, %v", all, err)
	}
}

// IsLeft reports whether a machine on record is not gone. A gone machine may still be looked for once more.
func IsLeft(r machines.Record) bool { return !r.Gone || r.Again.IsZero() }

// Adrift is the name of a machine whose voyage there is not.
const Adrift = "voyage-0123456789ab-ship0"

// Yard is a provider with one machine, which refuses every login.
type Yard struct {
	provider.Provider
	Destroys func(name string) // is called before a machine is destroyed, nil for nothing

	mu       sync.Mutex
	machines []string
	install  string
	broken   error
}

// InYard replaces the provider of local ships by a Yard whose machine is on record.
func InYard(t *testing.T, a *access.Access) *Yard {
	t.Helper()
	y := &Yard{machines: []string{Adrift}, install: a.Install}
	a.Providers["local"] = a.Machines.Use(y)
	if err := a.Machines.Put(machines.Record{ID: machines.ID{Provider: "local", Name: Adrift}, Voyage: Adrift[:len(Adrift)-len("-ship0")]}); err != nil {
		t.Fatal(err)
	}
	return y
}

// Break makes every attempt to destroy a machine fail with err, nil for none.
func (y *Yard) Break(err error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.broken = err
}

// Machines returns the names of the machines.
func (y *Yard) Machines() []string {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.machines
}

// Name implements provider.Provider.
func (y *Yard) Name() string { return "local" }

// Limits implements provider.Provider.
func (y *Yard) Limits() provider.Limits { return provider.Limits{} }

// List implements provider.Provider.
func (y *Yard) List(context.Context, map[string]string) ([]provider.Machine, error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	var all []provider.Machine
	for _, name := range y.machines {
		all = append(all, provider.Machine{Name: name, ID: name, State: provider.Running, Labels: map[string]string{provider.Install: y.install}})
	}
	return all, nil
}

// Destroy implements provider.Provider.
func (y *Yard) Destroy(_ context.Context, name string) error {
	if y.Destroys != nil {
		y.Destroys(name)
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.broken == nil {
		y.machines = nil
	}
	return y.broken
}

// Forget implements provider.Provider.
func (y *Yard) Forget(context.Context, string) error { return nil }
