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
	book *ledger.Ledger
}

// Create writes the machine down first.
func (b booked) Create(ctx context.Context, spec provider.Spec) (provider.Machine, error) {
	if err := b.book.Enter(ledger.Entry{Provider: b.Name(), Name: spec.Name, Voyage: spec.Labels["voyage"], Asked: time.Now().UTC()}); err != nil {
		return provider.Machine{}, err
	}
	return b.Provider.Create(ctx, spec)
}

// Destroy strikes out the machine when it is gone. Where somebody else's has its name, it is gone, too.
func (b booked) Destroy(ctx context.Context, name string) error {
	err := b.Provider.Destroy(ctx, name)
	if err == nil || errors.Is(err, provider.ErrTaken) {
		err = errors.Join(err, b.book.Strike(b.Name(), name))
	}
	return err
}

// Survey tells all machines that may be ocaptain's, whosever they are.
func (b booked) Survey(ctx context.Context, prefix string) ([]provider.Machine, error) {
	if s, ok := b.Provider.(provider.Surveyor); ok {
		return s.Survey(ctx, prefix)
	}
	return b.List(ctx, nil)
}

// Scrap destroys a machine that Survey told of.
func (b booked) Scrap(ctx context.Context, m provider.Machine) error {
	if s, ok := b.Provider.(provider.Surveyor); ok {
		return s.Scrap(ctx, m)
	}
	return b.Provider.Destroy(ctx, m.Name)
}

// bookAll has the machines of all providers written down.
func (h *Helm) bookAll() {
	h.book = Ledger(h.hub)
	for name, p := range h.providers {
		h.providers[name] = booked{p, h.book}
	}
}

// enter writes down the machines of a voyage that an earlier version made, which kept no ledger.
func (v *voyage) enter() {
	for _, s := range v.fleet.Ships {
		name := s.MachineName(v.dir.ID())
		if s.Phase == fleet.Planned || s.Phase == fleet.Failed || v.helm.book.Has(s.Provider, name) {
			continue
		}
		if err := v.helm.book.Enter(ledger.Entry{Provider: s.Provider, Name: name, Voyage: v.dir.ID(), Asked: s.Created}); err != nil {
			v.log.Error("ledger", "error", err)
		}
	}
}
