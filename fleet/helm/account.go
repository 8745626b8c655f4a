package helm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ocaptain/fleet/ledger"
	"ocaptain/fleet/provider"
)

// mine returns the account that its provider would look for a machine in. Where the ledger knows another
// one, or none and the machine is not seen, that is an error: what is not there says nothing then.
func (b booked) mine(ctx context.Context, name string) (account string, err error) {
	p, ok := b.Provider.(provider.Accounted)
	if !ok {
		return "", nil
	}
	if account, err = p.Whose(ctx); err != nil {
		return "", err
	}
	e, there := b.book.Get(b.Name(), name)
	if e.Doomed && e.Account == "" && e.Asked.IsZero() {
		return account, nil // it was never asked for
	}
	if there && e.Account == "" {
		m, err := b.Get(ctx, name)
		if err == nil && m.Labels[provider.Install] == b.install {
			return account, b.book.Learn(b.Name(), name, account)
		}
		if err != nil && !errors.Is(err, provider.ErrNotFound) {
			return "", err
		}
	}
	if there {
		err = b.elsewhere(e, account)
	}
	return account, err
}

// elsewhere says that a machine which was not seen in an account may be in another one, nil when it is of this one.
func (b booked) elsewhere(e ledger.Entry, account string) error {
	switch {
	case e.Account == "":
		return fmt.Errorf("%s cannot be looked for: nothing tells which account it belongs to, and in %s it is not; if it is gone for certain, remove %s",
			e.Name, orNobody(account), b.book.File(e.Provider, e.Name))
	case !strings.EqualFold(e.Account, account):
		return fmt.Errorf("%s cannot be looked for: it belongs to %s, and the token or login is of %s: use that of %[2]s; if it is gone for certain, remove %[4]s",
			e.Name, clean(e.Account, 100), orNobody(account), b.book.File(e.Provider, e.Name))
	}
	return nil
}

func orNobody(account string) string {
	if account == "" {
		return "an account without a name"
	}
	return clean(account, 100)
}

// strike has a machine destroyed and then struck out, when it was looked for where it belongs. Of one that
// has no entry nobody knows that it was ever asked for.
func (b booked) strike(ctx context.Context, name string, t SweepTarget, destroy func() error) error {
	if !b.book.Has(b.Name(), name) {
		err := destroy()
		if err == nil {
			b.gone(t)
		}
		return err
	}
	before, err := b.mine(ctx, name)
	if err != nil {
		return err
	}
	err = destroy()
	if err != nil && !errors.Is(err, provider.ErrTaken) {
		return err
	}
	if p, ok := b.Provider.(provider.Accounted); ok {
		if now, e := p.Whose(ctx); e != nil || now != before {
			return errors.Join(fmt.Errorf("whether %s is gone is not known: who is logged in to %s changed meanwhile", name, b.Name()), e)
		}
	}
	if e := b.book.Strike(b.Name(), name); e != nil {
		return errors.Join(err, e)
	}
	b.gone(t)
	return err
}

// whose is the account that a provider is asked in, and whether it has any.
func (h *Helm) whose(ctx context.Context, at string) (account string, has bool) {
	b, _ := h.providers[at].(booked)
	p, ok := b.Provider.(provider.Accounted)
	if !ok {
		return "", false
	}
	account, err := p.Whose(ctx)
	return account, err == nil
}

// absent says of a machine that is in the ledger and was not seen in an account what that means.
func (h *Helm) absent(e ledger.Entry, account string, has bool) string {
	if b, ok := h.providers[e.Provider].(booked); ok && has {
		if err := b.elsewhere(e, account); err != nil {
			return err.Error()
		}
	}
	return "it was asked for, and may be gone"
}
