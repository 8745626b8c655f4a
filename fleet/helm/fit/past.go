package fit

import (
	"context"
	"os"
	"path/filepath"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/shiplog"
	"ocaptain/fleet/provision"
	"ocaptain/sync/whole"
)

// past settles what a ship leaves to the ship that takes its place: its task, and its unmerged work
// on a ref and as a patch. A ship that has not worked since its own machine was replaced passes on
// what it had been left.
func (f *Fit) past(ctx context.Context, ship *fleet.Ship, worked bool) *fleet.Past {
	p := &fleet.Past{}
	if ship.Past != nil && !worked {
		*p = *ship.Past
	}
	if t := f.o.Store.Snapshot().Held(ship.Name); t != nil {
		p.Task, p.Subject = t.ID, clean.Bound(t.Subject, 1<<10)
	}
	left, err := f.o.Work.Park(ctx, ship.Name)
	if err != nil {
		f.o.Notes.Add(fleet.Note{Ship: ship.Name, Text: clean.Bound(err.Error(), clean.MaxText)})
	}
	if left.Ref == "" && !worked {
		return p // what is parked already stays the newest
	}
	if p.Parked = left.Ref; left.Ref != "" {
		f.o.Notes.Add(fleet.Note{Ship: ship.Name, Task: p.Task, Text: "its unmerged work was put aside on " + left.Ref})
	}
	file := f.o.Dir.Leftover(ship.Name)
	if left.Patch == nil {
		err = os.Remove(file)
	} else if err = whole.MakeDir(filepath.Dir(file), 0, 0o700); err == nil {
		err = whole.Write(file, left.Patch, 0o600)
	}
	if err != nil && !os.IsNotExist(err) {
		f.o.Log.Warn("leftover", "ship", ship.Name, "error", err)
	}
	return p
}

// continuation is what the agent of a replaced ship hears first, and the file with the work that it
// is left; both are "" for a ship that takes no other's place.
func (f *Fit) continuation(ship *fleet.Ship) (first, leftover string) {
	past := ship.Past
	if past == nil {
		return "", ""
	}
	b := agent.Before{
		Moved: true, Task: past.Task, Subject: past.Subject, Branch: f.o.Info.Branch, Parked: past.Parked,
		Words: shiplog.LastWords(f.o.Dir.LogFile(ship.Name)),
	}
	if file := f.o.Dir.Leftover(ship.Name); past.Parked != "" {
		if _, err := os.Stat(file); err == nil {
			b.Patch, leftover = "~/"+provision.Leftover, file
		}
	}
	if b.IsNothing() {
		return "", "" // it had not done anything
	}
	return agent.Continue(ship.Name, f.o.Dir.ID(), b, told.Agent{Role: ship.Role, Tools: f.o.Info.AgentOf(ship).Hooks, Given: f.o.Kind.Gives()}.Begin()), leftover
}
