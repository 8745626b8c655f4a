// Package measures stores what the agents of a voyage measure, by the ship that sends an export and the task that it held.
package measures

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/telemetry"
	"ocaptain/fleet/telemetry/usage"
	"ocaptain/tasks/journal"
	"ocaptain/tasks/ledger"
)

// Options name the voyage, and what Measures need from helm.
type Options struct {
	Dir    fleet.Dir
	Order  fleet.Telemetry
	Redact func(string) string // removes secrets from text before it is stored
	Tell   func(text string)   // tells the captain
	Log    *slog.Logger
	Closed error // the error of Take after Close
}

// Measures stores what the agents of a voyage measure. It opens its store when the first ship delivers something. Its methods are safe
// for concurrent use.
type Measures struct {
	Options

	mu     sync.Mutex
	store  *telemetry.Store
	closed bool
	told   bool                 // the captain knows that the store cannot be opened
	onward *telemetry.Forwarder // forwards telemetry to the collector; nil without one

	holdings facts.Holdings
	read     int64 // how much of the journal was read for holdings
}

// New returns the measures of a voyage.
func New(o Options) *Measures { return &Measures{Options: o} }

// Sender is the ship that delivers an export, whatever the export says.
type Sender struct {
	Ship, Role string
	At         func(time.Time) time.Time // converts a time of the ship's clock to the hub's
}

// Take stores what a ship's agent exported. After it has returned nil, the ship need not send it again. count is called with the size of the
// export and the cost of all exports of the ship, once the store has accepted it.
func (m *Measures) Take(from Sender, p telemetry.Parcel, count func(size int64, cost float64)) error {
	if m.Order.Off {
		return errors.New("this voyage takes no telemetry")
	}
	store, err := m.open()
	if err != nil {
		return err
	}
	if err := m.readHoldings(); err != nil {
		return err
	}
	source := usage.Source{Voyage: m.Dir.ID(), Ship: from.Ship, Role: from.Role, Task: func(at time.Time) string { return m.holder(from.Ship, from.At(at)) }}
	size, err := store.Deliver(source, p, m.Redact)
	var cost usage.Dollars
	store.View(func(all *usage.Sums) { cost = all.Cost(from.Ship) })
	count(size, cost.Dollars())
	return err
}

// open returns the store of the voyage.
func (m *Measures) open() (*telemetry.Store, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, m.Closed
	}
	if m.store != nil {
		return m.store, nil
	}
	keep := m.Order.Keep
	if keep == 0 {
		keep = telemetry.DefaultKeep
	}
	store, err := telemetry.Open(m.Dir.Telemetry(), keep)
	if err != nil {
		if !m.told {
			m.Tell("what agents measure cannot be stored: " + err.Error())
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

// Forward returns a Forwarder that sends the ships' deliveries to the captain's collector, nil if there is no
// collector. The caller runs the Forwarder. Call Forward before ships deliver. Deliveries do not wait for the
// Forwarder.
func (m *Measures) Forward() *telemetry.Forwarder {
	if m.Order.Off || m.Order.Forward == "" {
		return nil
	}
	x, err := telemetry.NewExporter(m.Order.Forward, nil)
	if err != nil {
		m.Tell("telemetry.forward " + err.Error() + "; nothing is sent on")
		return nil
	}
	onward, err := telemetry.NewForwarder(m.Dir.Telemetry(), x, m.Tell)
	if err != nil {
		m.Tell("telemetry is not sent on: " + err.Error())
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.onward = onward
	return onward
}

// Close stops deliveries and saves their sums.
func (m *Measures) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.store != nil {
		if err := m.store.Close(); err != nil {
			m.Log.Error("telemetry", "error", err)
		}
	}
	m.store, m.closed = nil, true
}

// readHoldings reads new records of claims in the journal.
func (m *Measures) readHoldings() (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read, err = journal.Read(m.Dir.Events(), m.read, func(r journal.Record) error {
		if e, ok := ledger.EventOf(r); ok {
			m.holdings.Add(e)
		}
		return nil
	})
	return err
}

// holder returns the task that a ship held at that time.
func (m *Measures) holder(ship string, at time.Time) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.holdings.At(ship, at)
}
