// Package slottest bounds how many ships and helms tests run at once, in all test binaries together: more work than there are cores for
// makes nothing faster and every test slower.
package slottest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"ocaptain/tasks/eventually"
)

// SlotsVar names how many slots there are. Otherwise the number follows from the cores.
const SlotsVar = "OCAPTAIN_TEST_SLOTS"

// perCore is how many ships and helms a core carries: most of them wait most of the time.
const perCore = 4

// size is how many slots there are.
func size() int {
	if n, err := strconv.Atoi(os.Getenv(SlotsVar)); err == nil && n > 0 {
		return n
	}
	return perCore * runtime.NumCPU()
}

// has are the tests that have slots, by name.
var has struct {
	sync.Mutex
	tests map[string]bool
	taken int // how often so far
}

// Take gives the test slots for its ships and helms, and waits until so many are free. It gives them back when the test has cleaned up.
// A test gets no slots when it or its parent has some: a test that waited for slots while it holds slots might wait
// without end. Call it before anything is started, and after t.Parallel.
func Take(t testing.TB, ships int) {
	t.Helper()
	if !enter(t.Name()) {
		return
	}
	begun := time.Now()
	p := pool{dir: filepath.Join(os.TempDir(), fmt.Sprintf("ocaptain-slots-%d", os.Getuid())), size: size()}
	free, err := p.take(ships)
	if err != nil {
		leave(t.Name())
		t.Fatalf("take slots for %d ships: %v", ships, err)
	}
	count := meter(t, time.Since(begun))
	t.Cleanup(func() {
		free()
		leave(t.Name())
		count()
	})
}

// enter notes that a test has slots, unless it has them already, by itself or from a parent.
func enter(name string) bool {
	has.Lock()
	defer has.Unlock()
	if has.tests == nil {
		has.tests = map[string]bool{}
	}
	for above := name; ; {
		if has.tests[above] {
			return false
		}
		i := strings.LastIndexByte(above, '/')
		if i < 0 {
			has.tests[name] = true
			has.taken++
			return true
		}
		above = above[:i]
	}
}

func leave(name string) {
	has.Lock()
	defer has.Unlock()
	delete(has.tests, name)
}

// pool is a directory of lock files, one for each slot. The kernel unlocks what a process held that has ended.
type pool struct {
	dir  string
	size int
}

// take waits for n slots. Only the holder of the gate takes slots. It waits for tests that have all their slots, and other tests wait
// for the gate, so that no two tests wait for each other, and a test that needs many slots is not overtaken.
func (p pool) take(n int) (free func(), err error) {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return nil, err
	}
	gate := flock.New(filepath.Join(p.dir, "gate"))
	if err := gate.Lock(); err != nil {
		return nil, err
	}
	defer gate.Close()
	var mine []*flock.Flock
	free = func() {
		for _, l := range mine {
			_ = l.Close()
		}
	}
	for n = min(n, p.size); ; time.Sleep(50 * time.Millisecond) {
		for i := 0; i < p.size && len(mine) < n; i++ {
			l := flock.New(filepath.Join(p.dir, strconv.Itoa(i)))
			switch ok, err := l.TryLock(); {
			case err != nil:
				free()
				return nil, err
			case ok:
				mine = append(mine, l)
			}
		}
		if len(mine) == n {
			return free, nil
		}
	}
}

// meter measures a test that has slots now. The function returned writes it down.
func meter(t testing.TB, waited time.Duration) func() {
	begun, spent, started := time.Now(), eventually.Spent(), eventually.Started()
	has.Lock()
	alone, taken := len(has.tests) == 1, has.taken
	has.Unlock()
	return func() {
		has.Lock()
		alone = alone && has.taken == taken
		has.Unlock()
		c := Cost{
			Test: t.Name(), Waited: waited.Seconds(), Seconds: time.Since(begun).Seconds(), CPU: max(0, eventually.Spent()-spent).Seconds(),
			Processes: eventually.Between(started, eventually.Started()), Beside: !alone,
		}
		if err := c.Write(); err != nil {
			t.Errorf("write what the test costs: %v", err)
		}
	}
}
