package exedev

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ocaptain/fleet/provider"
)

var _ provider.Accounted = (*Provider)(nil)

// The lobby tells which account is logged in. From this follows, among others, whether a machine that is not listed
// may be gone. The answer is cached only for a while, since the captain may log in with another account. A new name
// counts only after several equal answers in a row.
const (
	knownFor   = time.Minute
	newFrom    = 3
	mostAsking = 12
)

// asker is the account to which a token belonged at the last answer.
type asker struct {
	identity
	token string
	at    time.Time
}

// Whose returns the account's e-mail address.
func (p *Provider) Whose(ctx context.Context) (string, error) {
	me, err := p.lobby.askIdentity(ctx)
	return me.Email, err
}

// askIdentity returns who is logged in.
func (l *lobby) askIdentity(ctx context.Context) (identity, error) {
	// Many machines are made and destroyed at the same time, and it is enough if one of them asks.
	if err := l.asking.Lock(ctx); err != nil {
		return identity{}, fmt.Errorf("exe.dev: %w", err)
	}
	defer l.asking.Unlock()
	token := l.options.Token()
	known := l.asker
	if known.token != token {
		known = asker{token: token}
	}
	if known.Email != "" && time.Since(known.at) < knownFor {
		return known.identity, nil
	}
	var last string
	for told, n := 0, 0; n < mostAsking; n++ {
		me, err := l.whoami(ctx)
		if err != nil {
			return identity{}, err
		}
		if told++; me.Email != last {
			told, last = 1, me.Email
		}
		if told == newFrom || me.Email == known.Email {
			l.asker = asker{me, token, time.Now()}
			return me, nil
		}
	}
	return identity{}, errors.New("exe.dev: whoami tells now one account and now another: try again when you are logged in to one")
}
