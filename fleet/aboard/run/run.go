// Package run keeps the ship's agent going in its terminal: it starts the agent, starts it again with its session
// when it ends, gives it turns if it takes them, and counts and logs what it prints.
package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/transcript"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/packages"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/proto"
)

// Run keeps the ship's agent going, in the terminal that it was started in: it starts the agent again with its
// session when it ends, a little later each time, until it has died too often, is done, or is stopped. After that the
// terminal still shows the screen as it was, with a line that says what happened, and runs a shell. SIGTERM stops the
// agent for good; the end of ctx and SIGHUP end everything at once.
func Run(ctx context.Context, dir string) error {
	r, err := newRunner(shipdir.Dir(dir))
	if err != nil {
		return err
	}
	defer r.close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.signals(cancel)
	r.receiveTelemetry(ctx)
	r.startBrake(ctx)
	stopTail := transcript.Follow(r.home, r.ship.Workspace, r.agent.Transcript, r.book)
	var end proto.AgentExited
	if r.agent.Turns {
		end = r.takeTurns(ctx)
	} else {
		end = r.keepGoing(ctx)
	}
	stopTail()
	if ctx.Err() != nil {
		return nil
	}
	state := end.FinalState()
	if r.stopped() {
		state = proto.StateResting
	}
	shipdir.NameWindow(ctx, r.home, state)
	r.tty.resetModes()
	fmt.Fprintf(os.Stdout, "\r\nocaptain: the %s agent of %s has ended: %s\r\n", r.ship.Agent, r.ship.Name, clean.Line(end.Reason))
	r.tty.runShell(ctx)
	return nil
}

// rhythm says how long a runner waits.
type rhythm struct {
	pauses []time.Duration // before the next start after 0, 1, 2… quick deaths; after one more quick death the runner gives up
	calm   time.Duration   // an agent that lives this long has not died quickly
	grace  time.Duration   // for an agent that has to end, before it is killed
}

var usualRhythm = rhythm{
	pauses: []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second},
	calm:   5 * time.Minute,
	grace:  10 * time.Second,
}

// runner is the state of Run.
type runner struct {
	home    shipdir.Dir
	ship    proto.Ship
	agent   agent.Agent
	secrets map[string]string
	broken  error // why no agent can be started, nil if one can
	book    *shipdir.Journal
	lock    *flock.Flock
	tty     *terminal
	rhythm  rhythm
	past    history
	session string        // the session of the last start
	stop    chan struct{} // closed when the agent has to end for good
	child   chan os.Signal
	undo    []func()

	telemetry    agent.Telemetry
	telemetryKey string // the key of the receiver of telemetry
}

// newRunner makes the ship's only runner. It fails if another one runs. Any other error in the ship's files is
// reported when the agent is started.
func newRunner(h shipdir.Dir) (*runner, error) {
	if err := h.Make(); err != nil {
		return nil, err
	}
	lock := flock.New(h.Path("run.lock"))
	if got, err := lock.TryLock(); err != nil || !got {
		return nil, errors.Join(errors.New("the ship's agent is being run already"), err)
	}
	key, err := shipdir.NewTelemetryKey(h)
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	book, err := shipdir.OpenJournal(h)
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	_ = os.Remove(h.Window()) // the recorded name may be that of a window that is gone
	var before shipdir.Running
	if shipdir.ReadJSON(h.Run(), &before) == nil && before.Agent.Alive() {
		_ = syscall.Kill(-before.Agent.PID, syscall.SIGKILL) // an agent whose runner was killed
	}
	h.EndCommand()
	r := &runner{
		home: h, book: book, lock: lock,
		tty: openTerminal(), rhythm: usualRhythm, stop: make(chan struct{}), child: make(chan os.Signal, 1),
		telemetryKey: key,
	}
	r.broken = r.loadShip()
	return r, nil
}

// loadShip reads the ship's files.
func (r *runner) loadShip() (err error) {
	if r.ship, err = shipdir.LoadShip(string(r.home)); err != nil {
		return err
	}
	if r.agent, err = agent.Find(r.ship.Agent, r.ship.Custom); err != nil {
		return err
	}
	r.agent = r.agent.At(packages.Release{Version: r.ship.Version})
	r.secrets, err = shipdir.LoadSecrets(r.home)
	return err
}

func (r *runner) close() {
	for _, undo := range r.undo {
		undo()
	}
	r.book.Close()
	_ = r.lock.Unlock()
}

// signals handles the signals that a terminal and a shell send. The agent has a process group of its own, so what is
// typed reaches the agent and not the runner.
func (r *runner) signals(quit context.CancelFunc) {
	got := make(chan os.Signal, 4)
	signal.Notify(got, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGTERM, syscall.SIGHUP)
	signal.Notify(r.child, syscall.SIGCHLD)
	done := make(chan struct{})
	r.undo = append(r.undo, func() {
		signal.Stop(got)
		signal.Stop(r.child)
		close(done)
	})
	go func() {
		stopping := false
		for {
			select {
			case s := <-got:
				switch {
				case s == syscall.SIGHUP, s == syscall.SIGTERM && stopping:
					quit()
				case s == syscall.SIGTERM:
					stopping = true
					close(r.stop)
				}
			case <-done:
				return
			}
		}
	}()
}

// keepGoing runs the agent until it ends for good, and returns how it ended.
func (r *runner) keepGoing(ctx context.Context) proto.AgentExited {
	deaths := 0
	for start := 1; ; start++ {
		r.awaitAllowance(ctx)
		began := time.Now()
		end := r.runOnce(ctx, start)
		if time.Since(began) >= r.rhythm.calm {
			deaths = 0
		}
		switch {
		case end.Final:
		case r.isTalkedOut() && ctx.Err() == nil && !r.stopped():
			deaths = 0
			continue
		case ctx.Err() != nil:
			end.Reason = "the runner was ended" // the next runner continues the session, so the ship keeps its task
		case r.stopped():
			end.Final, end.Reason = true, "it was stopped"
		case r.agent.Finishes && end.Code == 0:
			end.Final, end.Done, end.Reason = true, true, "it is done"
		case deaths == len(r.rhythm.pauses):
			end.Final = true
			end.Reason = fmt.Sprintf("it died %d times in a row, at last with %s", deaths+1, end.HowText())
		default:
			end.Next = r.rhythm.pauses[deaths]
			deaths++
		}
		r.book.Add(proto.KindAgentExited, end)
		if end.Final || ctx.Err() != nil {
			return end
		}
		fmt.Fprintf(os.Stdout, "\r\nocaptain: the agent ended with %s and is started again in %s\r\n", end.HowText(), end.Next)
		select {
		case <-time.After(end.Next):
		case <-r.stop:
		case <-ctx.Done():
		}
	}
}

// isTalkedOut reports whether the agent has ended to begin another conversation.
func (r *runner) isTalkedOut() bool {
	next, ok := shipdir.LoadNext(r.home)
	return ok && next.Session != r.session
}

func (r *runner) stopped() bool {
	select {
	case <-r.stop:
		return true
	default:
		return false
	}
}

// giveUp returns the end of an agent that cannot be started.
func (r *runner) giveUp(err error) proto.AgentExited {
	why := r.book.Clean(err.Error(), 1<<10)
	r.book.Log("error", why, "")
	return proto.AgentExited{Code: -1, Final: true, Reason: why}
}

// runOnce starts the agent and waits until it ends. If the agent cannot be started at all, the end is final.
func (r *runner) runOnce(ctx context.Context, start int) proto.AgentExited {
	if r.stopped() || ctx.Err() != nil {
		return proto.AgentExited{}
	}
	if r.broken != nil {
		return r.giveUp(r.broken)
	}
	set := r.setup()
	if err := r.usable(ctx, start); err != nil {
		return r.giveUp(err)
	}
	if err := r.agent.Prepare(set); err != nil {
		return r.giveUp(err)
	}
	c := r.agent.Command(set)
	cmd, err := r.command(c)
	if err != nil {
		return r.giveUp(err)
	}
	r.session = set.Session
	// Announce the runner before the record of the start: once the agent runs, its hooks write records too.
	r.announce(ctx, shipdir.Process{})
	shipdir.NameWindow(ctx, r.home, proto.StateStarting)
	r.book.Add(proto.KindAgentStarted, proto.AgentStarted{Agent: r.agent.Name, Session: set.Session, Resumed: set.Resume, Start: start})
	if err := r.tty.startProcess(cmd); err != nil {
		return r.giveUp(fmt.Errorf("the agent could not be started: %w", err))
	}
	defer r.tty.takeBack()
	r.announce(ctx, shipdir.Identify(cmd.Process.Pid))
	sleep := r.startAwake(ctx)
	began := time.Now()
	end := r.waitForEnd(ctx, cmd)
	r.home.EndCommand()
	r.past.judgeStart(set, time.Since(began), end)
	sleep()
	r.announce(ctx, shipdir.Process{})
	return end
}
