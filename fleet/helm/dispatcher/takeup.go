package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/post"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/link"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/provision"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// ShipOptions say what a Ship needs.
type ShipOptions struct {
	Name    string
	Agent   agent.Agent
	Context context.Context // ends when helm lets go of the ship
	Reached func() bool     // reports whether the ship is connected
	Link    func() *link.Link
	Home    func() string // of the ship's user
	Claim   func(ctx context.Context, r proto.ClaimRequest) (proto.Grant, error)
	Hold    func(task string, epoch uint64, why string) error // takes a claim back from the ship, and puts its task on hold
}

// Ship is the running side of a worker. It takes up one task at a time.
type Ship struct {
	ShipOptions
	d *Dispatcher

	mu      sync.Mutex
	taking  bool   // it takes up a task
	ready   string // the claim for which the machine is set up
	unbegun string // why it could not begin its task, as the captain was told
}

// NewShip returns the running side of a worker.
func (d *Dispatcher) NewShip(o ShipOptions) *Ship { return &Ship{ShipOptions: o, d: d} }

func (s *Ship) isTaking() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taking
}

func (d *Dispatcher) isTaking(worker string) bool {
	s := d.Ship(worker)
	return s != nil && s.isTaking()
}

// begin reports whether the ship may take up a task now, because it takes up no other. takeUp follows.
func (s *Ship) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taking {
		return false
	}
	s.taking = true
	return true
}

// takeUp has the ship claim a task that it was given, and tells its agent. Steps that were done before are not repeated.
func (s *Ship) takeUp(t *tasks.State) {
	if err := s.takeUpNow(t); err != nil {
		s.noteUnbegun(t.ID, err)
		_ = s.d.As(rights.Clock).Reserve(s.d.Context, t.ID, "") // another may begin it; this is refused once it was claimed
		_ = retry.Sleep(s.Context, idle)
	}
	s.mu.Lock()
	s.taking = false
	s.mu.Unlock()
	s.d.Soon()
}

// noteUnbegun tells the captain why a ship cannot begin its task, once for each reason in a row.
func (s *Ship) noteUnbegun(task string, err error) {
	var no *tasks.Refusal
	if s.Context.Err() != nil || blame.IsAway(err) || errors.As(err, &no) {
		return
	}
	why := "could not begin it: " + clean.Bound(err.Error(), clean.MaxText)
	s.mu.Lock()
	known := s.unbegun == why
	s.unbegun = why
	s.mu.Unlock()
	if !known {
		s.d.Notes.Add(fleet.Note{Ship: s.Name, Task: task, Text: why})
	}
}

func (s *Ship) takeUpNow(t *tasks.State) error {
	g, err := s.Claim(s.Context, proto.ClaimRequest{Task: t.ID})
	if err != nil {
		return err
	}
	if stopped, err := s.setUp(t.ID, g.Epoch); stopped || err != nil {
		return err
	}
	s.mu.Lock()
	s.ready, s.unbegun = tasks.ClaimID(t.ID, g.Epoch), ""
	s.mu.Unlock()
	s.d.News.Send()
	if !s.Agent.TakesMessages() { // it continues the task that its ship holds
		return nil
	}
	s.d.Grants.Lock() // when the claim is taken back afterwards, the message is found and withdrawn
	defer s.d.Grants.Unlock()
	b, err := s.d.Post.Box(s.Name)
	if err != nil || !s.holds(t.ID, g.Epoch) {
		return err
	}
	text := s.d.Kind.Tell(t)
	if !s.Agent.Turns && !s.Agent.Hooks { // helm does not learn when its turn ends
		text += fmt.Sprintf("\n\nWhen that is done: ocaptain task complete %s --summary \"what you did\"", t.ID)
	}
	return b.Add(mailbox.Message{
		ID: post.ClaimID(t.ID, g.Epoch), At: time.Now(), Text: text, Claim: proto.Claim{Task: t.ID, Epoch: g.Epoch},
	})
}

// KnowsOf reports whether the agent was told of the claim that its ship was given, or may take it up.
func (s *Ship) KnowsOf(t *tasks.State) bool {
	if !s.Agent.TakesMessages() {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.ready == tasks.ClaimID(t.ID, t.Epoch)
	}
	b, err := s.d.Post.Box(s.Name)
	return err == nil && b.WasDone(post.ClaimID(t.ID, t.Epoch))
}

// setUp has the ship run the repository's setup script, if there is one. If the script fails, the dispatch is put on hold.
func (s *Ship) setUp(task string, epoch uint64) (stopped bool, err error) {
	limit := s.d.SetupTime
	ctx, cancel := context.WithTimeout(s.Context, limit)
	defer cancel()
	s.d.Go(func() { s.whileHeld(ctx, task, epoch, cancel) })
	var said link.Tail
	_, err = s.Link().BulkLane().Run(ctx, link.Command{Argv: []string{path.Join(s.Home(), provision.Binary), "aboard", "setup"}, Stdout: &said})
	var why string
	var exit *link.ExitError
	switch {
	case err == nil:
		return false, nil
	case !s.holds(task, epoch):
		return true, nil // the claim was taken back
	case errors.As(err, &exit) && said.String() == "":
		why = "scripts/dev-setup.sh could not be run: " + exit.Error()
	case errors.As(err, &exit):
		why = s.d.Secrets.Redact(clean.Bound(said.String(), clean.MaxText))
	case ctx.Err() != nil && s.Context.Err() == nil:
		why = fmt.Sprintf("scripts/dev-setup.sh did not end within %s", fleet.FormatSpan(limit))
	default:
		return false, err // the connection was lost: it is tried again
	}
	why += fmt.Sprintf("\nLook at it with: %s; try again with: %s", "ocaptain shell "+s.d.Dir.ID()+" "+s.Name, s.d.Dir.Command("requeue %s", task))
	s.d.Notes.Add(fleet.Note{Ship: s.Name, Task: task, Text: why})
	return true, s.Hold(task, epoch, why)
}

// holds reports whether the ship still has a claim.
func (s *Ship) holds(task string, epoch uint64) bool {
	t := s.d.Store.Snapshot().Task(task)
	return t != nil && t.Status == tasks.InProgress && t.Owner == s.Name && t.Epoch == epoch
}

// whileHeld calls cancel when a claim of the ship ends before ctx.
func (s *Ship) whileHeld(ctx context.Context, task string, epoch uint64, cancel func()) {
	for ctx.Err() == nil {
		news := s.d.News.Next()
		if !s.holds(task, epoch) {
			cancel()
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
		}
	}
}
