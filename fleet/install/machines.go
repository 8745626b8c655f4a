package install

import (
	"context"
	"os"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/registry"
)

// counting bounds how long one provider may take to answer.
const counting = 10 * time.Second

// Count counts the machines of this install. It asks all providers at the same time, each for ten seconds at most. It
// does not need helm.
func Count(ctx context.Context, h fleet.Hub, settings describe.Settings) machines.Counts {
	if _, err := os.Stat(idFile(h)); err != nil {
		return machines.Counts{Providers: machines.Of(h).Count("not asked")} // this install never made a machine
	}
	c, err := count(ctx, h, settings)
	if err != nil {
		return machines.Counts{Providers: machines.Of(h).Count(err.Error())}
	}
	return c
}

func count(ctx context.Context, h fleet.Hub, settings describe.Settings) (machines.Counts, error) {
	own, err := supervise.OwnBinary(h)
	if err != nil {
		return machines.Counts{}, err
	}
	e, err := Env(h, own, settings)
	if err != nil {
		return machines.Counts{}, err
	}
	providers, err := Providers(e)
	if err != nil {
		return machines.Counts{}, err
	}
	defer Close(providers)
	k := machines.New(machines.Options{Records: machines.Of(h), Install: e.Install})
	defer k.Close()
	for _, p := range providers {
		k.Use(p)
	}
	// Ask hosts only if ships were ever made there.
	asked := slices.DeleteFunc(Asked(h, k), func(name string) bool { return registry.Of(name).Many && !k.Ever(name) })
	all, answers, err := k.Look(ctx, asked, fleet.MachinePrefix, counting)
	if err != nil {
		return machines.Counts{}, err
	}
	voyages, err := machines.ReadVoyages(h.Voyages)
	return machines.CountOf(all, answers, voyages), err
}

// Asked returns the providers that may have machines of this install. If somebody removed records of machines, that
// includes a provider without records.
func Asked(h fleet.Hub, k *machines.Keeper) []string {
	return slices.DeleteFunc(k.Providers(), func(name string) bool {
		used := registry.Of(name).Used
		return used != nil && !used(h) && !k.Ever(name)
	})
}
