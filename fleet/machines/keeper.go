// Package machines knows every machine that was ever requested, and destroys machines that are no longer wanted. A machine is recorded before it
// is requested. Its record is removed only on proof that it is gone: its provider confirmed its destruction, or two looks, a minute apart, did
// not find it while no machine of that name was being made. If it may still come back, it is looked for once more. The record includes its device
// in the captain's tailnet, which is removed after the machine. No other package destroys machines.
package machines

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/turn"
	"ocaptain/fleet/wake"
)

// Options are the settings of a Keeper.
type Options struct {
	Records *Records
	Install string // the id of this install, with which its machines are labelled

	// Proof is the minimum time between two failed looks that prove that a machine is gone. Default: a minute.
	Proof time.Duration

	// Tailnet returns the client of Tailscale's API, and is called whenever one is needed. Nil if no machine joins a
	// tailnet.
	Tailnet func() (*tailnet.API, error)

	// Told, if not nil, is called with the result of each attempt to destroy a machine, before any caller that waits for
	// it gets it. nil means that the machine is gone, *Unproven that it is not listed, and any other error that it may
	// exist. A machine that is gone may still have a device in the tailnet; see the record.
	Told func(Record, error)
}

// Keeper makes and destroys machines.
type Keeper struct {
	*Records
	options Options
	ctx     context.Context
	stop    context.CancelFunc
	jobs    sync.WaitGroup

	mu        sync.Mutex
	providers map[string]provider.Provider
	slots     map[string]chan struct{} // by provider, a slot for each attempt at the same time
	at        map[ID]*machine
}

// machine is the keeper's state of one machine.
type machine struct {
	turn turn.Turn // held while the machine is made or destroyed

	// Guarded by Keeper.mu.
	underWay bool        // a goroutine makes attempts to destroy it
	next     *attempt    // the attempt under way, or the next one
	poke     wake.Signal // ends the pause before the next attempt
	missed   time.Time   // Record.Missed by a monotonic clock; zero if an earlier keeper has set Record.Missed
}

// attempt is one attempt to destroy a machine.
type attempt struct {
	ended     chan struct{}
	err       error // set when it has ended
	afterGone bool  // the machine was gone before this attempt, which may begin hours later
}

// usual is the default of Options.Proof.
const usual = time.Minute

// proof is usual as text. The linker sets another value in programs for tests.
var proof = "1m"

// most is how many machines of one provider are destroyed at the same time.
const most = 8

// New returns a keeper. It does nothing by itself until Resume or Unwant is called.
func New(options Options) *Keeper {
	if options.Proof <= 0 {
		options.Proof, _ = time.ParseDuration(proof)
	}
	k := &Keeper{
		Records: options.Records, options: options,
		providers: map[string]provider.Provider{}, slots: map[string]chan struct{}{}, at: map[ID]*machine{},
	}
	k.ctx, k.stop = context.WithCancel(context.Background())
	return k
}

// Proof returns the minimum time between two failed looks that prove that a machine is gone.
func (k *Keeper) Proof() time.Duration { return k.options.Proof }

// Close ends all attempts. The next keeper continues them.
func (k *Keeper) Close() {
	k.stop()
	k.jobs.Wait()
}

// Use puts the machines of a provider under the keeper. Callers must use the provider only through the returned one.
func (k *Keeper) Use(p provider.Provider) provider.Provider {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.providers[p.Name()] = p
	k.slots[p.Name()] = make(chan struct{}, most)
	return recorded{p, k}
}

func (k *Keeper) provider(name string) provider.Provider {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.providers[name]
}

// Providers returns the names of the providers under the keeper.
func (k *Keeper) Providers() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Sorted(maps.Keys(k.providers))
}

// late returns how long after a request a machine of a provider may still appear. If Options.Proof is shorter than
// usual, this is shorter in proportion.
func (k *Keeper) late(p provider.Provider) time.Duration {
	return time.Duration(float64(p.Limits().Late) * float64(k.options.Proof) / float64(usual))
}

// machine returns the keeper's state of a machine. The caller holds k.mu.
func (k *Keeper) machine(id ID) *machine {
	m := k.at[id]
	if m == nil {
		m = &machine{turn: turn.New(), next: &attempt{ended: make(chan struct{})}, poke: wake.New()}
		k.at[id] = m
	}
	return m
}

// Resume continues to destroy the machines that are unwanted on record.
func (k *Keeper) Resume() error {
	all, err := k.All()
	for _, r := range all {
		if r.Unwanted {
			k.begin(r.ID)
		}
	}
	return err
}

// Unwant starts to destroy a machine, with as many attempts as necessary, also by later keepers. found is the machine
// as Look returned it if nothing else describes it, else nil.
func (k *Keeper) Unwant(id ID, why string, found *provider.Machine) error {
	_, err := k.unwant(id, why, found)
	return err
}

func (k *Keeper) unwant(id ID, why string, found *provider.Machine) (*attempt, error) {
	if err := k.Records.unwant(id, why, found); err != nil {
		return nil, err
	}
	return k.begin(id), nil
}

// Destroy starts to destroy a machine and waits for the end of the next attempt. It returns nil when the machine is
// gone, *Unproven when it is not listed, and any other error when it may exist. The keeper goes on even if ctx ends.
func (k *Keeper) Destroy(ctx context.Context, id ID, why string, found *provider.Machine) error {
	before, _ := k.Get(id)
	a, err := k.unwant(id, why, found)
	if err != nil {
		return err
	}
	if now, _ := k.Get(id); now.Gone && (before.Gone || a.afterGone) { // its device may still be in the tailnet
		return nil
	}
	select {
	case <-a.ended:
		return a.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Until is Destroy, but also waits for the proof if the machine is not listed. It reports what it waits for.
func (k *Keeper) Until(ctx context.Context, id ID, why string, found *provider.Machine, report func(text string)) error {
	for {
		err := k.Destroy(ctx, id, why, found)
		var unproven *Unproven
		if !errors.As(err, &unproven) {
			return err
		}
		report(unproven.Waits())
		if !k.Has(id) { // somebody has removed its record
			return nil
		}
	}
}

// pokeNow ends the pause of the goroutine that makes attempts for this machine, if there is one.
func (k *Keeper) pokeNow(id ID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.machine(id).poke.Send()
}

// begin starts attempts to destroy a machine until it is gone or wanted again. It returns the next attempt.
func (k *Keeper) begin(id ID) *attempt {
	k.mu.Lock()
	defer k.mu.Unlock()
	m := k.machine(id)
	a := m.next
	if m.underWay {
		return a
	}
	if err := k.ctx.Err(); err != nil {
		done := &attempt{ended: make(chan struct{}), err: err}
		close(done.ended)
		return done
	}
	m.underWay = true
	k.jobs.Go(func() { k.attempts(id, m) })
	return a
}
