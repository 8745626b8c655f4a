package facts

import (
	"fmt"
	"maps"
	"slices"

	"ocaptain/fleet"
)

// Proposals are the proposals that the captain has not decided on, the oldest first.
type Proposals struct {
	all  []fleet.Proposal // replaced and never changed in place, since readers hold older ones
	last int              // the last number that was used
	seen map[string]place // the place of each ship's last proposal in the ship's journal
	over map[string]bool  // keys of removed proposals about issues, since a change to an issue is proposed only once
}

type place struct {
	journal string
	seq     int64
}

// Dismissed says that a proposal was removed from the list.
type Dismissed struct {
	Proposal int    `json:"proposal"`
	Key      string `json:"key,omitempty"` // the key of a proposal about an issue, if the journal no longer has the proposal itself
}

// List returns the proposals that wait for the captain. The caller must not change them.
func (p *Proposals) List() []fleet.Proposal { return p.all }

// Find returns the proposal with that number.
func (p *Proposals) Find(number int) (fleet.Proposal, bool) {
	i := slices.IndexFunc(p.all, func(p fleet.Proposal) bool { return p.ID == number })
	if i < 0 {
		return fleet.Proposal{}, false
	}
	return p.all[i], true
}

// Next returns the number of the next proposal.
func (p *Proposals) Next() int { return p.last + 1 }

// Used records that a number was used.
func (p *Proposals) Used(number int) { p.last = max(p.last, number) }

// WasShown reports whether a place in a ship's journal is at or before that of the ship's last proposal.
func (p *Proposals) WasShown(ship, journal string, seq int64) bool {
	last, ok := p.seen[ship]
	return ok && last.journal == journal && seq <= last.seq
}

// Add adds a proposal. fresh says that it is new. It refuses a proposal of a ship that already has
// fleet.MaxProposals.
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

// errProposals is the error for a ship that has too many proposals.
var errProposals = fmt.Errorf("%d proposals wait for the captain's decision, and no more are taken: go on with your task", fleet.MaxProposals)

// Remove removes a proposal from the list.
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
