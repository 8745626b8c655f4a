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
	"ocaptain/ui/term/predict"
)

// session is the connection to one ship and the state of its terminal.
type session struct {
	ship  string
	views *Views
	turn  turn.Turn // held while connecting
	wake  wake.Signal
	keys  chan []byte // typed, not yet sent

	mu     sync.Mutex
	screen *term.Screen // the screen last shown, nil before the first frame
	past   *term.Screen // the ship's history when it was fetched, or nil
	ahead  predict.Guesser
	status status
	link   *link.Link
	users  int                // how many borrowers the link has
	stop   context.CancelFunc // ends the goroutine that streams; nil when there is none
	ended  chan struct{}      // closed when the last streaming goroutine has ended
	cooler *time.Timer

	fetching bool // the history is being fetched
	fresh    bool // the screen was drawn after the session was shown
}

// state is the state of a session.
type state int

const (
	connecting state = iota // for the first time
	live
	broken // it was live, or could not be reached; the session retries
	absent // no ship to reach
	barred // the ship refuses our key, or shows a wrong key
)

// status is the state of a session, with details.
type status struct {
	state state
	tries int       // since it was last live
	seen  time.Time // when the ship last showed something
	why   string    // why it is not live; clean text
	next  string    // what happens next, or what to do
}

func newSession(v *Views, ship string) *session {
	ended := make(chan struct{})
	close(ended)
	return &session{
		ship: ship, views: v, ended: ended,
		turn: turn.New(), wake: wake.New(), keys: make(chan []byte, 256), ahead: predict.Guesser{Mode: v.Predict},
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

// stopStream stops streaming, and ends the link some time later. It reports whether the session was
// streaming.
func (s *session) stopStream(warm time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop == nil {
		return false
	}
	s.stop()
	s.stop = nil
	s.forgetKeys() // the captain would not see their effect
	s.past, s.fetching = nil, false
	s.cooler = time.AfterFunc(warm, s.endLink)
	return true
}

// endLink ends the link, unless it is in use.
func (s *session) endLink() {
	s.mu.Lock()
	defer s.mu.Unlock()
	closing := s.views.ctx.Err() != nil
	if s.link != nil && (closing || s.stop == nil && s.users == 0) {
		_ = s.link.Close()
		s.link = nil
	}
}

// isIdle reports whether only the last frame of the session is left.
func (s *session) isIdle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stop == nil && s.link == nil && s.users == 0
}

// retryNow ends the wait for the next try.
func (s *session) retryNow() {
	s.wake.Send()
}

// run streams the ship's terminal until ctx ends, and retries after each failure.
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

// hesitation is how long the last frame of a ship that returned to the screen counts as live.
// Usually the next frame comes sooner, and dimming the view for a moment would flicker.
const hesitation = 250 * time.Millisecond

// markStale ends the time in which the last frame counts as live.
func (s *session) markStale() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status.state == live && !s.fresh {
		s.status.state = connecting
		s.views.changed()
	}
}

// steady is how long a view must have been live to reset the number of tries.
const steady = 10 * time.Second

// backoff returns the wait before the next try, with jitter: short for a network that comes and
// goes, long if only the captain can help.
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

// forgetKeys drops unsent keys when their terminal is gone.
func (s *session) forgetKeys() {
	for {
		select {
		case <-s.keys:
		default:
			return
		}
	}
}
