package facts

import (
	"fmt"
	"maps"
	"slices"

	"ocaptain/fleet"
)

// Proposals are what agents would like and the captain has not decided about, the oldest first.
type Proposals struct {
	all  []fleet.Proposal // replaced as a whole: readers have the old one
	last int              // number that was given
	seen map[string]place // of the last proposal of each ship, in the ship's journal
	over map[string]bool  // keys of those about issues that are off the list: people did those things once
}

type place struct {
	journal string
	seq     int64
}

// Dismissed says that a proposal is off the list.
type Dismissed struct {
	Proposal int    `json:"proposal"`
	Key      string `json:"key,omitempty"` // of one about an issue, where the proposal itself is not told any more
}

// List lists the proposals that wait. The caller does not change them.
func (p *Proposals) List() []fleet.Proposal { return p.all }

// Find returns the proposal of that number.
func (p *Proposals) Find(number int) (fleet.Proposal, bool) {
	i := slices.IndexFunc(p.all, func(p fleet.Proposal) bool { return p.ID == number })
	if i < 0 {
		return fleet.Proposal{}, false
	}
	return p.all[i], true
}

// Next returns the number of the next proposal.
func (p *Proposals) Next() int { return p.last + 1 }

// Used says that the number was given.
func (p *Proposals) Used(number int) { p.last = max(p.last, number) }

// WasShown reports whether a place in a ship's journal is that of a proposal that was kept, or before it.
func (p *Proposals) WasShown(ship, journal string, seq int64) bool {
	last, ok := p.seen[ship]
	return ok && last.journal == journal && seq <= last.seq
}

// Add keeps a proposal, and reports whether it is new. It does not keep more than fleet.MaxProposals of a ship.
func (p *Proposals) Add(it fleet.Proposal) (fresh bool, err error) {
	if it.Issue != "" && p.over[it.Key()] || slices.ContainsFunc(p.all, func(old fleet.Proposal) bool { return old.IsSame(&it) }) {
		return false, nil
	}
	n := 0
	for i := range p.all {
		if p.all[i].Ship == it.Ship {
			n++
		}
	}
	if n >= fleet.MaxProposals {
		return false, errProposals
	}
	p.Used(it.ID)
	if it.Journal != "" {
		set(&p.seen, it.Ship, place{it.Journal, it.Seq})
	}
	p.all = append(slices.Clone(p.all), it)
	return true, nil
}

// errProposals says that a ship has proposed as much as it may.
var errProposals = fmt.Errorf("%d proposals wait for the captain's decision, and no more are taken: go on with your task", fleet.MaxProposals)

// Remove takes a proposal off the list.
func (p *Proposals) Remove(d Dismissed) {
	p.Used(d.Proposal)
	key := d.Key
	if it, ok := p.Find(d.Proposal); ok && it.Issue != "" {
		key = it.Key()
	}
	if key != "" {
		set(&p.over, key, true)
	}
	p.all = slices.DeleteFunc(slices.Clone(p.all), func(old fleet.Proposal) bool { return old.ID == d.Proposal })
}

func (p *Proposals) records() (all []Record) {
	for _, it := range p.all {
		all = append(all, Record{Kind: KindProposal, Data: it})
	}
	for _, key := range slices.Sorted(maps.Keys(p.over)) {
		all = append(all, Record{Kind: KindDismissed, Data: Dismissed{Key: key}})
	}
	if p.last > 0 && !slices.ContainsFunc(p.all, func(it fleet.Proposal) bool { return it.ID == p.last }) {
		all = append(all, Record{Kind: KindDismissed, Data: Dismissed{Proposal: p.last}})
	}
	return all
}
