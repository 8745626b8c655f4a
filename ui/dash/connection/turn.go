package connection

import (
	"context"

	"ocaptain/fleet/helm/api"
)

// Starter returns a client of a helm that runs, and starts one when there is none.
type Starter = func(context.Context) (*api.Client, error)

// turn is held by who starts or ends helm. Every live view that has lost its ship asks for
// helm: without turns several would be started, of which one outlives the order to stop, and
// one would be started while another is being ended on purpose.
type turn chan struct{}

func (t turn) starting(start Starter) Starter {
	if start == nil {
		return nil
	}
	return func(ctx context.Context) (client *api.Client, err error) {
		err = t.take(ctx, func() error {
			client, err = start(ctx)
			return err
		})
		return client, err
	}
}

// take does something when it is its turn.
func (t turn) take(ctx context.Context, do func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case t <- struct{}{}:
		defer func() { <-t }()
		return do()
	case <-ctx.Done():
		return ctx.Err()
	}
}
