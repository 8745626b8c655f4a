package helm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/link"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provision"
	"ocaptain/tasks"
)

// ship is the running side of a ship: its connection, what it reports, and what
// helm asks of it.
type ship struct {
	v        *voyage
	name     string
	provider provider.Provider
	link     *link.Link
	ctx      context.Context // ends when the ship is let go
	stop     context.CancelFunc
	tree     turn // one tree operation at a time; a claim or a completion holds it throughout

	// Guarded by v.mu.
	known       fleet.Known
	conn        *wire.Conn // to aboard serve, nil while there is none
	logs        *logFile
	conflicts   int
	live        string // newest snapshot
	drift       int    // files in it that are not merged
	restoring   bool   // what is applied is old
	relaunching bool
	nudged      string // task that the agent was sent back to, and how often
	nudges      int
	mail        bool // a message is on its way: a waiting agent should listen
}

// turn is a mutex whose wait a context ends.
type turn chan struct{}

func (t turn) lock(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) unlock() { <-t }

func newShip(v *voyage, f *fleet.Ship) *ship {
	s := &ship{v: v, name: f.Name, provider: v.helm.providers[f.Provider], tree: make(turn, 1)}
	s.ctx, s.stop = context.WithCancel(v.ctx)
	s.known.Ship = *f
	return s
}

// begin connects and keeps everything going until close.
func (s *ship) begin() {
	s.v.jobs.Go(func() {
		defer s.stop()
		var err error
		if s.logs, err = openLog(s.v.dir, s.name); err != nil {
			s.v.note(fleet.Note{Ship: s.name, Text: "its log cannot be written: " + err.Error()})
			return
		}
		defer s.logs.close()
		s.restore()
		if s.link, err = link.Open(s.v.helm.linkTo(&s.known.Ship, s.dial)); err != nil {
			s.v.note(fleet.Note{Ship: s.name, Text: err.Error()})
			return
		}
		defer s.link.Close()
		done := make(chan struct{})
		go func() { defer close(done); s.follow() }()
		s.serve()
		<-done
	})
}

func (s *ship) close() { s.stop() }

// linkTo is the configuration of a connection to a ship.
func (h *Helm) linkTo(f *fleet.Ship, dial func(context.Context) (net.Conn, error)) link.Config {
	return link.Config{
		Name: f.Name, User: f.Machine.User, HostKey: f.HostKey, Signers: h.signers(), Dial: dial,
	}
}

// dial reaches the ship's machine; one that stopped is brought back first.
func (s *ship) dial(ctx context.Context) (net.Conn, error) {
	s.v.mu.Lock()
	m := s.known.Ship.Machine
	s.v.mu.Unlock()
	conn, err := s.provider.Dial(ctx, m)
	if err == nil {
		return conn, nil
	}
	back, e := s.provider.Ensure(ctx, m.Name)
	if errors.Is(e, provider.ErrNotFound) {
		s.lost()
		return nil, fmt.Errorf("the machine %s no longer exists; replace the ship with: ocaptain ship replace %s", m.Name, s.name)
	}
	if e != nil {
		return nil, errors.Join(err, e)
	}
	if err := s.v.change(func(f *fleet.Fleet) {
		s.known.Ship.Machine = back
		if own := f.Ship(s.name); own != nil {
			own.Machine = back
		}
	}); err != nil {
		return nil, err
	}
	return s.provider.Dial(ctx, back)
}

// lost settles what a ship leaves behind whose machine is proven gone.
func (s *ship) lost() { s.v.reclaim(s.name, "the machine of "+s.name+" no longer exists") }

// follow keeps what is known of the connection.
func (s *ship) follow() {
	for st := range s.link.Watch(s.ctx) {
		s.v.mu.Lock()
		s.known.Connected = st.State == link.Connected
		s.known.LinkSince = st.Since
		s.known.LinkError = ""
		if st.Err != nil {
			s.known.LinkError = st.Err.Error()
		}
		s.v.touchLocked()
		s.v.mu.Unlock()
	}
}

// serve keeps "aboard serve" going on the ship, and speaks with it.
func (s *ship) serve() {
	pause := 100 * time.Millisecond
	for s.ctx.Err() == nil {
		if err := s.link.Ready(s.ctx); err != nil {
			if s.ctx.Err() == nil {
				s.v.note(fleet.Note{Ship: s.name, Text: err.Error()})
			}
			return // refused for good, or let go
		}
		began := time.Now()
		err := s.session()
		if s.ctx.Err() != nil {
			return
		}
		s.v.log.Info("session ended", "ship", s.name, "error", err)
		if time.Since(began) > time.Minute {
			pause = 100 * time.Millisecond
		}
		if sleep(s.ctx, pause) != nil {
			return
		}
		pause = min(10*time.Second, 2*pause)
	}
}

// session is one life of "aboard serve".
func (s *ship) session() error {
	stream, err := s.link.Stream(s.ctx, link.Command{Argv: []string{s.binary(), "aboard", "serve"}})
	if err != nil {
		return err
	}
	ready := make(chan *wire.Conn, 1)
	conn := wire.New(stream, wire.Options{Handlers: s.methods(ready), Idle: 10 * time.Second})
	ready <- conn
	defer conn.Close()
	jobs, cancel := context.WithCancel(s.ctx)
	defer cancel()
	go s.pushTasks(jobs, conn)
	go s.snapshots(jobs)
	defer func() {
		s.v.mu.Lock()
		defer s.v.mu.Unlock()
		if s.conn == conn {
			s.conn = nil
		}
	}()
	select {
	case <-conn.Done():
		return conn.Err()
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// binary is where the ocaptain program lies on the ship.
func (s *ship) binary() string { return path.Join(s.known.Ship.Home, provision.Binary) }

// Tree runs the remote end of a tree operation; it makes ship a sync.Remote.
func (s *ship) Tree(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	return (&bare{s.link, s.known.Ship.Home}).Tree(ctx, args, stdin, stdout)
}

// bare is the sync.Remote of a ship that has nothing but a connection yet.
type bare struct {
	link *link.Link
	home string
}

func (b *bare) Tree(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	argv := append([]string{path.Join(b.home, provision.Binary), "aboard", "tree"}, args...)
	_, err := b.link.Bulk().Run(ctx, link.Command{Argv: argv, Stdin: stdin, Stdout: stdout})
	return err
}

// say has a message typed to the agent.
func (s *ship) say(ctx context.Context, text string) error {
	s.v.mu.Lock()
	conn := s.conn
	s.mail = true // an agent that waits for a task must end its turn to read
	s.v.touchLocked()
	s.v.mu.Unlock()
	defer func() {
		s.v.mu.Lock()
		s.mail = false
		s.v.mu.Unlock()
	}()
	if conn == nil {
		return &answerError{s.name + " cannot be reached now", ErrRefused}
	}
	return conn.Call(ctx, aboard.MethodSay, aboard.Say{ID: fleet.NewID(), Text: text}, nil)
}

// conflicted counts a vetoed merge.
func (s *ship) conflicted() {
	s.v.mu.Lock()
	defer s.v.mu.Unlock()
	s.conflicts++
	s.v.touchLocked()
}

// snapshots keeps a copy of the ship's unmerged work on the hub: often while it
// changes, seldom while it rests.
func (s *ship) snapshots(ctx context.Context) {
	const least, most = 3 * time.Second, 30 * time.Second
	pause := least
	for sleep(ctx, pause) == nil {
		if held(s.v.store.Snapshot(), s.name) == nil {
			pause = least
			continue
		}
		if s.tree.lock(ctx) != nil {
			return
		}
		limit, cancel := context.WithTimeout(ctx, treeTime)
		snap, err := s.v.work.Snapshot(limit, s, s.name)
		cancel()
		s.tree.unlock()
		if err != nil {
			if ctx.Err() == nil {
				s.v.log.Warn("snapshot", "ship", s.name, "error", err)
			}
			pause = min(most, 2*pause)
			continue
		}
		s.v.mu.Lock()
		same := s.live == snap.Commit
		s.live, s.drift = snap.Commit, snap.Changed
		if !same {
			s.v.touchLocked()
		}
		s.v.mu.Unlock()
		pause = least
		if same {
			pause = min(most, 2*pause)
		}
	}
}

// pushTasks keeps the ship's view of the task list up to date.
func (s *ship) pushTasks(ctx context.Context, conn *wire.Conn) {
	sent := map[string]*tasks.State{}
	first := true
	for snap := range s.v.store.Watch(ctx) {
		var part []tasks.Task
		for _, t := range snap.Tasks {
			if sent[t.ID] != t {
				sent[t.ID] = t
				part = append(part, t.Task)
			}
		}
		for first || len(part) > 0 {
			n := min(len(part), 200)
			up := aboard.TaskUpdate{Full: first, More: first && n < len(part), Tasks: part[:n]}
			part = part[n:]
			if !up.More {
				first = false
			}
			if err := conn.Call(ctx, aboard.MethodTasks, up, nil); err != nil {
				return
			}
		}
	}
}
