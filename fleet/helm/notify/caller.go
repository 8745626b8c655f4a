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
	"ocaptain/fleet/summed"
)

const (
	// callTime bounds one run of the captain's command, and mostCalls the number of runs at the same time.
	callTime  = 30 * time.Second
	mostCalls = 4
	// callPace is the time between two looks at the needs.
	callPace = time.Second
	// callPause is the pause after a failed call. It doubles with each further failure, up to an hour.
	callPause = time.Minute
	// farAhead is longer than the time after which any need is announced.
	farAhead = time.Hour
)

// Service is shared by all callers of a helm.
type Service struct {
	Home    string                                // working directory of the command
	Config  string                                // the file that configures the command
	Command func() ([]string, error)              // returns the command as it is configured at the moment, nil for none
	Began   time.Time                             // when this helm began
	Awake   func(now time.Time) (since time.Time) // returns since when the hub has been awake
	Log     *slog.Logger

	places chan struct{} // a slot for each run of the command
}

// NewService returns a service for callers.
func NewService(s Service) *Service {
	s.places = make(chan struct{}, mostCalls)
	return &s
}

// Caller announces needs with the captain's notification command: the needs of one voyage or those of the install.
type Caller struct {
	*Service
	voyage   string                      // "" for the install
	file     string                      // records what was announced
	complain func(text string)           // tells the captain that he could not be called, and why
	boards   chan *fleet.Board           // the newest board that Run has not looked at
	pauses   *backoff.ExponentialBackOff // the pauses after failures
	told     *Told
	unsaved  bool
	failing  bool     // complain was called
	failed   []string // the command that failed; again says when to run it again
	again    time.Time
}

// NewCaller returns a Caller for a voyage, "" for the install. file records what was announced. complain tells the captain that he could not be
// called, and why.
func (s *Service) NewCaller(voyage, file string, complain func(text string)) *Caller {
	return &Caller{Service: s, voyage: voyage, file: file, complain: complain, boards: make(chan *fleet.Board, 1), pauses: retry.Doubling(callPause, time.Hour)}
}

// Show passes a new board to Run. It never waits.
func (c *Caller) Show(b *fleet.Board) {
	for {
		select {
		case c.boards <- b:
			return
		default:
		}
		select {
		case <-c.boards: // replace an older board
		default:
		}
	}
}

// Run looks at each new board, and again at the same one while a need on it is not due yet.
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

// next returns the newest board. If waits is set, it may return last again after a while; otherwise it waits for
// another.
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

// look announces one need, if one is due. again says that the caller must call look again soon.
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

// call runs the command once it has a slot.
func (c *Caller) call(ctx context.Context, argv []string, n *need.Need) error {
	select {
	case c.places <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.places }()
	return Command{Argv: argv, Dir: c.Home, Most: callTime}.Run(ctx, n)
}

// settle records the result of a call. After a failure helm calls again, less and less often, as long as the need exists.
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

// fail tells the captain that he could not be called, once until a call succeeds.
func (c *Caller) fail(err error) {
	if !c.failing {
		c.complain("you could not be called by notify in " + c.Config + ", see ocaptain doctor: " + err.Error())
	}
	c.failing = true
}

// save writes the record of what was announced. After an error the next look tries again.
func (c *Caller) save() {
	if !c.unsaved {
		return
	}
	err := summed.Write(c.file, c.told, 0o600)
	if c.unsaved = err != nil; err != nil {
		c.Log.Error("what the captain was told is not written down", "error", err)
	}
}
