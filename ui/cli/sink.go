package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ocaptain/ui/words"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/retry"
	"ocaptain/theme"
)

func sinkCmd(b *bridge) *cobra.Command {
	var all, force, keep bool
	cmd := &cobra.Command{
		Use:     "sink [VOYAGE]",
		Aliases: []string{"stop"},
		Short:   "Destroy the ships of a voyage",
		Long: `Destroy the ships of a voyage. The merged work, the tasks and the logs stay in ~/voyages. What a ship has not merged is
copied there first and put aside, see: ocaptain diff SHIP, ocaptain clone; then the name of the voyage must be typed. Files that git
ignores, as builds and downloads, are destroyed; --keep-ignored copies them to artifacts/SHIP in the directory of the voyage first.

It waits until all ships are gone. Without a terminal it ends with code 6 when providers deny your login, which only you can change;
helm destroys the ships then as soon as you have logged in.`,
		Example: `ocaptain sink voyage-3f9a
ocaptain sink --all --force`,
		Args:              wantArgs("[VOYAGE]"),
		ValidArgsFunction: b.completeVoyages,
		RunE: func(cmd *cobra.Command, args []string) error {
			if all && len(args) > 0 {
				return usageError("give a voyage or --all, not both")
			}
			dirs, err := b.toSink(strings.Join(args, ""), all)
			if err != nil {
				return err
			}
			if len(dirs) == 0 {
				fmt.Fprintln(b.out, "There are no ships.")
				return nil
			}
			var lost, ignored []string
			ships := 0
			unmounted, err := machines.Of(b.hub).Unmounted(b.hub.Voyages)
			if err != nil {
				return err
			}
			for _, d := range dirs {
				if _, err := os.Stat(string(d)); errors.Is(err, fs.ErrNotExist) {
					left, _ := b.remembered(d.ID()) // the command that follows reports what is wrong with the records
					ships += len(left)
					text := d.ID() + ": its directory is gone; work that is only on its ships and cannot be brought home is lost"
					if unmounted != "" {
						text += "; " + unmounted
					}
					lost = append(lost, text)
					continue
				}
				board, err := b.readNow(cmd.Context(), d, force)
				if err != nil {
					return err
				}
				if board.Stale {
					lost = append(lost, title(d)+": "+board.Why)
				}
				left, _ := b.remembered(d.ID())
				ships += max(len(board.Ships), len(left))
				lost, ignored = append(lost, losses(board.Board)...), append(ignored, ignoredFiles(board.Board)...)
			}
			if !keep {
				b.warnIgnored(ignored)
			}
			name, what := dirs[0].ID(), dirs[0].ID()
			if all {
				name, what = "all", words.Counted(len(dirs), "voyage")
			}
			if err := b.confirm(cmd.Context(), fmt.Sprintf("destroy %s of %s", words.Counted(ships, "ship"), what), lost, name, force); err != nil {
				return err
			}
			if keep {
				if err := b.keepIgnored(cmd.Context(), force, dirs); err != nil {
					return err
				}
			}
			return b.sinkAll(cmd.Context(), dirs)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all voyages")
	cmd.Flags().BoolVarP(&force, "force", "f", false, "do not ask")
	keepIgnoredFlag(cmd, &keep)
	return cmd
}

// toSink returns the voyage of that name or, if all is set, all voyages that may still have ships.
func (b *bridge) toSink(name string, all bool) ([]fleet.Dir, error) {
	if !all {
		d, err := b.voyage(name)
		var none *fleet.NoVoyage
		if errors.As(err, &none) {
			gone, e := machines.Of(b.hub).GoneVoyage(b.hub.Voyages, name)
			if e != nil {
				return nil, e
			}
			if gone != "" {
				return []fleet.Dir{b.voyageDir(gone)}, nil
			}
		}
		return []fleet.Dir{d}, err
	}
	dirs, err := fleet.Voyages(b.hub.Voyages).List()
	if err != nil {
		return nil, err
	}
	gone, err := machines.Of(b.hub).GoneVoyages(b.hub.Voyages, "")
	var some []fleet.Dir
	for _, d := range dirs {
		if f, err := fleet.LoadFleet(d); err != nil || f.Phase != fleet.Sunk {
			some = append(some, d)
		}
	}
	for _, id := range gone {
		some = append(some, b.voyageDir(id))
	}
	return some, err
}

// remembered returns the records of the machines of a voyage that this install has requested and not destroyed.
func (b *bridge) remembered(id string) ([]machines.Record, error) {
	all, err := machines.Of(b.hub).All()
	return slices.DeleteFunc(all, func(r machines.Record) bool { return r.Voyage != id || r.Gone }), err
}

// voyageDir returns where the directory of a voyage is, or was.
func (b *bridge) voyageDir(id string) fleet.Dir { return fleet.Dir(filepath.Join(b.hub.Voyages, id)) }

// sinkAll sinks voyages one after the other. It goes on after a voyage that fails.
func (b *bridge) sinkAll(ctx context.Context, dirs []fleet.Dir) error {
	client, err := b.connectHelm(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, d := range dirs {
		lost, show := false, b.reporter().report
		report := func(p api.Progress) { lost = lost || p.Lost; show(p) }
		own, leave := context.WithCancelCause(ctx)
		if !b.live { // no captain would see why it waits
			go b.leaveDenied(own, d.ID(), leave)
		}
		err := client.Sink(own, d.ID(), report)
		if cause := context.Cause(own); err != nil && cause != nil {
			err = cause
		}
		leave(nil)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			failed = append(failed, fmt.Errorf("%s: %w", title(d), err))
			continue
		}
		if _, err := os.Stat(string(d)); err != nil {
			fmt.Fprintf(b.out, "%s %s is sunk; its directory is gone\n", theme.Yes.Style.Render(theme.Yes.Glyph), d.ID())
			continue
		}
		mark, text := theme.Yes, "its work is in"
		if lost {
			mark, text = theme.Warn, "work is lost as told above; the rest is in"
		}
		fmt.Fprintf(b.out, "%s %s is sunk; %s %s\n", mark.Style.Render(mark.Glyph), title(d), text, d.Workspace())
	}
	return errors.Join(failed...)
}

// leaveDenied calls leave once a sink cannot go on without the captain. It returns when ctx ends.
func (b *bridge) leaveDenied(ctx context.Context, voyage string, leave context.CancelCauseFunc) {
	began := time.Now() // earlier denials do not count: the captain may have logged in since
	for retry.Sleep(ctx, time.Second) == nil {
		records, err := b.remembered(voyage)
		if err != nil {
			continue
		}
		if why := denied(records, began); why != "" {
			leave(newExitError(Missing, "log in with the provider again: helm destroys the ships then", "its ships are still there: %s", clean.Line(why)))
		}
	}
}

// denied returns why no machine can be destroyed, when all their providers have denied the captain's login since then, and ""
// otherwise.
func denied(records []machines.Record, since time.Time) string {
	why := ""
	for _, r := range records {
		if !r.Unwanted || !r.Denied.After(since) {
			return ""
		}
		why = r.Name + ": " + r.Trouble
	}
	return why
}

// readNow is like read, but first fetches the newest work of the named ships, or of all ships. With force it skips
// that, as destroying the ships fetches it too.
func (b *bridge) readNow(ctx context.Context, d fleet.Dir, force bool, ships ...string) (view, error) {
	v, err := b.read(ctx, d)
	if err != nil || force || v.Stale || len(v.Ships) == 0 || v.Phase == fleet.Sunk {
		return v, err
	}
	client, err := b.connectHelm(ctx)
	var now fleet.Board
	if err == nil {
		now, err = client.CopyWork(ctx, d.ID(), ships...)
	}
	if err != nil {
		return v.markStale(Failed, fmt.Sprintf("what its ships have now is not known: %v", err), ""), ctx.Err()
	}
	v.Board = now
	return v, nil
}

// losses lists what would be lost with the ships of a board.
func losses(board fleet.Board) []string {
	var lost []string
	for i := range board.Ships {
		if l := words.Losses(&board.Ships[i]); l != "" {
			lost = append(lost, l)
		}
	}
	return lost
}

// confirm asks the captain before something is destroyed. The default answer is no; when work would be lost, the
// captain must type name. Without a terminal it fails unless force is set.
func (b *bridge) confirm(ctx context.Context, what string, lost []string, name string, force bool) error {
	if force {
		return nil
	}
	if !b.live {
		return newExitError(Refused, "use --force where there is no terminal", "you did not confirm to %s", what)
	}
	for _, l := range lost {
		writeWarning(b.err, l, 0)
	}
	question, wanted := strings.ToUpper(what[:1])+what[1:]+"? [y/N] ", []string{"y", "yes"}
	if len(lost) > 0 {
		question, wanted = fmt.Sprintf("To %s, type %s: ", what, name), []string{strings.ToLower(name)}
	}
	answer, err := b.prompt(ctx, question)
	if err != nil {
		return err
	}
	for _, w := range wanted {
		if strings.ToLower(answer) == w {
			return nil
		}
	}
	return newExitError(Refused, "", "nothing was done")
}
