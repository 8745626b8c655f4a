package helm

import (
	"context"
	"crypto/rand"
	"errors"

	"ocaptain/fleet/helm/api"
)

// sendTries bounds how often a message is sent while helm ends again and again.
const sendTries = 6

// Send says a message to a ship's agent, again when helm ends in the middle: the message has
// an id, so it comes once. again returns a client of a helm that runs.
func Send(ctx context.Context, c *api.Client, again func(context.Context) (*api.Client, error), voyage, ship string, r api.SayRequest) (api.Said, error) {
	if r.ID == "" {
		r.ID = rand.Text()
	}
	for tries := 1; ; tries++ {
		said, err := c.SendMessage(ctx, voyage, ship, r)
		if !errors.Is(err, api.ErrDown) || ctx.Err() != nil || tries == sendTries {
			return said, err
		}
		if c, err = again(ctx); err != nil {
			return api.Said{}, err
		}
	}
}
