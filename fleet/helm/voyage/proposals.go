package voyage

import (
	"context"
	"errors"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/edits"
	"ocaptain/fleet/helm/proposals"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
	"ocaptain/tasks/beads"
)

// propose shows the captain what somebody would like to change in the task list. An agent is told, once, when no more is taken.
func (v *Voyage) propose(p fleet.Proposal) {
	var held *tasks.State
	if p.Ship != "" { // else the tasks may not be open yet
		held = v.store.Snapshot().Held(p.Ship)
	}
	err := v.proposals.Propose(p, held)
	tell := reads(v, func() bool {
		s := v.ships[p.Ship]
		if s == nil {
			return false
		}
		was := s.flooded
		s.flooded = err != nil
		return s.flooded && !was
	})
	if tell {
		v.jobs.Go(func() { v.tellAgent(p.Ship, "Your last proposal was not taken: "+err.Error()+".") })
	}
}

// tellAgent sends an agent a message, and reports whether it gets it: its ship may be gone or take none. Those of a pool would take it for
// something to do.
func (v *Voyage) tellAgent(ship, text string) bool {
	if ship == "" || v.info.Kind.TakesDispatches() {
		return false
	}
	_, err := v.Send(v.ctx, ship, api.SayRequest{Text: text})
	return err == nil
}

// DecideProposal accepts a proposal, or rejects it, at the captain's word. It is off the list with that, so that it counts once.
func (v *Voyage) DecideProposal(ctx context.Context, r api.ProposalRequest) (out api.ProposalDecided, err error) {
	if err := v.deciding.Lock(ctx); err != nil {
		return out, err
	}
	defer v.deciding.Unlock()
	p, waits := v.proposals.Find(r.Proposal)
	if !waits {
		return out, api.NotFound("there is no proposal %d: it was decided about already, or never was", r.Proposal)
	}
	if r.Accept {
		if why := p.Unacceptable(v.info.Kind, v.roster.Now().Phase); why != "" {
			return out, api.Refused("proposal %d cannot be accepted: %s", p.ID, why)
		}
		if r.Saw == nil || !p.IsSame(r.Saw) {
			return out, api.Refused("proposal %d is not what you saw: look again", p.ID)
		}
		switch out.Task, err = v.accept(ctx, &p, r); {
		case errors.Is(err, api.ErrRefused) || errors.Is(err, api.ErrNotFound):
			return out, err
		case err != nil:
			return out, api.Refused("proposal %d cannot be accepted: %v", p.ID, v.hinders.OrAway("", err))
		}
	}
	v.proposals.TakeOff(p.ID)
	v.tellAgent(p.Ship, edits.Decided(&p, r, out.Task))
	return out, nil
}

// accept does what a proposal says, and returns the task that it is about. Doing so again changes nothing.
func (v *Voyage) accept(ctx context.Context, p *fleet.Proposal, r api.ProposalRequest) (task string, err error) {
	switch {
	case p.Cancel:
		return p.Task, v.Cancel(ctx, api.CancelRequest{Task: p.Task, Reason: p.By() + " proposed it" + edits.Because(r.Reason), Tasks: r.Tasks})
	case p.Edit.Task != "":
		_, err := v.changeTask(ctx, *p.Edit, p.Ship)
		return p.Task, err
	}
	v.parents.Lock() // what it becomes a part of is not completed meanwhile
	defer v.parents.Unlock()
	if t := proposals.AddedFor(v.store.Snapshot(), p.ID); t != nil {
		return t.ID, nil
	}
	parent := v.store.Snapshot().Task(p.Parent)
	if parent != nil && parent.Status == tasks.Completed {
		parent = nil
	}
	metadata := map[string]any{tasks.ProposalNumber: float64(p.ID)}
	if p.Ship != "" {
		metadata[tasks.ProposedBy] = p.Ship
	}
	if p.Issue != "" {
		metadata[beads.Key] = p.Issue
	}
	added, err := v.as(rights.Captain).Add(ctx, []tasks.Task{p.Edit.NewTask(metadata, parent)})
	if err != nil {
		return "", err
	}
	return added[0].ID, nil
}
