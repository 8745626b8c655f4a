package machines

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet/provider"
)

// service is a provider that lies but keeps its contract: Destroy returns nil only after it was told that the machine
// is gone and did not list it.
type service struct {
	provider.Provider

	mu      sync.Mutex
	have    map[string]bool
	account string
	posing  int // how many more times it says that another account is logged in
	lies    []lie
	denied  map[string]bool // machines that the last look did not find although they existed
	called  func()          // called before each answer; may be nil
	late    time.Duration
	broken  bool // no machine can be destroyed
}

// lie says in what way a service answers one call wrongly.
type lie int

const (
	absent  lie = iota // an existing machine is not listed
	refused            // done, but an error returned
	failed             // not done, and an error returned
	claimed            // not done, but success returned
	taken              // a listed machine is said to be another's
	lies
)

func newService() *service {
	return &service{have: map[string]bool{}, denied: map[string]bool{}, account: "ada"}
}

// told returns the next lie and removes it.
func (s *service) told() lie {
	if s.called != nil {
		s.called()
	}
	if len(s.lies) == 0 {
		return lies
	}
	l := s.lies[0]
	s.lies = s.lies[1:]
	return l
}

func (s *service) lie(all ...lie) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lies = append(s.lies, all...)
}

func (s *service) truth() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.have)
}

func (s *service) Name() string { return "sprites" }

func (s *service) Limits() provider.Limits { return provider.Limits{Late: s.late} }

func (s *service) Whose(context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.posing > 0 {
		s.posing--
		return "eve", nil
	}
	return s.account, nil
}

var errRefused = errors.New("internal error")

func (s *service) Create(_ context.Context, spec provider.Spec) (provider.Machine, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.told() {
	case refused:
		s.have[spec.Name] = true
		return provider.Machine{}, errRefused
	case failed:
		return provider.Machine{}, errRefused
	}
	s.have[spec.Name] = true
	return provider.Machine{Name: spec.Name, ID: "id of " + spec.Name}, nil
}

func (s *service) List(context.Context, map[string]string) ([]provider.Machine, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.told()
	var all []provider.Machine
	for name := range s.have {
		if l != absent {
			all = append(all, provider.Machine{Name: name, ID: "id of " + name, Labels: map[string]string{provider.Install: "i1"}})
		}
	}
	return all, nil
}

func (s *service) Get(_ context.Context, name string) (provider.Machine, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.have[name] {
		return provider.Machine{}, provider.ErrNotFound
	}
	return provider.Machine{Name: name, ID: "id of " + name, Labels: map[string]string{provider.Install: "i1"}}, nil
}

func (s *service) Ensure(_ context.Context, name string) (provider.Machine, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told() == absent || !s.have[name] {
		return provider.Machine{}, provider.ErrNotFound
	}
	return provider.Machine{Name: name}, nil
}

func (s *service) Destroy(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.told()
	if s.broken {
		return errRefused
	}
	if l == absent || l == taken { // a list may lag, but for less time than a proof takes
		if s.denied[name] {
			l = lies
		}
		s.denied[name] = !s.denied[name]
	} else {
		s.denied[name] = false
	}
	switch there := s.have[name]; {
	case !there || l == absent:
		return provider.ErrNotFound
	case l == taken:
		return provider.ErrTaken
	case l == failed, l == claimed: // a machine that was not destroyed is still listed
		return errRefused
	}
	delete(s.have, name)
	if l == refused {
		return errRefused
	}
	return nil
}

func (s *service) Forget(context.Context, string) error { return nil }

// keeper returns a keeper for the service s, with records in dir.
func keeper(t *testing.T, dir string, s *service, proof time.Duration) (*Keeper, provider.Provider) {
	t.Helper()
	return telling(t, dir, s, proof, nil)
}

// telling is keeper with a function that gets the result of each attempt.
func telling(t *testing.T, dir string, s provider.Provider, proof time.Duration, told func(Record, error)) (*Keeper, provider.Provider) {
	t.Helper()
	k := New(Options{Records: Open(dir), Install: "i1", Proof: proof, Told: told})
	t.Cleanup(k.Close)
	return k, k.Use(s)
}

// made makes a machine.
func made(t *testing.T, p provider.Provider) {
	t.Helper()
	if _, err := p.Create(soon(t), provider.Spec{Name: there.Name}); err != nil {
		t.Fatal(err)
	}
}

func named(n int) ID { return ID{"sprites", fmt.Sprintf("%s-ship%d", voyage, n)} }
