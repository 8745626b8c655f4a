package helm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
)

// proposals are what agents would like and the captain has not decided about, the oldest first. They are guarded by v.mu.
type proposals struct {
	all  []fleet.Proposal // replaced as a whole: readers have the old one
	last int              // number that was given
}

func (p *proposals) list() []fleet.Proposal { return p.all }

// add keeps a proposal, and reports whether it is new. It does not keep more than fleet.MaxProposals of a ship.
func (p *proposals) add(one fleet.Proposal) (fresh bool, err error) {
	if slices.ContainsFunc(p.all, func(old fleet.Proposal) bool { return old.IsSame(&one) }) {
		return false, nil
	}
	n := 0
	for i := range p.all {
		if p.all[i].Ship == one.Ship {
			n++
		}
	}
	if n >= fleet.MaxProposals {
		return false, errProposals
	}
	p.last = max(p.last, one.ID)
	p.all = append(slices.Clone(p.all), one)
	return true, nil
}

// errProposals says that a ship has proposed as much as it may.
var errProposals = fmt.Errorf("%d proposals wait for the captain's decision, and no more are taken: go on with your task", fleet.MaxProposals)

// remove takes one off the list.
func (p *proposals) remove(id int) {
	p.all = slices.DeleteFunc(slices.Clone(p.all), func(one fleet.Proposal) bool { return one.ID == id })
}

// dismissed says that a proposal is off the list.
type dismissed struct {
	Proposal int `json:"proposal"`
}

// propose shows the captain what somebody would like to change in the task list. The words of an edit are made fit to be shown
// here already: what he is shown, and nothing else, is what agents are told once he has accepted it.
func (v *voyage) propose(p fleet.Proposal) {
	if p.Edit != nil {
		e := *p.Edit
		e.Subject, e.Description = v.redact(strings.TrimSpace(clean.Line(e.Subject))), v.redact(strings.TrimSpace(clean.Text(e.Description)))
		p.Edit = &e
		if err := e.Check(); err != nil {
			p.Edit, p.Flaw = nil, err.Error()
		}
	}
	if p.Edit != nil && p.Edit.Task == "" && p.Ship != "" {
		if t := v.store.Snapshot().Held(p.Ship); t != nil {
			p.Parent = t.Parent()
		}
	}
	v.mu.Lock()
	p.ID, p.At, p.Text = v.proposals.last+1, time.Now(), v.redact(p.Text)
	fresh, err := v.proposals.add(p)
	s := v.ships[p.Ship]
	tell := err != nil && s != nil && !s.flooded
	if s != nil {
		s.flooded = err != nil
	}
	v.mu.Unlock()
	if fresh {
		v.addEvent(kindProposal, p)
		v.requestBoard()
	}
	if tell {
		v.jobs.Go(func() { v.tellAgent(p.Ship, "Your last proposal was not taken: "+err.Error()+".") })
	}
}

// tellAgent sends an agent a message, unless its ship is gone or takes none. Those of a pool would take it for something to do.
func (v *voyage) tellAgent(ship, text string) {
	if ship != "" && v.info.Kind != fleet.Pool {
		_, _ = v.send(v.ctx, ship, api.SayRequest{Text: text})
	}
}

// takeOff takes a proposal off the list.
func (v *voyage) takeOff(id int) {
	v.mu.Lock()
	v.proposals.remove(id)
	v.mu.Unlock()
	v.addEvent(kindDismissed, dismissed{id})
	v.requestBoard()
}

// dropAdded takes those off the list whose task was added before helm ended in the middle.
func (v *voyage) dropAdded() {
	for _, p := range v.proposals.list() {
		if v.addedFor(p.ID) != nil {
			v.takeOff(p.ID)
		}
	}
}

// addedFor is the task that was added for a proposal, nil for none.
func (v *voyage) addedFor(proposal int) *tasks.State {
	for _, t := range v.store.Snapshot().Tasks {
		if n, ok := t.Metadata[tasks.ProposalNumber].(float64); ok && int(n) == proposal {
			return t
		}
	}
	return nil
}

// decideProposal accepts a proposal, or rejects it, at the captain's word. It is off the list with that, so that it counts once.
func (v *voyage) decideProposal(ctx context.Context, r api.ProposalRequest) (out api.ProposalDecided, err error) {
	if err := v.deciding.Lock(ctx); err != nil {
		return out, err
	}
	defer v.deciding.Unlock()
	v.mu.Lock()
	i := slices.IndexFunc(v.proposals.all, func(p fleet.Proposal) bool { return p.ID == r.Proposal })
	phase := v.fleet.Phase
	var p fleet.Proposal
	if i >= 0 {
		p = v.proposals.all[i]
	}
	v.mu.Unlock()
	if i < 0 {
		return out, api.NotFound("there is no proposal %d: it was decided about already, or never was", r.Proposal)
	}
	if r.Accept {
		if why := p.Unacceptable(v.info.Kind, phase); why != "" {
			return out, api.Refused("proposal %d cannot be accepted: %s", p.ID, why)
		}
		if r.Saw == nil || !p.IsSame(r.Saw) {
			return out, api.Refused("proposal %d is not what you saw: look again", p.ID)
		}
		switch out.Task, err = v.accept(ctx, &p, r); {
		case errors.Is(err, api.ErrRefused) || errors.Is(err, api.ErrNotFound):
			return out, err
		case err != nil:
			return out, api.Refused("proposal %d cannot be accepted: %v", p.ID, v.orRoom(err))
		}
	}
	v.takeOff(p.ID)
	v.tellDecided(&p, r, out.Task)
	return out, nil
}

// accept does what a proposal says, and returns the task that it is about. Doing so again changes nothing.
func (v *voyage) accept(ctx context.Context, p *fleet.Proposal, r api.ProposalRequest) (task string, err error) {
	switch {
	case p.Cancel:
		return p.Task, v.cancel(ctx, api.CancelRequest{Task: p.Task, Reason: p.Ship + " proposed it" + because(r.Reason), Tasks: r.Tasks})
	case p.Edit.Task != "":
		return p.Task, v.store.Edit(ctx, *p.Edit)
	}
	v.parents.Lock() // what it becomes a part of is not completed meanwhile
	defer v.parents.Unlock()
	if t := v.addedFor(p.ID); t != nil {
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
	added, err := v.store.Add(ctx, []tasks.Task{p.Edit.NewTask(metadata, parent)})
	if err != nil {
		return "", err
	}
	return added[0].ID, nil
}

// tellDecided tells the agent that proposed it, and the agent that works on the task, what became of a proposal.
func (v *voyage) tellDecided(p *fleet.Proposal, r api.ProposalRequest, task string) {
	said := fmt.Sprintf("The captain rejected what you proposed (%s)", strings.Join(strings.Fields(cleanText(p.Text, 200)), " "))
	switch {
	case !r.Accept:
	case p.Cancel:
		said = fmt.Sprintf("The captain cancelled task %s, as you proposed", task)
	case p.Edit.Task == "":
		said = fmt.Sprintf("The captain added task %s, as you proposed: %s", task, p.Edit.Subject)
	default:
		said = fmt.Sprintf("The captain changed task %s, as you proposed", task)
		if t := v.store.Snapshot().Task(task); t != nil && t.Status == tasks.InProgress && t.Owner != p.Ship && t.Owner != fleet.Coordinator {
			v.tellAgent(t.Owner, fmt.Sprintf("The captain changed task %s, which you work on: read it again.", task))
		}
	}
	v.tellAgent(p.Ship, said+because(r.Reason)+".")
}
