package live

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"ocaptain/fleet/link"
	"ocaptain/fleet/turn"
	"ocaptain/fleet/wake"
	"ocaptain/ui/term"
)

// session is the connection to one ship and what is known of its terminal.
type session struct {
	ship  string
	views *Views
	turn  turn.Turn // held by who connects
	wake  wake.Signal
	keys  chan []byte // typed, not sent yet

	mu     sync.Mutex
	screen *term.Screen // what was shown last, nil before the first frame
	past   *term.Screen // its history as it was when it was fetched, or nil
	status status
	link   *link.Link
	users  int                // who borrowed the link
	stop   context.CancelFunc // ends the goroutine that streams; nil when there is none
	ended  chan struct{}      // closed when the last such goroutine has ended
	cooler *time.Timer

	fetching bool // its history
	fresh    bool // the screen was drawn since the session is shown
}

// state is how far a session is.
type state int

const (
	connecting state = iota // for the first time
	live
	broken // it was live, or could not be reached; it is tried again
	absent // there is no ship to reach
	barred // the ship refuses the key, or shows a wrong one
)

// status is the state of a session and what is to be said about it.
type status struct {
	state state
	tries int       // since it was live
	seen  time.Time // when the ship last showed something
	why   string    // it is not live; clean text
	next  string    // happens, or is to be done
}

func newSession(v *Views, ship string) *session {
	ended := make(chan struct{})
	close(ended)
	return &session{
		ship: ship, views: v, ended: ended,
		turn: turn.New(), wake: wake.New(), keys: make(chan []byte, 256),
	}
}

// startStream makes the session stream.
func (s *session) startStream() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cooler != nil {
		s.cooler.Stop()
		s.cooler = nil
	}
	if s.stop != nil {
		return
	}
	ctx, cancel := context.WithCancel(s.views.ctx)
	before, ended := s.ended, make(chan struct{})
	s.stop, s.ended = cancel, ended
	go func() {
		defer close(ended)
		<-before
		s.run(ctx)
	}()
}

// stopStream makes it stop, and the link end some time later. It tells whether it streamed.
func (s *session) stopStream(warm time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop == nil {
		return false
	}
	s.stop()
	s.stop = nil
	s.forgetKeys() // nobody would see what they do
	s.past, s.fetching = nil, false
	s.cooler = time.AfterFunc(warm, s.endLink)
	return true
}

// endLink ends the link, unless somebody needs it.
func (s *session) endLink() {
	s.mu.Lock()
	defer s.mu.Unlock()
	closing := s.views.ctx.Err() != nil
	if s.link != nil && (closing || s.stop == nil && s.users == 0) {
		_ = s.link.Close()
		s.link = nil
	}
}

// isIdle tells whether nothing is left of the session but its last frame.
func (s *session) isIdle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stop == nil && s.link == nil && s.users == 0
}

// retryNow ends the wait before the next try.
func (s *session) retryNow() {
	s.wake.Send()
}

// run streams the ship's terminal until ctx ends, through every failure.
func (s *session) run(ctx context.Context) {
	s.mu.Lock()
	s.fresh = false
	s.mu.Unlock()
	defer time.AfterFunc(hesitation, s.markStale).Stop()
	for try := 1; ; try++ {
		began := time.Now()
		l, err := s.connect(ctx)
		if err == nil {
			err = s.stream(ctx, l)
			if l.Status().State != link.Connected {
				s.forgetLink(l)
			}
		}
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > steady {
			try = 1
		}
		s.forgetKeys()
		st, why, next := explain(err, s.views.voyage, s.ship)
		s.mu.Lock()
		s.status = status{st, try, s.status.seen, why, next}
		s.mu.Unlock()
		s.views.changed()
		timer := time.NewTimer(backoff(st, try))
		select {
		case <-timer.C:
		case <-s.wake:
			try = 0
		case <-ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
	}
}

// hesitation is how long the last frame of a ship that is back on the screen passes for live.
// Mostly the next comes sooner, and a view that is dimmed for a blink disturbs.
const hesitation = 250 * time.Millisecond

// markStale no longer lets the last frame pass for live.
func (s *session) markStale() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status.state == live && !s.fresh {
		s.status.state = connecting
		s.views.changed()
	}
}

// steady is how long a view must have held for the next try to be the first.
const steady = 10 * time.Second

// backoff is the wait before the next try, with jitter: short for a network that comes and goes,
// long where only the captain can help.
func backoff(st state, try int) time.Duration {
	least, most := 250*time.Millisecond, 10*time.Second
	switch st {
	case absent:
		least, most = 2*time.Second, 5*time.Second
	case barred:
		least, most = 15*time.Second, time.Minute
	}
	d := min(most, least<<min(try-1, 10))
	return d/2 + rand.N(d/2+1)
}

// forgetKeys drops what was typed to a terminal that is gone.
func (s *session) forgetKeys() {
	for {
		select {
		case <-s.keys:
		default:
			return
		}
	}
}
