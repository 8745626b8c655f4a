package saved

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/summed"
)

// loadFleet reads which ships the voyage has, from fleet.json and the journal.
func (v *Voyage) loadFleet() error {
	path, told := v.dir.FleetFile(), v.told.Fleet
	f := fleet.Fleet{Phase: fleet.Fitting}
	err := summed.Read(path, &f)
	f.Ships = slices.DeleteFunc(f.Ships, func(s *fleet.Ship) bool { return s == nil })
	fresh := errors.Is(err, fs.ErrNotExist)
	switch {
	case told != nil && (err != nil || f.Serial < told.Serial):
		if err != nil || f.Serial+1 < told.Serial { // a difference of one is no damage: helm may have been killed between the two writes
			v.foundDamage(path, err)
		}
		if fresh {
			v.found("fleet.json was missing; it was written anew from the journal")
		}
		rested(told, f)
		v.Fleet = *told
	case err == nil:
		v.Fleet = f
	case v.Board.Voyage.ID != "":
		v.Fleet = fleetOf(v.Board)
		v.found("fleet.json and what the journal tells of it are lost; the ships are as the last board shows them")
	case fresh:
		v.Fleet = fleet.Fleet{Phase: fleet.Fitting}
	default:
		return err
	}
	v.FleetLost = err != nil
	if told == nil {
		return nil
	}
	known := *told
	_, _, err = v.Recorder.Change(&known)
	return err
}

// rested copies how long ships have been idle, which the journal does not record.
func rested(to *fleet.Fleet, from fleet.Fleet) {
	for _, s := range to.Ships {
		if old := from.ShipNamed(s.Name); old != nil && old.Built == s.Built {
			s.Worked, s.Idle = old.Worked, old.Idle
		}
	}
}

// fleetOf returns the fleet that a board shows.
func fleetOf(b fleet.Board) fleet.Fleet {
	f := fleet.Fleet{Phase: b.Phase, Since: b.Since, Verify: b.Verify}
	for i := range b.Ships {
		s := b.Ships[i].Ship
		f.Ships = append(f.Ships, &s)
		f.Next = max(f.Next, s.Number+1)
	}
	return f
}

// Adopt adds to the fleet the machines on record that were requested for the voyage and that no ship of it has. Their state is lost; the
// captain can look at them, and sink them.
func (v *Voyage) Adopt(k kind.Kind, records []machines.Record) {
	for _, r := range records {
		if r.Voyage != v.dir.ID() || r.Unwanted {
			continue
		}
		number, built, ok := fleet.ShipOf(r.Name)
		name, role := k.Crew(number, v.Fleet.Roles())
		if !ok || v.Fleet.ShipNamed(name) != nil {
			continue
		}
		agent, _ := v.Info.AgentFor(role)
		lost := fmt.Sprintf("what was known of it is lost; its machine %s is there, perhaps with work: replace it with ocaptain ship replace %s --voyage %s", r.Name, name, v.dir.ID())
		v.Fleet.Ships = append(v.Fleet.Ships, &fleet.Ship{
			Name: name, Number: number, Role: role, Agent: agent, Provider: r.Provider, Built: built,
			Phase: fleet.Failed, Remains: fleet.Remains{Stays: lost}, Setup: fleet.Setup{Error: lost}, Created: r.Asked,
		})
		v.Fleet.Next = max(v.Fleet.Next, number+1)
		v.found("%s: %s", name, lost)
	}
}
