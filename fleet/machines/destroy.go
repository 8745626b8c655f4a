package machines

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"ocaptain/fleet/provider"
)

// Unproven is the error when a provider does not list a machine, which alone does not prove that it is gone.
type Unproven struct {
	ID
	Again time.Time // when the keeper looks for it again
	Taken bool      // another machine has its name, which is not ours
}

func (u *Unproven) Error() string {
	return fmt.Sprintf("%s; as lists may lag, it is looked for again at %s", u.why(), u.Again.Local().Format(time.TimeOnly))
}

// Waits returns the text of Error for a caller who waits: with the time until the next look in place of its time of
// day.
func (u *Unproven) Waits() string {
	return fmt.Sprintf("%s; as lists may lag, it is looked for again in %s", u.why(), max(time.Second, time.Until(u.Again).Round(time.Second)))
}

func (u *Unproven) why() string {
	if u.Taken {
		return "what has its name at " + u.Provider + " is not this install's"
	}
	return u.Provider + " does not list it"
}

// The pauses between failed attempts, and the time limit of one attempt.
const (
	least        = time.Second
	longest      = time.Minute
	leastLeave   = 5 * time.Second // when only the tailnet is left to leave
	longestLeave = 5 * time.Minute
	destroying   = 2 * time.Minute
	maxText      = 2000
)

// errWanted ends the attempts to destroy a machine that was requested again.
var errWanted = errors.New("it was asked for anew")

// attempts tries to destroy a machine until it is gone.
func (k *Keeper) attempts(id ID, m *machine) {
	for pause := least; ; {
		r, err := k.attempt(id, m)
		over := err == nil && r.isOver() || errors.Is(err, errWanted)
		if k.options.Told != nil && k.ctx.Err() == nil && !errors.Is(err, errWanted) {
			k.options.Told(r, err)
		}
		k.mu.Lock()
		if now, there := k.Get(id); (over || err == nil && !now.Gone) && there && now.Unwanted && k.ctx.Err() == nil { // somebody has requested the destruction again meanwhile
			k.mu.Unlock()
			continue
		}
		over = over || k.ctx.Err() != nil
		m.underWay = !over
		a := m.next
		m.next = &attempt{ended: make(chan struct{}), afterGone: r.Gone}
		k.mu.Unlock()
		a.err = err
		close(a.ended)
		if over {
			return
		}
		var wait time.Duration
		wait, pause = after(r, err, pause)
		select {
		case <-time.After(wait):
		case <-m.poke:
		case <-k.ctx.Done(): // the next attempt returns that error
		}
	}
}

// after returns how long to wait after an attempt with this result, and the pause after the next one.
func after(r Record, err error, pause time.Duration) (wait, next time.Duration) {
	wait = pause + rand.N(pause/4)
	var unproven *Unproven
	switch {
	case errors.As(err, &unproven):
		return time.Until(unproven.Again), least
	case err == nil && r.Tailnet == nil:
		return time.Until(r.Again), least
	case err == nil || r.Gone:
		return max(leastLeave, wait), min(longestLeave, 2*max(leastLeave, pause))
	}
	return wait, min(longest, 2*pause)
}

// attempt makes one attempt and records its result.
func (k *Keeper) attempt(id ID, m *machine) (Record, error) {
	if err := k.ctx.Err(); err != nil {
		return Record{ID: id}, err
	}
	if err := m.turn.Lock(k.ctx); err != nil { // the machine may be being made
		return Record{ID: id}, err
	}
	defer m.turn.Unlock()
	r, there := k.Get(id)
	switch {
	case !there:
		return Record{ID: id, Gone: true}, nil
	case !r.Unwanted:
		return r, errWanted
	}
	var err error
	if !r.Gone || !r.Again.IsZero() && time.Now().After(r.Again) {
		r, err = k.attemptDestroy(r)
	}
	if err == nil && r.Tailnet != nil {
		r, err = k.leave(r)
	}
	return r, err
}

// attemptDestroy makes one attempt to destroy the machine itself.
func (k *Keeper) attemptDestroy(r Record) (Record, error) {
	p, free, err := k.slot(r.Provider)
	if err != nil {
		return r, err
	}
	defer free()
	if p == nil {
		return k.failed(r, errors.New("this ocaptain does not know its provider"))
	}
	ctx, cancel := context.WithTimeout(k.ctx, destroying)
	defer cancel()
	began, again := time.Now(), k.late(p) > 0 // the machine may come back, or lists may lack it for longer
	err = k.destroy(ctx, p, r)
	switch {
	case k.ctx.Err() != nil: // the machine may exist
		return r, errors.Join(k.ctx.Err(), k.change(r.ID, func(now *Record) { now.Missed = time.Time{} }))
	case r.Gone && (errors.Is(err, provider.ErrNotFound) || errors.Is(err, provider.ErrTaken)):
		again = false // as it should be: no further look is needed
	case r.Gone && err != nil:
		return k.back(ctx, p, r, err)
	case errors.Is(err, provider.ErrNotFound), errors.Is(err, provider.ErrTaken):
		now, _ := k.Get(r.ID) // the machine may have been listed meanwhile
		r.Missed = now.Missed
		if unproven := k.miss(&r, began, k.late(p), errors.Is(err, provider.ErrTaken)); unproven != nil {
			return k.failed(r, unproven)
		}
	case err != nil:
		r.Missed = time.Time{}
		return k.failed(r, err)
	}
	if again {
		return k.gone(r.ID, time.Now().Add(max(k.options.Proof, time.Until(r.Asked.Add(k.late(p))))).UTC())
	}
	if err := p.Forget(ctx, r.Name); err != nil {
		return k.failed(r, err)
	}
	return k.gone(r.ID, time.Time{})
}

// back checks whether a machine exists that was proven to be gone, and records that, with why, the error of destroying
// it once more.
func (k *Keeper) back(ctx context.Context, p provider.Provider, r Record, why error) (Record, error) {
	if _, err := p.Get(ctx, r.Name); err == nil {
		r.Gone, r.Again, r.Back = false, time.Time{}, r.Back+1
	}
	r.Trouble, r.Denied = trouble(why), deniedAt(why)
	return r, errors.Join(why, k.change(r.ID, func(now *Record) {
		now.Gone, now.Again, now.Back, now.Trouble, now.Denied = r.Gone, r.Again, r.Back, r.Trouble, r.Denied
	}))
}

// slot waits until fewer than most machines of a provider are being destroyed.
func (k *Keeper) slot(name string) (p provider.Provider, free func(), err error) {
	k.mu.Lock()
	p, slot := k.providers[name], k.slots[name]
	k.mu.Unlock()
	if p == nil {
		return nil, func() {}, nil
	}
	select {
	case slot <- struct{}{}:
		return p, func() { <-slot }, nil
	case <-k.ctx.Done():
		return nil, nil, k.ctx.Err()
	}
}

// miss records that a machine was not found. It returns nil when that proves that the machine is gone. The clock may
// have been set since the first look, so the keeper's own time of that counts more than the record.
func (k *Keeper) miss(r *Record, began time.Time, late time.Duration, taken bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	m := k.machine(r.ID)
	if r.Missed.IsZero() || r.Missed.After(began) {
		r.Missed, m.missed = began.UTC(), began
	}
	first := m.missed
	if first.IsZero() {
		first = r.Missed
	}
	again := first.Add(k.options.Proof)
	if made := r.Asked.Add(late); made.After(again) { // by then no request to create it can be under way
		again = made
	}
	if again.After(began) {
		return &Unproven{ID: r.ID, Again: again, Taken: taken}
	}
	return nil
}

// failed records why a machine is not proven to be gone.
func (k *Keeper) failed(r Record, why error) (Record, error) {
	r.Trouble, r.Denied = trouble(why), deniedAt(why)
	return r, errors.Join(why, k.change(r.ID, func(now *Record) { now.Trouble, now.Denied, now.Missed = r.Trouble, r.Denied, r.Missed }))
}

// trouble returns an error in the form for a record, "" for none.
func trouble(err error) string {
	if err == nil {
		return ""
	}
	return line(err.Error(), maxText)
}

// deniedAt returns the current time if err means that the provider accepts no login, and otherwise the zero time.
func deniedAt(err error) time.Time {
	if provider.IsDenied(err) {
		return time.Now().UTC()
	}
	return time.Time{}
}

// destroy makes the provider destroy a machine. An answer that there is no such machine counts only in the account to
// which the machine belongs.
func (k *Keeper) destroy(ctx context.Context, p provider.Provider, r Record) error {
	before, err := k.account(ctx, p, r.Name)
	if err != nil {
		return err
	}
	if s, ok := p.(provider.AllLister); ok && r.Found != nil {
		err = s.DestroyListed(ctx, *r.Found)
	} else {
		err = p.Destroy(ctx, r.Name)
	}
	if errors.Is(err, provider.ErrTaken) {
		err = k.destroyUnmarked(ctx, p, r)
	}
	if err != nil && !errors.Is(err, provider.ErrNotFound) && !errors.Is(err, provider.ErrTaken) {
		return err
	}
	if a, ok := p.(provider.Accounted); ok {
		if now, e := a.Whose(ctx); e != nil || now != before {
			return errors.Join(fmt.Errorf("whether %s is gone is not known: who is logged in to %s changed meanwhile", r.Name, p.Name()), e)
		}
	}
	return err
}

// destroyUnmarked destroys a machine that has this name and no mark of ours, if its id at the provider shows that it is ours. It
// returns ErrTaken if the id or another install's mark shows that it is not. If nothing shows either, it leaves the machine alone, and
// the record stays.
func (k *Keeper) destroyUnmarked(ctx context.Context, p provider.Provider, r Record) error {
	m, err := p.Get(ctx, r.Name)
	s, ok := p.(provider.AllLister)
	switch {
	case err != nil:
		return err
	case ok && r.Own != "" && m.ID == r.Own:
		return s.DestroyListed(ctx, m)
	case r.Own != "" && m.ID != "", m.Labels[provider.Install] != "":
		return provider.ErrTaken
	default:
		return fmt.Errorf("what is named %s at %s has no mark of this install, and nothing tells whether it is the machine that was asked for: destroy it there if it is; then, or if it is not, remove %s",
			r.Name, r.Provider, k.File(r.ID))
	}
}

// DestroyOthers destroys a machine that Look has found and that belongs to another install. If it fails, the keeper
// does not try again.
func (k *Keeper) DestroyOthers(ctx context.Context, m Machine) error {
	s, ok := k.provider(m.Provider).(provider.AllLister)
	if !ok {
		return fmt.Errorf("%s has no machines of others", m.Provider)
	}
	ctx, cancel := context.WithTimeout(ctx, destroying)
	defer cancel()
	err := s.DestroyListed(ctx, *m.Listed)
	if errors.Is(err, provider.ErrNotFound) {
		return nil // Look shows whether it still exists
	}
	return err
}

// account returns the account in which the provider would look for a machine. It returns an error if the machine is
// not listed there, and its record names another account, or no account although the machine was requested: then the
// missing machine proves nothing.
func (k *Keeper) account(ctx context.Context, p provider.Provider, name string) (account string, err error) {
	a, ok := p.(provider.Accounted)
	if !ok {
		return "", nil
	}
	if account, err = a.Whose(ctx); err != nil {
		return "", err
	}
	r, there := k.Get(ID{p.Name(), name})
	if !there || r.Account == "" && r.Asked.IsZero() && r.Unwanted {
		return account, nil // as far as is known, it was never requested
	}
	elsewhere := k.Elsewhere(r, account)
	if elsewhere == nil {
		return account, nil
	}
	m, err := p.Get(ctx, name)
	switch {
	case errors.Is(err, provider.ErrNotFound), err == nil && m.Labels[provider.Install] != k.options.Install:
		return "", elsewhere
	case err != nil:
		return "", err
	}
	if now, err := a.Whose(ctx); err != nil || now != account {
		return "", errors.Join(elsewhere, err)
	}
	return account, k.change(r.ID, func(r *Record) { r.Account = account }) // the machine is in the account that lists it, whatever was recorded
}

// Elsewhere returns an error if a machine that was not seen in an account may be in another one, nil if it belongs to
// this account.
func (k *Keeper) Elsewhere(r Record, account string) error {
	named := func(account string) string {
		if account == "" {
			return "an account without a name"
		}
		return line(account, 100)
	}
	switch {
	case r.Account == "":
		return fmt.Errorf("%s cannot be looked for: nothing tells which account it belongs to, and in %s it is not; if it is gone for certain, remove %s",
			r.Name, named(account), k.File(r.ID))
	case !strings.EqualFold(r.Account, account):
		return fmt.Errorf("%s cannot be looked for: it belongs to %s, and the token or login is of %s: use that of %[2]s; if it is gone for certain, remove %[4]s",
			r.Name, named(r.Account), named(account), k.File(r.ID))
	}
	return nil
}
