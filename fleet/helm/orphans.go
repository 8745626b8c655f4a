package helm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/sprites"
)

// surveying bounds the question to one provider.
const surveying = time.Minute

// found is an orphan with what is known of its machine.
type found struct {
	api.Orphan
	machine machines.Machine
	others  bool // it is not this install's
}

// configured are the providers that machines may be at.
func (h *Helm) configured() []string { return configured(h.hub, h.machines) }

// configured are the providers that machines may be at: exe.dev is asked by ssh, which is not done
// where nobody has ever made a machine there.
func configured(hub fleet.Hub, k *machines.Keeper) []string {
	return slices.DeleteFunc(k.Providers(), func(name string) bool { return name == "exedev" && !usesExe(hub, k) })
}

// usesExe reports whether exe.dev was ever asked for a machine: also one that is forgotten may be there.
func usesExe(hub fleet.Hub, k *machines.Keeper) bool {
	_, err := os.Stat(filepath.Join(hub.State, "exedev"))
	all, unread := k.All()
	return err == nil || unread != nil || slices.ContainsFunc(all, func(r machines.Record) bool { return r.Provider == "exedev" })
}

// find asks providers for machines, all at the same time, and tells those that no voyage has. What is on record of
// them is told in any case. One that nobody named and where nobody ever made a machine needs no login.
func (h *Helm) find(ctx context.Context, which, named []string) (all []found, unasked []api.Unasked, err error) {
	before, err := h.owned()
	if err != nil {
		return nil, nil, err
	}
	there, answers, err := h.machines.Look(ctx, which, fleet.MachinePrefix, surveying)
	if err != nil {
		return nil, nil, err
	}
	after, err := h.owned() // a ship may have come or gone while providers were asked
	if err != nil {
		return nil, nil, err
	}
	for _, m := range there {
		f := judge(m, after, h.install)
		if !slices.Contains(which, m.Provider) || !f.others && (before.has(m.ID, f.Voyage) || after.has(m.ID, f.Voyage)) {
			continue
		}
		all = append(all, f)
	}
	for _, a := range answers {
		known := slices.Contains(named, a.Provider) || h.recorded(a.Provider)
		if a.Err != nil && (known || !errors.Is(a.Err, sprites.ErrNoToken)) {
			unasked = append(unasked, api.Unasked{Provider: a.Provider, Why: clean(a.Err.Error(), maxText)})
		}
	}
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	})
	return all, unasked, nil
}

// recorded reports whether a machine was ever asked for at a provider.
func (h *Helm) recorded(name string) bool {
	all, err := h.machines.All()
	return err != nil || slices.ContainsFunc(all, func(r machines.Record) bool { return r.Provider == name })
}

// judge tells whose a machine is, and why no voyage has it. What its provider says of it is not believed further
// than it can be shown.
func judge(m machines.Machine, own owned, install string) found {
	f := found{machine: m, others: m.Others, Orphan: api.Orphan{
		Provider: m.Provider, Name: word(m.Name), Voyage: m.Voyage(), Install: install, State: provider.Unknown,
	}}
	if l := m.Listed; l != nil {
		f.ID, f.Install, f.Created, f.State, f.Seen = word(l.ID), word(l.Labels[provider.Install]), l.Created, l.State, true
	}
	if r := m.Record; r != nil {
		f.Doomed, f.Trouble = r.Unwanted, r.Trouble
		if f.Created.IsZero() {
			f.Created = r.Asked
		}
	}
	switch {
	case f.others && f.Install != "":
		f.Why = fmt.Sprintf("the install %s made it, not this one", f.Install)
	case f.others:
		f.Why = "nothing tells which install made it"
	case m.Absent != "":
		f.Why = own.why(f.Voyage) + "; " + m.Absent
	default:
		f.Why = own.why(f.Voyage)
	}
	return f
}

// sweepable turns what was found into what is told.
func sweepable(all []found, unasked []api.Unasked) api.Sweep {
	s := api.Sweep{At: time.Now(), Orphans: []api.Orphan{}, Others: []api.Orphan{}, Unasked: unasked}
	if s.Unasked == nil {
		s.Unasked = []api.Unasked{}
	}
	for _, f := range all {
		if f.others {
			s.Others = append(s.Others, f.Orphan)
		} else {
			s.Orphans = append(s.Orphans, f.Orphan)
		}
	}
	return s
}
