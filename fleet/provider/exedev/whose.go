package exedev

import (
	"context"
	"fmt"
	"time"

	"ocaptain/fleet/provider"
)

var _ provider.Accounted = (*Provider)(nil)

// knownFor is how long the lobby's word on who asks is believed: the captain may log in as another.
const knownFor = time.Minute

// asker is who the captain was at exe.dev with a token.
type asker struct {
	token, email string
	at           time.Time
}

// Whose names the account by its e-mail address.
func (p *Provider) Whose(ctx context.Context) (string, error) {
	select { // many machines are made and destroyed at once, and one of them asking is enough
	case p.letting <- struct{}{}:
		defer func() { <-p.letting }()
	case <-ctx.Done():
		return "", fmt.Errorf("exe.dev: %w", ctx.Err())
	}
	token := p.options.Token()
	p.mu.Lock()
	known := p.asker
	p.mu.Unlock()
	if known.email != "" && known.token == token && time.Since(known.at) < knownFor {
		return known.email, nil
	}
	me, err := p.whoami(ctx)
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	p.asker = asker{token, me.Email, time.Now()}
	p.mu.Unlock()
	return me.Email, nil
}
