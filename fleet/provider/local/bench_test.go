package local_test

import (
	"io"
	"slices"
	"testing"
	"time"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provider/local"
)

// BenchmarkCreateDestroy makes and destroys a sandboxed ship.
func BenchmarkCreateDestroy(b *testing.B) {
	p := newProvider(b, options(b, local.Always))
	spec, _ := newSpec(b, "ship-0")
	var create, destroy []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := p.Create(b.Context(), spec); err != nil {
			b.Fatal(err)
		}
		between := time.Now()
		if err := p.Destroy(b.Context(), "ship-0"); err != nil {
			b.Fatal(err)
		}
		create, destroy = append(create, between.Sub(start)), append(destroy, time.Since(between))
	}
	report(b, "create", create)
	report(b, "destroy", destroy)
}

// BenchmarkRun runs one command on a sandboxed ship.
func BenchmarkRun(b *testing.B) {
	s := newShip(b, options(b, local.Always))
	var run []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := s.Run(b.Context(), link.Command{Argv: []string{"true"}}); err != nil {
			b.Fatal(err)
		}
		run = append(run, time.Since(start))
	}
	report(b, "run", run)
}

// BenchmarkKey measures the time from a key to its echo by a program on a sandboxed ship's terminal.
func BenchmarkKey(b *testing.B) {
	s := newShip(b, options(b, local.Always))
	p, err := s.StartPty(b.Context(), link.Command{Argv: []string{"sh", "-c", "stty raw -echo; printf r; exec cat"}}, link.Terminal{})
	if err != nil {
		b.Fatal(err)
	}
	echo := make([]byte, 1)
	if _, err := io.ReadFull(p, echo); err != nil {
		b.Fatal(err)
	}
	var keys []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := p.Write([]byte("k")); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(p, echo); err != nil {
			b.Fatal(err)
		}
		keys = append(keys, time.Since(start))
	}
	report(b, "key", keys)
}

func report(b *testing.B, name string, d []time.Duration) {
	slices.Sort(d)
	b.ReportMetric(float64(d[len(d)/2].Microseconds()), name+"-p50-µs")
	b.ReportMetric(float64(d[len(d)*99/100].Microseconds()), name+"-p99-µs")
	b.ReportMetric(0, "ns/op")
}
