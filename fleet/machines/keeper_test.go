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

// A machine that was made and refused is not forgotten when a list omits it once; nor is a machine that is
// said to be another's, or that a list in between has. A confirmed destruction needs no second look.
func TestProof(t *testing.T) {
	const hour = time.Hour // no second look counts within this test
	for name, c := range map[string]struct {
		lies []lie // to creating and to destroying it
		goes bool  // it is gone at once
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

// What is not listed is looked for again, also by the next keeper, and destroyed when it is there after all.
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
	// And forgotten when it is not.
	put(t, k.Records, Record{ID: late, Account: "ada", Asked: time.Now(), Unwanted: true, Missed: time.Now().Add(-2 * time.Hour)})
	if err := k.Destroy(soon(t), late, "tested", nil); err != nil || k.Has(late) {
		t.Errorf("%v", err)
	}
}

// A machine that was missed by a wrong clock is looked for again as soon as any other.
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

// What is gone has no trouble any more, whatever it had.
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

// Who has a machine destroyed that is just being forgotten is not forgotten.
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

// A clock that is set forward between two looks proves nothing.
func TestMissedWhileTheClockIsSet(t *testing.T) {
	s := newService()
	k, p := keeper(t, t.TempDir(), s, time.Hour)
	put(t, k.Records, Record{ID: late, Account: "ada", Asked: time.Now()})
	for range 2 {
		var unproven *Unproven
		if _, err := p.Ensure(soon(t), late.Name); !errors.As(err, &unproven) || errors.Is(err, provider.ErrNotFound) {
			t.Fatal(err)
		}
		if err := k.change(late, func(r *Record) { r.Missed = r.Missed.Add(-2 * time.Hour) }); err != nil { // as it reads then
			t.Fatal(err)
		}
	}
}

// A list that tells of a machine takes back that it was missed.
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

// A ship whose machine is not found once keeps it, and has none when it is not found again after a while.
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
	// It was there in between: this is the first look in vain again.
	if err := ensure(time.Nanosecond); !errors.As(err, &unproven) {
		t.Error(err)
	}
	delete(s.have, there.Name)
	if err := ensure(time.Nanosecond); !errors.Is(err, provider.ErrNotFound) {
		t.Error(err)
	}
}

// A machine that is being made is not looked for: it may come after every look.
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

// What is not there in one account says nothing about another.
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
	// Nor when somebody logs in as another in the middle.
	s.mu.Lock()
	s.account = "ada"
	s.called = func() { s.account = "eve" }
	s.mu.Unlock()
	if err := k.Destroy(soon(t), there, "tested", nil); err == nil || !k.Has(there) {
		t.Errorf("it is forgotten: %v", err)
	}
}

// A machine that was asked for when the service named somebody else is that account's whose list has it.
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
		s.lie(refused) // it is destroyed, and the next attempt finds nothing
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

// Whatever a service says, no existing machine is forgotten, and in the end no unwanted machine is there.
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
			case 2: // a killed keeper leaves no more than a keeper that ends
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
