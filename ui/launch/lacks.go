package launch

import (
	"fmt"
	"strings"

	"ocaptain/sync/gitflow"
)

// mostLacks is how many names a text of what ships lack has.
const mostLacks = 5

// lacksText tells what ships lack of a repository, and what that means for their work.
func lacksText(l gitflow.Lacks) (all []string) {
	if len(l.Submodules) > 0 {
		all = append(all, "submodules stay empty on ships, and nothing that is written in them comes home: "+Few(l.Submodules))
	}
	if len(l.Filters) > 0 {
		all = append(all, "filters do not run: ships see their files as they are stored, and work that changes such a file is refused: "+Few(l.Filters))
	}
	return all
}

// Few lists the first of the names, and says how many more there are.
func Few(names []string) string {
	if more := len(names) - mostLacks; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostLacks], ", "), more)
	}
	return strings.Join(names, ", ")
}
