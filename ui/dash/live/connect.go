package live

import (
	"context"
	"errors"
	"time"

	"ocaptain/fleet/link"
)

// connect returns the link once it is up: the existing link, or a new one.
func (s *session) connect(ctx context.Context) (*link.Link, error) {
	if err := s.turn.Lock(ctx); err != nil {
		return nil, err
	}
	defer s.turn.Unlock()
	s.mu.Lock()
	l := s.link
	s.mu.Unlock()
	if l != nil {
		if l.Status().State == link.Connected {
			return l, nil
		}
		s.forgetLink(l)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errSilent)
	defer cancel()
	l, err := s.views.open(ctx, s.ship)
	if err != nil {
		return nil, err
	}
	if err := awaitFirst(ctx, l); err != nil {
		_ = l.Close()
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.views.ctx.Err() != nil {
		_ = l.Close()
		return nil, s.views.ctx.Err()
	}
	s.link = l
	return l, nil
}

// patience is how long a ship may take to accept a connection, and then to show something.
const patience = 15 * time.Second

var errSilent = errors.New("no answer")

// awaitFirst waits for the outcome of the first attempt to connect.
func awaitFirst(ctx context.Context, l *link.Link) error {
	for st := range l.Statuses(ctx) {
		switch st.State {
		case link.Connected:
			return nil
		case link.Down, link.Refused:
			return st.Err
		case link.Closed:
			return link.ErrClosed
		}
	}
	return context.Cause(ctx)
}

// forgetLink forgets a link that broke.
func (s *session) forgetLink(l *link.Link) {
	_ = l.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == l {
		s.link = nil
	}
}

// borrow returns the link for another user, who must release it.
func (s *session) borrow(ctx context.Context) (l *link.Link, release func(), err error) {
	s.mu.Lock()
	s.users++
	s.mu.Unlock()
	s.views.hurry.Send()
	release = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.users--; s.users == 0 && s.stop == nil {
			s.cooler = time.AfterFunc(s.views.warm, s.endLink)
		}
	}
	if l, err = s.connect(ctx); err != nil {
		release()
		return nil, nil, err
	}
	return l, release, nil
}
