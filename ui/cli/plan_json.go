package cli

import (
	"ocaptain/tasks/planfile"
)

// planCheck is the JSON of "plan check".
type planCheck struct {
	Plan     string           `json:"plan"`
	Name     string           `json:"name"`
	Tasks    int              `json:"tasks"`
	Errors   int              `json:"errors"`
	Warnings int              `json:"warnings"`
	Defects  planfile.Defects `json:"defects"`
}

func checked(plan *planfile.Plan, defects planfile.Defects) planCheck {
	n := defects.Errors()
	if defects == nil {
		defects = planfile.Defects{}
	}
	return planCheck{plan.Dir, plan.Name, len(plan.Graph.Tasks()), n, len(defects) - n, defects}
}

// planGraph is the JSON of "plan graph".
type planGraph struct {
	Name         string         `json:"name"`
	Objective    string         `json:"objective"`
	Repo         string         `json:"repo"`
	Ships        int            `json:"recommendedShips"`
	Width        int            `json:"maxParallelWidth"`
	Levels       [][]string     `json:"levels"`
	CriticalPath []string       `json:"criticalPath"`
	Minutes      float64        `json:"criticalMinutes,omitempty"` // present when tasks have estimates
	Groups       []planGroup    `json:"groups"`
	Never        []string       `json:"neverReady"`
	Cycles       [][]string     `json:"cycles"`
	Tasks        []planGraphRow `json:"tasks"`
}

type planGroup struct {
	Name  string   `json:"name"`
	Tasks []string `json:"tasks"`
}

type planGraphRow struct {
	ID        string   `json:"id"`
	Subject   string   `json:"subject"`
	Level     int      `json:"level"` // from 1; 0 when the task can never become ready
	BlockedBy []string `json:"blockedBy"`
	Blocks    []string `json:"blocks"`
}

func graphAsJSON(plan *planfile.Plan) planGraph {
	g := plan.Graph
	path, length := g.Critical()
	out := planGraph{
		Name: plan.Name, Objective: plan.Objective, Repo: plan.Repo.String(), Ships: plan.Ships, Width: g.Width(),
		Levels: list(g.Levels()), CriticalPath: list(path), Minutes: length.Minutes(),
		Groups: []planGroup{}, Never: list(g.NeverReady()), Cycles: list(g.Cycles()), Tasks: []planGraphRow{},
	}
	for _, group := range g.Groups() {
		out.Groups = append(out.Groups, planGroup{group.Name, group.Tasks})
	}
	for _, t := range g.Tasks() {
		out.Tasks = append(out.Tasks, planGraphRow{t.ID, t.Subject, g.Level(t.ID), list(g.Blockers(t.ID)), list(g.Dependents(t.ID))})
	}
	return out
}

// list returns an empty list for nil, as readers of JSON expect.
func list[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
