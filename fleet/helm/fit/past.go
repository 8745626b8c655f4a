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

// past returns what a ship leaves to its replacement: its task, and its unmerged work on a ref and as a patch. A ship
// that has not worked since it was itself a replacement passes on what it got.
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
		return p // the work that was parked before is still the newest
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

// continuation returns the first prompt of a replacement's agent, and the file with the work of the ship before. Both
// are "" for a ship that replaces no other.
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
		return "", "" // the ship before had not done anything
	}
	return agent.Continue(ship.Name, f.o.Dir.ID(), b, told.Agent{Role: ship.Role, Tools: f.o.Info.AgentOf(ship).Hooks, Given: f.o.Kind.Gives()}.Begin()), leftover
}
