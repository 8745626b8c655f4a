package helm

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/machines"
)

// counting bounds the question to one provider how many machines there are.
const counting = 10 * time.Second

// Count asks every provider that this install may have machines at which there are, all at
// the same time and each for ten seconds at most. Helm is not needed.
func Count(ctx context.Context, h fleet.Hub, places Places) machines.Counts {
	if _, err := os.Stat(filepath.Join(h.State, "install")); err != nil {
		return machines.Counts{Providers: Machines(h).Count("not asked")} // nothing was ever made from here
	}
	c, err := count(ctx, h, places)
	if err != nil {
		return machines.Counts{Providers: Machines(h).Count(err.Error())}
	}
	return c
}

func count(ctx context.Context, h fleet.Hub, places Places) (machines.Counts, error) {
	k, end, err := keeperOf(h, places)
	if err != nil {
		return machines.Counts{}, err
	}
	defer end()
	all, answers, err := k.Look(ctx, countable(h, k), fleet.MachinePrefix, counting)
	if err != nil {
		return machines.Counts{}, err
	}
	voyages, err := machines.ReadVoyages(h.Voyages)
	return machines.CountOf(all, answers, voyages), err
}

// countable are the providers that there may be machines at. Hosts are asked only when ships were asked for there,
// as asking means to log in to each of them.
func countable(h fleet.Hub, k *machines.Keeper) []string {
	return slices.DeleteFunc(configured(h, k), func(name string) bool { return name == "hosts" && !k.Ever(name) })
}

// configured are the providers that machines may be at: exe.dev is asked by ssh, which is not done where nobody has
// ever made a machine there. One that is forgotten may be there, too.
func configured(hub fleet.Hub, k *machines.Keeper) []string {
	_, none := os.Stat(filepath.Join(hub.State, "exedev"))
	return slices.DeleteFunc(k.Providers(), func(name string) bool { return name == "exedev" && none != nil && !k.Ever(name) })
}

// keeperOf makes all providers, to look at their machines.
func keeperOf(h fleet.Hub, places Places) (_ *machines.Keeper, end func(), err error) {
	own, err := supervise.OwnBinary(h)
	if err != nil {
		return nil, nil, err
	}
	install, err := Install(h)
	if err != nil {
		return nil, nil, err
	}
	all, err := places.providers(h, own, ProgramsOf(h, own))
	if err != nil {
		return nil, nil, err
	}
	far := Sprites(h, nil, install)
	lobby, err := Exedev(h, install, "")
	if err != nil {
		return nil, nil, err
	}
	k := machines.New(machines.Options{Records: Machines(h), Install: install})
	for _, p := range all {
		k.Use(p)
	}
	k.Use(far)
	k.Use(lobby)
	return k, func() { k.Close(); far.Close() }, nil
}
