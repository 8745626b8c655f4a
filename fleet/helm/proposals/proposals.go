// Package proposals keeps the changes of the task list that agents and people propose, until the captain has decided
// about them.
package proposals

import (
	"strings"
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/wake"
	"ocaptain/tasks"
)

// Options name the voyage, and what Proposals need from helm.
type Options struct {
	Book   *book.Book
	Redact func(string) string // removes secrets from texts
	Paint  wake.Signal         // is sent when the board has changed
}

// Proposals are the proposals of a voyage. Its methods are safe for concurrent use.
type Proposals struct {
	o  Options
	mu sync.Mutex
	is List
}

// New returns Proposals that begin with the list was.
func New(o Options, was List) *Proposals { return &Proposals{o: o, is: was} }

// fit cleans the texts of a proposal, since agents must get exactly what the captain saw when he accepted it. held is
// the task that the proposing ship holds, nil for none: a task that the ship proposes becomes a part of held.
func fit(p fleet.Proposal, held *tasks.State, redact func(string) string) fleet.Proposal {
	p.Text = redact(p.Text)
	if p.Edit == nil {
		return p
	}
	e := *p.Edit
	e.Subject, e.Description = redact(strings.TrimSpace(clean.Line(e.Subject))), redact(strings.TrimSpace(clean.Text(e.Description)))
	if e.Labels != nil {
		labels := make([]string, len(*e.Labels))
		for i, l := range *e.Labels {
			labels[i] = redact(strings.TrimSpace(clean.Line(l)))
		}
		e.Labels = &labels
	}
	p.Edit = &e
	switch err := e.Check(); {
	case err != nil:
		p.Edit, p.Flaw = nil, err.Error()
	case e.Task == "" && p.Ship != "" && held != nil:
		p.Parent = held.Parent()
	}
	return p
}

// Propose adds a proposal for the captain. held is the task that the proposing ship holds, nil for none. It returns
// an error if too many proposals of the ship wait already.
func (s *Proposals) Propose(p fleet.Proposal, held *tasks.State) error {
	p = fit(p, held, s.o.Redact)
	s.mu.Lock()
	p.ID, p.At = s.is.Next(), time.Now()
	fresh, err := s.is.Add(p)
	if fresh {
		s.o.Book.Add(facts.KindProposal, p)
	}
	s.mu.Unlock()
	s.o.Paint.Send()
	return err
}

// TakeOff removes a proposal from the list.
func (s *Proposals) TakeOff(id int) {
	s.mu.Lock()
	d := facts.Dismissed{Proposal: id}
	s.is.Remove(d)
	written := s.o.Book.Add(facts.KindDismissed, d)
	s.mu.Unlock()
	_ = written.Wait()
	s.o.Paint.Send()
}

// DropAdded removes proposals whose task was added before helm ended in the middle of accepting them. It does not
// reuse their numbers.
func (s *Proposals) DropAdded(all tasks.Snapshot) {
	s.mu.Lock()
	for _, t := range all.Tasks {
		if n, ok := t.Metadata[tasks.ProposalNumber].(float64); ok {
			s.is.Used(int(n))
		}
	}
	s.mu.Unlock()
	for _, p := range s.Waiting() {
		if AddedFor(all, p.ID) != nil {
			s.TakeOff(p.ID)
		}
	}
}

// AddedFor returns the task that was added for a proposal, nil for none.
func AddedFor(all tasks.Snapshot, proposal int) *tasks.State {
	for _, t := range all.Tasks {
		if n, ok := t.Metadata[tasks.ProposalNumber].(float64); ok && int(n) == proposal {
			return t
		}
	}
	return nil
}

// Waiting lists the proposals that wait for the captain. The caller does not change them.
func (s *Proposals) Waiting() []fleet.Proposal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.is.Waiting()
}

// Find returns the proposal of that number, if it waits.
func (s *Proposals) Find(number int) (fleet.Proposal, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.is.Find(number)
}

// NotShown returns the lines of a ship's log after the last proposal of the ship that the captain was shown.
func (s *Proposals) NotShown(ship string, lines []fleet.LogLine) []fleet.LogLine {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(lines) - 1; i >= 0; i-- {
		if s.is.WasShown(ship, lines[i].Journal, lines[i].Seq) {
			return lines[i+1:]
		}
	}
	return lines
}

// Restate writes the proposals to a journal that has lost them.
func (s *Proposals) Restate() {
	s.mu.Lock() // holding the lock, so that later changes are journaled after these records
	defer s.mu.Unlock()
	for _, r := range s.is.records() {
		s.o.Book.Add(r.Kind, r.Data)
	}
}
