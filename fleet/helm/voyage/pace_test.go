package voyage

import (
	"context"
	"net"
	"strings"
	gosync "sync"
	"sync/atomic"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/pace"
	"ocaptain/fleet/provider"
	"ocaptain/tasks/eventually"
)

// muteProvider is a provider that stops to say anything.
type muteProvider struct {
	provider.Provider
	creates bool
	left    atomic.Int64 // bytes to a machine after which nothing gets through
}

func (m *muteProvider) Create(ctx context.Context, spec provider.Spec) (provider.Machine, error) {
	if !m.creates {
		<-ctx.Done()
		return provider.Machine{}, ctx.Err()
	}
	made, err := m.Provider.Create(ctx, spec)
	made.HostKey = ""
	return made, err
}

func (m *muteProvider) Dial(ctx context.Context, at provider.Machine) (net.Conn, error) {
	c, err := m.Provider.Dial(ctx, at)
	return &muteConn{Conn: c, of: m, closed: make(chan struct{})}, err
}

// muteConn stays open when nothing gets through.
type muteConn struct {
	net.Conn
	of     *muteProvider
	once   gosync.Once
	closed chan struct{}
}

func (c *muteConn) Write(p []byte) (int, error) {
	if c.of.left.Add(int64(-len(p))) < 0 {
		<-c.closed
		return 0, net.ErrClosed
	}
	return c.Conn.Write(p)
}

func (c *muteConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.of.left.Load() < 0 {
		<-c.closed
		return 0, net.ErrClosed
	}
	return n, err
}

func (c *muteConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// stalled provisions so many ships with a clock of the test's own, until says accepts the status of the first and the caller has heard it, and
// sinks them. It returns the status of each, and the first report to the caller.
func stalled(t *testing.T, h *helm, d fleet.Dir, ships int, says func(reason string) bool) (reasons []string, told api.Progress) {
	t.Helper()
	ticks := make(chan time.Time)
	h.paceTicks = func() (<-chan time.Time, func()) { return ticks, func() {} }
	v := openIt(t, h, d)
	said, ended := make(chan api.Progress, 1000), make(chan error, 1)
	go func() {
		ended <- v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: ships}, func(p api.Progress) {
			if strings.HasPrefix(p.Text, "waits for ") {
				said <- p
			}
		})
	}()
	now := time.Now()
	eventually.Holds(t, "the status says what is waited for", func() bool {
		select {
		case ticks <- now:
			now = now.Add(pace.Look)
		default:
		}
		reasons = nil
		for _, s := range v.Board().Ships {
			reasons = append(reasons, s.Status.Reason)
		}
		return len(reasons) > 0 && says(reasons[0]) && len(said) > 0
	})
	told = <-said
	if err := v.Fit.Sink(context.Background(), func(api.Progress) {}); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("the ships are fitted out")
	}
	if awaits, _ := v.Fit.Paces.Of("ship-0"); awaits != "" {
		t.Errorf("it is looked at still, waiting for %s", awaits)
	}
	return reasons, told
}

// TestStalledFitting has steps of provisioning get no answer: the status and the caller's report say what helm waits for.
func TestStalledFitting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, agent, step, awaits string
		ships                     int
		far                       *muteProvider
		bytes                     int64
	}{
		{"the provider", "claude", "create", "the provider hosts", 2, &muteProvider{}, 0},
		{"its SSH server", "script", "reach", "SSH at ", 1, &muteProvider{creates: true}, 0},
		{"an upload", "script", "aboard", "the machine at ", 1, &muteProvider{creates: true}, 1 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			hub := helmtest.Hub(t)
			h := startHelm(t, hub)
			far := c.far
			far.Provider = another(t, hub)
			far.left.Store(c.bytes)
			fromHosts(h, far)
			d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "hosts", AgentChoice: fleet.AgentChoice{Agent: c.agent}}, "#!/bin/sh\n", helmtest.Task("1", "true"))
			reasons, told := stalled(t, h, d, c.ships, func(reason string) bool {
				broke := strings.HasPrefix(reason, c.step+" waits: it is tried again: ") && strings.Contains(reason, "; nothing new for ") // on a slow machine
				return broke || strings.HasPrefix(reason, c.step+" waits for "+c.awaits) && strings.HasSuffix(reason, " without an answer")
			})
			if c.ships > 1 && reasons[1] != "waits: ship-0 goes ahead to prove that token and agent work" {
				t.Errorf("the ship behind it: %s", reasons[1])
			}
			if !strings.HasSuffix(told.Text, "6s without an answer") {
				t.Errorf("whoever asked is told %+v", told)
			}
		})
	}
}

// TestStalledFetch has the registry say nothing from which the agent of local ships is fetched.
func TestStalledFetch(t *testing.T) {
	mute, err := net.Listen("tcp", "127.0.0.1:0") // it never accepts
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	t.Setenv("npm_config_registry", "http://"+mute.Addr().String())
	hub := helmtest.Hub(t)
	hub.Cache = t.TempDir()
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "local", AgentChoice: fleet.AgentChoice{Agent: "claude"}}, "#!/bin/sh\n", helmtest.Task("1", "true"))
	reasons, told := stalled(t, h, d, 2, func(reason string) bool { return strings.Contains(reason, "nothing new for ") })
	for _, reason := range reasons {
		if !strings.HasPrefix(reason, "waits: looking for claude") {
			t.Errorf("a ship %s", reason)
		}
	}
	if told.Text != "waits for the program of claude, 6s without an answer" {
		t.Errorf("whoever asked is told %+v", told)
	}
}
