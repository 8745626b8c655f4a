package ship

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// RightsRole returns the ship's role in the table of rights.
func (s *Ship) RightsRole() string {
	if s.c.Kind.Gives() {
		return rights.Given
	}
	return s.Role
}

// Actor returns the ship's role as the actor of changes that the ship requests.
func (s *Ship) Actor() rights.Actor { return rights.Actor(s.RightsRole()) }

// Asks judges a request about a task by the claim in the request. It returns the task and the ship's relation to it,
// or a refusal.
func (s *Ship) Asks(q rights.Request, c proto.Claim) (*tasks.State, rights.Relation, error) {
	t := s.c.Store.Snapshot().Task(c.Task)
	if t == nil {
		return nil, rights.None, s.Refuse(c.Task, &tasks.Refusal{Why: tasks.Unknown, Task: clean.Word(c.Task)})
	}
	history, err := s.c.Store.History(s.Context, t.ID)
	if err != nil {
		return nil, rights.None, err
	}
	r, role := rights.Of(t, s.Name, c.Epoch, history), s.RightsRole()
	if rights.May(role, q, r) {
		return t, r, nil
	}
	return nil, r, s.Refuse(t.ID, whyNot(t, s.Name, q, role))
}

// whyNot returns the refusal of a request that the table of rights does not allow.
func whyNot(t *tasks.State, ship string, q rights.Request, role string) error {
	switch {
	case !rights.Ask(role, q):
		return wrongRole(q, role)
	case t.Status == tasks.Completed:
		return &tasks.Refusal{Why: tasks.Done, Task: t.ID}
	case t.Status == tasks.InProgress && t.Owner != ship:
		return &tasks.Refusal{Why: tasks.Taken, Task: t.ID, Owner: t.Owner}
	case t.Status == tasks.InProgress:
		return fmt.Errorf("you hold task %s by another claim: claim it again", t.ID)
	}
	return fmt.Errorf("you do not hold task %s: claim it first", t.ID)
}

// wrongRole returns the refusal for a ship whose role may not make a request. It says what the role may do.
func wrongRole(q rights.Request, role string) error {
	switch q {
	case rights.Review:
		return fmt.Errorf("you are a %s, and work is reviewed by a %s", role, fleet.Validator)
	case rights.Complete:
		return fmt.Errorf("you review this work and do not complete it: answer with ocaptain task review approve|reject --why \"…\"")
	case rights.Plan:
		return fmt.Errorf("a %s breaks nothing down: do the task, or give it back", role)
	}
	return fmt.Errorf("a %s may not do that", role)
}

// Refuse writes a refusal to the journal and returns it for the agent. The captain is told too, except of refusals that are common where
// several ships want the same task.
func (s *Ship) Refuse(task string, err error) error {
	if s.c.Offers.Withdraw(s.Name) { // the ship has tried, so helm may offer the task to another ship
		s.c.News.Send()
	}
	if !s.Noted.Allow() {
		return err
	}
	s.c.AddEvent(facts.KindRefused, map[string]string{"ship": s.Name, "task": clean.Word(task), "why": clean.Bound(err.Error(), clean.MaxText)})
	if no := (*tasks.Refusal)(nil); !errors.As(err, &no) {
		why, _, _ := strings.Cut(clean.Bound(err.Error(), 300), "\n")
		s.c.Notes.Add(fleet.Note{Ship: s.Name, Task: clean.Word(task), Text: "its request was refused: " + why})
	}
	return err
}

// Veto records why a completion was refused, for as long as the claim lasts.
func (s *Ship) Veto(t *tasks.State, why string) {
	s.Change(func(is *State) { is.Refusals.Veto(tasks.ClaimID(t.ID, t.Epoch), why) })
	s.c.Paint.Send()
}

// Conflicted records a merge that was vetoed for conflicts in paths, and tells the captain as far as the ship's ration goes.
func (s *Ship) Conflicted(t *tasks.State, paths []string) {
	c := facts.Conflict{Task: t.ID, Ship: s.Name}
	for _, p := range paths[:min(len(paths), 20)] { // a ship can make file names of any number and length
		c.Paths = append(c.Paths, clean.Bound(p, 200))
	}
	s.Change(func(is *State) { is.Refusals.Clash(time.Now(), tasks.ClaimID(t.ID, t.Epoch), c.Paths) })
	s.c.Paint.Send()
	tell := s.Noted.Allow()
	s.c.Records.Conflict(c, tell)
	if tell {
		s.c.Notes.Add(fleet.Note{Ship: s.Name, Task: c.Task, Text: clean.Bound("merge conflict in "+strings.Join(c.Paths[:min(len(c.Paths), 5)], ", ")+"; its agent was asked to resolve it", 500)})
	}
}

// PassNotes tells the captain what a tree operation noted, as far as the ship's ration goes.
func (s *Ship) PassNotes(task string, notes []string) {
	for _, n := range notes[:min(len(notes), 10)] {
		if !s.Noted.Allow() {
			return
		}
		s.c.Notes.Add(fleet.Note{Ship: s.Name, Task: task, Text: clean.Bound(n, clean.MaxText)})
	}
}
