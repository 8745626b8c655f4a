package exedev_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/exedev"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/tasks/eventually"
)

var labels = map[string]string{"install": "i1", "voyage": "voyage-1"}

func (s *stage) spec(name string) provider.Spec {
	return provider.Spec{Name: name, Labels: labels, AuthorizedKey: string(ssh.MarshalAuthorizedKey(s.signer.PublicKey()))}
}

func soon(t testing.TB) context.Context {
	return eventually.Context(t)
}

// said counts the received commands of that name.
func (s *stage) said(command string) int {
	n := 0
	for _, line := range s.fake.Said() {
		if line == command || strings.HasPrefix(line, command+" ") {
			n++
		}
	}
	return n
}

// One Create makes one machine, whatever happens to the answers.
func TestAmbiguousNew(t *testing.T) {
	for name, c := range map[string]struct {
		fault exedevtest.Fault
		asked int  // how often the machine may be requested
		token bool // use HTTPS
	}{
		"answer lost":                 {exedevtest.Lost, 1, false},
		"answer lost, token":          {exedevtest.Lost, 1, true},
		"made, and failed":            {exedevtest.Unseen, 1, false},
		"made, and status 500":        {exedevtest.Unseen, 1, true},
		"nothing made, and dropped":   {exedevtest.Dropped, 2, false},
		"nothing made, status 500":    {exedevtest.Broken, 2, true},
		"throttled":                   {exedevtest.Throttle, 2, true},
		"timed out, and made at last": {exedevtest.Late, 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, exedevtest.Config{})
			if c.token {
				all := s.fake.Token("ls", "new", "rm", "ssh", "whoami", "ssh-key add")
				s.options.Token = func() string { return all }
			}
			s.options.Settle = 10 * time.Second
			s.fake.Misbehave("new", c.fault)
			m, err := s.provider().Create(soon(t), s.spec("ship-0"))
			if err != nil {
				t.Fatal(err)
			}
			if got := s.fake.Machines(); len(got) != 1 || m.State != provider.Running {
				t.Errorf("machines %q, got %+v", got, m)
			}
			if n := s.said("new"); n > c.asked {
				t.Errorf("it was asked for %d times", n)
			}
		})
	}
}

// A machine that is destroyed before the answer to its request has arrived does not count as gone until the answer
// has.
func TestGivenUpBeforeItAppears(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{})
	all := s.fake.Token("ls", "new", "rm", "ssh", "whoami", "ssh-key add")
	s.options.Token = func() string { return all }
	s.fake.Misbehave("new", exedevtest.Late)
	p := s.provider()
	ctx := eventually.Brief(t, 500*time.Millisecond)
	if _, err := p.Create(ctx, s.spec("ship-0")); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	if len(s.fake.Machines()) != 0 {
		t.Fatal("it is there already")
	}
	if err := p.Destroy(soon(t), "ship-0"); !errors.Is(err, provider.ErrNotFound) {
		t.Fatalf("what may still come is said to be gone: %v", err)
	}
	eventually.Holds(t, "made at last", func() bool { return len(s.fake.Machines()) == 1 })
	if err := errors.Join(p.Destroy(soon(t), "ship-0"), p.Forget(soon(t), "ship-0")); err != nil {
		t.Fatal(err)
	}
	if left := append(s.fake.Machines(), s.leftovers(provider.Machine{Name: "ship-0"})...); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// Machines of others are never touched, whatever their names are.
func TestOthersMachines(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{})
	for _, name := range []string{"mine", "ship-0-oci1", "ship-0-oci2"} {
		if err := s.fake.Foreign(name); err != nil {
			t.Fatal(err)
		}
	}
	p := s.provider()
	if _, err := p.Create(soon(t), s.spec("ship-0")); !errors.Is(err, provider.ErrTaken) {
		t.Errorf("got %v", err)
	}
	if _, err := p.Create(soon(t), s.spec("mine")); err != nil {
		t.Errorf("a name that only seems to be taken: %v", err)
	}
	for _, name := range []string{"ship-0", "mine", "ship-0-oci1"} {
		if err := p.Destroy(soon(t), name); err != nil {
			t.Error(err)
		}
	}
	if got := s.fake.Machines(); len(got) != 3 {
		t.Errorf("left are %q", got)
	}
}

// Two laptops with the same account have machines of the same name at the same time.
func TestTwoLaptops(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{})
	one := s.provider()
	s.options.Install, s.options.Dir = "i2", filepath.Join(t.TempDir(), "machines")
	two := s.provider()
	for _, p := range []*exedev.Provider{one, two} {
		if _, err := p.Create(soon(t), s.spec("ship-0")); err != nil {
			t.Fatal(err)
		}
	}
	if err := two.Destroy(soon(t), "ship-0"); err != nil {
		t.Fatal(err)
	}
	if m, err := one.Get(soon(t), "ship-0"); err != nil || m.State != provider.Running {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestLimitIsTold(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{Machines: 1})
	p := s.provider()
	if _, err := p.Create(soon(t), s.spec("ship-0")); err != nil {
		t.Fatal(err)
	}
	_, err := p.Create(soon(t), s.spec("ship-1"))
	if err == nil || !strings.Contains(err.Error(), "your plan allows 1") {
		t.Errorf("got %v", err)
	}
	if found, err := p.List(soon(t), labels); err != nil || len(found) != 1 || s.said("new") != 2 {
		t.Errorf("%v, %v, new said %d times", found, err, s.said("new"))
	}
}

// Concurrent creates share one connection, since the lobby ignores clients that make many.
func TestOneConnection(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{Connects: 5, Latency: 5 * time.Millisecond, TellUser: true})
	s.options.Pace = 0 // the default pace
	p := s.provider()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if _, err := p.Create(soon(t), s.spec(fmt.Sprintf("ship-%d", i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := s.fake.Logins(); n != 1 {
		t.Errorf("%d connections to the lobby", n)
	}
	// Other processes share the connection.
	for range 2 {
		if _, err := s.provider().List(soon(t), labels); err != nil {
			t.Error(err)
		}
	}
	if n := s.fake.Logins(); n != 1 {
		t.Errorf("%d connections to the lobby, with those of others", n)
	}
	// A connection that keeps breaking is not made again faster than the lobby tolerates.
	s.fake.Misbehave("ls", exedevtest.Dropped, exedevtest.Dropped)
	if found, err := p.List(soon(t), labels); err != nil || len(found) != 8 {
		t.Errorf("%d machines, %v", len(found), err)
	}
}

// A machine with an unknown status can be used.
func TestUnknownStatus(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{})
	p := s.provider()
	if _, err := p.Create(soon(t), s.spec("ship-0")); err != nil {
		t.Fatal(err)
	}
	s.fake.Misbehave("ls status", exedevtest.Hidden, exedevtest.Hidden, exedevtest.Hidden)
	if m, err := p.Get(soon(t), "ship-0"); err != nil || m.State != provider.Unknown {
		t.Errorf("got %+v, %v", m, err)
	}
	if m, err := p.Ensure(soon(t), "ship-0"); err != nil || m.Addr == "" || s.said("restart") > 0 {
		t.Errorf("got %+v, %v", m, err)
	}
}

// Behind the gateway, a stopped machine accepts connections. The provider notices all the same that it has stopped.
func TestStoppedBehindGateway(t *testing.T) {
	t.Parallel()
	s := newStage(t, exedevtest.Config{Gateway: true})
	p := s.provider()
	m, err := p.Create(soon(t), s.spec("ship-0"))
	if err != nil {
		t.Fatal(err)
	}
	if m.User != "vm+ship-0-oci1" || m.Addr != "vm.exe.xyz:22" {
		t.Errorf("got %+v", m)
	}
	if err := s.fake.Stop("ship-0-oci1"); err != nil {
		t.Fatal(err)
	}
	conn, err := p.Dial(soon(t), m)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	var later *provider.Temporary
	if _, err := p.Dial(soon(t), m); !errors.As(err, &later) || !strings.Contains(err.Error(), "stopped") {
		t.Errorf("got %v", err)
	}
}
