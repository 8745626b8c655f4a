package captain

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

// DecideProposal accepts or rejects a proposal, and takes it off the list, so that it counts once.
func (c *Captain) DecideProposal(ctx context.Context, r api.ProposalRequest) (out api.ProposalDecided, err error) {
	if err := c.deciding.Lock(ctx); err != nil {
		return out, err
	}
	defer c.deciding.Unlock()
	p, waits := c.Proposals.Find(r.Proposal)
	if !waits {
		return out, api.NotFound("there is no proposal %d: it was decided about already, or never was", r.Proposal)
	}
	if r.Accept {
		if why := p.Unacceptable(c.Info.Kind, c.Roster.Now().Phase); why != "" {
			return out, api.Refused("proposal %d cannot be accepted: %s", p.ID, why)
		}
		if r.Saw == nil || !p.IsSame(r.Saw) {
			return out, api.Refused("proposal %d is not what you saw: look again", p.ID)
		}
		switch out.Task, err = c.accept(ctx, &p, r); {
		case errors.Is(err, api.ErrRefused) || errors.Is(err, api.ErrNotFound):
			return out, err
		case err != nil:
			return out, api.Refused("proposal %d cannot be accepted: %v", p.ID, c.Hinders.OrAway("", err))
		}
	}
	c.Proposals.TakeOff(p.ID)
	c.Tell(p.Ship, edits.Decided(&p, r, out.Task))
	return out, nil
}

// accept makes the change that is proposed, and returns the task that it is about. A second call changes nothing.
func (c *Captain) accept(ctx context.Context, p *fleet.Proposal, r api.ProposalRequest) (task string, err error) {
	switch {
	case p.Cancel:
		return p.Task, c.Cancel(ctx, api.CancelRequest{Task: p.Task, Reason: p.By() + " proposed it" + edits.Because(r.Reason), Tasks: r.Tasks})
	case p.Edit.Task != "":
		_, err := c.changeTask(ctx, *p.Edit, p.Ship)
		return p.Task, err
	}
	c.parents.Lock() // or its parent could be completed meanwhile
	defer c.parents.Unlock()
	if t := proposals.AddedFor(c.Store.Snapshot(), p.ID); t != nil {
		return t.ID, nil
	}
	parent := c.Store.Snapshot().Task(p.Parent)
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
	added, err := c.As(rights.Captain).Add(ctx, []tasks.Task{p.Edit.NewTask(metadata, parent)})
	if err != nil {
		return "", err
	}
	return added[0].ID, nil
}
