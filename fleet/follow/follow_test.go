package follow

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"ocaptain/fleet"
	"ocaptain/fleet/summed"
	"ocaptain/tasks/watch"
)

// Without an inotify instance the board is polled, and no error is shown.
func TestFollowWithoutWatches(t *testing.T) {
	watch.OpenBy(func() (*fsnotify.Watcher, error) { return nil, os.NewSyscallError("inotify_init1", syscall.EMFILE) })
	t.Cleanup(func() { watch.OpenBy(nil) })
	d := fleet.Dir(t.TempDir())
	n := 0
	enough := errors.New("enough")
	if err := (fleet.Voyage{ID: d.ID()}).Save(d); err != nil {
		t.Fatal(err)
	}
	err := Board(t.Context(), d, func(b fleet.Board) error {
		if b.Helm != n {
			return nil
		}
		if n++; n > 2 {
			return enough
		}
		return summed.Write(d.BoardFile(), fleet.Board{At: time.Now(), Helm: n}, 0o644)
	})
	if !errors.Is(err, enough) {
		t.Error(err)
	}
}
