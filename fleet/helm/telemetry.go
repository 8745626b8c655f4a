package helm

import (
	"context"
	"errors"
	gosync "sync"
	"time"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/telemetry"
	"ocaptain/tasks/journal"
	"ocaptain/tasks/ledger"
)

// measures is what the agents of a voyage measured of themselves. The store is opened when the first ship delivers something.
type measures struct {
	mu     gosync.Mutex
	store  *telemetry.Store
	closed bool
	told   bool                 // the captain was told that it cannot be opened
	onward *telemetry.Forwarder // sends telemetry to the collector; nil without one

	holdings facts.Holdings
	read     int64 // of the journal, for holdings
}

// telemetryBudget bounds what a ship delivers. An agent exports a few KB a second.
func telemetryBudget() budget {
	return budget{
		burst: 64 << 20, rate: 512 << 10, most: 5 * time.Second, what: "telemetry",
		told: "its telemetry is taken in slowly, as it is more than 512 KB a second",
	}
}

// leastParcel is what a delivery counts for at least, so that many small ones cost as well.
const leastParcel = 16 << 10

// takeTelemetry takes over what a ship's agent exported. It is of this ship, whatever it says of itself. When it returns nil it is
// stored, and the ship need not send it again. A ship that sends too much waits for the answer.
func (s *ship) takeTelemetry(ctx context.Context, t proto.Telemetry) (any, error) {
	if s.v.info.Telemetry.Off {
		return nil, errors.New("this voyage takes no telemetry")
	}
	if err := s.parcels.Lock(ctx); err != nil {
		return nil, err
	}
	defer s.parcels.Unlock()
	store, err := s.v.openTelemetry()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	if err := s.v.readHoldings(); err != nil {
		return nil, err
	}
	source := usage.Source{Voyage: s.v.dir.ID(), Ship: s.name, Role: s.role, Task: func(at time.Time) string {
		return s.v.holder(s.name, hubTime(now, t.Now, at))
	}}
	size, err := store.Deliver(source, t.Parcel, s.v.redact)
	var cost usage.Dollars
	store.View(func(all *usage.Sums) { cost = all.Cost(s.name) })
	wait := reads(s.v, func() time.Duration {
		s.spend(now, func(u *facts.Used) { u.AddExported(cost.Dollars()) })
		return s.spendBudget(&s.measured, max(size, leastParcel))
	})
	if wait > 0 {
		_ = retry.Sleep(ctx, wait)
	}
	return nil, err
}

// openTelemetry returns the store of the voyage.
func (v *voyage) openTelemetry() (*telemetry.Store, error) {
	m := &v.measures
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.store != nil || m.closed {
		return m.store, closedError(m.closed)
	}
	keep := v.info.Telemetry.Keep
	if keep == 0 {
		keep = telemetry.DefaultKeep
	}
	store, err := telemetry.Open(v.dir.Telemetry(), keep)
	if err != nil {
		if !m.told {
			v.addNote(fleet.Note{Text: "what agents measure cannot be stored: " + err.Error()})
		}
		m.told = true
		return nil, err
	}
	if m.onward != nil {
		store.Forward(m.onward)
	}
	m.store, m.told = store, false
	return store, nil
}

// forwardTelemetry sends on what ships deliver, where the captain said. Nothing waits for it.
func (v *voyage) forwardTelemetry() {
	t := v.info.Telemetry
	if t.Off || t.Forward == "" {
		return
	}
	x, err := telemetry.NewExporter(t.Forward, nil)
	if err != nil {
		v.addNote(fleet.Note{Text: "telemetry.forward " + err.Error() + "; nothing is sent on"})
		return
	}
	onward, err := telemetry.NewForwarder(v.dir.Telemetry(), x, func(text string) { v.addNote(fleet.Note{Text: text}) })
	if err != nil {
		v.addNote(fleet.Note{Text: "telemetry is not sent on: " + err.Error()})
		return
	}
	v.measures.mu.Lock()
	v.measures.onward = onward
	v.measures.mu.Unlock()
	v.jobs.Go(func() { onward.Run(v.ctx) })
}

func closedError(closed bool) error {
	if closed {
		return errHelmEnds
	}
	return nil
}

// closeTelemetry ends deliveries, and saves what they brought.
func (v *voyage) closeTelemetry() {
	m := &v.measures
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.store != nil {
		if err := m.store.Close(); err != nil && v.log != nil {
			v.log.Error("telemetry", "error", err)
		}
	}
	m.store, m.closed = nil, true
}

// readHoldings reads what the journal tells of claims since it was read last.
func (v *voyage) readHoldings() (err error) {
	m := &v.measures
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read, err = journal.Read(v.dir.Events(), m.read, func(r journal.Record) error {
		if e, ok := ledger.EventOf(r); ok {
			m.holdings.Add(e)
		}
		return nil
	})
	return err
}

// holder returns the task that a ship held at a time.
func (v *voyage) holder(ship string, at time.Time) string {
	v.measures.mu.Lock()
	defer v.measures.mu.Unlock()
	return v.measures.holdings.At(ship, at)
}
