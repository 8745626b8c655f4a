package lockfile_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet/provider/lockfile"
	"ocaptain/tasks/eventually"
)

// No two callers hold a lock at the same time because one of them has locked a file that was removed.
func TestOneAtATime(t *testing.T) {
	file := filepath.Join(t.TempDir(), "locks", "ship")
	var inside, most int
	var mu sync.Mutex
	count := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		inside += n
		most = max(most, inside)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 20 {
				unlock, err := lockfile.Lock(t.Context(), file)
				if err != nil {
					t.Error(err)
					return
				}
				count(1)
				count(-1)
				unlock(i%2 == 0)
				_ = os.Remove(filepath.Dir(file)) // fails while somebody's file is in it
			}
		})
	}
	all.Wait()
	if most != 1 {
		t.Errorf("%d at a time", most)
	}
}

// Shared locks can be held together, and exclude an exclusive one.
func TestShare(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ship")
	one, err := lockfile.LockShared(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	two, err := lockfile.LockShared(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	one()
	ctx := eventually.Brief(t, 50*time.Millisecond)
	if _, err := lockfile.Lock(ctx, file); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	two()
	if _, err := lockfile.Lock(t.Context(), file); err != nil {
		t.Error(err)
	}
}
