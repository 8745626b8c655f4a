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

// counting bounds the question to one provider how many machines there are.
const counting = 10 * time.Second

// Count asks every provider that this install may have machines at which there are, all at
// the same time and each for ten seconds at most. Helm is not needed.
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
	// Hosts are asked only when ships were asked for there.
	asked := slices.DeleteFunc(Asked(h, k), func(name string) bool { return registry.Of(name).Many && !k.Ever(name) })
	all, answers, err := k.Look(ctx, asked, fleet.MachinePrefix, counting)
	if err != nil {
		return machines.Counts{}, err
	}
	voyages, err := machines.ReadVoyages(h.Voyages)
	return machines.CountOf(all, answers, voyages), err
}

// Asked are the providers that machines may be at. A provider whose record somebody removed may have some, too.
func Asked(h fleet.Hub, k *machines.Keeper) []string {
	return slices.DeleteFunc(k.Providers(), func(name string) bool {
		used := registry.Of(name).Used
		return used != nil && !used(h) && !k.Ever(name)
	})
}
