package helm

import (
	"context"
	"net"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/provider"
)

// The times of a machine far away.
const (
	bootTime  = 10 * time.Second      // until a machine that was asked for answers
	roundTrip = 80 * time.Millisecond // of its connections
)

// distant is a provider whose machines take their time to be made and to answer.
type distant struct{ provider.Provider }

func (d distant) Create(ctx context.Context, spec provider.Spec) (provider.Machine, error) {
	if err := sleep(ctx, bootTime); err != nil {
		return provider.Machine{}, err
	}
	return d.Provider.Create(ctx, spec)
}

func (d distant) Dial(ctx context.Context, m provider.Machine) (net.Conn, error) {
	if err := sleep(ctx, roundTrip); err != nil {
		return nil, err
	}
	c, err := d.Provider.Dial(ctx, m)
	if err != nil {
		return nil, err
	}
	return &slowConn{Conn: c, turn: make(chan struct{}, 1)}, nil
}

// slowConn makes who answers wait for a round trip: what is sent after something was read comes late.
type slowConn struct {
	net.Conn
	turn chan struct{} // has something when it was read since the last write
}

func (c *slowConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	select {
	case c.turn <- struct{}{}:
	default:
	}
	return n, err
}

func (c *slowConn) Write(p []byte) (int, error) {
	select {
	case <-c.turn:
		time.Sleep(roundTrip)
	default:
	}
	return c.Conn.Write(p)
}

// BenchmarkFitOut fits out one ship and then 20 at the same time, on machines that need ten
// seconds to come up and are 80 ms away; all of them are on this machine, so its processors are
// shared. The ratio is how much longer 20 take than one.
func BenchmarkFitOut(b *testing.B) {
	for b.Loop() {
		took := map[int]time.Duration{}
		for _, n := range []int{1, 20} {
			hub := newHub(b)
			h := startHelm(b, hub)
			h.providers["hosts"] = distant{another(b, hub)}
			d := newVoyage(b, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "sleep 600"))
			shipsFrom(b, d, "hosts", "script")
			v := openIt(b, h, d)
			began := time.Now()
			if err := v.sail(b.Context(), SailRequest{Ships: n}, func(Progress) {}); err != nil {
				b.Fatal(err)
			}
			took[n] = time.Since(began)
			if err := v.sink(context.Background(), func(Progress) {}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(took[1].Seconds(), "one-s")
		b.ReportMetric(took[20].Seconds(), "20-s")
		b.ReportMetric(took[20].Seconds()/took[1].Seconds(), "ratio")
	}
}
