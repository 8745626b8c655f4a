package voyage

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

// maxKept bounds a copy of a ship's that is kept because another one counts, in bytes.
const maxKept = 1 << 30

// SettleTree settles files that ships and the tree that all share have both changed.
func (v *Voyage) SettleTree(ctx context.Context, in api.SettleRequest) (api.Settled, error) {
	done := api.Settled{Files: []string{}}
	if !v.isShared() {
		return done, api.Refused("each ship of this voyage has a tree of its own: conflicts of those are their agents' (ocaptain help live)")
	}
	if in.Keep != api.KeepHub && in.Keep != api.KeepBoth {
		if in.Ship != "" && in.Ship != in.Keep {
			return done, api.Refused("%s cannot count for the files of %s: say hub, both, or %[2]s", in.Keep, in.Ship)
		}
		in.Ship = in.Keep
	}
	names := []string{in.Ship}
	if in.Ship == "" {
		names = reads(v, func() (all []string) {
			for name, s := range v.ships {
				if s.shared.CountConflicts() > 0 || s.shared.State == fleet.TreeEmptied {
					all = append(all, name)
				}
			}
			return all
		})
	}
	done.Kept = filepath.Join(v.dir.Artifacts(), "conflicts", time.Now().UTC().Format("20060102-150405"))
	slices.Sort(names)
	for _, name := range names {
		s, err := v.ShipNamed(name)
		if err == nil {
			err = s.settle(ctx, in, &done)
		}
		if err != nil {
			return done, err
		}
	}
	if _, err := os.Lstat(done.Kept); err != nil {
		done.Kept = ""
	}
	return done, nil
}

// settle settles what of a ship's files was asked for. Mutagen tells of ten at a time.
func (s *Ship) settle(ctx context.Context, in api.SettleRequest, done *api.Settled) error {
	if err := s.lockTree(ctx); err != nil {
		return err
	}
	defer s.tree.Unlock()
	trees, id := s.v.set.trees, s.v.dir.ID()
	if is := reads(s.v, func() fleet.SharedTree { return s.shared }); is.State == fleet.TreeEmptied {
		if in.Keep != api.KeepHub {
			return api.Refused("the tree of %s is halted, as %s: --keep hub brings them back from the other side", s.name, is.Why)
		}
		if err := trees.Reset(ctx, id, s.name); err != nil {
			return err
		}
	}
	for before := -1; before < len(done.Files); {
		before = len(done.Files)
		is, err := trees.Flush(ctx, id, s.name)
		if err != nil {
			return err
		}
		for _, file := range is.Conflicts {
			if len(in.Paths) > 0 && !slices.Contains(in.Paths, file) {
				continue
			}
			if err := s.settleFile(ctx, file, in.Keep, done.Kept); err != nil {
				return fmt.Errorf("%s: %s: %w", s.name, clean.Line(file), err)
			}
			done.Files = append(done.Files, file)
			s.v.addNote(fleet.Note{Ship: s.name, Text: clean.Bound(fmt.Sprintf("%s, which it and others had changed, was settled: %s counts", file, in.Keep), maxText)})
		}
	}
	return nil
}

// settleFile moves the copy that does not count out of its place: the other side's comes there. The name is the ship's.
func (s *Ship) settleFile(ctx context.Context, file, keep, kept string) error {
	if !filepath.IsLocal(file) || file == "." {
		return errors.New("its name leads out of the tree")
	}
	tree := path.Join(s.home(), "voyage", "workspace")
	switch keep {
	case api.KeepBoth:
		return s.runThere(ctx, `cd "$0" && ! [ -e "$2" ] && mv -- "$1" "$2"`, tree, file, file+"~"+s.name)
	case api.KeepHub:
		return s.takeAside(ctx, tree, file, kept)
	}
	to := filepath.Join(kept, "hub", file)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(s.v.dir.Workspace(), file), to); err != nil {
		return err
	}
	if info, err := os.Lstat(to); err == nil && info.Mode().IsRegular() {
		return os.Chmod(to, 0o600) // as all else in the voyage's directory
	}
	return nil
}

// takeAside moves a ship's copy out of its tree, and brings it to the hub as an archive, which nothing here unpacks.
func (s *Ship) takeAside(ctx context.Context, tree, file, kept string) error {
	aside := path.Join(s.home(), ".ocaptain", "settled", fleet.NewID())
	if err := s.runThere(ctx, `mkdir -p "$2" && cd "$0" && mv -- "$1" "$2/copy"`, tree, file, aside); err != nil {
		return err
	}
	to := filepath.Join(kept, s.name, file+".tar")
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = s.link.BulkLane().Run(ctx, link.Command{Argv: []string{"tar", "-C", aside, "-cf", "-", "copy"}, Stdout: &most{out, maxKept}})
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("its copy is in %s there and could not be brought home: %w", aside, err)
	}
	return s.runThere(ctx, `rm -rf -- "$0"`, aside)
}

func (s *Ship) runThere(ctx context.Context, script string, args ...string) error {
	_, err := s.link.Run(ctx, link.Command{Argv: append([]string{"/bin/sh", "-c", script}, args...)})
	return err
}

// most writes up to a size.
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
