package exedev

import (
	"context"
	"fmt"
	"strings"
)

// Account is who the captain is at exe.dev, and what he has there.
type Account struct {
	Email    string
	Machines int // all of the account
	Ours     int // those among them that this install has made
}

// Account asks the lobby, which proves that it can be reached and lets the captain in.
func (p *Provider) Account(ctx context.Context) (Account, error) {
	me, err := p.whoami(ctx)
	if err != nil {
		return Account{}, err
	}
	all, err := p.list(ctx)
	if err != nil {
		return Account{}, err
	}
	a := Account{Email: me.Email, Machines: len(all)}
	for name := range all {
		if strings.HasSuffix(name, p.suffix()) {
			a.Ours++
		}
	}
	return a, nil
}

func (a Account) String() string {
	return fmt.Sprintf("%s, with %d machines, %d of them made here", a.Email, a.Machines, a.Ours)
}
