package faults

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestVoyages sails many voyages, several at a time. Without flags their seeds are always the same.
func TestVoyages(t *testing.T) {
	t.Parallel()
	var seeds []uint64
	switch {
	case *voyages > 0:
		first := *seed
		if first == 0 {
			first = rand.Uint64N(1 << 32)
		}
		for i := range *voyages {
			seeds = append(seeds, first+uint64(i))
		}
	case *seed > 0:
		seeds = []uint64{*seed}
	default:
		for i := range fixed {
			seeds = append(seeds, uint64(i+1))
		}
		for _, c := range cases {
			if !slices.Contains(seeds, c.seed) {
				seeds = append(seeds, c.seed)
			}
		}
	}
	next := make(chan uint64)
	var wg sync.WaitGroup
	var all log
	for range min(*workers, len(seeds)) {
		wg.Go(func() {
			for s := range next {
				var v *voyage
				held := t.Run(fmt.Sprint(s), func(t *testing.T) { v = sailInto(t, s) })
				all.add(s, v, held)
			}
		})
	}
	for _, s := range seeds {
		next <- s
	}
	close(next)
	wg.Wait()
	t.Log(all.summary())
}

// log counts what happened.
type log struct {
	mu     sync.Mutex
	sailed int
	failed []uint64
	struck map[string][2]int // how often, and in how many voyages that failed
	looks  int               // answers of status that were judged
	quiet  int               // of these on a quiet machine
}

func (l *log) add(seed uint64, v *voyage, held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sailed++
	if !held {
		l.failed = append(l.failed, seed)
	}
	if v == nil {
		return
	}
	looks, quiet := v.Looks()
	l.looks, l.quiet = l.looks+looks, l.quiet+quiet
	if l.struck == nil {
		l.struck = map[string][2]int{}
	}
	for _, name := range v.struck {
		n := l.struck[name]
		n[0]++
		if !held {
			n[1]++
		}
		l.struck[name] = n
	}
}

// summary is a table of the faults, and the seeds that failed.
func (l *log) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d voyages, %d failed %v, %d looks at the status, %d of them on a quiet machine\n%-40s %6s %16s\n", l.sailed, len(l.failed), l.failed, l.looks, l.quiet, "fault", "struck", "in failed ones")
	for _, f := range slices.Concat(groups...) {
		if n := l.struck[f.name]; n[0] > 0 {
			fmt.Fprintf(&b, "%-40s %6d %16d\n", f.name, n[0], n[1])
		}
	}
	slices.Sort(l.failed)
	return b.String()
}
