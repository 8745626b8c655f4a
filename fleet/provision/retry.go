package provision

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/link"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/retry"
)

// Limits of the retries of a step within its time. They differ by the kind of error: a provider has already retried
// before it reports an error that may pass, and a broken connection says nothing about the next one.
const (
	mostTries    = 3 // when the error may pass
	mostBreaks   = 5 // when the connection broke
	firstPause   = 500 * time.Millisecond
	longestPause = 30 * time.Second
)

// Later is the exit status by which a script of ocaptain says that a retry may help: EX_TEMPFAIL.
const Later = 75

// class says what an error means for a retry.
type class string

const (
	permanent class = "permanent"      // a retry is useless
	passing   class = "may pass"       // the provider or the script says so
	broke     class = "the connection" // the connection broke or could not be made
)

// classify returns whether a step may be retried after an error, and the pause that the provider asked for.
func classify(err error) (class, time.Duration) {
	var later *provider.Temporary
	var exit *link.ExitError
	switch {
	case errors.Is(err, link.ErrClosed), errors.Is(err, link.ErrOutput), errors.Is(err, context.Canceled):
		return permanent, 0
	case errors.As(err, &later):
		return passing, later.After
	case errors.As(err, new(*fleet.ChangedError)): // the captain may restore the file
		return passing, 0
	case errors.As(err, &exit):
		if exit.Code == Later {
			return passing, 0
		}
		return permanent, 0
	case errors.Is(err, link.ErrDown), errors.Is(err, link.ErrCut), errors.Is(err, context.DeadlineExceeded):
		return broke, 0
	}
	return permanent, 0
}

// doStep does a step, and retries it if that can help. All steps can be repeated.
func (w *work) doStep(ctx context.Context, s step) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.time, retry.Late(s.time))
	defer cancel()
	tries := map[class]int{}
	for n := 0; ; n++ {
		err := s.do(w, ctx)
		if err == nil {
			return nil
		}
		kind, asked := classify(err)
		tries[kind]++
		if cause := context.Cause(ctx); errors.As(cause, new(retry.Late)) && !errors.As(err, new(retry.Late)) {
			return fmt.Errorf("%w: %w", cause, err)
		}
		if ctx.Err() != nil || kind == permanent || tries[passing] >= mostTries || tries[broke] >= mostBreaks {
			return err
		}
		wait := min(firstPause<<n, longestPause)
		wait = asked + wait/2 + rand.N(wait/2) // not all ships at the same moment
		if end, ok := ctx.Deadline(); ok && time.Until(end) < wait {
			return fmt.Errorf("there is no time to try again in %s: %w", wait.Round(time.Second), err)
		}
		w.tellOutput(s.name)
		w.Report(s.name, Retry, w.redact(err.Error()), wait)
		w.noteWait("it is tried again: " + err.Error())
		if err := w.pauseFor(ctx, wait); err != nil {
			return err
		}
	}
}

// pauseFor waits, and then waits for the connection if there was one.
func (w *work) pauseFor(ctx context.Context, wait time.Duration) error {
	if err := retry.Sleep(ctx, wait); err != nil {
		return err
	}
	if w.link == nil {
		return nil
	}
	w.link.RetryNow()
	return w.link.AwaitConnected(ctx)
}
