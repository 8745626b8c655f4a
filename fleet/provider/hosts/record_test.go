package hosts

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ocaptain/tasks/eventually"
)

// Calls for different ships do not wait for each other. Ships that were never made leave no lock files.
func TestLockPerShip(t *testing.T) {
	p := &Provider{options: Options{State: t.TempDir()}}
	ctx := eventually.Context(t)
	for i := range 65 {
		unlock, err := p.lockName(ctx, fmt.Sprintf("ship-%d", i))
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			unlock()
			left, err := os.ReadDir(filepath.Join(p.options.State, ".locks"))
			if err != nil || len(left) != i {
				t.Errorf("%d lock files, %v, want %d", len(left), err, i)
			}
		}()
	}
}
