package beads

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ocaptain/tasks/planfile"

	"ocaptain/tasks"
)

// taskID returns the id of an issue's task, which may not contain dots.
func taskID(id string) string { return strings.ReplaceAll(id, ".", "_") }

// tasks returns a task for each issue. An issue with parts waits for its parts, and the parts wait for its
// blockers.
func (f *File) tasks(all []*Issue) []tasks.Task {
	byID, called := map[string]*Issue{}, map[string]string{}
	for _, i := range all {
		id := taskID(i.ID)
		switch other := called[id]; {
		case !tasks.ValidID(id):
			f.defect(planfile.Error, i.ID, "id", fmt.Sprintf("%q cannot be the id of a task", shorten(i.ID)), "use 1 to 64 letters, digits, dots, - and _: bd rename-prefix, or another id")
			continue
		case other != "":
			f.defect(planfile.Error, i.ID, "id", fmt.Sprintf("%q and %q would be the same task", i.ID, other), "give one of them another id")
			continue
		}
		byID[i.ID], called[id] = i, i.ID
	}
	var out []tasks.Task
	for _, i := range all {
		if byID[i.ID] != i {
			continue
		}
		t := i.task()
		for _, p := range i.above(byID) {
			t.BlockedBy = append(t.BlockedBy, p...)
		}
		for _, on := range slices.Concat(i.dependsOn(blocks), i.dependsOn(parentChild)) {
			if f.Issue(on) == nil {
				f.defect(planfile.Warning, i.ID, "dependencies", fmt.Sprintf("there is no issue %q, and bd leaves that out", shorten(on)), "take the dependency out, or add the issue")
			}
		}
		if p := byID[i.Parent()]; p != nil {
			t.Metadata["parent"] = taskID(p.ID)
		}
		out = append(out, t)
	}
	for n := range out {
		if p, ok := out[n].Metadata["parent"].(string); ok {
			at := slices.IndexFunc(out, func(t tasks.Task) bool { return t.ID == p })
			out[at].BlockedBy = append(out[at].BlockedBy, out[n].ID)
		}
	}
	return tasks.LinkBothWays(out)
}

// above returns the tasks that an issue waits for: its own blockers and those of its parents.
func (i *Issue) above(byID map[string]*Issue) (all [][]string) {
	seen := map[string]bool{}
	for p := i; p != nil && !seen[p.ID]; p = byID[p.Parent()] {
		seen[p.ID] = true
		var ids []string
		for _, on := range p.dependsOn(blocks) {
			if byID[on] != nil {
				ids = append(ids, taskID(on))
			}
		}
		all = append(all, ids)
	}
	return all
}

// task returns an issue as a task of a plan, without its blockers.
func (i *Issue) task() tasks.Task {
	meta := map[string]any{Key: i.ID, "type": i.Type, "priority": float64(i.Priority)}
	var own struct {
		Captain struct{ Group, Run, Verify string }
	}
	if raw, ok := i.Metadata["captain"]; ok {
		_ = json.Unmarshal(raw, &own.Captain) // an error is ignored: people may have written anything
	}
	group := own.Captain.Group
	var labels []any
	for _, l := range i.Labels {
		if g, ok := strings.CutPrefix(l, "group:"); ok && group == "" {
			group = g
			continue
		}
		labels = append(labels, l)
	}
	if labels != nil {
		meta["labels"] = labels
	}
	if i.Minutes > 0 {
		meta["estimate"] = float64(i.Minutes)
	}
	for key, text := range map[string]string{"acceptance": i.Acceptance, "group": group, "run": own.Captain.Run, "verify": own.Captain.Verify} {
		if strings.TrimSpace(text) != "" {
			meta[key] = text
		}
	}
	subject := strings.Join(strings.Fields(i.Title), " ")
	return tasks.Task{ID: taskID(i.ID), Subject: subject, Description: i.text(), Status: tasks.Pending, Metadata: meta}
}

// cycles adds a defect for each cycle of issues that wait for each other.
func (f *File) cycles(g *tasks.Graph) {
	for _, path := range g.Cycles() {
		t := g.Task(path[0])
		id, _ := t.Metadata[Key].(string)
		f.defect(planfile.Error, id, "dependencies", "issues wait for each other: "+tasks.PathText(path), "break the cycle: bd dep remove")
	}
}
