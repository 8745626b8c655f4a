package api

import (
	"context"
	"crypto/rand"
	"errors"
)

// sendTries bounds how often a message is sent while helm keeps ending.
const sendTries = 6

// Send sends a message to a ship's agent, and repeats the request if helm ends meanwhile; the message has an id, so
// it arrives once. again returns a client of a running helm.
func Send(ctx context.Context, c *Client, again func(context.Context) (*Client, error), voyage, ship string, r SayRequest) (Said, error) {
	if r.ID == "" {
		r.ID = rand.Text()
	}
	for tries := 1; ; tries++ {
		said, err := c.SendMessage(ctx, voyage, ship, r)
		if !errors.Is(err, ErrDown) || ctx.Err() != nil || tries == sendTries {
			return said, err
		}
		if c, err = again(ctx); err != nil {
			return Said{}, err
		}
	}
}
