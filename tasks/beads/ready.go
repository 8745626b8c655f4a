package beads

import (
	"encoding/json"
	"slices"
	"time"
)

// Ready returns the issues that bd ready lists: open issues that wait for no other issue and for no time, and whose
// parents do not wait either.
func Ready(all []*Issue, now time.Time) []*Issue {
	waiting := Blocked(all)
	var ready []*Issue
	for _, i := range all {
		if i.Status == Open && i.isWork() && !i.DeferUntil.After(now) && waiting[i.ID] == nil {
			ready = append(ready, i)
		}
	}
	return ready
}

// Blocked returns the issues that wait, each with the issues that it waits for. A part also waits for what its parent
// waits for.
func Blocked(all []*Issue) map[string][]string {
	g := graph{issues: map[string]*Issue{}, parts: map[string][]*Issue{}}
	for _, i := range all {
		g.issues[i.ID] = i
		for _, id := range i.dependsOn(parentChild) {
			g.parts[id] = append(g.parts[id], i)
		}
	}
	waiting := map[string][]string{}
	var next []string
	for _, i := range all {
		for _, d := range i.Dependencies {
			if g.blocks(d) && !slices.Contains(waiting[i.ID], d.DependsOn) {
				waiting[i.ID] = append(waiting[i.ID], d.DependsOn)
			}
		}
		if waiting[i.ID] != nil {
			next = append(next, i.ID)
		}
	}
	for len(next) > 0 {
		id := next[0]
		next = next[1:]
		for _, part := range g.parts[id] {
			if waiting[part.ID] == nil {
				waiting[part.ID] = []string{id}
				next = append(next, part.ID)
			}
		}
	}
	return waiting
}

type graph struct {
	issues map[string]*Issue
	parts  map[string][]*Issue
}

// blocks reports whether a dependency keeps its issue waiting. A dependency on an unknown issue does not.
func (g *graph) blocks(d Dependency) bool {
	on := g.issues[d.DependsOn]
	switch d.Type {
	case blocks:
		return on != nil && slices.Contains(waitingFor, on.Status)
	case conditionalBlocks:
		return on != nil && (slices.Contains(waitingFor, on.Status) && on.Status != "hooked" || on.Status == Closed && !on.failed())
	case waitsFor:
		return g.gated(d)
	}
	return false
}

// gated reports whether a dependency waits for the parts of an issue: for all parts, or for the first.
func (g *graph) gated(d Dependency) bool {
	gate := struct {
		Gate    string `json:"gate"`
		Spawner string `json:"spawner_id"`
	}{"all-children", d.DependsOn}
	_ = json.Unmarshal([]byte(d.Metadata), &gate) // invalid JSON means no gate
	over := func(i *Issue) bool { return i.Status == Closed || i.Status == tombstone }
	parts := g.parts[gate.Spawner]
	switch gate.Gate {
	case "any-children":
		return !slices.ContainsFunc(parts, over)
	case "all-children":
		return slices.ContainsFunc(parts, func(i *Issue) bool { return !over(i) })
	}
	return false
}
