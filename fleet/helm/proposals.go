package helm

import (
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
)

// mostProposals bounds what waits for the captain: agents may propose without end.
const mostProposals = 50

// proposals are what agents would like and the captain has not dismissed, the oldest first. They are guarded by v.mu.
type proposals struct {
	all  []fleet.Proposal // replaced as a whole: readers have the old one
	last int              // number that was given
}

func (p *proposals) list() []fleet.Proposal { return p.all }

// add keeps one, and reports whether it is new. The oldest goes when there are too many.
func (p *proposals) add(one fleet.Proposal) bool {
	if slices.ContainsFunc(p.all, func(old fleet.Proposal) bool {
		return old.Ship == one.Ship && old.Task == one.Task && old.Text == one.Text
	}) {
		return false
	}
	p.last = max(p.last, one.ID)
	p.all = append(slices.Clone(p.all), one)
	p.all = p.all[max(0, len(p.all)-mostProposals):]
	return true
}

// dismiss drops one, and reports whether it was there.
func (p *proposals) dismiss(id int) bool {
	left := slices.DeleteFunc(slices.Clone(p.all), func(one fleet.Proposal) bool { return one.ID == id })
	was := len(p.all)
	p.all = left
	return len(left) < was
}

// propose shows the captain what somebody would like to change in the task list.
func (v *voyage) propose(p fleet.Proposal) {
	v.mu.Lock()
	p.ID, p.At, p.Text = v.proposals.last+1, time.Now(), v.redact(p.Text)
	fresh := v.proposals.add(p)
	v.mu.Unlock()
	if fresh {
		v.addEvent(kindProposal, p)
		v.requestBoard()
	}
}

// dismiss takes a proposal off the list at the captain's word.
func (v *voyage) dismiss(r api.DismissRequest) error {
	v.mu.Lock()
	there := v.proposals.dismiss(r.Proposal)
	v.mu.Unlock()
	if !there {
		return api.NotFound("there is no proposal %d", r.Proposal)
	}
	v.addEvent(kindDismissed, r)
	v.requestBoard()
	return nil
}
