package stage

import (
	"ocaptain/sync/gitflow/filters"
	"ocaptain/ui/words"
)

// lacksText says what ships do not get of a repository, and what that means for their work.
func lacksText(l filters.Lacks) (all []string) {
	if len(l.Submodules) > 0 {
		all = append(all, "submodules stay empty on ships, and nothing that is written in them comes home: "+words.Few(l.Submodules))
	}
	if len(l.Filters) > 0 {
		all = append(all, "filters do not run: ships see their files as they are stored, and work that changes such a file is refused: "+words.Few(l.Filters))
	}
	return all
}
