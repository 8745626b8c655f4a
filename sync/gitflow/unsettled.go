package gitflow

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/holders"
)

// A file that was written a moment ago may be written on. How long it has to rest, and how long that is waited for.
const (
	restTime = 100 * time.Millisecond
	restMost = 2 * time.Second
)

// unsettled waits until the files that the captain edited rest, and tells which of them don't: those that still change, and
// those that a program has open for writing. What is half written is not committed; it is looked at again the next time.
func (w *workspace) unsettled(ctx context.Context, names []string) (busy map[string]bool, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	for end := time.Now().Add(restMost); ; {
		busy = w.young(names)
		if len(busy) == 0 || time.Now().After(end) {
			break
		}
		if err := git.Pause(ctx); err != nil {
			return nil, err
		}
	}
	files := make([]string, len(names))
	for i, name := range names {
		files[i] = filepath.Join(w.Dir, name)
	}
	open := holders.Open(files, true)
	for i, name := range names {
		if open[files[i]] {
			busy[name] = true
		}
	}
	return busy, nil
}

// young are the files that were written a moment ago, by the clock of the file system or ours.
func (w *workspace) young(names []string) map[string]bool {
	young := map[string]bool{}
	for _, name := range names {
		now, err := os.Lstat(filepath.Join(w.Dir, name))
		if err != nil || !now.Mode().IsRegular() {
			continue
		}
		if age := time.Since(now.ModTime()); age >= 0 && age < restTime {
			young[name] = true
		}
	}
	return young
}
