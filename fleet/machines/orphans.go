package machines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/webapi"
)

// Orphan is a machine that may cost money and that belongs to no voyage.
type Orphan struct {
	Provider string `json:"provider"`
	Name     string `json:"name"`
	ID       string `json:"id,omitempty"`      // the provider's id of it
	Voyage   string `json:"voyage,omitempty"`  // the voyage whose ship it was
	Install  string `json:"install,omitempty"` // the install that made it, "" if unknown
	// Created is when the machine was made or requested.
	Created time.Time      `json:"created,omitzero"`
	State   provider.State `json:"state"`
	Why     string         `json:"why"` // why it is in this list
	// Seen says that the provider lists it. If not, only this install's record names it.
	Seen bool `json:"seen"`
	// Unwanted says that helm is destroying it, until it is gone.
	Unwanted bool `json:"unwanted,omitempty"`
	// Trouble is the error of the last attempt to destroy an unwanted machine.
	Trouble string `json:"trouble,omitempty"`

	Machine Machine `json:"-"`
}

// orphan returns the Orphan for a machine that belongs to no voyage. It cleans all text from the provider.
func orphan(m Machine, v *Voyages, install string) Orphan {
	o := Orphan{Machine: m, Provider: m.Provider, Name: word(m.Name), Voyage: m.Voyage(), Install: install, State: provider.Unknown}
	if l := m.Listed; l != nil {
		o.ID, o.Install, o.Created, o.State, o.Seen = word(l.ID), word(l.Labels[provider.Install]), l.Created, l.State, true
	}
	if r := m.Record; r != nil {
		o.Unwanted, o.Trouble = r.Unwanted, r.Trouble
		if o.Created.IsZero() {
			o.Created = r.Asked
		}
	}
	switch {
	case m.Others && o.Install != "":
		o.Why = fmt.Sprintf("the install %s made it, not this one", o.Install)
	case m.Others:
		o.Why = "nothing tells which install made it"
	case m.Absent != "":
		o.Why = v.why(o.Voyage) + "; " + m.Absent
	default:
		o.Why = v.why(o.Voyage)
	}
	return o
}

// word cleans text of a provider that should be a name.
func word(s string) string { return line(s, maxName) }

// line cleans text of a provider and limits its length.
func line(s string, most int) string { return webapi.ShortLine(ansi.Strip(s), most) }

// Orphans asks providers for machines, all at the same time. It returns the machines without a voyage, and the
// providers that could not be asked. It always includes machines on record. A missing login is no error for a
// provider that the caller did not name and that never made a machine.
func (k *Keeper) Orphans(ctx context.Context, which, named []string, voyages func() (*Voyages, error), patience time.Duration) (all []Orphan, unasked []Answer, err error) {
	before, err := voyages()
	if err != nil {
		return nil, nil, err
	}
	there, answers, err := k.Look(ctx, which, fleet.MachinePrefix, patience)
	if err != nil {
		return nil, nil, err
	}
	after, err := voyages() // ships may have come or gone meanwhile
	if err != nil {
		return nil, nil, err
	}
	for _, m := range there {
		owned := before.Have(m.ID, m.Voyage()) || after.Have(m.ID, m.Voyage())
		if slices.Contains(which, m.Provider) && (m.Others || !owned) {
			all = append(all, orphan(m, after, k.options.Install))
		}
	}
	for _, a := range answers {
		if a.Err != nil && (slices.Contains(named, a.Provider) || k.Ever(a.Provider) || !errors.Is(a.Err, provider.ErrNoLogin)) {
			unasked = append(unasked, a)
		}
	}
	slices.SortFunc(all, func(a, b Orphan) int {
		return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	})
	return all, unasked, nil
}

// Ever reports whether any machine at a provider is on record.
func (k *Keeper) Ever(name string) bool {
	all, err := k.All()
	return err != nil || slices.ContainsFunc(all, func(r Record) bool { return r.Provider == name })
}

// OnRecord returns the machines on record that belong to no voyage. It asks no provider.
func (k *Keeper) OnRecord(v *Voyages, which func(Record) bool) ([]Orphan, error) {
	records, err := k.All()
	var all []Orphan
	for _, r := range records {
		if which(r) && !v.Have(r.ID, r.Voyage) {
			all = append(all, orphan(Machine{ID: r.ID, Record: &r}, v, k.options.Install))
		}
	}
	return all, err
}
