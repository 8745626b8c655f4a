// Package pauses carries out the pauses of a voyage and of its ships: agents are interrupted where the captain wants that, and go on when a pause
// ends.
package pauses

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
)

// Options say what Pauses need from their voyage.
type Options struct {
	*core.Core
	Ships     func() []Ship           // the ships that have a machine
	Interrupt func(ship string) error // interrupts the ship's agent
}

// Ship is what Pauses need to know of a ship.
type Ship struct {
	Name          string
	State         proto.AgentState
	StateAt       time.Time
	Reached       bool // it is connected
	Holds         bool // it holds a task
	TakesMessages bool // its agent does
}

// Pauses are the pauses of a voyage. Its methods are safe for concurrent use.
type Pauses struct {
	Options

	mu    sync.Mutex
	ships map[string]stop
}

// stop is the interruption of an agent.
type stop struct {
	underWay bool
	done     time.Time // when it was interrupted, or was seen to have stopped
}

// New returns the Pauses of a voyage.
func New(o Options) *Pauses { return &Pauses{Options: o, ships: map[string]stop{}} }

// Pause has agents stop at the end of their turns, or at once.
func (p *Pauses) Pause(r api.PauseRequest) error {
	now := time.Now()
	if !r.Until.IsZero() && !r.Until.After(now) {
		return api.Refused("%s is over", r.Until.Local().Format(time.DateTime))
	}
	if err := p.Roster.Afloat(); err != nil {
		return err
	}
	if why := p.Kind.Over(p.Roster.Now().Phase); why != "" {
		return api.Refused("%s: there is nothing to pause", why)
	}
	for _, name := range r.Ships {
		if err := p.check(name); err != nil {
			return err
		}
	}
	return p.Spending.Pause(r)
}

// check returns why a ship cannot be paused, nil if it can. A ship that is being made can be paused, too.
func (p *Pauses) check(name string) error {
	switch f := p.Roster.Ship(name); {
	case f == nil:
		return api.NotFound("voyage %s has no %s", p.Dir.ID(), name)
	case f.Phase == fleet.Failed || f.Phase == fleet.Going:
		return api.Refused("%s is %s", name, f.Phase)
	}
	return nil
}

// Unpause ends the pauses of ships, or of the voyage if no ship is named. It returns what follows from that.
func (p *Pauses) Unpause(ships []string) ([]fleet.Note, error) {
	notes, err := p.Spending.Unpause(ships)
	if err == nil {
		p.goOn(ships)
	}
	return notes, err
}

// SetBudget sets what the voyage may cost.
func (p *Pauses) SetBudget(r api.BudgetRequest) (fleet.Budget, error) {
	is, goOn, err := p.Spending.SetBudget(r.Max)
	if goOn {
		p.goOn(nil)
	}
	return is, err
}

// Look ends pauses that are over, and interrupts agents that should stop at once.
func (p *Pauses) Look(now time.Time) {
	switch over := p.Spending.EndPauses(now); {
	case slices.Contains(over, ""):
		p.goOn(nil)
	case len(over) > 0:
		p.goOn(over)
	}
	if names := p.overspent(now); len(names) > 0 {
		p.goOn(names)
	}
	for _, s := range p.Ships() {
		p.stop(s, now)
	}
}

// overspent lists the ships whose agents were interrupted for their cost while helm was away, and may go on.
func (p *Pauses) overspent(now time.Time) (names []string) {
	for _, s := range p.Ships() {
		if s.isInterrupted() && s.State.Why == proto.Overspent && p.Spending.PausedShip(s.Name, now) == "" {
			names = append(names, s.Name)
		}
	}
	return names
}

// isInterrupted reports whether the agent waits because it was interrupted.
func (s *Ship) isInterrupted() bool {
	return s.State.State == proto.StateWaiting && (s.State.Why == proto.Interrupted || s.State.Why == proto.Overspent)
}

// goOn tells the interrupted agents of ships, or of all ships if none is named, to go on, unless their ships are
// still paused. Agents that cannot be reached get the message later.
func (p *Pauses) goOn(ships []string) {
	now := time.Now()
	for _, s := range p.Ships() {
		named := len(ships) == 0 || slices.Contains(ships, s.Name)
		if !named || !s.TakesMessages || !s.isInterrupted() || p.Spending.PausedShip(s.Name, now) != "" {
			continue
		}
		b, err := p.Post.Box(s.Name)
		if err == nil {
			err = b.Add(mailbox.Message{ID: fmt.Sprintf("pause-%d", s.StateAt.UnixMilli()), At: now, Text: told.AfterPause})
		}
		if err != nil {
			p.Log.Warn("end of a pause", "ship", s.Name, "error", err)
		}
	}
}

// stop interrupts an agent for a pause, once: the agent does what the captain tells it later. If the ship cannot be reached, the next look tries
// again.
func (p *Pauses) stop(s Ship, now time.Time) {
	since := p.Spending.StopsSince(s.Name, now)
	p.mu.Lock()
	defer p.mu.Unlock()
	is := p.ships[s.Name]
	switch {
	case since.IsZero() || !s.Reached || is.underWay || is.done.After(since):
	case s.State.State == proto.StateWorking:
		p.ships[s.Name] = stop{underWay: true, done: is.done}
		p.Go(func() { p.interrupt(s.Name) })
	case !s.Holds && (s.State.State == proto.StateIdle || s.State.State == proto.StateResting):
		p.ships[s.Name] = stop{done: now}
	}
}

func (p *Pauses) interrupt(ship string) {
	err := p.Interrupt(ship)
	if err != nil {
		p.Log.Warn("pause", "ship", ship, "error", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	is := stop{done: p.ships[ship].done}
	if err == nil {
		is.done = time.Now()
	}
	p.ships[ship] = is
}

// Forget forgets the interruptions of a ship whose machine is new or gone.
func (p *Pauses) Forget(ship string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.ships, ship)
}
