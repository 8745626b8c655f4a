// Package serve is the server that helm starts on a ship over SSH: it sends the journal, keeps the task list, passes on
// what hooks and commands ask, delivers messages and stops an agent that has lost its task.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"ocaptain/tasks/taskdir"

	"ocaptain/fleet/aboard/prompt"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/turn"
)

// errRetired ends a serve that a newer serve replaces.
var errRetired = errors.New("a newer connection has taken over")

// idleTime is how long helm may be silent before serve asks whether it is alive. Serve waits three times as long for an answer, as
// helm may sleep or be cut off.
const idleTime = 30 * time.Second

// Run speaks for the ship as long as helm is connected. It passes on what the hooks ask, sends the journal, keeps the
// view of the task list and reports which processes of the ship are alive. It returns nil when helm hangs up or ctx
// ends.
func Run(ctx context.Context, dir string, stdin io.Reader, stdout io.Writer) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	s, err := newServer(shipdir.Dir(dir), end)
	if err != nil {
		return err
	}
	defer s.book.Close()
	release, err := takeOver(ctx, s.home)
	if err != nil {
		return err
	}
	defer release()

	if err := s.openView(); err != nil {
		return err
	}
	defer func() { _ = s.view.Close() }()
	s.helm = wire.New(&stdio{stdin, stdout}, wire.Options{Handlers: s.fromHelm(), Idle: idleTime})
	defer func() { _ = s.helm.Close() }()
	from, err := s.sayHello(ctx)
	if err != nil {
		return err
	}
	sock, err := listen(s.home)
	if err != nil {
		return err
	}

	var parts sync.WaitGroup
	defer parts.Wait()
	defer func() { _ = sock.Close() }() // removes the socket file, too
	run := func(part func(context.Context) error) {
		parts.Go(func() {
			if err := part(ctx); err != nil {
				end(err)
			}
		})
	}
	run(func(ctx context.Context) error { return s.stream(ctx, from) })
	run(s.sendHeartbeats)
	run(s.deliverMail)
	run(s.watchClaim)
	if s.ship.Telemetry {
		run(func(ctx context.Context) error { return deliverTelemetry(ctx, s.home, s.helm) })
	}
	run(func(ctx context.Context) error { return s.accept(ctx, sock, &parts) })

	select {
	case <-s.helm.Done():
		end(nil)
		err := s.helm.Err()
		if wire.HungUp(err) {
			return nil // helm hung up, perhaps during an answer
		}
		return fmt.Errorf("helm: %w", err)
	case <-ctx.Done():
		if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	}
}

// server serves one connection to helm.
type server struct {
	home     shipdir.Dir
	ship     proto.Ship
	book     *shipdir.Journal
	helm     *wire.Conn
	list     *taskList
	talk     conversation
	view     *taskdir.View
	messages messages
	agent    agent.Agent
	mail     *mailbox.Box
	typist   *prompt.Typist
	typing   turn.Turn  // held while a message is typed
	claims   sync.Mutex // guards the files of the current claim and of the lost claim
	retire   context.CancelCauseFunc
	waits    atomic.Int32           // how many requests of the agent wait for something to do
	given    atomic.Pointer[string] // the gist of the last dispatch that was typed
}

func newServer(h shipdir.Dir, end context.CancelCauseFunc) (*server, error) {
	if err := h.Make(); err != nil {
		return nil, err
	}
	ship, err := shipdir.LoadShip(string(h))
	if err != nil {
		return nil, err
	}
	book, err := shipdir.OpenJournal(h)
	if err != nil {
		return nil, err
	}
	mail, err := mailbox.Open(h.Mail())
	if err != nil {
		book.Close()
		return nil, err
	}
	known, _ := agent.Find(ship.Agent, ship.Custom) // the zero Agent if the agent is unknown
	list := newTaskList(ship.Name)
	list.show(shipdir.LoadConversation(h).Tasks)
	return &server{
		home: h, ship: ship, book: book, list: list, talk: conversation{h, ship, list, book}, retire: end,
		agent: known, mail: mail, typist: prompt.New(h, known, book), typing: turn.New(),
	}, nil
}

// sayHello says hello to helm and returns the offset in the journal from which helm wants records.
func (s *server) sayHello(ctx context.Context) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for range 2 {
		id, end, err := s.book.Identity()
		if err != nil {
			return 0, err
		}
		var w proto.Welcome
		hello := proto.Hello{Protocol: proto.Version, Voyage: s.ship.Voyage, Ship: s.ship.Name, Journal: id, End: end}
		if err := s.helm.Call(ctx, proto.MethodHello, hello, &w); err != nil {
			return 0, fmt.Errorf("helm: %w", err)
		}
		if 0 <= w.From && w.From <= end {
			return w.From, nil
		}
		// The journal is shorter than what helm has: the machine crashed and lost its end. Helm must start over.
		if _, err := s.book.Renew(); err != nil {
			return 0, fmt.Errorf("journal id: %w", err)
		}
	}
	return 0, errors.New("helm: it asks for more of the journal than there is")
}

// fromHelm returns the handlers for helm's requests.
func (s *server) fromHelm() wire.Handlers {
	return wire.Handlers{
		proto.MethodTasks: wire.Handle(s.takeTasks),
		proto.MethodSay:   wire.Handle(s.typeMessage),
		proto.MethodMail:  wire.Handle(s.takeMail),
		proto.MethodPause: wire.Handle(s.pauseAgent),
		proto.MethodAllow: wire.Handle(s.takeAllowance),
	}
}

// accept serves connections to the ship's socket.
func (s *server) accept(ctx context.Context, sock net.Listener, parts *sync.WaitGroup) error {
	const most = 64
	slots := make(chan struct{}, most)
	for {
		stream, err := sock.Accept()
		if err != nil {
			if ctx.Err() == nil && !errors.Is(err, net.ErrClosed) {
				return fmt.Errorf("socket of the ship: %w", err)
			}
			return nil
		}
		select {
		case slots <- struct{}{}:
		default:
			_ = stream.Close()
			continue
		}
		parts.Go(func() {
			defer func() { <-slots }()
			conn := wire.New(stream, wire.Options{Handlers: s.fromShip(), InFlight: 4})
			select {
			case <-conn.Done():
			case <-ctx.Done():
			}
			_ = conn.Close()
			conn.Wait()
		})
	}
}

// stdio joins a reader and a writer to one stream.
type stdio struct {
	io.Reader
	io.Writer
}

// Close closes both, so that neither side waits for the other.
func (s *stdio) Close() error {
	var errs []error
	for _, end := range []any{s.Reader, s.Writer} {
		if c, ok := end.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}
