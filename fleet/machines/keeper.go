// Package machines knows every machine that was ever requested, and destroys machines that are no longer wanted. A machine is recorded before it is requested and
// forgotten only on proof: its provider confirmed its destruction, or two looks, a minute apart, missed it while no machine of that name was being made. A machine that
// may come back all the same is looked for once more. Its part in the captain's tailnet belongs to its record, and is removed after the machine. No other package destroys
// machines.
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

// Options make a Keeper.
type Options struct {
	Records *Records
	Install string // the id of this install, which its machines carry

	// Proof is how far apart two looks in vain must be to prove that a machine is gone. Default: a minute.
	Proof time.Duration

	// Tailnet is the way to Tailscale, asked for whenever that is needed. Nil where no machine joins or leaves.
	Tailnet func() (*tailnet.API, error)

	// Told, if not nil, gets the result of each attempt to destroy a machine before any caller that waits for it: nil
	// says that the machine is gone, Unproven that it is not listed, any other error that it may be there. A gone
	// machine may still be in the tailnet; the record tells.
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
	slots     map[string]chan struct{} // of providers, for attempts at the same time
	at        map[ID]*machine
}

// machine is what the keeper does about one machine.
type machine struct {
	turn turn.Turn // held by who makes or destroys it

	// Guarded by Keeper.mu.
	underWay bool        // somebody is at destroying it
	next     *attempt    // that is under way, or the next one
	poke     wake.Signal // has the next one not waited for
	missed   time.Time   // Record.Missed by a clock that no program sets, zero if an earlier keeper set Record.Missed
}

// attempt is one attempt to destroy a machine.
type attempt struct {
	ended     chan struct{}
	err       error // once it has ended
	afterGone bool  // the machine was gone before this attempt, which may begin hours later
}

// usual is how far apart two looks in vain are.
const usual = time.Minute

// proof is as much. The linker sets another one for a program that is to be tested.
var proof = "1m"

// most is how many machines of one provider are destroyed at the same time.
const most = 8

// New returns a keeper. It does nothing by itself before Resume or Unwant.
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

// Proof is how far apart two looks in vain are that prove a machine to be gone.
func (k *Keeper) Proof() time.Duration { return k.options.Proof }

// Close ends what is under way. The next keeper goes on with it.
func (k *Keeper) Close() {
	k.stop()
	k.jobs.Wait()
}

// Use has the keeper look after the machines of a provider, which is to be used through what it returns alone.
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

// Providers are the names of those in use.
func (k *Keeper) Providers() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Sorted(maps.Keys(k.providers))
}

// late is how long after it was asked for a machine of a provider may appear. It is as much shorter as Options.Proof is.
func (k *Keeper) late(p provider.Provider) time.Duration {
	return time.Duration(float64(p.Limits().Late) * float64(k.options.Proof) / float64(usual))
}

// machine returns what the keeper does about a machine. The caller holds k.mu.
func (k *Keeper) machine(id ID) *machine {
	m := k.at[id]
	if m == nil {
		m = &machine{turn: turn.New(), next: &attempt{ended: make(chan struct{})}, poke: wake.New()}
		k.at[id] = m
	}
	return m
}

// Resume goes on with the machines that are to be destroyed.
func (k *Keeper) Resume() error {
	all, err := k.All()
	for _, r := range all {
		if r.Unwanted {
			k.begin(r.ID)
		}
	}
	return err
}

// Unwant has a machine destroyed, by as many attempts as it takes, also by later keepers. Found is the machine
// as Look found it, for a machine that nothing else describes; else nil.
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

// Destroy has a machine destroyed and waits for the end of the next attempt: nil when it is gone, Unproven when it
// is not listed, any other error when it may be there. The keeper goes on also when ctx ends.
func (k *Keeper) Destroy(ctx context.Context, id ID, why string, found *provider.Machine) error {
	before, _ := k.Get(id)
	a, err := k.unwant(id, why, found)
	if err != nil {
		return err
	}
	if now, _ := k.Get(id); now.Gone && (before.Gone || a.afterGone) { // it may still be in the tailnet
		return nil
	}
	select {
	case <-a.ended:
		return a.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Until is Destroy that waits for the proof of a machine which is not listed. It reports what it waits for.
func (k *Keeper) Until(ctx context.Context, id ID, why string, found *provider.Machine, report func(text string)) error {
	for {
		err := k.Destroy(ctx, id, why, found)
		var unproven *Unproven
		if !errors.As(err, &unproven) {
			return err
		}
		report(unproven.Waits())
		if !k.Has(id) { // somebody removed its record
			return nil
		}
	}
}

// pokeNow has a machine looked at now for which there was nothing to be done.
func (k *Keeper) pokeNow(id ID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.machine(id).poke.Send()
}

// begin has attempts made to destroy a machine until it is gone or wanted again. It returns the next one.
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
