package helm

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/ledger"
	"ocaptain/fleet/provider"
)

// Ledger is this install's record of the machines that it has asked for.
func Ledger(h fleet.Hub) *ledger.Ledger { return ledger.Open(filepath.Join(h.State, "machines")) }

// booked is a provider whose machines are in the ledger from before they are asked for until they are
// gone. Helm has no other, so that there is no way past it.
type booked struct {
	provider.Provider
	book    *ledger.Ledger
	install string
	gone    func(SweepTarget) // is told of each machine that is gone
}

// Create writes the machine down first, and whose it will be.
func (b booked) Create(ctx context.Context, spec provider.Spec) (provider.Machine, error) {
	account, err := b.mine(ctx, spec.Name)
	if err != nil {
		return provider.Machine{}, err
	}
	if err := b.book.Enter(ledger.Entry{Provider: b.Name(), Name: spec.Name, Voyage: spec.Labels["voyage"], Asked: time.Now().UTC(), Account: account}); err != nil {
		return provider.Machine{}, err
	}
	return b.Provider.Create(ctx, spec)
}

// Ensure calls no machine gone that is another account's.
func (b booked) Ensure(ctx context.Context, name string) (provider.Machine, error) {
	m, err := b.Provider.Ensure(ctx, name)
	if errors.Is(err, provider.ErrNotFound) {
		if _, other := b.mine(ctx, name); other != nil {
			return m, other
		}
	}
	return m, err
}

// Destroy strikes out the machine when it is gone. Where somebody else's has its name, it is gone, too.
func (b booked) Destroy(ctx context.Context, name string) error {
	return b.strike(ctx, name, SweepTarget{Provider: b.Name(), Name: name}, func() error { return b.Provider.Destroy(ctx, name) })
}

// Survey tells all machines that may be ocaptain's, whosever they are.
func (b booked) Survey(ctx context.Context, prefix string) ([]provider.Machine, error) {
	if s, ok := b.Provider.(provider.Surveyor); ok {
		return s.Survey(ctx, prefix)
	}
	return b.List(ctx, nil)
}

// Scrap destroys a machine that Survey told of. One of this install is struck out then.
func (b booked) Scrap(ctx context.Context, m provider.Machine) error {
	s, ok := b.Provider.(provider.Surveyor)
	if !ok {
		return b.Destroy(ctx, m.Name)
	}
	if m.Labels[provider.Install] != b.install {
		return s.Scrap(ctx, m)
	}
	return b.strike(ctx, m.Name, SweepTarget{b.Name(), m.Name, m.ID}, func() error { return s.Scrap(ctx, m) })
}

// bookAll has the machines of all providers written down.
func (h *Helm) bookAll() {
	h.book = Ledger(h.hub)
	for name, p := range h.providers {
		h.providers[name] = booked{p, h.book, h.install, h.forgetOrphan}
	}
}

// enter writes down the machines of a voyage that an earlier version made, which kept no ledger. One that was to be
// asked for, or to be destroyed, is not among them: when it is not in the ledger, an earlier helm ended before it was
// asked for, or after it was struck out.
func (v *voyage) enter() {
	for _, s := range v.fleet.Ships {
		name := s.MachineName(v.dir.ID())
		made := s.Phase == fleet.Afloat || s.Phase == fleet.Provisioning && s.Step != "" && s.Step != "create"
		if !made || v.helm.book.Has(s.Provider, name) {
			continue
		}
		if err := v.helm.book.Enter(ledger.Entry{Provider: s.Provider, Name: name, Voyage: v.dir.ID(), Asked: s.Created}); err != nil {
			v.log.Error("ledger", "error", err)
		}
	}
}
