package helm

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

// TestStalledFitting has steps of the fitting out get no answer: the status and whoever asked for the ship say what is waited for.
func TestStalledFitting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, agent, step, awaits string
		far                       *muteProvider
		bytes                     int64
	}{
		{"the provider", "claude", "create", "the provider hosts", &muteProvider{}, 0},
		{"its SSH server", "script", "reach", "SSH at ", &muteProvider{creates: true}, 0},
		{"an upload", "script", "aboard", "the machine at ", &muteProvider{creates: true}, 1 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			hub := newHub(t)
			h := startHelm(t, hub)
			far := c.far
			far.Provider = another(t, hub)
			far.left.Store(c.bytes)
			fromHosts(h, far)
			ticks := make(chan time.Time)
			h.paceTicks = func() (<-chan time.Time, func()) { return ticks, func() {} }
			d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "true"))
			shipsFrom(t, d, "hosts", c.agent)
			v := openIt(t, h, d)
			said, ended := make(chan api.Progress, 1000), make(chan error, 1)
			go func() {
				ended <- v.provisionFirst(context.Background(), api.SailRequest{Ships: 2}, func(p api.Progress) {
					if strings.HasPrefix(p.Text, "waits for ") {
						said <- p
					}
				})
			}()
			now := time.Now()
			var reasons []string
			eventually.Holds(t, "the status says what is waited for", func() bool {
				select {
				case ticks <- now:
					now = now.Add(paceLook)
				default:
				}
				reasons = nil
				for _, s := range v.currentBoard().Ships {
					reasons = append(reasons, s.Status.Reason)
				}
				return len(reasons) > 0 && strings.HasPrefix(reasons[0], c.step+" waits for "+c.awaits) && strings.HasSuffix(reasons[0], " without an answer")
			})
			if c.agent == "claude" && reasons[1] != "waits: ship-0 goes ahead to prove that token and agent work" {
				t.Errorf("the ship behind it: %s", reasons[1])
			}
			if p := <-said; !strings.HasSuffix(p.Text, "6s without an answer") {
				t.Errorf("whoever asked is told %+v", p)
			}
			if err := v.sink(context.Background(), func(api.Progress) {}); err != nil {
				t.Error(err)
			}
			if err := <-ended; err == nil {
				t.Error("the ship is fitted out")
			}
			if len(v.paces) > 0 {
				t.Errorf("still looked at: %v", v.paces)
			}
		})
	}
}
