package launch

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/tasks"
	"ocaptain/tasks/planfile"
)

// PlanOf returns the tasks of a voyage as a plan, all still to be done. For a session these are the tasks of workers, without the epics
// that were broken down into them.
func PlanOf(d fleet.Dir, b *fleet.Board) (*planfile.Plan, error) {
	if b.Voyage.Kind.TakesDispatches() {
		return nil, fmt.Errorf("%s is a pool: its dispatches have nothing to do with each other, and are no plan", b.Voyage.Name)
	}
	repo, err := tasks.ParseRepo(b.Voyage.Repo)
	if err != nil {
		return nil, err
	}
	p := &planfile.Plan{Name: planName(b.Voyage), Repo: repo, Created: time.Now().UTC().Format(time.RFC3339), Tasks: leaves(b.Tasks)}
	if len(p.Tasks) == 0 {
		return nil, fmt.Errorf("%s has no tasks that could be done again", b.Voyage.ID)
	}
	for i := range b.Ships {
		if b.Ships[i].Role == fleet.Worker || b.Ships[i].Role == "" {
			p.Ships++
		}
	}
	if p.Ships == 0 {
		p.Ships = max(1, b.Voyage.ShipCount)
	}
	if p.Spec, err = os.ReadFile(d.SpecFile()); err != nil || planfile.Objective(string(p.Spec)) == "" {
		p.Spec = fmt.Appendf(nil, "# %s\n\n## Objective\n\n%s\n", p.Name, strings.TrimSpace(clean.Text(b.Voyage.Prompt)))
	}
	if p.Verify, err = os.ReadFile(d.VerifyFile()); err != nil {
		p.Verify = []byte("#!/bin/sh\n# Nothing was to be run.\ntrue\n")
	}
	return p, nil
}

func planName(v fleet.Voyage) string {
	if name := strings.TrimSpace(clean.Line(v.Name)); name != "" {
		return name
	}
	return v.ID
}

// leaves returns the tasks that ships do, as they were before any ship began. A task that waits for a whole then
// waits for its parts.
func leaves(all []tasks.State) (left []tasks.Task) {
	parts := map[string][]string{}
	gone := map[string]bool{}
	for i := range all {
		t := &all[i]
		if parent := t.Parent(); parent != "" {
			parts[parent] = append(parts[parent], t.ID)
		}
		gone[t.ID] = t.Cancelled || t.Internal() || t.Type() == tasks.Epic
	}
	for i := range all {
		t := all[i].Clone()
		if gone[t.ID] || len(parts[t.ID]) > 0 {
			continue
		}
		t.Status, t.Owner, t.Blocks, t.Extra = tasks.Pending, "", nil, nil
		var after []string
		for _, id := range t.BlockedBy {
			after = append(after, below(id, parts, gone)...)
		}
		t.BlockedBy = tasks.UniqueIDs(after)
		t.Metadata = maps.Clone(t.Metadata)
		maps.DeleteFunc(t.Metadata, func(key string, _ any) bool {
			return slices.Contains([]string{tasks.Reserved, "parent", "type", tasks.ProposedBy, tasks.ProposalNumber, "only_ship", "only_agent"}, key)
		})
		left = append(left, t)
	}
	return left
}

// below lists the parts of a task that ships do, or the task itself when it has no parts.
func below(id string, parts map[string][]string, gone map[string]bool) (all []string) {
	if len(parts[id]) == 0 {
		if gone[id] {
			return nil
		}
		return []string{id}
	}
	for _, part := range parts[id] {
		all = append(all, below(part, parts, gone)...)
	}
	return all
}
