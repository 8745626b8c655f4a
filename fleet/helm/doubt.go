package helm

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"ocaptain/fleet"
)

// Doubt says why voyages that seem to be gone may be there after all, "" when nothing speaks for that: the
// directory of voyages is missing, or has none of those whose machines this install remembers, as when a disk
// is not mounted. What is being destroyed already is past doubt.
func Doubt(hub fleet.Hub) (string, error) {
	entries, err := Machines(hub).All()
	if err != nil {
		return "", err
	}
	dirs, err := fleet.Voyages(hub.Voyages).List()
	if err != nil {
		return "", err
	}
	var lost []string
	for _, e := range entries {
		if slices.ContainsFunc(dirs, func(d fleet.Dir) bool { return d.ID() == e.Voyage }) {
			return "", nil
		}
		if id, ok := fleet.VoyageOf(e.Name); ok && !e.Unwanted {
			lost = append(lost, id)
		}
	}
	if len(lost) == 0 {
		return "", nil
	}
	if _, err := os.Stat(hub.Voyages); errors.Is(err, fs.ErrNotExist) {
		return hub.Voyages + " is not there; is a disk unmounted?", nil
	}
	slices.Sort(lost)
	what := fmt.Sprintf("none of the %d voyages", len(slices.Compact(lost)))
	if lost[0] == lost[len(lost)-1] {
		what = "not the voyage"
	}
	return fmt.Sprintf("%s has %s whose machines are remembered; is a disk unmounted, or was it moved?", hub.Voyages, what), nil
}
