package machines

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/tasks/eventually"
)

// TestComesBack lets a machine exist again after it was proven to be gone, because it came back or two lists lacked it: it is
// destroyed once more, and that is reported. If it does not exist, its record is removed.
func TestComesBack(t *testing.T) {
	for name, listed := range map[string]bool{"its destruction was confirmed": true, "two looks were in vain": false} {
		t.Run(name, func(t *testing.T) { comesBack(t, listed) })
	}
}

func comesBack(t *testing.T, listed bool) {
	s := newService()
	s.late = time.Second
	told := make(chan Record, 10)
	k, p := telling(t, t.TempDir(), s, 20*time.Millisecond, func(r Record, err error) {
		if err == nil && r.Back == 0 && !r.isOver() { // before the machine is looked for once more
			s.mu.Lock()
			s.have[there.Name] = true
			s.mu.Unlock()
		}
		if err == nil {
			told <- r
		}
	})
	made(t, p)
	if !listed {
		s.mu.Lock()
		delete(s.have, there.Name)
		s.mu.Unlock()
	}
	if err := k.Until(soon(t), there, "tested", nil, func(string) {}); err != nil {
		t.Fatal(err)
	}
	if r := <-told; r.Back != 0 || !r.Gone || r.Again.IsZero() {
		t.Errorf("told %+v", r)
	}
	if r := <-told; r.Back != 1 || r.Again.IsZero() {
		t.Errorf("told %+v", r)
	}
	if r := <-told; !r.isOver() || len(s.truth()) > 0 {
		t.Errorf("told %+v; there are %v", r, s.truth())
	}
	if all, err := k.All(); err != nil || len(all) > 0 {
		t.Errorf("on record are %v, %v", all, err)
	}
}

// A machine that will be looked for once more counts as gone.
func TestGoneAndOnRecord(t *testing.T) {
	s := newService()
	s.late = time.Hour
	k, p := keeper(t, t.TempDir(), s, time.Hour)
	made(t, p)
	if err := k.Destroy(soon(t), there, "tested", nil); err != nil {
		t.Fatal(err)
	}
	if r, is := k.Get(there); !is || !r.Gone || r.Again.IsZero() || k.Has(there) {
		t.Errorf("on record is %+v, %t", r, is)
	}
	if all, _, err := k.Look(soon(t), nil, "voyage-", time.Minute); err != nil || len(all) > 0 {
		t.Errorf("what is gone is shown as %+v, %v", all, err)
	}
}

// A machine that comes back and cannot be destroyed has a record as any other. A machine that no provider can report
// on does not.
func TestComesBackForGood(t *testing.T) {
	for name, back := range map[string]bool{"there": true, "nobody can tell": false} {
		t.Run(name, func(t *testing.T) {
			s, mended := newService(), false
			s.late = time.Second
			k, p := telling(t, t.TempDir(), s, 10*time.Millisecond, func(r Record, err error) {
				if s.mu.Lock(); err == nil && !r.isOver() && !mended { // before the machine is looked for once more
					s.broken = true
					if back {
						s.have[there.Name] = true
					}
				}
				s.mu.Unlock()
			})
			made(t, p)
			if err := k.Destroy(soon(t), there, "tested", nil); err != nil {
				t.Fatal(err)
			}
			eventually.Holds(t, "it is looked for again", func() bool {
				r, is := k.Get(there)
				return !is || r.Trouble != "" || r.Back > 0
			})
			if k.Has(there) != back {
				r, _ := k.Get(there)
				t.Errorf("on record is %+v", r)
			}
			s.mu.Lock()
			s.broken, mended = false, true
			s.mu.Unlock()
			eventually.Holds(t, "it is forgotten", func() bool { _, is := k.Get(there); return !is })
			if len(s.truth()) > 0 {
				t.Errorf("there are %v", s.truth())
			}
		})
	}
}

// Several callers destroy one machine at the same time. None of them waits for the last look, which comes an hour after the machine
// was gone.
func TestDestroyedByOthers(t *testing.T) {
	s := newService()
	s.late = time.Hour
	k, p := keeper(t, t.TempDir(), s, time.Hour)
	for i := range 100 {
		id := ID{there.Provider, fmt.Sprintf("%s-%d", there.Name, i)}
		if _, err := p.Create(soon(t), provider.Spec{Name: id.Name}); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := k.Destroy(soon(t), id, "tested", nil); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}

// A later machine of the same name is not taken for the machine that is gone.
func TestMadeAnew(t *testing.T) {
	s := newService()
	s.late = time.Hour
	k, p := keeper(t, t.TempDir(), s, time.Hour)
	for range 3 {
		made(t, p)
		if r, _ := k.Get(there); r.Gone || r.Unwanted || r.Own == "" || !r.Again.IsZero() {
			t.Errorf("on record is %+v", r)
		}
		if err := k.Destroy(soon(t), there, "tested", nil); err != nil || len(s.truth()) > 0 {
			t.Errorf("%v; there are %v", err, s.truth())
		}
	}
}

// While a request to create the machine may still be carried out, a failed look proves nothing.
func TestMayStillBeMade(t *testing.T) {
	s := newService()
	s.late = time.Hour
	k, p := keeper(t, t.TempDir(), s, time.Minute)
	s.lie(failed)
	if _, err := p.Create(soon(t), provider.Spec{Name: there.Name}); err == nil {
		t.Fatal("it was made")
	}
	var unproven *Unproven
	if err := k.Destroy(soon(t), there, "tested", nil); !errors.As(err, &unproven) || time.Until(unproven.Again) < 50*time.Minute {
		t.Errorf("%v", err)
	}
}

// unmarked is a service whose machine has lost its labels. If the machine is another install's, it has another id.
type unmarked struct {
	*service
	id string
}

func (u *unmarked) machine(name string) provider.Machine {
	return provider.Machine{Name: name, ID: u.id}
}

func (u *unmarked) ListAll(context.Context, string) ([]provider.Machine, error) {
	var all []provider.Machine
	for name := range u.truth() {
		all = append(all, u.machine(name))
	}
	return all, nil
}

func (u *unmarked) Get(_ context.Context, name string) (provider.Machine, error) {
	if !u.truth()[name] {
		return provider.Machine{}, provider.ErrNotFound
	}
	return u.machine(name), nil
}

func (u *unmarked) Destroy(_ context.Context, name string) error {
	if !u.truth()[name] {
		return provider.ErrNotFound
	}
	return provider.ErrTaken
}

func (u *unmarked) DestroyListed(_ context.Context, m provider.Machine) error {
	if m.ID != u.id {
		return provider.ErrTaken
	}
	u.service.mu.Lock()
	defer u.service.mu.Unlock()
	delete(u.have, m.Name)
	return nil
}

// A machine without labels is ours if its creation returned its id. If creation returned no id, the
// machine is left alone and stays on record.
func TestUnmarked(t *testing.T) {
	for name, c := range map[string]struct {
		made string // the id that creation returned
		goes bool   // the machine is destroyed
		kept bool   // the machine stays on record
		ours bool   // the machine counts as ours
	}{
		"ours":      {"x1", true, false, true},
		"another's": {"x2", false, false, false},
		"nobody's":  {"", false, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := &unmarked{service: newService(), id: "x1"}
			s.have[there.Name] = true
			k, _ := telling(t, t.TempDir(), s, time.Nanosecond, nil)
			put(t, k.Records, Record{ID: there, Account: "ada", Asked: time.Now(), Own: c.made})
			all, _, err := k.Look(soon(t), []string{"sprites"}, "voyage-", time.Minute)
			if err != nil || !all[0].Others != c.ours {
				t.Errorf("%+v, %v", all, err)
			}
			err = k.Until(soon(t), there, "tested", nil, func(string) {})
			if (err != nil) != c.kept || k.Has(there) != c.kept || len(s.truth()) == 0 != c.goes {
				t.Errorf("%v; on record: %t; there are %v", err, k.Has(there), s.truth())
			}
			if c.kept && !strings.Contains(err.Error(), k.File(there)) {
				t.Errorf("the captain is told %v", err)
			}
		})
	}
}

// A machine is destroyed, created again under the same name, and destroyed again just after the first attempt to destroy it has ended. The
// second Destroy returns the error of the next attempt.
func TestDestroyedAnew(t *testing.T) {
	s := newService()
	s.late = time.Hour
	var k *Keeper
	var p provider.Provider
	second := make(chan error, 1)
	begin := sync.OnceFunc(func() {
		made(t, p)
		s.mu.Lock()
		s.broken = true
		s.mu.Unlock()
		asked := make(chan struct{})
		go func() {
			close(asked)
			second <- k.Destroy(soon(t), there, "tested again", nil)
		}()
		<-asked
		eventually.Holds(t, "it is unwanted again", func() bool { r, _ := k.Get(there); return r.Unwanted })
	})
	k, p = telling(t, t.TempDir(), s, time.Hour, func(Record, error) { begin() })
	made(t, p)
	_ = k.Destroy(soon(t), there, "tested", nil)
	if err := eventually.Receives(t, "the second", second); err == nil || !s.truth()[there.Name] {
		t.Errorf("it is gone: %v", err)
	}
	s.mu.Lock()
	s.broken = false
	s.mu.Unlock()
}
