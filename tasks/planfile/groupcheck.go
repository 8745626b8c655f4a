package planfile

import (
	"fmt"
	"slices"

	"ocaptain/tasks"
)

// checkGroups warns about groups that make no sense, as one ship holds all tasks of a group from the first claim to
// the last completion.
func (r *reader) checkGroups(all found) {
	byID := map[string]foundTask{}
	for _, t := range slices.Backward(all.tasks) {
		byID[t.ID] = t
	}
	for _, group := range r.plan.Graph.Groups() {
		t := byID[group.Tasks[0]]
		bad := func(problem, fix string) {
			t.object.defect(Warning, "metadata.group", fmt.Sprintf("group %q %s", tasks.Shorten(group.Name), problem), fix)
		}
		if len(group.Tasks) == 1 {
			bad("has only this task", "remove it, or give the group to the tasks that belong together")
			continue
		}
		if from, over, to := r.plan.Graph.Detour(group.Tasks); over != "" {
			bad(fmt.Sprintf("is held while others work: %s", tasks.PathText([]string{from, over, "…", to})), fmt.Sprintf("put what lies between into the group, or take %s out", to))
		}
	}
}
