package tailnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"time"

	"ocaptain/fleet/provider"
)

// Own is a node of the tailnet within this process, for a machine without Tailscale. Only
// programs that are built with the tag tsnet, as releases are, have it: see Embedded. It joins when it is first
// dialled with; that goes on also when who dialled waits no more. It stays until Rest or Close.
type Own struct {
	Dir         string // for what it keeps while it runs
	LoginServer string // "" for Tailscale's

	// Pass makes what the node joins with. Whoever does records it first, as it is good for anybody.
	Pass func(context.Context) (Pass, error)
	// Joined is told the id of the node that has joined under that name, nil for nobody.
	Joined func(host, id string) error
	// Left is told that a node is no more, or never came to be: what there is of it can be taken away.
	Left func(host string)
	// Known asks whether the tailnet still has the node, when it does not get through: provider.ErrNotFound
	// makes it join anew. Nil for nobody to ask.
	Known func(ctx context.Context, host string) error
	// Needed tells whether the node is to stay although nothing uses it now, nil for never.
	Needed func() bool

	join func(ctx context.Context, dir, login string, pass Pass) (node, error) // nil for embed

	mu      sync.Mutex
	ctx     context.Context // ends with Close
	end     context.CancelFunc
	closed  bool
	here    *stay         // nil while it is not in the tailnet
	joining chan struct{} // closed when the attempt is over that is under way, nil for none
	waiting int           // dials that wait for that
	failed  error         // why the last attempt came to nothing
	again   time.Time     // when the next one may be made
	idle    *time.Timer   // ends what linger began
	jobs    sync.WaitGroup
}

// Pass lets one node join the tailnet under a name of its own.
type Pass struct {
	Host   string
	Tag    string
	Secret string `json:"-"`
}

// node is what Own needs of a running node.
type node interface {
	ID() string
	Dial(ctx context.Context, network, addr string) (net.Conn, error)
	Close() error
}

// stay is a node's time in the tailnet. Its fields are Own's to lock.
type stay struct {
	node
	host  string
	users int       // dials under way, and connections
	asked time.Time // when the tailnet was last asked whether it has it
}

const (
	ownJoin   = time.Minute      // bounds an attempt to join
	ownAgain  = 30 * time.Second // from one that failed to the next: each needs a key
	ownDoubt  = time.Minute      // between two questions whether the tailnet has the node
	ownLinger = time.Minute      // how long a node that nobody needs stays for the next to use it
)

var errOwnClosed = errors.New("this process is ending, and its node of the tailnet with it")

// Dial connects to a port of another node. The first dial joins the tailnet.
func (o *Own) Dial(ctx context.Context, host string, port int) (net.Conn, error) {
	s, err := o.enter(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := s.Dial(ctx, "tcp", joinHostPort(host, port))
	if err != nil {
		o.doubt(s)
		o.release(s)
		return nil, err
	}
	return &ownConn{Conn: conn, release: sync.OnceFunc(func() { o.release(s) })}, nil
}

// Joins tells whether a dial would have to join first, and may try to.
func (o *Own) Joins() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.here == nil && !o.closed && !time.Now().Before(o.again)
}

// enter returns the node, which counts as used, once it is in the tailnet.
func (o *Own) enter(ctx context.Context) (*stay, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.here == nil {
		if err := o.begin(); err != nil {
			return nil, err
		}
		over := o.joining
		o.waiting++
		o.mu.Unlock()
		select {
		case <-over:
		case <-ctx.Done():
		}
		o.mu.Lock()
		o.waiting--
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case o.here != nil:
		o.here.users++
		return o.here, nil
	case o.failed != nil:
		return nil, o.failed
	}
	return nil, errOwnClosed
}

// begin has an attempt to join under way, unless the last one failed just now. Called with mu held.
func (o *Own) begin() error {
	switch {
	case o.closed:
		return errOwnClosed
	case o.joining != nil:
		return nil
	case time.Now().Before(o.again):
		return fmt.Errorf("%w; it is tried again in %s", o.failed, time.Until(o.again).Round(time.Second))
	}
	if o.ctx == nil {
		o.ctx, o.end = context.WithCancel(context.Background())
	}
	over := make(chan struct{})
	o.joining = over
	o.jobs.Go(func() {
		defer close(over)
		s, err := o.attempt(o.ctx)
		o.mu.Lock()
		defer o.mu.Unlock()
		o.here, o.failed, o.joining = s, err, nil
		if err != nil {
			o.again = time.Now().Add(ownAgain)
		} else if o.waiting == 0 {
			o.linger()
		}
	})
	return nil
}

// attempt joins the tailnet once.
func (o *Own) attempt(ctx context.Context) (*stay, error) {
	ctx, cancel := context.WithTimeout(ctx, ownJoin)
	defer cancel()
	pass, err := o.Pass(ctx)
	if err != nil {
		return nil, err
	}
	join := o.join
	if join == nil {
		join = embed
	}
	n, err := join(ctx, filepath.Join(o.Dir, pass.Host), o.LoginServer, pass)
	if err == nil && o.Joined != nil {
		if err = o.Joined(pass.Host, n.ID()); err != nil {
			_ = n.Close()
		}
	}
	if err != nil {
		o.left(pass.Host)
		return nil, fmt.Errorf("a node of ocaptain's own: %w", err)
	}
	return &stay{node: n, host: pass.Host, asked: time.Now()}, nil // devices are listed late
}

// release ends a use of a node.
func (o *Own) release(s *stay) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if s.users--; s.users == 0 && o.here == s {
		o.linger()
	}
}

// linger has the node leave in a while, if nobody needs it then. Called with mu held.
func (o *Own) linger() {
	switch {
	case o.closed:
	case o.idle == nil:
		o.idle = time.AfterFunc(ownLinger, o.Rest)
	default:
		o.idle.Reset(ownLinger)
	}
}

// doubt asks whether the tailnet still has a node that does not get through: a machine that slept for long comes
// back to one that has forgotten it.
func (o *Own) doubt(s *stay) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.Known == nil || o.closed || o.here != s || time.Since(s.asked) < ownDoubt {
		return
	}
	s.asked = time.Now()
	o.jobs.Go(func() {
		ctx, cancel := context.WithTimeout(o.ctx, ownJoin)
		defer cancel()
		if err := o.Known(ctx, s.host); !errors.Is(err, provider.ErrNotFound) {
			return
		}
		o.mu.Lock()
		gone := o.here == s
		if gone {
			o.here = nil
		}
		o.mu.Unlock()
		if gone {
			_ = o.quit(s)
		}
	})
}

// Rest takes the node out of the tailnet if nothing uses it and nobody needs it. The next dial joins anew.
func (o *Own) Rest() {
	if o.Needed != nil && o.Needed() {
		return
	}
	o.mu.Lock()
	s := o.here
	if s == nil || o.closed || s.users > 0 || o.waiting > 0 {
		o.mu.Unlock()
		return
	}
	o.here = nil
	o.jobs.Add(1)
	o.mu.Unlock()
	defer o.jobs.Done()
	_ = o.quit(s)
}

// Close takes the node out of the tailnet, if it ever joined, for good.
func (o *Own) Close() error {
	o.mu.Lock()
	s := o.here
	o.here, o.closed = nil, true
	if o.end != nil {
		o.end()
	}
	o.mu.Unlock()
	var err error
	if s != nil {
		err = o.quit(s)
	}
	o.jobs.Wait()
	o.mu.Lock()
	s, o.here = o.here, nil // of an attempt that was just done
	o.mu.Unlock()
	if s != nil {
		err = errors.Join(err, o.quit(s))
	}
	return err
}

func (o *Own) quit(s *stay) error {
	err := s.Close()
	o.left(s.host)
	return err
}

func (o *Own) left(host string) {
	if o.Left != nil {
		o.Left(host)
	}
}
