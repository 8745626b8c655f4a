package livetree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/link"
	"ocaptain/sync/bounded"
)

// maxKept is the limit of a ship's copy that is kept after it lost, in bytes.
const maxKept = 1 << 30

// Settling settles files that both a ship and the shared tree have changed.
type Settling struct {
	t    *Tree
	in   api.SettleRequest
	kept string // directory of the copies that lost
	done []string
}

// BeginSettling begins a settlement that the captain asks for.
func (t *Tree) BeginSettling(in api.SettleRequest) (*Settling, error) {
	if !t.IsShared() {
		return nil, api.Refused("each ship of this voyage has a tree of its own: conflicts of those are their agents' (ocaptain help live)")
	}
	if in.Keep != api.KeepHub && in.Keep != api.KeepBoth {
		if in.Ship != "" && in.Ship != in.Keep {
			return nil, api.Refused("%s cannot count for the files of %s: say hub, both, or %[2]s", in.Keep, in.Ship)
		}
		in.Ship = in.Keep
	}
	kept := filepath.Join(t.o.Dir.Artifacts(), "conflicts", time.Now().UTC().Format("20060102-150405"))
	return &Settling{t: t, in: in, kept: kept, done: []string{}}, nil
}

// Ships lists the ships whose files are to be settled, in order.
func (w *Settling) Ships() []string {
	if w.in.Ship != "" {
		return []string{w.in.Ship}
	}
	w.t.mu.Lock()
	defer w.t.mu.Unlock()
	var names []string
	for name, is := range w.t.ships {
		if is.CountConflicts() > 0 || is.State == fleet.TreeEmptied {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Done returns what was settled so far.
func (w *Settling) Done() api.Settled {
	done := api.Settled{Files: w.done}
	if _, err := os.Lstat(w.kept); err == nil {
		done.Kept = w.kept
	}
	return done
}

// Settle settles the requested files of a ship. Mutagen reports ten at a time. The caller holds the lock of the ship's
// tree.
func (w *Settling) Settle(ctx context.Context, s Ship) error {
	trees, id := w.t.o.Trees, w.t.o.Info.ID
	if is := w.t.Of(s.Name); is.State == fleet.TreeEmptied {
		if w.in.Keep != api.KeepHub {
			return api.Refused("the tree of %s is halted, as %s: --keep hub brings them back from the other side", s.Name, is.Why)
		}
		if err := trees.Reset(ctx, id, s.Name); err != nil {
			return err
		}
	}
	for before := -1; before < len(w.done); {
		before = len(w.done)
		is, err := trees.Flush(ctx, id, s.Name)
		if err != nil {
			return err
		}
		for _, file := range is.Conflicts {
			if len(w.in.Paths) > 0 && !slices.Contains(w.in.Paths, file) {
				continue
			}
			if err := w.settleFile(ctx, s, file); err != nil {
				return fmt.Errorf("%s: %s: %w", s.Name, clean.Line(file), err)
			}
			w.done = append(w.done, file)
			w.t.o.Notes.Add(fleet.Note{Ship: s.Name, Text: clean.Bound(fmt.Sprintf("%s, which it and others had changed, was settled: %s counts", file, w.in.Keep), clean.MaxText)})
		}
	}
	return nil
}

// settleFile moves the copy that lost out of its place, so that the other side's copy is synchronized to it. The ship
// chose the file's name.
func (w *Settling) settleFile(ctx context.Context, s Ship, file string) error {
	if !filepath.IsLocal(file) || file == "." {
		return errors.New("its name leads out of the tree")
	}
	tree := path.Join(s.Home, "voyage", "workspace")
	switch w.in.Keep {
	case api.KeepBoth:
		return s.run(ctx, `cd "$0" && ! [ -e "$2" ] && mv -- "$1" "$2"`, tree, file, file+"~"+s.Name)
	case api.KeepHub:
		return w.takeAside(ctx, s, tree, file)
	}
	to := filepath.Join(w.kept, "hub", file)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(w.t.o.Dir.Workspace(), file), to); err != nil {
		return err
	}
	if info, err := os.Lstat(to); err == nil && info.Mode().IsRegular() {
		return os.Chmod(to, 0o600) // as every other file in the voyage's directory
	}
	return nil
}

// takeAside moves a ship's copy out of the ship's tree, and stores it on the hub as an archive, which the hub never
// unpacks.
func (w *Settling) takeAside(ctx context.Context, s Ship, tree, file string) error {
	aside := path.Join(s.Home, ".ocaptain", "settled", fleet.NewID())
	if err := s.run(ctx, `mkdir -p "$2" && cd "$0" && mv -- "$1" "$2/copy"`, tree, file, aside); err != nil {
		return err
	}
	to := filepath.Join(w.kept, s.Name, file+".tar")
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = s.Link.BulkLane().Run(ctx, link.Command{Argv: []string{"tar", "-C", aside, "-cf", "-", "copy"}, Stdout: &most{out, maxKept}})
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("its copy is in %s there and could not be brought home: %w", aside, err)
	}
	return s.run(ctx, `rm -rf -- "$0"`, aside)
}

// most is a writer that fails beyond a size.
type most struct {
	io.Writer
	left int64
}

func (m *most) Write(p []byte) (int, error) {
	if m.left -= int64(len(p)); m.left < 0 {
		return 0, bounded.ErrMore
	}
	return m.Writer.Write(p)
}
