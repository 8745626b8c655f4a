package attach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"ocaptain/fleet/link"
	"ocaptain/fleet/wake"
)

// ErrSignal is in the error of a visit that a signal ended. The terminal is restored; the signal
// was meant for the whole program.
var ErrSignal = errors.New("told to end")

// again is how long to wait for a second ctrl-q, unfinished how long to wait for the rest of a key,
// and pause the silence that ends a paste whose end was lost.
const (
	again      = 300 * time.Millisecond
	unfinished = 20 * time.Millisecond
	pause      = time.Second
)

// Run gives the captain's terminal to the ship until the captain leaves, the ship ends the visit,
// the connection is lost, ctx ends, or a signal ends the program. Afterwards the terminal is as it
// was, and Run no longer reads from it.
func (c *Command) Run() error {
	defer c.Close()
	tty, ok := c.stdin.(cancelreader.File)
	if !ok || !term.IsTerminal(tty.Fd()) {
		return errors.New("attach needs a terminal")
	}
	was, err := term.MakeRaw(tty.Fd())
	if err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	defer func() { _ = term.Restore(tty.Fd(), was) }()
	in, err := cancelreader.NewReader(tty)
	if err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	v := &visit{Command: c, tty: tty, stirred: wake.New(), left: make(chan error, 2), stop: make(chan struct{}), gone: make(chan struct{}), heard: wake.New(), sent: make(chan []byte, 64), sized: make(chan [2]int, 1)}
	defer v.release(in)
	return v.run(in)
}

// visit is the state of a Run.
type visit struct {
	*Command
	tty     cancelreader.File
	tasks   sync.WaitGroup
	stirred wake.Signal   // holds a token when typed bytes need a timer
	left    chan error    // says how the captain left: nil, or why no more keys come
	stop    chan struct{} // closed when the visit is over
	gone    chan struct{} // closed when reading keys has ended
	heard   wake.Signal   // holds a token when bytes came after the visit
	sent    chan []byte   // keys that went to the ship, for guesses about their echo
	sized   chan [2]int   // the terminal's newest size, for the same guesses

	mu    sync.Mutex
	keys  keys
	over  bool   // from now on, typed bytes are for the next reader
	begun []byte // typed bytes from the last escape on
}

func (v *visit) run(in io.Reader) error {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	ctx, cancel := context.WithCancel(v.ctx)
	defer cancel()
	sizes := make(chan [2]int, 1)
	v.tasks.Go(func() { v.read(in) })
	v.tasks.Go(func() { v.follow(ctx, sizes) })
	if v.shows.ahead != nil {
		v.tasks.Go(v.guess)
	}
	ended := make(chan error, 1)
	v.tasks.Go(func() { ended <- v.awaitEnd() })
	v.shows.open(v.stdout)
	v.resize(sizes)

	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-v.stirred:
			v.setTimer(timer)
		case <-timer.C:
			if v.handleTimeout() {
				return nil
			}
		case err := <-v.left:
			return err
		case crash := <-v.shows.crash:
			panic(crash)
		case err := <-ended:
			return err
		case <-v.ctx.Done():
			return v.ctx.Err()
		case s := <-signals:
			if s != syscall.SIGWINCH {
				return fmt.Errorf("%w: %s", ErrSignal, s)
			}
			v.resize(sizes)
		}
	}
}

// awaitEnd returns how the visit ended from the ship's side.
func (v *visit) awaitEnd() error {
	// No bytes arrive here, as they go through the gate, but the end does.
	if _, err := v.pty.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		return err
	}
	select {
	case <-v.pty.Done():
	case <-v.stop: // the ship never sent a code
		return nil
	}
	err := v.pty.Wait()
	var exit *link.ExitError
	if v.login && errors.As(err, &exit) {
		return nil // a shell exits with the code of its last command
	}
	return err
}

// release takes the terminal back. None of the ship's bytes may follow the restoring sequences, and
// the visit may no longer read keys.
func (v *visit) release(in cancelreader.CancelReader) {
	v.mu.Lock()
	v.over = true
	v.mu.Unlock()
	v.typed.awaitSent()
	v.Close()
	_, _ = io.WriteString(v.stdout, v.shows.filter.restoreTerminal()+fence)
	v.awaitAnswers()
	close(v.stop)
	in.Cancel()
	v.tasks.Wait()
	_ = in.Close()
	v.rest = withoutAnswers(withoutAnswerEnd(v.begun, v.rest))
}
