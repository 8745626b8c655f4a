// Package live shows what the agents' terminals show, streamed from the ships that are on the
// screen and from no others.
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
)

// Opener opens a link to a ship. It may do I/O, within ctx.
type Opener func(ctx context.Context, ship string) (*link.Link, error)

// Views are the live views of a voyage's ships. Its methods belong to the goroutine that draws,
// but for those that take a ctx: they wait, and run beside it.
type Views struct {
	voyage   string // for advice
	open     Opener
	ctx      context.Context
	cancel   context.CancelFunc
	parsing  chan struct{} // held by who parses: flooding ships take turns with quiet ones
	dirty    wake.Signal   // holds a token while something has changed
	warm     time.Duration
	typed    atomic.Int64 // when the captain last typed, in nanoseconds
	mu       sync.Mutex
	sessions map[string]*session
	panes    map[string]*Pane
	phases   map[string]fleet.ShipPhase
	hidden   []string // ships that are not shown but still linked, longest first
}

// keepWarm is how long a ship that went off the screen stays linked, maxWarm how many do, so
// that going up and down a list shows each at once.
const (
	keepWarm = 30 * time.Second
	maxWarm  = 8
)

// frame is the least time between two notices; for a moment after a key was typed it is prompt,
// so that the key's echo need not wait for the next frame.
const (
	frame  = time.Second / 60
	prompt = 4 * time.Millisecond
	moment = 60 * time.Millisecond
)

// New returns the views of a voyage's ships, none of which is shown yet. Links are dialled by
// helm: client returns a client of one that runs. notify is called when there is something new
// to draw, hardly more than once a frame and never while nothing changes; it may block.
func New(hub fleet.Hub, voyage fleet.Dir, client func(context.Context) (*api.Client, error), notify func()) *Views {
	return NewViews(voyage.ID(), func(ctx context.Context, ship string) (*link.Link, error) {
		c, err := client(ctx)
		if err != nil {
			return nil, err
		}
		return attach.OpenLink(hub, voyage, ship, c)
	}, notify)
}

// NewViews returns views of a voyage's ships over links of any kind.
func NewViews(voyage string, open Opener, notify func()) *Views {
	v := &Views{
		voyage: voyage, open: open, warm: keepWarm,
		parsing: make(chan struct{}, 1), dirty: wake.New(),
		sessions: map[string]*session{}, panes: map[string]*Pane{},
	}
	v.ctx, v.cancel = context.WithCancel(context.Background())
	go v.passChanges(notify)
	return v
}

// ShowOnly makes the ships stream that are on the screen, and the others stop. It returns at once.
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

// PaneOf is the view of a ship. Ask for it anew at each use: a ship that is off the
// screen for long is forgotten.
func (v *Views) PaneOf(ship string) *Pane {
	v.mu.Lock()
	defer v.mu.Unlock()
	s := v.session(ship)
	if v.panes[ship] == nil {
		v.panes[ship] = &Pane{session: s}
	}
	return v.panes[ship]
}

// SetBoard tells what is known of the ships. One that has come further is tried again at once.
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

// Attach opens the ship's terminal over the link that its view has, or a new one. Show no ships
// while the command runs: nobody can see them.
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

// changed says that there is something new to draw. It never blocks.
func (v *Views) changed() {
	v.dirty.Send()
}

// passChanges passes changes on, about one notice a frame at the most.
func (v *Views) passChanges(notify func()) {
	for {
		select {
		case <-v.dirty:
		case <-v.ctx.Done():
			return
		}
		notify()
		pause := frame
		if time.Since(time.Unix(0, v.typed.Load())) < moment {
			pause = prompt
		}
		select {
		case <-time.After(pause):
		case <-v.ctx.Done():
			return
		}
	}
}
