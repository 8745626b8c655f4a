package voyage

import (
	"bytes"
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/retry"
)

// The times of a machine far away.
const (
	bootTime  = 10 * time.Second      // until a machine that was asked for answers
	roundTrip = 80 * time.Millisecond // of its connections
)

// distant is a provider whose machines take their time to be made and to answer.
type distant struct{ provider.Provider }

func (d distant) Create(ctx context.Context, spec provider.Spec) (provider.Machine, error) {
	if err := retry.Sleep(ctx, bootTime); err != nil {
		return provider.Machine{}, err
	}
	return d.Provider.Create(ctx, spec)
}

func (d distant) Dial(ctx context.Context, m provider.Machine) (net.Conn, error) {
	if err := retry.Sleep(ctx, roundTrip); err != nil {
		return nil, err
	}
	c, err := d.Provider.Dial(ctx, m)
	if err != nil {
		return nil, err
	}
	return newFarConn(c), nil
}

// farConn brings what is sent, either way, half a round trip later; more may be under way at the same time.
type farConn struct {
	net.Conn
	in, out chan parcel
	rest    []byte
	closed  func()
	gone    <-chan struct{}
}

// parcel is what was sent at one time, or at its end why nothing more comes.
type parcel struct {
	due   time.Time
	bytes []byte
	err   error
}

func newFarConn(c net.Conn) *farConn {
	gone := make(chan struct{})
	f := &farConn{Conn: c, in: make(chan parcel, 4096), out: make(chan parcel, 4096), closed: sync.OnceFunc(func() { close(gone) }), gone: gone}
	go func() {
		for {
			p := make([]byte, 32<<10)
			n, err := c.Read(p)
			if !f.send(f.in, p[:n], err) || err != nil {
				return
			}
		}
	}()
	go func() {
		for {
			select {
			case <-gone:
				c.Close()
				return
			case p := <-f.out:
				time.Sleep(time.Until(p.due))
				_, _ = c.Write(p.bytes) // the reader learns why it fails
			}
		}
	}()
	return f
}

func (f *farConn) send(to chan<- parcel, p []byte, err error) bool {
	select {
	case to <- parcel{time.Now().Add(roundTrip / 2), p, err}:
		return true
	case <-f.gone:
		return false
	}
}

func (f *farConn) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		select {
		case <-f.gone:
			return 0, net.ErrClosed
		case next := <-f.in:
			time.Sleep(time.Until(next.due))
			if f.rest = next.bytes; next.err != nil && len(f.rest) == 0 {
				return 0, next.err
			}
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

func (f *farConn) Write(p []byte) (int, error) {
	if !f.send(f.out, bytes.Clone(p), nil) {
		return 0, net.ErrClosed
	}
	return len(p), nil
}

func (f *farConn) Close() error {
	f.closed()
	return nil
}

// BenchmarkFitOut fits out one ship and then 20 at the same time, on machines that need ten
// seconds to come up and are 80 ms away; all of them are on this machine, so its processors are
// shared. The ratio is how much longer 20 take than one.
func BenchmarkFitOut(b *testing.B) {
	for b.Loop() {
		took := map[int]time.Duration{}
		for _, n := range []int{1, 20} {
			hub := helmtest.Hub(b)
			h := startHelm(b, hub)
			fromHosts(h, distant{another(b, hub)})
			d := helmtest.Voyage(b, hub, fleet.Voyage{Provider: "hosts"}, "#!/bin/sh\n", helmtest.Task("1", "sleep 600"))
			v := openIt(b, h, d)
			began := time.Now()
			if err := v.Fit.ProvisionFirst(b.Context(), api.SailRequest{Ships: n}, func(api.Progress) {}); err != nil {
				b.Fatal(err)
			}
			took[n] = time.Since(began)
			if err := v.Fit.Sink(context.Background(), func(api.Progress) {}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(took[1].Seconds(), "one-s")
		b.ReportMetric(took[20].Seconds(), "20-s")
		b.ReportMetric(took[20].Seconds()/took[1].Seconds(), "ratio")
	}
}
