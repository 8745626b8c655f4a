package voyage

import (
	"context"
	"errors"
	"strings"
	"time"

	"ocaptain/fleet/helm/edits"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
	"ocaptain/tasks/beads"
)

// propose shows the captain what somebody would like to change in the task list. The words of an edit are made fit to be shown
// here already: what he is shown, and nothing else, is what agents are told once he has accepted it.
func (v *Voyage) propose(p fleet.Proposal) {
	if p.Edit != nil {
		e := *p.Edit
		e.Subject, e.Description = v.secrets.Redact(strings.TrimSpace(clean.Line(e.Subject))), v.secrets.Redact(strings.TrimSpace(clean.Text(e.Description)))
		if e.Labels != nil {
			labels := make([]string, len(*e.Labels))
			for i, l := range *e.Labels {
				labels[i] = v.secrets.Redact(strings.TrimSpace(clean.Line(l)))
			}
			e.Labels = &labels
		}
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
	var (
		fresh bool
		err   error
		tell  bool
	)
	changes(v, func() {
		p.ID, p.At, p.Text = v.facts.Proposals.Next(), time.Now(), v.secrets.Redact(p.Text)
		fresh, err = v.facts.Proposals.Add(p)
		if fresh {
			v.book.Add(facts.KindProposal, p)
		}
		s := v.ships[p.Ship]
		tell = err != nil && s != nil && !s.flooded
		if s != nil {
			s.flooded = err != nil
		}
	})
	v.requestBoard()
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

// takeOff takes a proposal off the list.
func (v *Voyage) takeOff(id int) {
	var written *book.Record
	changes(v, func() {
		v.facts.Proposals.Remove(facts.Dismissed{Proposal: id})
		written = v.book.Add(facts.KindDismissed, facts.Dismissed{Proposal: id})
	})
	_ = written.Wait()
	v.requestBoard()
}

// notShown returns the lines of a ship's log after the last proposal of the ship that the captain was shown.
func (v *Voyage) notShown(ship string, lines []fleet.LogLine) []fleet.LogLine {
	return reads(v, func() []fleet.LogLine {
		for i := len(lines) - 1; i >= 0; i-- {
			if v.facts.Proposals.WasShown(ship, lines[i].Journal, lines[i].Seq) {
				return lines[i+1:]
			}
		}
		return lines
	})
}

// dropAdded takes proposals off the list whose task was added before helm ended in the middle. Their numbers are not given again.
func (v *Voyage) dropAdded() {
	for _, t := range v.store.Snapshot().Tasks {
		if n, ok := t.Metadata[tasks.ProposalNumber].(float64); ok {
			v.facts.Proposals.Used(int(n))
		}
	}
	for _, p := range v.facts.Proposals.List() {
		if v.addedFor(p.ID) != nil {
			v.takeOff(p.ID)
		}
	}
}

// addedFor is the task that was added for a proposal, nil for none.
func (v *Voyage) addedFor(proposal int) *tasks.State {
	for _, t := range v.store.Snapshot().Tasks {
		if n, ok := t.Metadata[tasks.ProposalNumber].(float64); ok && int(n) == proposal {
			return t
		}
	}
	return nil
}

// DecideProposal accepts a proposal, or rejects it, at the captain's word. It is off the list with that, so that it counts once.
func (v *Voyage) DecideProposal(ctx context.Context, r api.ProposalRequest) (out api.ProposalDecided, err error) {
	if err := v.deciding.Lock(ctx); err != nil {
		return out, err
	}
	defer v.deciding.Unlock()
	var (
		p     fleet.Proposal
		waits bool
		phase fleet.Phase
	)
	changes(v, func() {
		p, waits = v.facts.Proposals.Find(r.Proposal)
		phase = v.fleet.Phase
	})
	if !waits {
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
			return out, api.Refused("proposal %d cannot be accepted: %v", p.ID, v.hinders.OrAway("", err))
		}
	}
	v.takeOff(p.ID)
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
	if p.Issue != "" {
		metadata[beads.Key] = p.Issue
	}
	added, err := v.as(rights.Captain).Add(ctx, []tasks.Task{p.Edit.NewTask(metadata, parent)})
	if err != nil {
		return "", err
	}
	return added[0].ID, nil
}
