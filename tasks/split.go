package tasks

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// SplitText reads titles, one a line, and returns them as JSON for Split. A title after ">" waits for the task above
// it.
func SplitText(text string) (json.RawMessage, error) {
	type part struct {
		ID        string   `json:"id"`
		Title     string   `json:"title"`
		DependsOn []string `json:"depends_on,omitempty"`
	}
	var all []part
	for line := range strings.Lines(text) {
		title, waits := strings.CutPrefix(strings.TrimSpace(line), ">")
		if title = strings.TrimSpace(title); title == "" {
			continue
		}
		p := part{ID: fmt.Sprint(len(all) + 1), Title: title}
		if waits && len(all) > 0 {
			p.DependsOn = []string{all[len(all)-1].ID}
		}
		all = append(all, p)
	}
	return json.Marshal(map[string]any{"tasks": all})
}

// Split returns the tasks into which the captain splits t. raw has the form that Breakdown reads. The new tasks wait for the blockers of
// t, and keep its ship, agent and model. The last task, on which all others lead, takes over the check of t unless it has its own.
func Split(raw []byte, t *State) ([]Task, error) {
	parts, err := Breakdown(raw, t)
	if err != nil {
		return nil, err
	}
	last := map[int]bool{}
	for i := range parts {
		p := &parts[i]
		if len(p.BlockedBy) == 0 {
			p.BlockedBy = slices.Clone(t.BlockedBy)
		}
		if p.Description == "" {
			p.Description = fmt.Sprintf("This is a part of task %s, %s:\n\n%s", t.ID, t.Subject, t.Description)
		}
		maps.Copy(p.Metadata, chosen(t))
		last[i] = !slices.ContainsFunc(parts, func(o Task) bool { return slices.Contains(o.BlockedBy, p.ID) })
	}
	maps.DeleteFunc(last, func(_ int, is bool) bool { return !is })
	if t.Verify() == "" {
		return parts, nil
	}
	if len(last) > 1 {
		return nil, errors.New("the task has a check, which the last of its parts is to pass: have one part wait for all others, directly or through each other")
	}
	for i := range last {
		if parts[i].Verify() == "" {
			parts[i].Metadata["verify"] = t.Verify()
		}
	}
	return parts, nil
}

// chosen returns the metadata by which the captain restricts a task to a ship, an agent or a model.
func chosen(t *State) map[string]any {
	m := map[string]any{}
	for _, key := range []string{onlyShip, onlyAgent, onlyModel} {
		if is, ok := t.Metadata[key]; ok {
			m[key] = is
		}
	}
	return m
}
