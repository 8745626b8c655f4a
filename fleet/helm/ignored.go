package helm

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
	gosync "sync"
	"time"

	"ocaptain/fleet"
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

// keepingIgnored is how long a copy of the files that git ignores may take.
const keepingIgnored = 15 * time.Minute

// ignoredFiles is what helm knows of the files in a ship's clone that git ignores.
type ignoredFiles struct {
	copying turn.Turn // one copy at a time

	mu    gosync.Mutex
	found proto.Ignored   // at the last count
	taken api.KeptIgnored // the last copy
}

// setFound keeps a count, and reports whether it differs from the last one.
func (f *ignoredFiles) setFound(found proto.Ignored) (changed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	changed, f.found = f.found != found, found
	return changed
}

func (f *ignoredFiles) setTaken(k api.KeptIgnored) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.taken = k
}

// known returns the last count and the last copy.
func (f *ignoredFiles) known() (found proto.Ignored, taken api.KeptIgnored) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.found, f.taken
}

// countIgnored counts the files in the ship's clone that git ignores.
func (s *ship) countIgnored(ctx context.Context) (found proto.Ignored, err error) {
	got, err := s.link.Run(ctx, link.Command{Argv: s.ignoredArgv()})
	if err != nil {
		return found, err
	}
	if err := json.Unmarshal(got.Stdout, &found); err != nil {
		return found, errors.New("the answer is not what was expected")
	}
	found.Largest = clean.Bound(found.Largest, 200)
	if s.ignores.setFound(found) {
		s.v.requestBoard()
	}
	return found, nil
}

func (s *ship) ignoredArgv(args ...string) []string {
	return append([]string{path.Join(s.home(), provision.Binary), "aboard", "ignored"}, args...)
}

// keepIgnored copies the files in the ship's clone that git ignores to a new directory below artifacts/, the newest first when they are
// too many.
func (s *ship) keepIgnored(ctx context.Context) (api.KeptIgnored, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, keepingIgnored, retry.Late(keepingIgnored))
	defer cancel()
	if err := s.ignores.copying.Lock(ctx); err != nil {
		return api.KeptIgnored{}, err
	}
	defer s.ignores.copying.Unlock()
	if !s.connects(ctx) {
		return api.KeptIgnored{}, fmt.Errorf("%s cannot be reached", s.name)
	}
	found, err := s.countIgnored(ctx)
	if err != nil {
		return api.KeptIgnored{}, fmt.Errorf("%s: list the files that git ignores: %w", s.name, err)
	}
	k := api.KeptIgnored{Found: found}
	if k.Found.Files == 0 {
		return k, nil
	}
	if err := s.unpackIgnored(ctx, &k); err != nil {
		return k, fmt.Errorf("%s: copy the files that git ignores: %w", s.name, err)
	}
	s.ignores.setTaken(k)
	s.v.addNote(fleet.Note{Ship: s.name, Text: fmt.Sprintf("%d of %s: copied to %s", k.Kept.Files, k.Found.ListText(), k.Dir)})
	return k, nil
}

// unpackIgnored writes the files that the ship sends to a hidden directory, which gets its name when all files are there.
func (s *ship) unpackIgnored(ctx context.Context, k *api.KeptIgnored) (err error) {
	partial := filepath.Join(s.v.dir.Artifacts(), "."+s.name+".partial")
	if err := os.RemoveAll(partial); err != nil { // of a helm that was killed
		return err
	}
	sending, cancel := context.WithCancel(ctx)
	archive, out := io.Pipe()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, err := s.link.BulkLane().Run(sending, link.Command{
			Argv: s.ignoredArgv("pack", strconv.Itoa(ignored.MaxBytes)), Stdout: out, MaxOutput: ignored.MaxArchive,
		})
		out.CloseWithError(err)
	}()
	k.Kept, err = ignored.Unpack(ctx, partial, archive)
	cancel() // the archive has an end of its own
	archive.CloseWithError(err)
	<-sent
	if err != nil {
		return err
	}
	if err := worktree.Flush(partial); err != nil {
		return err
	}
	if k.Dir, err = freeName(filepath.Join(s.v.dir.Artifacts(), s.name)); err != nil {
		return err
	}
	return os.Rename(partial, k.Dir)
}

// freeName returns name, or name-2 and so on where there is something already.
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

// reportIgnored reports the files that git ignores and that go with the machine.
func (s *ship) reportIgnored(report func(api.Progress)) {
	found, taken := s.ignores.known()
	if found.Files == 0 || found == taken.Found && taken.IsWhole() {
		return
	}
	text := "destroyed with its machine: " + found.ListText()
	if taken.Kept.Files > 0 {
		text += fmt.Sprintf("; %d are in %s", taken.Kept.Files, taken.Dir)
	}
	s.v.addNote(fleet.Note{Ship: s.name, Text: text})
	report(api.Progress{Ship: s.name, Step: "sink", State: api.StepNote, Text: text})
}
