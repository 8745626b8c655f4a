// Package ship is the running side of a ship as work needs it: its connection, its tree, the hub's copies of that, and what keeps the ship from
// tasks.
package ship

import (
	"context"
	gosync "sync"
	"time"

	"golang.org/x/time/rate"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/helm/access"
	"ocaptain/fleet/helm/copies"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/ignored"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/livetree"
	"ocaptain/fleet/helm/reach"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider/registry"
	"ocaptain/fleet/turn"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// Ship is a ship that has a machine. Its methods are safe for concurrent use.
type Ship struct {
	sync.Remote // remote end of its tree, once there is a connection

	Name    string
	Role    string
	Agent   agent.Agent
	Model   string          // that the agent is asked to use, "" for its own choice
	Here    bool            // it runs on this machine
	Context context.Context // ends when helm lets go of the ship
	Stop    context.CancelFunc
	Reach   *reach.Ship
	Copies  *copies.Copies // the hub's copies of its tree
	Ignores *ignored.Files
	Busy    turn.Turn     // held by an operation on the tree; a claim or a completion holds it throughout
	Noted   *rate.Limiter // ration of the notes that the ship makes helm write

	Unsure   string // the claim whose merge may not be recorded; guarded by Busy
	Answered string // the claim of the last review that the ship handed in; guarded by Busy

	// Check runs a shell command, or a script, in a clean checkout on the ship and returns what it printed.
	Check func(ctx context.Context, dir, command string, script []byte) (said string, err error)

	Rests func() bool // reports whether the ship's agent neither works nor is about to

	c       *core.Core
	parcels turn.Turn // held while a parcel of its telemetry is taken in

	mu gosync.Mutex
	is State
}

// State is what helm remembers of a ship.
type State struct {
	Record   fleet.Ship // as in fleet.json
	Trouble  facts.Trouble
	Refusals facts.Refusals
	Leaves   bool // it is about to be sunk, and gets no new tasks
	Budgets  Budgets
	Said     string             // the last words of its agent
	Quit     context.CancelFunc // cancels the verification that runs on it, nil for none
}

// Options say what a Ship needs from its voyage besides the Core.
type Options struct {
	*core.Core
	Access *access.Access
	Works  func() bool                       // reports whether the ship's agent works
	Rests  func() bool                       // reports whether the agent neither works nor is about to begin
	Lost   func()                            // is called when the provider does not find the ship's machine
	Stands func(at time.Time, commit string) // as in copies.Options
}

// New returns the running side of a ship, which is not connected yet.
func New(o Options, f *fleet.Ship) *Ship {
	s := &Ship{
		Name: f.Name, Role: f.Role, Here: registry.Of(f.Provider).Here, Agent: o.Info.AgentOf(f), Model: o.Info.ModelOf(f), Busy: turn.New(), Noted: NewRation(), Rests: o.Rests, c: o.Core, is: State{Record: *f, Budgets: newBudgets()}, parcels: turn.New(),
		Ignores: ignored.New(o.Paint.Send),
	}
	s.Check = s.inClean
	s.Context, s.Stop = context.WithCancel(o.Context)
	keep := func(change func(*fleet.Ship)) { // changes fleet.json too, unless the ship has got another machine since
		s.Change(func(is *State) { change(&is.Record) })
		built := s.Record().Built
		o.Roster.ChangeShip(s.Name, func(f *fleet.Ship) {
			if f.Built == built {
				change(f)
			}
		})
	}
	s.Reach = reach.New(reach.Options{
		Access: o.Access, Ship: *f, Machine: machines.IDOf(o.Dir.ID(), f), Replace: o.Dir.Command("ship replace %s", f.Name),
		Redact: o.Secrets.Redact, Log: o.Log, Notes: o.Notes, Paint: o.Paint, Go: o.Go, Keep: keep, Lost: o.Lost,
		Away: func() { o.Offers.Withdraw(s.Name) },
	})
	s.Copies = copies.New(copies.Options{
		Core: o.Core, Ship: s.Name, Remote: s, Lock: s.Lock, Unlock: s.Busy.Unlock, Held: s.Held, Works: o.Works, Stands: o.Stands,
		Spend: func(bytes int64) time.Duration { return s.Spend(Copies, bytes) },
	})
	return s
}

// NewRation returns a bound on the notes that a ship can make helm write: 100 at once, then one a second.
func NewRation() *rate.Limiter { return rate.NewLimiter(1, 100) }

// State returns what helm remembers of the ship now.
func (s *Ship) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.is
}

// Change changes what helm remembers of the ship. fn must not block.
func (s *Ship) Change(fn func(*State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn(&s.is)
}

// Record returns the ship's entry in fleet.json.
func (s *Ship) Record() fleet.Ship { return s.State().Record }

// InTree returns the ship as package livetree needs it.
func (s *Ship) InTree() livetree.Ship { return livetree.Ship{Ship: s.Record(), Link: s.Reach.Link()} }

// Claimant returns the ship as package kind needs it.
func (s *Ship) Claimant() kind.Ship {
	return kind.Ship{Name: s.Name, Role: s.Role, Agent: s.Agent.Name, Model: s.Model}
}

// Held returns the task that the ship holds, nil for none.
func (s *Ship) Held() *tasks.State { return s.c.Store.Snapshot().Held(s.Name) }

// Holds reports whether the ship still has a claim.
func (s *Ship) Holds(task string, epoch uint64) bool {
	t := s.c.Store.Snapshot().Task(task)
	return t != nil && t.Status == tasks.InProgress && t.Owner == s.Name && t.Epoch == epoch
}

// Lock locks the ship's tree. It fails if helm no longer looks after the ship.
func (s *Ship) Lock(ctx context.Context) error {
	if s.Busy.Lock(ctx) != nil {
		return core.ErrEnds
	}
	if s.Context.Err() != nil {
		s.Busy.Unlock()
		return core.ErrEnds
	}
	return nil
}

// LockForWrite locks the ship's tree for a change that is recorded. It also fails while the hub's disk is full or Redis does not answer.
func (s *Ship) LockForWrite(ctx context.Context) error {
	if err := s.Lock(ctx); err != nil {
		return err
	}
	err := s.c.Hinders.Check()
	if err != nil {
		s.Busy.Unlock()
	}
	return err
}
