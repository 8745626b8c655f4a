package voyage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/helm/facts"
	"ocaptain/tasks/journal"
)

// load reads what is known of the voyage and its ships. The journal is the truth; where it has lost something, the
// files that were made of it tell, and the last board.
func (v *Voyage) load() error {
	for _, path := range []string{v.dir.Events(), v.dir.Voyage(), v.dir.FleetFile(), v.dir.BoardFile(), v.dir.UsageFile(), v.dir.Told()} {
		if err := v.clearPath(path); err != nil {
			return err
		}
	}
	var err error
	if v.journal, err = journal.Open(v.dir.Events()); err != nil {
		return err
	}
	v.book = book.Open(v.journal, v.notWritten)
	told, err := v.replay()
	if err != nil {
		return err
	}
	last, err := fleet.LoadBoard(v.dir)
	if err != nil || last.Voyage.ID != v.dir.ID() {
		v.foundDamage(v.dir.BoardFile(), err)
		last = fleet.Board{}
	}
	v.nearBudget, v.fullBudget = last.Budget.Since, last.Budget.Full
	if v.journal.Size() < last.Journal {
		v.recallProposals(last.Proposals)
	}
	if err := v.loadInfo(told, last); err != nil {
		return err
	}
	if v.kind = kindOf(v.info); v.kind == nil {
		return fmt.Errorf("it is of kind %q, which this ocaptain does not know: use the ocaptain that made the voyage", v.info.Kind)
	}
	if v.orders = told.Orders; v.orders == nil {
		if v.orders, err = v.dir.ReadOrders(); err != nil {
			return err
		}
		v.addEvent(fleet.KindOrders, v.orders)
	}
	return v.loadFleet(told, last)
}

// clearPath makes sure that a file can be at path, and that helm may read it.
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
			v.addFinding("%s was no file, and is %s now", filepath.Base(path), filepath.Base(kept))
		}
		return err
	case info.Mode().Perm()&0o600 != 0o600:
		return os.Chmod(path, info.Mode().Perm()|0o600)
	}
	return nil
}

// addFinding adds to what the captain is told once the voyage is open.
func (v *Voyage) addFinding(format string, args ...any) {
	v.found = append(v.found, fleet.Note{Text: fmt.Sprintf(format, args...)})
}

// foundDamage notes a file that cannot be read and is rebuilt.
func (v *Voyage) foundDamage(path string, err error) {
	switch {
	case err == nil:
		v.addFinding("%s was an older copy; it was written anew from the journal", filepath.Base(path))
	case !errors.Is(err, fs.ErrNotExist):
		v.addFinding("%s %s; it was written anew from what else tells of the voyage", filepath.Base(path), wasLost(err))
	}
}

// wasLost says what was wrong with a file, by the error of loading it: an unreadable file need not be damaged.
func wasLost(err error) string {
	switch {
	case errors.Is(err, fleet.ErrDamaged):
		return "was damaged"
	case errors.Is(err, fs.ErrNotExist):
		return "was gone"
	}
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Sprintf("could not be read (%v)", err)
}

// recallProposals takes over proposals that the journal has lost, as the last board shows them.
func (v *Voyage) recallProposals(shown []fleet.Proposal) {
	for _, p := range shown {
		v.facts.Proposals.Used(p.ID)
		if fresh, _ := v.facts.Proposals.Add(p); fresh {
			v.book.Add(facts.KindProposal, p)
		}
	}
}

// loadInfo finds out what the voyage is, which never changes.
func (v *Voyage) loadInfo(told fleet.Facts, last fleet.Board) error {
	path := v.dir.Voyage()
	err := fleet.Load(path, &v.info)
	v.untold = told.Voyage == nil
	switch {
	case told.Voyage != nil && err == nil && sameJSON(v.info, *told.Voyage):
	case told.Voyage != nil:
		v.info = *told.Voyage
		v.foundDamage(path, err)
		return v.saveInfo()
	case err == nil:
	case last.Voyage.ID != "":
		v.info = last.Voyage
		v.foundDamage(path, err)
		return v.saveInfo()
	default:
		return err
	}
	v.files.Remember(path)
	return nil
}

// saveInfo rewrites voyage.json. The file keeps its time, which is the voyage's and orders lists.
func (v *Voyage) saveInfo() error {
	path, at := v.dir.Voyage(), v.info.CreatedAt
	if err := v.files.Write(path, v.info, 0o600); err != nil || at.IsZero() {
		return err
	}
	if err := os.Chtimes(path, at, at); err != nil {
		return err
	}
	v.files.Remember(path)
	return nil
}

// sameJSON reports whether two values are the same in JSON.
func sameJSON(a, b any) bool {
	x, err := json.Marshal(a)
	y, e := json.Marshal(b)
	return err == nil && e == nil && string(x) == string(y)
}

// loadFleet finds out what ships the voyage has.
func (v *Voyage) loadFleet(told fleet.Facts, last fleet.Board) error {
	path := v.dir.FleetFile()
	f := fleet.Fleet{Phase: fleet.Fitting}
	err := fleet.Load(path, &f)
	f.Ships = slices.DeleteFunc(f.Ships, func(s *fleet.Ship) bool { return s == nil })
	fresh := errors.Is(err, fs.ErrNotExist)
	switch {
	case told.Fleet != nil && (err != nil || f.Serial < told.Fleet.Serial):
		if err != nil || f.Serial+1 < told.Fleet.Serial { // helm may have been killed between the two
			v.foundDamage(path, err)
		}
		if fresh {
			v.addFinding("fleet.json was missing; it was written anew from the journal")
		}
		rested(told.Fleet, f)
		v.fleet = *told.Fleet
	case err == nil:
		v.fleet = f
	case last.Voyage.ID != "":
		v.fleet = fleetOf(last)
		v.addFinding("fleet.json and what the journal tells of it are lost; the ships are as the last board shows them")
	case fresh:
		v.fleet = fleet.Fleet{Phase: fleet.Fitting}
	default:
		return err
	}
	if told.Fleet != nil {
		known := *told.Fleet
		if _, _, err := v.recorder.Change(&known); err != nil {
			return err
		}
	}
	if err != nil {
		return v.adoptMachines()
	}
	return nil
}

// rested copies how long ships have rested, which the journal does not tell.
func rested(to *fleet.Fleet, from fleet.Fleet) {
	for _, s := range to.Ships {
		if old := from.ShipNamed(s.Name); old != nil && old.Built == s.Built {
			s.Worked, s.Idle = old.Worked, old.Idle
		}
	}
}

// fleetOf is the fleet that a board shows.
func fleetOf(b fleet.Board) fleet.Fleet {
	f := fleet.Fleet{Phase: b.Phase, Since: b.Since, Verify: b.Verify}
	for i := range b.Ships {
		s := b.Ships[i].Ship
		f.Ships = append(f.Ships, &s)
		f.Next = max(f.Next, s.Number+1)
	}
	return f
}

// adoptMachines takes over the machines that this install has asked for on the voyage's behalf and that no ship of it has. What
// they are is lost; the captain can look at them, and sink them.
func (v *Voyage) adoptMachines() error {
	entries, err := v.set.Machines.All()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Voyage != v.dir.ID() || e.Unwanted || v.set.Providers[e.Provider] == nil {
			continue
		}
		number, built, ok := fleet.ShipOf(e.Name)
		name, role := v.kind.Crew(number, v.fleet.Roles())
		if !ok || v.fleet.ShipNamed(name) != nil {
			continue
		}
		agent, _ := v.info.AgentFor(role)
		lost := "what was known of it is lost; its machine " + e.Name + " is there, perhaps with work: replace it with " + v.command("ship replace %s", name)
		v.fleet.Ships = append(v.fleet.Ships, &fleet.Ship{
			Name: name, Number: number, Role: role, Agent: agent, Provider: e.Provider, Built: built,
			Phase: fleet.Failed, Stays: lost, Error: lost, Created: e.Asked,
		})
		v.fleet.Next = max(v.fleet.Next, number+1)
		v.addFinding("%s: %s", name, lost)
	}
	return nil
}

// noteFindings writes down what was found, and what the journal does not tell of the voyage yet.
func (v *Voyage) noteFindings() {
	for _, n := range v.found {
		v.addNote(n)
	}
	changes(v, func() {
		if v.untold {
			v.book.Add(fleet.KindVoyage, v.info)
		}
		v.recordLocked()
		v.requestBoard()
	})
}
