// Package proposals keeps what agents and people would like to change in the task list, until the captain has decided about it.
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

// Options are whose proposals they are.
type Options struct {
	Book   *book.Book
	Redact func(string) string // takes secrets out of texts
	Paint  wake.Signal         // is sent when readers are shown something else
}

// Proposals are the proposals of a voyage. Its methods are safe for concurrent use.
type Proposals struct {
	o  Options
	mu sync.Mutex
	is List
}

// New goes on with what was known.
func New(o Options, was List) *Proposals { return &Proposals{o: o, is: was} }

// fit makes the words of an edit fit to be shown: what the captain is shown, and nothing else, is what agents are told once he has accepted it.
// held is the task that the ship holds, nil for none: what it would add becomes a part of that.
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

// Propose shows the captain what somebody would like to change. held is the task that the ship holds which proposes it, nil for none. It fails
// where as much of the ship waits for the captain as may.
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

// TakeOff takes a proposal off the list.
func (s *Proposals) TakeOff(id int) {
	s.mu.Lock()
	d := facts.Dismissed{Proposal: id}
	s.is.Remove(d)
	written := s.o.Book.Add(facts.KindDismissed, d)
	s.mu.Unlock()
	_ = written.Wait()
	s.o.Paint.Send()
}

// DropAdded takes proposals off the list whose task was added before helm ended in the middle. Their numbers are not given again.
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

// AddedFor is the task that was added for a proposal, nil for none.
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

// Restate writes the proposals to the journal, which has lost them.
func (s *Proposals) Restate() {
	s.mu.Lock() // what changes meanwhile is written after it
	defer s.mu.Unlock()
	for _, r := range s.is.records() {
		s.o.Book.Add(r.Kind, r.Data)
	}
}
