package voyage

import (
	"context"
	"os"
	"path/filepath"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/shiplog"
	"ocaptain/fleet/provision"
	"ocaptain/sync/whole"
)

// past settles what a ship leaves to the ship that takes its place: its task, and its unmerged work
// on a ref and as a patch. A ship that has not worked since its own machine was replaced passes on
// what it had been left.
func (v *Voyage) past(ctx context.Context, f *fleet.Ship, worked bool) *fleet.Past {
	p := &fleet.Past{}
	if f.Past != nil && !worked {
		*p = *f.Past
	}
	if t := v.store.Snapshot().Held(f.Name); t != nil {
		p.Task, p.Subject = t.ID, clean.Bound(t.Subject, 1<<10)
	}
	left, err := v.work.Park(ctx, f.Name)
	if err != nil {
		v.notes.Add(fleet.Note{Ship: f.Name, Text: clean.Bound(err.Error(), maxText)})
	}
	if left.Ref == "" && !worked {
		return p // what is parked already stays the newest
	}
	if p.Parked = left.Ref; left.Ref != "" {
		v.notes.Add(fleet.Note{Ship: f.Name, Task: p.Task, Text: "its unmerged work was put aside on " + left.Ref})
	}
	file := v.dir.Leftover(f.Name)
	if left.Patch == nil {
		err = os.Remove(file)
	} else if err = whole.MakeDir(filepath.Dir(file), 0, 0o700); err == nil {
		err = whole.Write(file, left.Patch, 0o600)
	}
	if err != nil && !os.IsNotExist(err) {
		v.log.Warn("leftover", "ship", f.Name, "error", err)
	}
	return p
}

// continuation is what the agent of a replaced ship hears first, and the file with the work that it
// is left; both are "" for a ship that takes no other's place.
func (v *Voyage) continuation(f *fleet.Ship) (first, leftover string) {
	past := f.Past
	if past == nil {
		return "", ""
	}
	b := agent.Before{
		Moved: true, Task: past.Task, Subject: past.Subject, Branch: v.info.Branch, Parked: past.Parked,
		Words: shiplog.LastWords(v.dir.LogFile(f.Name)),
	}
	if file := v.dir.Leftover(f.Name); past.Parked != "" {
		if _, err := os.Stat(file); err == nil {
			b.Patch, leftover = "~/"+provision.Leftover, file
		}
	}
	if b.IsNothing() {
		return "", "" // it had not done anything
	}
	return agent.Continue(f.Name, v.dir.ID(), b, v.toldOf(f).Begin()), leftover
}
