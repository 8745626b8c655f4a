package machines

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"ocaptain/fleet"
)

// Voyages says which machines voyages have or are about to make.
type Voyages struct {
	machines map[ID]string          // by machine, the id of its voyage
	phases   map[string]fleet.Phase // by id, the phases of existing voyages
	damaged  map[string]bool        // voyages whose machines are unknown
}

// ReadVoyages reads all voyages from disk.
func ReadVoyages(dir string) (*Voyages, error) {
	v := &Voyages{map[ID]string{}, map[string]fleet.Phase{}, map[string]bool{}}
	dirs, err := fleet.Voyages(dir).List()
	for _, d := range dirs {
		f, err := fleet.LoadFleet(d)
		if err != nil {
			v.damaged[d.ID()] = true
			continue
		}
		v.Add(d.ID(), &f)
	}
	return v, err
}

// Add sets what is known of a voyage, and replaces what was known before.
func (v *Voyages) Add(voyage string, f *fleet.Fleet) {
	delete(v.damaged, voyage)
	maps.DeleteFunc(v.machines, func(_ ID, of string) bool { return of == voyage })
	v.phases[voyage] = f.Phase
	if f.Phase == fleet.Sunk { // for a sunk voyage, helm no longer destroys machines
		return
	}
	for _, s := range f.Ships {
		v.machines[IDOf(voyage, s)] = voyage
	}
}

// Have reports whether a voyage has the machine, or may have it because the voyage is damaged.
func (v *Voyages) Have(id ID, voyage string) bool { return v.machines[id] != "" || v.damaged[voyage] }

// why says why no helm manages a machine of this voyage.
func (v *Voyages) why(voyage string) string {
	switch phase, there := v.phases[voyage]; {
	case voyage == "":
		return "nothing tells what voyage it is of"
	case !there:
		return "the directory of its voyage is gone"
	case phase == fleet.Sunk:
		return "its voyage is sunk"
	}
	return "its voyage does not know it"
}

// withoutVoyage returns the voyages that have machines on record and no directory. some says that at least one voyage
// with machines on record has a directory.
func (r *Records) withoutVoyage(dir string, which func(Record) bool) (ids []string, some bool, err error) {
	all, err := r.All()
	if err != nil {
		return nil, false, err
	}
	dirs, err := fleet.Voyages(dir).List()
	if err != nil {
		return nil, false, err
	}
	for _, one := range all {
		if slices.ContainsFunc(dirs, func(d fleet.Dir) bool { return d.ID() == one.Voyage }) {
			some = true
		} else if id, ok := fleet.VoyageOf(one.Name); ok && which(one) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), some, nil
}

// GoneVoyages returns the ids of the voyages that have no directory and may still have machines. Each id starts with begin, with or
// without "voyage-" before it.
func (r *Records) GoneVoyages(dir, begin string) ([]string, error) {
	ids, _, err := r.withoutVoyage(dir, func(one Record) bool {
		id, _ := fleet.VoyageOf(one.Name)
		return id == one.Voyage && !one.Gone
	})
	return slices.DeleteFunc(ids, func(id string) bool {
		return !strings.HasPrefix(id, begin) && !strings.HasPrefix(strings.TrimPrefix(id, "voyage-"), begin)
	}), err
}

// GoneVoyage returns the id of the only voyage without a directory that name may mean, "" when there is none.
func (r *Records) GoneVoyage(dir, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	ids, err := r.GoneVoyages(dir, name)
	if len(ids) > 1 {
		return "", fmt.Errorf("%q means more than one voyage whose directory is gone: %s", name, strings.Join(ids, ", "))
	}
	return strings.Join(ids, ""), err
}

// Unmounted says why voyages that seem to be gone may exist after all, "" when nothing suggests that. The voyages'
// directory may be missing or hold no voyage with machines on record, as when a disk is not mounted. Machines whose
// destruction has begun do not count.
func (r *Records) Unmounted(dir string) (string, error) {
	ids, some, err := r.withoutVoyage(dir, func(one Record) bool { return !one.Unwanted })
	if err != nil || some || len(ids) == 0 {
		return "", err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return dir + " is not there; is a disk unmounted?", nil
	}
	what := "not the voyage"
	if len(ids) > 1 {
		what = fmt.Sprintf("none of the %d voyages", len(ids))
	}
	return fmt.Sprintf("%s has %s whose machines are remembered; is a disk unmounted, or was it moved?", dir, what), nil
}
