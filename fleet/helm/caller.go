package helm

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"ocaptain/fleet/need"

	"github.com/cenkalti/backoff/v5"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/notify"
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

// caller tells the captain what needs him, by the command that he has configured: of one voyage, or of this install.
type caller struct {
	helm     *Helm
	voyage   string                      // "" for this install
	file     string                      // of what was told
	complain func(text string)           // tells the captain why he could not be called
	boards   chan *fleet.Board           // the newest that was not looked at
	pauses   *backoff.ExponentialBackOff // after failures
	told     *notify.Told
	unsaved  bool
	failing  bool     // the captain knows that he could not be called
	failed   []string // the command that did not call him, and when it is run again
	again    time.Time
}

func newCaller(h *Helm, voyage, file string, complain func(string)) *caller {
	return &caller{helm: h, voyage: voyage, file: file, complain: complain, boards: make(chan *fleet.Board, 1), pauses: retry.Doubling(callPause, time.Hour)}
}

// show hands over a new board, and never waits.
func (c *caller) show(b *fleet.Board) {
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

// run looks at each new board, and at the same one again while a need on it waits for its time.
func (c *caller) run(ctx context.Context) {
	var err error
	if c.told, err = notify.Load(c.file, c.helm.began); err != nil {
		c.helm.log.Error("what the captain was told is lost; he may be told again", "error", err)
	}
	var b *fleet.Board
	for waits := false; ctx.Err() == nil; _ = retry.Sleep(ctx, callPace) {
		if b = c.next(ctx, b, waits); b != nil {
			waits = c.look(ctx, *b)
		}
	}
}

// next is the newest board. Only who does not wait for something on the last one waits for another.
func (c *caller) next(ctx context.Context, last *fleet.Board, waits bool) *fleet.Board {
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
func (c *caller) look(ctx context.Context, b fleet.Board) (again bool) {
	now := time.Now()
	b.AwakeAt = c.helm.awake.since(now)
	all := c.needs(now, &b)
	c.unsaved = c.told.See(now, b.AwakeAt, all) || c.unsaved
	c.save()
	n := c.told.Next(now, all)
	if n == nil {
		return len(c.needs(now.Add(farAhead), &b)) > len(all)
	}
	argv, err := c.helm.notify()
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

// needs lists those that this caller tells of.
func (c *caller) needs(now time.Time, b *fleet.Board) []need.Need {
	return slices.DeleteFunc(need.All(now, b, need.Away{}), func(n need.Need) bool { return n.Voyage != c.voyage })
}

// call runs the command once there is room.
func (c *caller) call(ctx context.Context, argv []string, n *need.Need) error {
	select {
	case c.helm.calls <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.helm.calls }()
	return notify.Command{Argv: argv, Dir: c.helm.hub.Home, Most: callTime}.Run(ctx, n)
}

// settle records the result of a call. After a failure helm calls again, less and less often, as long as the need stands.
func (c *caller) settle(argv []string, n *need.Need, err error) {
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
func (c *caller) fail(err error) {
	if !c.failing {
		c.complain("you could not be called by notify in " + c.helm.hub.ConfigFile() + ", see ocaptain doctor: " + err.Error())
	}
	c.failing = true
}

// callForInstall tells the captain what needs him beside the voyages.
func (h *Helm) callForInstall() {
	c := newCaller(h, "", filepath.Join(h.hub.State, "told.json"), h.tellAll)
	h.jobs.Go(func() { c.run(h.ctx) })
	for ; h.ctx.Err() == nil; _ = retry.Sleep(h.ctx, repaint) {
		c.show(h.ownBoard())
	}
}

// ownBoard has what is of this install: each voyage's board has it, too, and its caller leaves it to that of the install.
func (h *Helm) ownBoard() *fleet.Board {
	b := &fleet.Board{Orphans: h.sweeper.Names()}
	for _, v := range h.all() {
		changes(v, func() {
			if is := v.diskTrouble(); !is.IsNone() && (b.Disk.IsNone() || is.Since.Before(b.Disk.Since)) {
				b.Disk = is
			}
		})
	}
	return b
}

// save keeps what was told. What cannot be written now is at the next look.
func (c *caller) save() {
	if !c.unsaved {
		return
	}
	err := fleet.Save(c.file, c.told, 0o600)
	if c.unsaved = err != nil; err != nil {
		c.helm.log.Error("what the captain was told is not written down", "error", err)
	}
}
