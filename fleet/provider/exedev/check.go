package exedev

import (
	"context"
	"fmt"
	"strings"
)

// Account describes the captain's account at exe.dev.
type Account struct {
	Email    string
	Machines int // number of all machines of the account
	Ours     int // number of machines that this install has made
}

// Account asks the lobby for the account. That proves that the lobby can be reached and accepts the login.
func (p *Provider) Account(ctx context.Context) (Account, error) {
	me, err := p.lobby.whoami(ctx)
	if err != nil {
		return Account{}, err
	}
	all, err := p.lobby.list(ctx)
	if err != nil {
		return Account{}, err
	}
	a := Account{Email: me.Email, Machines: len(all)}
	for name := range all {
		if strings.HasSuffix(name, p.records.suffix()) {
			a.Ours++
		}
	}
	return a, nil
}

func (a Account) String() string {
	return fmt.Sprintf("%s, with %d machines, %d of them made here", a.Email, a.Machines, a.Ours)
}
