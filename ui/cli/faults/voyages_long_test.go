//go:build long

package faults

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// fixed is how many voyages are sailed without flags, beside the cases.
const fixed = 30

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

// log counts faults and answers over all voyages.
type log struct {
	mu     sync.Mutex
	sailed int
	failed []uint64
	count  map[string]count // by the fault's name
	missed []string         // faults that a case names, and that did not happen in it
	looks  int              // number of judged answers of status
	quiet  int              // number of these on a quiet machine
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
	if l.count == nil {
		l.count = map[string]count{}
	}
	happened := map[string]bool{}
	for _, s := range v.struck {
		n := l.count[s.name]
		switch {
		case !s.happened():
			n.missed++
		case held:
			n.struck++
			happened[s.name] = true
		default:
			n.struck, n.failed = n.struck+1, n.failed+1
			happened[s.name] = true
		}
		l.count[s.name] = n
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(caseOf(seed).faults))) {
		if !happened[name] && wanted(name) {
			l.missed = append(l.missed, fmt.Sprintf("%d: %s", seed, name))
		}
	}
}

// count says how often a fault struck, failed to strike, and struck a voyage that failed.
type count struct{ struck, missed, failed int }

// summary returns a table of the faults, and the seeds that failed.
func (l *log) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d voyages, %d failed %v, %d looks at the status, %d of them on a quiet machine\n%-45s %6s %6s %16s\n", l.sailed, len(l.failed), l.failed, l.looks, l.quiet, "fault", "struck", "missed", "in failed ones")
	for _, f := range slices.Concat(groups...) {
		if n, drawn := l.count[f.name]; drawn {
			fmt.Fprintf(&b, "%-45s %6d %6d %16d\n", f.name, n.struck, n.missed, n.failed)
		}
	}
	for _, text := range l.missed {
		fmt.Fprintf(&b, "it did not happen in its case %s\n", text)
	}
	slices.Sort(l.failed)
	return b.String()
}
