package proposals

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/tasks/journal"
)

// List is the proposals that the captain has not decided on, the oldest first. The zero List is empty.
type List struct {
	all  []fleet.Proposal // replaced and never changed in place, since readers hold older ones
	last int              // the last used number
	seen map[string]place // by ship: where its journal has its last proposal
	over map[string]bool  // keys of removed proposals about issues, since a change to an issue is proposed only once
}

type place struct {
	journal string
	seq     int64
}

// Waiting returns the proposals that wait for the captain. The caller must not change them.
func (p *List) Waiting() []fleet.Proposal { return p.all }

// AddRecord applies a record of the journal. A record of another kind, or an unreadable record, changes nothing.
func (p *List) AddRecord(r journal.Record) {
	switch r.Kind {
	case facts.KindProposal:
		var it fleet.Proposal
		if json.Unmarshal(r.Data, &it) == nil {
			_, _ = p.Add(it)
		}
	case facts.KindDismissed:
		var d facts.Dismissed
		if json.Unmarshal(r.Data, &d) == nil {
			p.Remove(d)
		}
	}
}

// Find returns the proposal with that number.
func (p *List) Find(number int) (fleet.Proposal, bool) {
	i := slices.IndexFunc(p.all, func(p fleet.Proposal) bool { return p.ID == number })
	if i < 0 {
		return fleet.Proposal{}, false
	}
	return p.all[i], true
}

// Next returns the number of the next proposal.
func (p *List) Next() int { return p.last + 1 }

// Used records that a number was used.
func (p *List) Used(number int) { p.last = max(p.last, number) }

// WasShown reports whether a place in a ship's journal is at or before that of the ship's last proposal.
func (p *List) WasShown(ship, journal string, seq int64) bool {
	last, ok := p.seen[ship]
	return ok && last.journal == journal && seq <= last.seq
}

// Add adds a proposal. fresh says that it is new. It refuses a proposal of a ship that already has
// fleet.MaxProposals.
func (p *List) Add(it fleet.Proposal) (fresh bool, err error) {
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
		if p.seen == nil {
			p.seen = map[string]place{}
		}
		p.seen[it.Ship] = place{it.Journal, it.Seq}
	}
	p.all = append(slices.Clone(p.all), it)
	return true, nil
}

// errProposals is the error for a ship that has too many proposals.
var errProposals = fmt.Errorf("%d proposals wait for the captain's decision, and no more are taken: go on with your task", fleet.MaxProposals)

// Remove removes a proposal from the list.
func (p *List) Remove(d facts.Dismissed) {
	p.Used(d.Proposal)
	key := d.Key
	if it, ok := p.Find(d.Proposal); ok && it.Issue != "" {
		key = it.Key()
	}
	if key != "" {
		if p.over == nil {
			p.over = map[string]bool{}
		}
		p.over[key] = true
	}
	p.all = slices.DeleteFunc(slices.Clone(p.all), func(old fleet.Proposal) bool { return old.ID == d.Proposal })
}

// records lists the records from which AddRecord restores this list.
func (p *List) records() (all []facts.Record) {
	for _, it := range p.all {
		all = append(all, facts.Record{Kind: facts.KindProposal, Data: it})
	}
	for _, key := range slices.Sorted(maps.Keys(p.over)) {
		all = append(all, facts.Record{Kind: facts.KindDismissed, Data: facts.Dismissed{Key: key}})
	}
	if p.last > 0 && !slices.ContainsFunc(p.all, func(it fleet.Proposal) bool { return it.ID == p.last }) {
		all = append(all, facts.Record{Kind: facts.KindDismissed, Data: facts.Dismissed{Proposal: p.last}})
	}
	return all
}
