// Package steering decides about work that changes files which steer agents: such work is allowed and marked,
// refused, or waits for the captain.
package steering

import (
	"encoding/json"
	"strings"
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/wake"
	tree "ocaptain/sync"
	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

// State is, for each task, the last decision about such work. The zero State is that of a new voyage.
type State map[string]fleet.Steering

// Add applies a record of the journal. A record of another kind, or an unreadable record, changes nothing.
func (s *State) Add(r journal.Record) {
	var is fleet.Steering
	if r.Kind == facts.KindSteering && json.Unmarshal(r.Data, &is) == nil {
		s.set(is)
	}
}

func (s *State) set(is fleet.Steering) {
	if *s == nil {
		*s = State{}
	}
	(*s)[is.Task] = is
}

// Options name the voyage, and what a Steering needs from helm.
type Options struct {
	Dir    fleet.Dir
	Guard  string // fleet.Guards.Steering
	Book   *book.Book
	Redact func(string) string // removes secrets from names

	News  *wake.News  // is sent when the captain has decided
	Paint wake.Signal // is sent when the board has changed
}

// Steering keeps the decisions about a voyage's work. Its methods are safe for concurrent use.
type Steering struct {
	o  Options
	mu sync.Mutex
	is State
}

// New returns a Steering that begins with the state was.
func New(o Options, was State) *Steering { return &Steering{o: o, is: was} }

// maxPaths bounds the paths that are recorded of a piece of work, and maxPath a path in bytes.
const (
	maxPaths = 50
	maxPath  = 200
)

// Judge returns a function for Merge.Steers that judges the work of a claim. lands is false when the work is
// completed or handed in, and true when approved work is merged. The function records allowed work before it is
// merged, so that a crash does not hide it.
func (s *Steering) Judge(t *tasks.State, lands bool) func(tree.Steering) error {
	return func(now tree.Steering) error {
		is := fleet.Steering{Steering: now, Task: t.ID, Ship: t.Owner, Epoch: t.Epoch, Word: fleet.Flagged, At: time.Now()}
		is.Paths, is.More = nil, max(0, len(now.Paths)-maxPaths)
		for _, path := range now.Paths[:min(len(now.Paths), maxPaths)] {
			is.Paths = append(is.Paths, strings.ReplaceAll(s.o.Redact(clean.Bound(path, maxPath)), "\n", " "))
		}
		s.mu.Lock()
		last := s.is[t.ID]
		s.mu.Unlock()
		known := last.IsAbout(t) && (last.Work == now.Work || lands && last.Files == now.Files)
		if err := judge(s.o.Guard, is, last, known); err != nil || known {
			return err
		}
		return s.record(is)
	}
}

// judge returns why work is not allowed, nil if it is. last is the last decision about the task's work; known says
// that it was about the same work.
func judge(guard string, is, last fleet.Steering, known bool) error {
	switch {
	case guard == fleet.SteeringDeny:
		return &blame.NotLetIn{Steering: is}
	case guard != fleet.SteeringAsk || known && last.Word == fleet.Approved:
		return nil
	case known && last.Word == fleet.Rejected:
		return &blame.NotLetIn{Steering: last}
	}
	return &blame.NotLetIn{Steering: is, Waits: true}
}

// record journals and stores a decision about work.
func (s *Steering) record(is fleet.Steering) error {
	if err := s.o.Book.Add(facts.KindSteering, is).Wait(); err != nil {
		return err
	}
	s.mu.Lock()
	s.is.set(is)
	s.mu.Unlock()
	s.o.Paint.Send()
	return nil
}

// Ask records that work waits for the captain.
func (s *Steering) Ask(is fleet.Steering) error {
	is.Word = fleet.Waits
	return s.record(is)
}

// Of returns the decision about the work on a task under its current claim.
func (s *Steering) Of(t *tasks.State) (is fleet.Steering, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	is = s.is[t.ID]
	return is, is.IsAbout(t)
}

// Waiting returns the work on a task that waits for the captain, nil for none.
func (s *Steering) Waiting(t *tasks.State) *fleet.Steering {
	if is, ok := s.Of(t); ok && t.Status == tasks.InProgress && is.Word == fleet.Waits {
		return &is
	}
	return nil
}

// Decide records the captain's decision about work that waits for him. It applies only to the work that he saw.
func (s *Steering) Decide(t *tasks.State, r api.DecideRequest) (fleet.Steering, error) {
	is := s.Waiting(t)
	if is == nil {
		return fleet.Steering{}, api.Refused("task %s does not wait for you to approve anything", t.ID)
	}
	if is.Work != r.Work {
		return *is, api.Refused("the work on task %s is not what you saw: look again with ocaptain diff %[1]s --voyage %s", t.ID, s.o.Dir.ID())
	}
	is.Word, is.At, is.Why = fleet.Rejected, time.Now(), clean.Bound(r.Reason, 8<<10)
	if r.Approve {
		is.Word, is.Why = fleet.Approved, ""
	}
	if err := s.record(*is); err != nil {
		return *is, err
	}
	s.o.News.Send()
	return *is, nil
}

// Show adds the decisions to a board.
func (s *Steering) Show(b *fleet.Board) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range b.Tasks {
		if is, ok := s.is[b.Tasks[i].ID]; ok && b.Tasks[i].Status != tasks.Pending && is.IsAbout(&b.Tasks[i]) {
			b.Steering = append(b.Steering, is)
		}
	}
}

// Restate writes all decisions to a journal that has lost them.
func (s *Steering) Restate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, is := range s.is {
		s.o.Book.Add(facts.KindSteering, is)
	}
}

// Forget drops decisions about claims that have ended, except for allowed work, which the board shows.
func (s *Steering) Forget(task func(id string) *tasks.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, is := range s.is {
		if t := task(id); t == nil || t.Epoch != is.Epoch && (t.HandIn == nil || t.HandIn.Epoch != is.Epoch) {
			delete(s.is, id)
		}
	}
}
