package workspace

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/holders"
)

// A file counts as complete when it has not been written for restTime. unsettled waits for that up to restMost.
const (
	restTime = 100 * time.Millisecond
	restMost = 2 * time.Second
)

// unsettled waits until the files that the captain edited are complete. It returns the complete files, as they were
// seen, and the busy ones: they still change, or a program has them open for writing. A busy file is not committed
// now; the next merge checks it again.
func (w *Tree) unsettled(ctx context.Context, names []string) (rested map[string]staging.Sight, busy map[string]bool, err error) {
	rested = map[string]staging.Sight{}
	if len(names) == 0 {
		return rested, nil, nil
	}
	for began := time.Now(); ; {
		busy = w.young(names)
		if len(busy) == 0 || time.Since(began) > restMost {
			break
		}
		if err := git.Pause(ctx, began); err != nil {
			return nil, nil, err
		}
	}
	// A program that opens a file after this check changes it, which Unlike notices. A program that opened it before
	// still has it open.
	for i, seen := range w.Settled(ctx, names) {
		if !busy[names[i]] {
			rested[names[i]] = seen
		}
	}
	files := make([]string, len(names))
	for i, name := range names {
		files[i] = filepath.Join(w.Dir, name)
	}
	open := holders.Open(files, true)
	for i, name := range names {
		if open[files[i]] {
			delete(rested, name)
			busy[name] = true
		}
	}
	return rested, busy, nil
}

// stageRested stages the complete files of rested, unless they have changed again before they are staged.
func (w *Tree) stageRested(ctx context.Context, rested map[string]staging.Sight) (staging.Status, error) {
	still := w.Tree
	still.Rested = rested
	for {
		if err := w.copyIndex(); err != nil {
			return staging.Status{}, err
		}
		st, _, err := still.Stage(ctx)
		if err != nil {
			return st, err
		}
		changed := false
		for name, seen := range rested {
			if len(w.Unlike([]staging.Sight{seen}, []string{name})) > 0 {
				delete(rested, name)
				w.Busy[name], changed = true, true
			}
		}
		if !changed {
			return st, nil
		}
	}
}

// young returns the files that were written within restTime, by the file system's clock or ours.
func (w *Tree) young(names []string) map[string]bool {
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
