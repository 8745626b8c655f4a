// Package live shows the terminals of agents, streamed from exactly the ships on the screen.
package live

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/link"
	"ocaptain/fleet/wake"
	"ocaptain/ui/attach"
	"ocaptain/ui/term/predict"
)

// Opener opens a link to a ship. It may do I/O, within ctx.
type Opener func(ctx context.Context, ship string) (*link.Link, error)

// Views holds the live views of a voyage's ships. Only the goroutine that draws may call its
// methods, except those with a ctx, which wait and may run in other goroutines.
type Views struct {
	Predict predict.Mode // for ships that are shown from now on

	voyage   string // for advice
	open     Opener
	ctx      context.Context
	cancel   context.CancelFunc
	parsing  chan struct{} // held while parsing: flooding and quiet ships take turns
	dirty    wake.Signal   // holds a token after a change
	warm     time.Duration
	began    time.Time
	typed    atomic.Int64 // when the captain last typed, in nanoseconds
	hurry    wake.News    // ends pauses early
	mu       sync.Mutex
	sessions map[string]*session
	panes    map[string]*Pane
	phases   map[string]fleet.ShipPhase
	hidden   []string // ships off the screen that are still linked, longest first
}

// keepWarm is how long a ship that left the screen stays linked, maxWarm how many such ships do. So
// moving through a list shows each ship at once.
const (
	keepWarm = 30 * time.Second
	maxWarm  = 8
)

// New returns the views of a voyage's ships, all hidden. helm dials the links; client returns a
// client of the running helm. Views calls notify when there is something new to draw, about once a
// frame at most; notify may block.
func New(hub fleet.Hub, voyage fleet.Dir, client func(context.Context) (*api.Client, error), notify func()) *Views {
	return NewViews(voyage.ID(), func(ctx context.Context, ship string) (*link.Link, error) {
		c, err := client(ctx)
		if err != nil {
			return nil, err
		}
		return attach.OpenLink(hub, voyage, ship, c)
	}, notify)
}

// NewViews returns the views of a voyage's ships, with links from open.
func NewViews(voyage string, open Opener, notify func()) *Views {
	v := &Views{
		voyage: voyage, open: open, warm: keepWarm,
		parsing: make(chan struct{}, 1), dirty: wake.New(), began: time.Now(),
		sessions: map[string]*session{}, panes: map[string]*Pane{},
	}
	v.ctx, v.cancel = context.WithCancel(context.Background())
	go v.passChanges(notify)
	return v
}

// ShowOnly makes these ships stream, and all others stop. It returns at once.
func (v *Views) ShowOnly(ships ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ctx.Err() != nil {
		return
	}
	for _, ship := range ships {
		v.session(ship).startStream()
		v.hidden = slices.DeleteFunc(v.hidden, func(h string) bool { return h == ship })
	}
	for ship, s := range v.sessions {
		if !slices.Contains(ships, ship) && s.stopStream(v.warm) {
			v.hidden = append(v.hidden, ship)
		}
	}
	for len(v.hidden) > maxWarm {
		v.sessions[v.hidden[0]].endLink()
		v.hidden = v.hidden[1:]
	}
	for ship, s := range v.sessions {
		if s.isIdle() && !slices.Contains(ships, ship) {
			delete(v.sessions, ship)
			delete(v.panes, ship)
			v.hidden = slices.DeleteFunc(v.hidden, func(h string) bool { return h == ship })
		}
	}
}

// PaneOf returns the view of a ship. Call it for each use: Views drops a ship that is off the
// screen for long.
func (v *Views) PaneOf(ship string) *Pane {
	v.mu.Lock()
	defer v.mu.Unlock()
	s := v.session(ship)
	if v.panes[ship] == nil {
		v.panes[ship] = &Pane{session: s}
	}
	return v.panes[ship]
}

// SetBoard updates what is known of the ships. A ship that has made progress is retried at once.
func (v *Views) SetBoard(b *fleet.Board) {
	v.mu.Lock()
	defer v.mu.Unlock()
	phases := make(map[string]fleet.ShipPhase, len(b.Ships))
	for i := range b.Ships {
		s := &b.Ships[i]
		phases[s.Name] = s.Phase
		if known := v.sessions[s.Name]; known != nil && v.phases[s.Name] != s.Phase {
			known.retryNow()
		}
	}
	v.phases = phases
}

// Attach opens the ship's terminal over its view's link, or over a new link. Show no ships while
// the command runs, as the captain does not see them.
func (v *Views) Attach(ctx context.Context, o attach.Options) (*attach.Command, error) {
	s := v.sessionOf(o.Ship)
	l, release, err := s.borrow(ctx)
	if err != nil {
		return nil, err
	}
	o.Closed = release
	return attach.Open(ctx, l, o)
}

// Close ends all views and links. It returns at once.
func (v *Views) Close() {
	v.cancel()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.sessions {
		s.stopStream(v.warm)
		s.endLink()
	}
}

func (v *Views) sessionOf(ship string) *session {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.session(ship)
}

// session returns the session of a ship; v.mu is held.
func (v *Views) session(ship string) *session {
	s := v.sessions[ship]
	if s == nil {
		s = newSession(v, ship)
		v.sessions[ship] = s
	}
	return s
}

// changed reports that there is something new to draw. It never blocks.
func (v *Views) changed() {
	v.dirty.Send()
}
