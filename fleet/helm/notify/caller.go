package notify

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
	"ocaptain/fleet/retry"
)

const (
	// callTime bounds one run of the captain's command, and mostCalls how many run at once.
	callTime  = 30 * time.Second
	mostCalls = 4
	// callPace is the time between two looks at what needs the captain.
	callPace = time.Second
	// callPause is the time from a call that failed to the next, which doubles up to an hour.
	callPause = time.Minute
	// farAhead is longer than most needs wait until they are told.
	farAhead = time.Hour
)

// Service is what all callers of a helm share.
type Service struct {
	Home    string                                // where the command runs
	Config  string                                // the file that names it
	Command func() ([]string, error)              // as the captain has configured it now, nil for none
	Began   time.Time                             // when this helm did
	Awake   func(now time.Time) (since time.Time) // of the hub
	Log     *slog.Logger

	places chan struct{} // for runs of the command
}

// NewService returns a service for callers.
func NewService(s Service) *Service {
	s.places = make(chan struct{}, mostCalls)
	return &s
}

// Caller tells the captain what needs him, by the command that he has configured: of one voyage, or of this install.
type Caller struct {
	*Service
	voyage   string                      // "" for this install
	file     string                      // of what was told
	complain func(text string)           // tells the captain why he could not be called
	boards   chan *fleet.Board           // the newest that was not looked at
	pauses   *backoff.ExponentialBackOff // after failures
	told     *Told
	unsaved  bool
	failing  bool     // the captain knows that he could not be called
	failed   []string // the command that did not call him, and when it is run again
	again    time.Time
}

// NewCaller returns what tells the captain of a voyage, "" for this install. The file keeps what he was told, and complain tells him why he could
// not be called.
func (s *Service) NewCaller(voyage, file string, complain func(text string)) *Caller {
	return &Caller{Service: s, voyage: voyage, file: file, complain: complain, boards: make(chan *fleet.Board, 1), pauses: retry.Doubling(callPause, time.Hour)}
}

// Show hands over a new board, and never waits.
func (c *Caller) Show(b *fleet.Board) {
	for {
		select {
		case c.boards <- b:
			return
		default:
		}
		select {
		case <-c.boards: // an older one
		default:
		}
	}
}

// Run looks at each new board, and at the same one again while a need on it waits for its time.
func (c *Caller) Run(ctx context.Context) {
	var err error
	if c.told, err = Load(c.file, c.Began); err != nil {
		c.Log.Error("what the captain was told is lost; he may be told again", "error", err)
	}
	var b *fleet.Board
	for waits := false; ctx.Err() == nil; _ = retry.Sleep(ctx, callPace) {
		if b = c.next(ctx, b, waits); b != nil {
			waits = c.look(ctx, *b)
		}
	}
}

// next is the newest board. Only who does not wait for something on the last one waits for another.
func (c *Caller) next(ctx context.Context, last *fleet.Board, waits bool) *fleet.Board {
	if waits {
		select {
		case b := <-c.boards:
			return b
		default:
			return last
		}
	}
	select {
	case b := <-c.boards:
		return b
	case <-ctx.Done():
		return nil
	}
}

// look tells the captain of one need, if any is to be told now. It reports whether to look again soon.
func (c *Caller) look(ctx context.Context, b fleet.Board) (again bool) {
	now := time.Now()
	b.AwakeAt = c.Awake(now)
	all := c.needs(now, &b)
	c.unsaved = c.told.See(now, b.AwakeAt, all) || c.unsaved
	c.save()
	n := c.told.Next(now, all)
	if n == nil {
		return len(c.needs(now.Add(farAhead), &b)) > len(all)
	}
	argv, err := c.Command()
	if err != nil {
		c.fail(err)
	}
	if err != nil || len(argv) == 0 {
		return false
	}
	if slices.Equal(argv, c.failed) && now.Before(c.again) {
		return true
	}
	if err = c.call(ctx, argv, n); ctx.Err() == nil {
		c.settle(argv, n, err)
	}
	return true
}

// needs lists the needs that this caller announces.
func (c *Caller) needs(now time.Time, b *fleet.Board) []need.Need {
	return slices.DeleteFunc(need.All(now, b, need.Away{}), func(n need.Need) bool { return n.Voyage != c.voyage })
}

// call runs the command once there is room.
func (c *Caller) call(ctx context.Context, argv []string, n *need.Need) error {
	select {
	case c.places <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.places }()
	return Command{Argv: argv, Dir: c.Home, Most: callTime}.Run(ctx, n)
}

// settle records the result of a call. After a failure helm calls again, less and less often, as long as the need stands.
func (c *Caller) settle(argv []string, n *need.Need, err error) {
	if err != nil {
		c.fail(err)
		c.failed, c.again = argv, time.Now().Add(c.pauses.NextBackOff())
		return
	}
	c.pauses.Reset()
	c.failing, c.failed, c.unsaved = false, nil, true
	c.told.Add(time.Now(), n)
	c.save()
}

// fail tells the captain on the voyage that he could not be called, the first time.
func (c *Caller) fail(err error) {
	if !c.failing {
		c.complain("you could not be called by notify in " + c.Config + ", see ocaptain doctor: " + err.Error())
	}
	c.failing = true
}

// save keeps what was told. What cannot be written now is at the next look.
func (c *Caller) save() {
	if !c.unsaved {
		return
	}
	err := fleet.Save(c.file, c.told, 0o600)
	if c.unsaved = err != nil; err != nil {
		c.Log.Error("what the captain was told is not written down", "error", err)
	}
}
