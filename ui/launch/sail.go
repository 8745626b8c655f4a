package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/follow"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/launch/problem"
	"ocaptain/ui/launch/stage"
)

// TakingBack is the text of the progress that Sail reports before it takes everything back.
const TakingBack = "taking everything back …"

// StartVoyage makes the voyage's directory and has helm start the voyage. When that fails or ctx ends, it takes
// everything back. It calls report, which may be nil, from this goroutine.
func (y Yard) StartVoyage(ctx context.Context, o *Order, report func(api.Progress)) (fleet.Dir, error) {
	if report == nil {
		report = func(api.Progress) {}
	}
	if o.Unwalled != nil && !o.Unconfined {
		return "", problem.New(problem.Refused, problem.Unconfined, "", "agents %s could do whatever you can, and you did not agree to that: they cannot be confined (%w)", o.SharedPlaces(), o.Unwalled)
	}
	if p := o.refuseFiles(); p != nil {
		return "", p
	}
	if err := o.logins.Keep(y.Hub); err != nil {
		return "", err
	}
	d, client, err := y.openVoyage(ctx, o, report)
	if err != nil {
		return "", err
	}
	if o.Launched != nil {
		o.Launched(d)
	}
	if err := y.fitOut(ctx, client, d, o, report); err != nil {
		return "", y.takeBack(ctx, d, err, report)
	}
	return d, nil
}

// openVoyage makes the voyage's directory, and returns a client of the helm that will start the voyage.
func (y Yard) openVoyage(ctx context.Context, o *Order, report func(api.Progress)) (fleet.Dir, *api.Client, error) {
	if o.kind.TakesEpics() {
		release, err := y.lockMaking(ctx)
		if err != nil {
			return "", nil, err
		}
		defer release()
		if err := y.noneBeside(ctx, o); err != nil {
			return "", nil, err
		}
	}
	s, err := stage.Make(ctx, y.Hub, o.voyage(), report)
	if err != nil {
		return "", nil, err
	}
	defer s.Remove()
	client, err := y.Helm(ctx)
	if err != nil {
		return "", nil, err
	}
	d, err := s.Launch()
	return d, client, err
}

// maxLosses is how often helm may die during one order, so that an order that kills helm does not do so forever.
const maxLosses = 5

// fitOut has helm start the voyage. When helm dies, the next helm goes on by itself, unless the first one had not yet
// recorded that there are ships to make: then fitOut repeats the request.
func (y Yard) fitOut(ctx context.Context, client *api.Client, d fleet.Dir, o *Order, report func(api.Progress)) error {
	request := api.SailRequest{Ships: o.Ships, Secrets: o.secrets, Env: o.env}
	err := client.Sail(ctx, d.ID(), request, report)
	for range maxLosses {
		if !lostHelm(err) {
			return err
		}
		report(api.Progress{State: api.StepNote, Text: "helm was lost and comes back; the voyage goes on"})
		// No helm writes while none runs, and a restarted helm plans no ships by itself.
		if client, err = y.Helm(ctx); err != nil {
			return err
		}
		f, e := fleet.LoadFleet(d)
		if e != nil {
			return e
		}
		if f.Phase != fleet.Fitting || len(f.Ships) > 0 {
			return waitForSail(ctx, d)
		}
		err = client.Sail(ctx, d.ID(), request, report)
	}
	return err
}

// lostHelm reports whether helm ended before it answered.
func lostHelm(err error) bool {
	for _, gone := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNREFUSED} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

// waitForSail waits until a voyage that helm starts sails.
func waitForSail(ctx context.Context, d fleet.Dir) error {
	sails := errors.New("sails")
	err := follow.Board(ctx, d, func(board fleet.Board) error {
		failed := len(board.Ships) > 0
		for _, s := range board.Ships {
			failed = failed && s.Phase == fleet.Failed
		}
		switch {
		case board.Phase != fleet.Fitting:
			return sails
		case failed:
			return fmt.Errorf("no ship could be provisioned: %s", board.Ships[0].Error)
		}
		return nil
	})
	if errors.Is(err, sails) {
		return nil
	}
	return err
}

// takeBack sinks the existing ships of a voyage that could not sail, and removes its directory.
func (y Yard) takeBack(ctx context.Context, d fleet.Dir, why error, report func(api.Progress)) error {
	report(api.Progress{State: api.StepNote, Text: TakingBack})
	givenUp := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Minute)
	defer cancel()
	client, err := y.Helm(ctx)
	if err == nil {
		err = client.Sink(ctx, d.ID(), nil)
	}
	if err == nil {
		err = os.RemoveAll(string(d))
	}
	if err != nil {
		return problem.New(problem.KindOf(why), problem.None, "try: ocaptain sink "+d.ID(), "%w; and what there was of %s could not be taken back: %w", why, d.ID(), err)
	}
	if givenUp {
		return why
	}
	return problem.New(problem.KindOf(why), problem.None, "nothing of the voyage is left; mend the cause and do the same again", "%w", why)
}
