// Package slottest limits how many ships and helms tests run at once, in all test binaries together. With more than the cores can
// carry, nothing gets faster and every test slower.
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

// SlotsVar names the environment variable with the number of slots. Without it, the number depends on the cores.
const SlotsVar = "OCAPTAIN_TEST_SLOTS"

// perCore is how many ships and helms one core carries, as most of them wait most of the time.
const perCore = 4

// size returns the number of slots.
func size() int {
	if n, err := strconv.Atoi(os.Getenv(SlotsVar)); err == nil && n > 0 {
		return n
	}
	return perCore * runtime.NumCPU()
}

// has holds the names of the tests that have slots.
var has struct {
	sync.Mutex
	tests map[string]bool
	taken int // how often slots were taken so far
}

// Take takes slots for a test's ships and helms, and waits until enough are free. It frees them after the test's cleanup. A test whose
// parent has slots gets none, nor does a test that has some: two tests that hold slots and wait for more would block each other.
// Call it before anything is started, and after t.Parallel.
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

// enter records that a test has slots. It returns false if the test or a parent has slots already.
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

// pool is a directory of lock files, one for each slot. When a process ends, the kernel unlocks what it held.
type pool struct {
	dir  string
	size int
}

// take waits for n slots. Only the holder of the gate takes slots: it waits for tests that have all their slots, while other tests
// wait for the gate. So no two tests wait for each other, and a test that needs many slots is not overtaken.
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

// meter starts to measure a test that has its slots. The returned function writes the cost.
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
