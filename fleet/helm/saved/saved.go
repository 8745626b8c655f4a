// Package saved reads the state of a voyage whose helm has ended. It rewrites files that are damaged, outdated or lost.
package saved

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/kept"
	"ocaptain/fleet/helm/limits"
	"ocaptain/fleet/helm/proposals"
	"ocaptain/fleet/helm/shiplog"
	"ocaptain/fleet/helm/spending"
	"ocaptain/fleet/helm/steering"
	"ocaptain/fleet/summed"
	"ocaptain/tasks/journal"
)

// Voyage is the saved state of a voyage. The journal is the truth; what the journal has lost comes from the files that were made from it,
// and from the last board.
type Voyage struct {
	Journal   *journal.Journal // the caller closes it
	Info      fleet.Voyage
	Orders    fleet.Orders
	Fleet     fleet.Fleet
	Recorder  fleet.Recorder // of the facts about Fleet in the journal
	State     facts.State
	Notes     facts.Notes
	Limits    limits.Limits
	Proposals proposals.List
	Spending  spending.State
	Steering  steering.State
	Board     fleet.Board // the last board, zero when it is lost

	Found     []string       // texts for the captain about what was damaged
	Lacks     []facts.Record // records of Info, Orders and State that the journal lacks
	FleetLost bool           // fleet.json was lost: the voyage may have machines without a known ship

	dir  fleet.Dir
	told fleet.Facts // facts in the journal
}

// Open reads the saved state of the voyage in a directory. files detects what others do to files that are written
// from then on.
func Open(dir fleet.Dir, files *kept.Files) (_ *Voyage, err error) {
	v := &Voyage{dir: dir}
	for _, path := range []string{dir.Events(), dir.Voyage(), dir.FleetFile(), dir.BoardFile(), dir.UsageFile(), dir.Told()} {
		if err := v.clearPath(path); err != nil {
			return nil, err
		}
	}
	if v.Journal, err = journal.Open(dir.Events()); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = v.Journal.Close()
		}
	}()
	if err := v.replay(); err != nil {
		return nil, err
	}
	if v.Board, err = fleet.LoadBoard(dir); err != nil || v.Board.Voyage.ID != dir.ID() {
		v.foundDamage(dir.BoardFile(), err)
		v.Board = fleet.Board{}
	}
	v.Spending.Near, v.Spending.Full = v.Board.Budget.Since, v.Board.Budget.Full
	if v.Journal.Size() < v.Board.Journal {
		v.recallProposals()
	}
	if err := v.loadInfo(files); err != nil {
		return nil, err
	}
	if v.Orders = v.told.Orders; v.Orders == nil {
		if v.Orders, err = dir.ReadOrders(); err != nil {
			return nil, err
		}
		v.Lacks = append(v.Lacks, facts.Record{Kind: fleet.KindOrders, Data: v.Orders})
	}
	if err := v.loadFleet(); err != nil {
		return nil, err
	}
	v.loadUsage()
	return v, nil
}

// Replay restores a voyage from its journal alone, without Info, Orders and Fleet.
func Replay(dir fleet.Dir) (*Voyage, error) {
	v := &Voyage{dir: dir}
	return v, v.replay()
}

func (v *Voyage) replay() error {
	_, err := journal.Read(v.dir.Events(), 0, func(r journal.Record) error {
		v.told.AddRecord(r)
		v.State.Add(r)
		v.Limits.Add(r)
		v.Proposals.AddRecord(r)
		v.Spending.Add(r)
		v.Steering.Add(r)
		if n := (fleet.Note{}); r.Kind == facts.KindNote && json.Unmarshal(r.Data, &n) == nil {
			v.Notes.Add(n)
		}
		return nil
	})
	return err
}

// clearPath makes sure that path is free for a file, and that helm may read the file.
func (v *Voyage) clearPath(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		kept, err := journal.MoveAside(path, "damaged")
		if err == nil {
			v.found("%s was no file, and is %s now", filepath.Base(path), filepath.Base(kept))
		}
		return err
	case info.Mode().Perm()&0o600 != 0o600:
		return os.Chmod(path, info.Mode().Perm()|0o600)
	}
	return nil
}

func (v *Voyage) found(format string, args ...any) {
	v.Found = append(v.Found, fmt.Sprintf(format, args...))
}

// foundDamage records a file that cannot be read and is rebuilt.
func (v *Voyage) foundDamage(path string, err error) {
	switch {
	case err == nil:
		v.found("%s was an older copy; it was written anew from the journal", filepath.Base(path))
	case !errors.Is(err, fs.ErrNotExist):
		v.found("%s %s; it was written anew from what else tells of the voyage", filepath.Base(path), WasLost(err))
	}
}

// WasLost describes what was wrong with a file, from the error of loading it: an unreadable file need not be damaged.
func WasLost(err error) string {
	switch {
	case errors.Is(err, summed.ErrDamaged):
		return "was damaged"
	case errors.Is(err, fs.ErrNotExist):
		return "was gone"
	}
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Sprintf("could not be read (%v)", err)
}

// recallProposals restores proposals that the journal has lost from the last board.
func (v *Voyage) recallProposals() {
	for _, p := range v.Board.Proposals {
		v.Proposals.Used(p.ID)
		if fresh, _ := v.Proposals.Add(p); fresh {
			v.Lacks = append(v.Lacks, facts.Record{Kind: facts.KindProposal, Data: p})
		}
	}
}

// loadInfo reads voyage.json, which never changes.
func (v *Voyage) loadInfo(files *kept.Files) error {
	path, told := v.dir.Voyage(), v.told.Voyage
	err := summed.Read(path, &v.Info)
	switch {
	case told != nil && err == nil && sameJSON(v.Info, *told):
		files.Remember(path)
		return nil
	case told != nil:
		v.Info = *told
	case err == nil:
		files.Remember(path)
		v.Lacks = append(v.Lacks, facts.Record{Kind: fleet.KindVoyage, Data: v.Info})
		return nil
	case v.Board.Voyage.ID != "":
		v.Info = v.Board.Voyage
		v.Lacks = append(v.Lacks, facts.Record{Kind: fleet.KindVoyage, Data: v.Info})
	default:
		return err
	}
	v.foundDamage(path, err)
	return WriteInfo(v.dir, files, v.Info)
}

// WriteInfo writes voyage.json. The file keeps its time, which is the voyage's and determines the order of lists.
func WriteInfo(dir fleet.Dir, files *kept.Files, info fleet.Voyage) error {
	path, at := dir.Voyage(), info.CreatedAt
	if err := files.Write(path, info, 0o600); err != nil || at.IsZero() {
		return err
	}
	if err := os.Chtimes(path, at, at); err != nil {
		return err
	}
	files.Remember(path)
	return nil
}

// sameJSON reports whether two values are the same in JSON.
func sameJSON(a, b any) bool {
	x, err := json.Marshal(a)
	y, e := json.Marshal(b)
	return err == nil && e == nil && string(x) == string(y)
}

// loadUsage reads what the agents of ships have used. When the file is missing or damaged, it reads the ships' logs.
func (v *Voyage) loadUsage() {
	u := &v.Spending.Usage
	err := summed.Read(v.dir.UsageFile(), &u.Ships)
	if err != nil {
		u.Ships = shiplog.Recount(v.dir, &v.Fleet)
		u.Changed = len(u.Ships) > 0
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		v.found("usage.json %s; what was used was counted again from the ships' logs", WasLost(err))
		u.Changed = true
	}
	maps.DeleteFunc(u.Ships, func(_ string, u *facts.Used) bool { return u == nil })
}
