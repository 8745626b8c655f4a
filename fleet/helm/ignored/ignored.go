// Package ignored counts the files in a ship's clone that git ignores, and copies them home.
package ignored

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"ocaptain/fleet/aboard/ignored"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/link"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/provision"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/turn"
	"ocaptain/sync/worktree"
)

// copyTime is how long a copy may take.
const copyTime = 15 * time.Minute

// Clone says where the files are, and where their copies go.
type Clone struct {
	Ship      string
	Home      string // home directory of the ship
	Link      *link.Link
	Artifacts string // the directory of the voyage's artifacts
}

// Files is what helm knows of the files of one ship. Its methods are safe for concurrent use.
type Files struct {
	changed func()    // called when a count differs from the last one
	copying turn.Turn // held during a copy

	mu    sync.Mutex
	found proto.Ignored   // the last count
	taken api.KeptIgnored // the last copy
}

// New returns the Files of a ship. changed is called after each count that differs from the last one.
func New(changed func()) *Files { return &Files{changed: changed, copying: turn.New()} }

func (f *Files) setFound(found proto.Ignored) {
	f.mu.Lock()
	was := f.found
	f.found = found
	f.mu.Unlock()
	if was != found {
		f.changed()
	}
}

func (f *Files) setTaken(k api.KeptIgnored) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.taken = k
}

// Known returns the last count and the last copy.
func (f *Files) Known() (found proto.Ignored, taken api.KeptIgnored) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.found, f.taken
}

// Lost says which files would be lost with the machine, "" if none would.
func (f *Files) Lost() string {
	found, taken := f.Known()
	if found.Files == 0 || found == taken.Found && taken.IsWhole() {
		return ""
	}
	text := "destroyed with its machine: " + found.ListText()
	if taken.Kept.Files > 0 {
		text += fmt.Sprintf("; %d are in %s", taken.Kept.Files, taken.Dir)
	}
	return text
}

// Count counts the files.
func (f *Files) Count(ctx context.Context, c Clone) (found proto.Ignored, err error) {
	got, err := c.Link.Run(ctx, link.Command{Argv: c.argv()})
	if err != nil {
		return found, err
	}
	if err := json.Unmarshal(got.Stdout, &found); err != nil {
		return found, errors.New("the answer is not what was expected")
	}
	found.Largest = clean.Bound(found.Largest, 200)
	f.setFound(found)
	return found, nil
}

func (c Clone) argv(args ...string) []string {
	return append([]string{path.Join(c.Home, provision.Binary), "aboard", "ignored"}, args...)
}

// Keep copies the files of a ship to a new directory among the artifacts; if there are too many, only the newest. clone waits until the ship can
// be reached, and reports whether it can.
func (f *Files) Keep(ctx context.Context, ship string, clone func(context.Context) (Clone, bool)) (api.KeptIgnored, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, copyTime, retry.Late(copyTime))
	defer cancel()
	if err := f.copying.Lock(ctx); err != nil {
		return api.KeptIgnored{}, err
	}
	defer f.copying.Unlock()
	c, ok := clone(ctx)
	if !ok {
		return api.KeptIgnored{}, fmt.Errorf("%s cannot be reached", ship)
	}
	found, err := f.Count(ctx, c)
	if err != nil {
		return api.KeptIgnored{}, fmt.Errorf("%s: list the files that git ignores: %w", c.Ship, err)
	}
	k := api.KeptIgnored{Found: found}
	if k.Found.Files == 0 {
		return k, nil
	}
	if err := c.unpack(ctx, &k); err != nil {
		return k, fmt.Errorf("%s: copy the files that git ignores: %w", c.Ship, err)
	}
	f.setTaken(k)
	return k, nil
}

// unpack writes the files that the ship sends to a hidden directory, which is renamed once it has all files.
func (c Clone) unpack(ctx context.Context, k *api.KeptIgnored) (err error) {
	partial := filepath.Join(c.Artifacts, "."+c.Ship+".partial")
	if err := os.RemoveAll(partial); err != nil { // left by a helm that was killed
		return err
	}
	sending, cancel := context.WithCancel(ctx)
	archive, out := io.Pipe()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, err := c.Link.BulkLane().Run(sending, link.Command{
			Argv: c.argv("pack", strconv.Itoa(ignored.MaxBytes)), Stdout: out, MaxOutput: ignored.MaxArchive,
		})
		out.CloseWithError(err)
	}()
	k.Kept, err = ignored.Unpack(ctx, partial, archive)
	cancel() // the archive says where it ends
	archive.CloseWithError(err)
	<-sent
	if err != nil {
		return err
	}
	if err := worktree.Flush(partial); err != nil {
		return err
	}
	if k.Dir, err = freeName(filepath.Join(c.Artifacts, c.Ship)); err != nil {
		return err
	}
	return os.Rename(partial, k.Dir)
}

// freeName returns name or, if it exists, name-2 and so on.
func freeName(name string) (string, error) {
	for n, free := 2, name; ; n++ {
		switch _, err := os.Lstat(free); {
		case errors.Is(err, fs.ErrNotExist):
			return free, nil
		case err != nil:
			return "", err
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}
