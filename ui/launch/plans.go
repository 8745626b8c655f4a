package launch

import (
	"os"
	"path/filepath"
	"slices"

	"ocaptain/tasks/planfile"

	"ocaptain/fleet/clean"
)

// maxPlans is how many plans are offered.
const maxPlans = 200

// ListPlans returns the plans at hand, as a captain would type them: the working directory if it is a plan, the plans
// below it in plans and .ocaptain/plans, and the examples.
func (y Yard) ListPlans() []string {
	var found []string
	add := func(path string) {
		if info, err := os.Stat(filepath.Join(y.Cwd, path, "voyage.json")); err != nil || !info.Mode().IsRegular() {
			return
		}
		if clean.Line(path) == path && len(found) < maxPlans { // a path that cannot be shown can still be typed
			found = append(found, path)
		}
	}
	add(".")
	for _, dir := range []string{"plans", filepath.Join(".ocaptain", "plans")} {
		entries, _ := os.ReadDir(filepath.Join(y.Cwd, dir)) // sorted; most places have no such directory
		for _, e := range entries {
			add(filepath.Join(dir, e.Name()))
		}
	}
	for _, name := range planfile.Examples() {
		found = append(found, examplePrefix+name)
	}
	return slices.Clip(found)
}
