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

// Voyages tells which machines voyages have, or are about to make.
type Voyages struct {
	machines map[ID]string          // the voyage that has it
	phases   map[string]fleet.Phase // of the voyages that are there, by id
	damaged  map[string]bool        // voyages whose machines are unknown
}

// ReadVoyages looks at all voyages as they are on disk.
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

// Add adds what is known of a voyage, in the place of what was known before.
func (v *Voyages) Add(voyage string, f *fleet.Fleet) {
	delete(v.damaged, voyage)
	maps.DeleteFunc(v.machines, func(_ ID, of string) bool { return of == voyage })
	v.phases[voyage] = f.Phase
	if f.Phase == fleet.Sunk { // helm destroys no machine for it any more
		return
	}
	for _, s := range f.Ships {
		v.machines[ID{s.Provider, s.MachineName(voyage)}] = voyage
	}
}

// Have reports whether a voyage looks after a machine. One of a damaged voyage is not known to be left.
func (v *Voyages) Have(id ID, voyage string) bool { return v.machines[id] != "" || v.damaged[voyage] }

// why says why no helm looks after a machine of a voyage.
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

// withoutVoyage returns the voyages that have machines on record and no directory, and whether any voyage with
// machines on record has its directory.
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

// GoneVoyages returns the ids of the voyages that have no directory and may still have machines. Each id begins with begin, with or
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

// GoneVoyage returns the one voyage without a directory that a name means, "" when there is none.
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

// Unmounted says why voyages that seem to be gone may be there after all, "" when nothing suggests that. The
// voyages directory may be missing, or hold none of the voyages whose machines are on record, as when a disk is
// not mounted. Machines whose destruction has begun do not count.
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
