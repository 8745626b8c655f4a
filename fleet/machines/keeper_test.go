package machines

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/tasks/eventually"
)

func soon(t *testing.T) context.Context {
	return eventually.Context(t)
}

// TestProof checks that a machine that was made although the request failed is not forgotten when one list omits it,
// when it is said to be another's, or when a list in between has it. A confirmed destruction needs no second look.
func TestProof(t *testing.T) {
	const hour = time.Hour // so long that no second look counts within this test
	for name, c := range map[string]struct {
		lies []lie // to the calls that create and destroy it
		goes bool  // the machine is gone at once
	}{
		"confirmed":                   {nil, true},
		"not listed":                  {[]lie{lies, absent}, false},
		"made, refused, not listed":   {[]lie{refused, absent}, false},
		"another's":                   {[]lie{lies, taken}, false},
		"never made, as far as known": {[]lie{failed, lies}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService()
			s.lie(c.lies...)
			k, p := keeper(t, t.TempDir(), s, hour)
			_, _ = p.Create(soon(t), provider.Spec{Name: there.Name})
			err := k.Destroy(soon(t), there, "tested", nil)
			var unproven *Unproven
			if c.goes && err != nil || !c.goes && !errors.As(err, &unproven) || k.Has(there) == c.goes {
				t.Errorf("%v; on record: %t", err, k.Has(there))
			}
			if r, _ := k.Get(there); !c.goes && (!r.Unwanted || r.Missed.IsZero() || r.Trouble == "") {
				t.Errorf("on record is %+v", r)
			}
		})
	}
}

// A machine that is not listed is looked for again, also by the next keeper, and destroyed if it exists after all.
func TestSecondLook(t *testing.T) {
	s, dir := newService(), t.TempDir()
	first, p := keeper(t, dir, s, time.Hour)
	made(t, p)
	s.lie(absent)
	var unproven *Unproven
	if err := first.Destroy(soon(t), there, "tested", nil); !errors.As(err, &unproven) {
		t.Fatal(err)
	}
	first.Close()
	k, _ := keeper(t, dir, s, time.Hour)
	if err := k.Destroy(soon(t), there, "tested", nil); err != nil || len(s.truth()) > 0 || k.Has(there) {
		t.Errorf("%v; there are %v", err, s.truth())
	}
	// If it does not, it is forgotten.
	put(t, k.Records, Record{ID: late, Account: "ada", Asked: time.Now(), Unwanted: true, Missed: time.Now().Add(-2 * time.Hour)})
	if err := k.Destroy(soon(t), late, "tested", nil); err != nil || k.Has(late) {
		t.Errorf("%v", err)
	}
}

// If a wrong clock recorded that a machine was not found, the machine is looked for again as early as any other.
func TestMissedByAWrongClock(t *testing.T) {
	s := newService()
	k, _ := keeper(t, t.TempDir(), s, time.Hour)
	s.lie(absent)
	put(t, k.Records, Record{ID: late, Account: "ada", Asked: time.Now(), Unwanted: true, Missed: time.Now().Add(26 * time.Hour)})
	var unproven *Unproven
	if err := k.Destroy(soon(t), late, "tested", nil); !errors.As(err, &unproven) || time.Until(unproven.Again) > time.Hour {
		t.Errorf("%v", err)
	}
}

// The record of a machine that is gone has no trouble, whatever it had before.
func TestNoTroubleAfterwards(t *testing.T) {
	s := newService()
	told := make(chan Record, 10)
	k, p := telling(t, t.TempDir(), s, time.Hour, func(r Record, err error) {
		if err == nil {
			told <- r
		}
	})
	made(t, p)
	s.lie(failed)
	if err := k.Destroy(soon(t), there, "tested", nil); !errors.Is(err, errRefused) {
		t.Fatal(err)
	}
	if r, _ := k.Get(there); r.Trouble == "" {
		t.Errorf("on record is %+v", r)
	}
	if err := k.Destroy(soon(t), there, "tested", nil); err != nil {
		t.Fatal(err)
	}
	if r := <-told; r.Trouble != "" || r.Tailnet != nil {
		t.Errorf("told %+v", r)
	}
}

// If a machine becomes unwanted just while its record is removed, it is not forgotten.
func TestUnwantedWhileForgotten(t *testing.T) {
	s := newService()
	var k *Keeper
	var p provider.Provider
	var once sync.Once
	k, p = telling(t, t.TempDir(), s, time.Millisecond, func(r Record, err error) {
		if err == nil {
			once.Do(func() {
				if err := k.Unwant(r.ID, "again", nil); err != nil {
					t.Error(err)
				}
			})
		}
	})
	made(t, p)
	var unproven *Unproven
	err := k.Destroy(soon(t), there, "tested", nil)
	for errors.As(err, &unproven) {
		err = k.Destroy(soon(t), there, "tested", nil)
	}
	if _, is := k.Get(there); err != nil || is || len(s.truth()) > 0 {
		t.Errorf("%v; on record: %t; there are %v", err, is, s.truth())
	}
}

// If the clock is set forward between two looks, they prove nothing.
func TestMissedWhileTheClockIsSet(t *testing.T) {
	s := newService()
	k, p := keeper(t, t.TempDir(), s, time.Hour)
	put(t, k.Records, Record{ID: late, Account: "ada", Asked: time.Now()})
	for range 2 {
		var unproven *Unproven
		if _, err := p.Ensure(soon(t), late.Name); !errors.As(err, &unproven) || errors.Is(err, provider.ErrNotFound) {
			t.Fatal(err)
		}
		if err := k.change(late, func(r *Record) { r.Missed = r.Missed.Add(-2 * time.Hour) }); err != nil { // as the record would read then
			t.Fatal(err)
		}
	}
}

// When a list has the machine, the earlier failed look no longer counts.
func TestSeenBetween(t *testing.T) {
	s := newService()
	k, p := keeper(t, t.TempDir(), s, time.Hour)
	made(t, p)
	s.lie(absent)
	_ = k.Destroy(soon(t), there, "tested", nil)
	all, answers, err := k.Look(soon(t), []string{"sprites"}, "voyage-", time.Minute)
	if err != nil || len(all) != 1 || all[0].Record == nil || all[0].Listed == nil || answers[0].Err != nil {
		t.Fatalf("%+v, %+v, %v", all, answers, err)
	}
	if r, _ := k.Get(there); !r.Missed.IsZero() || r.Seen.IsZero() {
		t.Errorf("on record is %+v", r)
	}
}

// A ship whose machine is once not found keeps the machine. It loses the machine when a later look does not find it
// either.
func TestEnsureNeedsProof(t *testing.T) {
	s, dir := newService(), t.TempDir()
	ensure := func(proof time.Duration) error {
		t.Helper()
		k, p := keeper(t, dir, s, proof)
		defer k.Close()
		_, err := p.Ensure(soon(t), there.Name)
		return err
	}
	k, p := keeper(t, dir, s, time.Hour)
	made(t, p)
	k.Close()
	s.lie(absent, lies, absent)
	var unproven *Unproven
	if err := ensure(time.Hour); !errors.As(err, &unproven) || errors.Is(err, provider.ErrNotFound) {
		t.Error(err)
	}
	if err := ensure(time.Hour); err != nil {
		t.Error(err)
	}
	// The machine existed in between, so this counts as the first failed look.
	if err := ensure(time.Nanosecond); !errors.As(err, &unproven) {
		t.Error(err)
	}
	delete(s.have, there.Name)
	if err := ensure(time.Nanosecond); !errors.Is(err, provider.ErrNotFound) {
		t.Error(err)
	}
}

// A machine that is being made is not looked for, since it may appear after every look.
func TestWhileItIsMade(t *testing.T) {
	s := newService()
	k, p := keeper(t, t.TempDir(), s, time.Nanosecond)
	making, made := make(chan struct{}), make(chan struct{})
	s.called = func() {
		close(making)
		<-made
		s.called = nil
	}
	created := make(chan error, 1)
	go func() {
		_, err := p.Create(context.Background(), provider.Spec{Name: there.Name})
		created <- err
	}()
	<-making
	ended := make(chan error, 1)
	go func() { ended <- k.Destroy(context.Background(), there, "tested", nil) }()
	eventually.Holds(t, "it is noted", func() bool { r, _ := k.Get(there); return r.Unwanted })
	close(made)
	if err := errors.Join(<-created, <-ended); err != nil || len(s.truth()) > 0 || k.Has(there) {
		t.Errorf("%v; there are %v", err, s.truth())
	}
}

// That a machine is not found in one account says nothing about another account.
func TestAnotherAccount(t *testing.T) {
	s := newService()
	k, p := keeper(t, t.TempDir(), s, time.Nanosecond)
	made(t, p)
	s.mu.Lock()
	s.account, s.have = "eve", map[string]bool{}
	s.mu.Unlock()
	for range 2 {
		if err := k.Destroy(soon(t), there, "tested", nil); err == nil || !k.Has(there) {
			t.Errorf("it is forgotten: %v", err)
		}
	}
	// Nor does it when the login changes in the middle.
	s.mu.Lock()
	s.account = "ada"
	s.called = func() { s.account = "eve" }
	s.mu.Unlock()
	if err := k.Destroy(soon(t), there, "tested", nil); err == nil || !k.Has(there) {
		t.Errorf("it is forgotten: %v", err)
	}
}

// If the service named another account at the request, the machine belongs to the account whose list has it.
func TestAccountOfTheList(t *testing.T) {
	for name, look := range map[string]func(*Keeper) error{
		"destroyed": func(*Keeper) error { return nil },
		"looked at": func(k *Keeper) error {
			_, _, err := k.Look(t.Context(), []string{"sprites"}, "voyage-", time.Minute)
			return err
		},
	} {
		s := newService()
		k, p := keeper(t, t.TempDir(), s, time.Nanosecond)
		s.posing = 1
		made(t, p)
		if r, _ := k.Get(there); r.Account != "eve" {
			t.Fatalf("asked for in %q", r.Account)
		}
		if err := look(k); err != nil {
			t.Fatal(err)
		}
		s.lie(refused) // it is destroyed, and the next attempt does not find it
		var unproven *Unproven
		err := k.Destroy(soon(t), there, "tested", nil)
		for errors.Is(err, errRefused) || errors.As(err, &unproven) {
			err = k.Destroy(soon(t), there, "tested", nil)
		}
		if err != nil || k.Has(there) || len(s.truth()) > 0 {
			t.Errorf("%s: %v; there are %v", name, err, s.truth())
		}
	}
}

// Whatever a service reports, no existing machine is forgotten, and in the end no unwanted machine exists.
func TestRandomLies(t *testing.T) {
	for seed := range uint64(12) {
		dice := rand.New(rand.NewPCG(seed, 1))
		s, dir := newService(), t.TempDir()
		k, p := keeper(t, dir, s, time.Millisecond)
		for range 30 {
			id := named(dice.IntN(3))
			if n := dice.IntN(8); n < int(lies) {
				s.lie(lie(n))
			}
			switch dice.IntN(4) {
			case 0:
				_, _ = p.Create(eventually.Brief(t, time.Second), provider.Spec{Name: id.Name})
			case 1:
				if err := k.Unwant(id, "tested", nil); err != nil {
					t.Fatal(err)
				}
			case 2: // a killed keeper leaves behind what a keeper that ends normally does
				k.Close()
				k, p = keeper(t, dir, s, time.Millisecond)
				if err := k.Resume(); err != nil {
					t.Fatal(err)
				}
			case 3:
				_, _, _ = k.Look(t.Context(), []string{"sprites"}, "voyage-", time.Minute)
			}
			for name := range s.truth() {
				if !k.Has(ID{"sprites", name}) && s.truth()[name] {
					t.Fatalf("seed %d: %s is there and forgotten", seed, name)
				}
			}
		}
		for n := range 3 {
			for err := errRefused; err != nil; err = k.Destroy(t.Context(), named(n), "tested", nil) {
				s.mu.Lock()
				s.lies = nil
				s.mu.Unlock()
			}
		}
		if left, err := k.All(); err != nil || len(left)+len(s.truth()) > 0 {
			t.Fatalf("seed %d: left are %v, on record %+v, %v", seed, s.truth(), left, err)
		}
		k.Close()
	}
}
