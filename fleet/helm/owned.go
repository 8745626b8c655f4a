package helm

import (
	"ocaptain/fleet"
	"ocaptain/fleet/machines"
)

// owned tells which machines voyages have, or are about to make.
type owned struct {
	machines map[machines.ID]bool
	phases   map[string]fleet.Phase // of the voyages that are there, by id
	damaged  map[string]bool        // voyages of which nobody knows what they have
}

// ownedOnDisk looks at all voyages as they are on disk.
func ownedOnDisk(hub fleet.Hub) (owned, error) {
	o := owned{map[machines.ID]bool{}, map[string]fleet.Phase{}, map[string]bool{}}
	dirs, err := fleet.Voyages(hub.Voyages).List()
	for _, d := range dirs {
		f, err := fleet.LoadFleet(d)
		if err != nil {
			o.damaged[d.ID()] = true
			continue
		}
		o.add(d.ID(), &f)
	}
	return o, err
}

// owned looks at all voyages: those that helm looks after as it knows them, the others as they are on disk.
func (h *Helm) owned() (owned, error) {
	o, err := ownedOnDisk(h.hub)
	if err != nil {
		return o, err
	}
	h.mu.Lock()
	all := make([]*voyage, 0, len(h.voyages))
	for _, v := range h.voyages {
		all = append(all, v)
	}
	h.mu.Unlock()
	for _, v := range all { // also when somebody has removed its directory, or damaged what is in it
		v.mu.Lock()
		delete(o.damaged, v.dir.ID())
		o.add(v.dir.ID(), &v.fleet)
		v.mu.Unlock()
	}
	return o, nil
}

func (o owned) add(voyage string, f *fleet.Fleet) {
	o.phases[voyage] = f.Phase
	for _, s := range f.Ships {
		o.machines[machines.ID{Provider: s.Provider, Name: s.MachineName(voyage)}] = true
	}
}

// has reports whether a machine of a voyage is looked after. One of a damaged voyage is not known to be left.
func (o owned) has(id machines.ID, voyage string) bool { return o.machines[id] || o.damaged[voyage] }

// why says why nobody looks after a machine.
func (o owned) why(voyage string) string {
	switch phase, there := o.phases[voyage]; {
	case voyage == "":
		return "nothing tells what voyage it is of"
	case !there:
		return "the directory of its voyage is gone"
	case phase == fleet.Sunk:
		return "its voyage is sunk"
	}
	return "its voyage does not know it"
}
