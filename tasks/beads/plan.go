package beads

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ocaptain/tasks/planfile"

	"ocaptain/tasks"
)

// PlanPrefix starts the name of a plan made from the open issues of a Beads project.
const PlanPrefix = "beads:"

// maxBytes bounds how many bytes of a file are read.
const maxBytes = 64 << 20

// OpenPlan is planfile.Open, except that for "beads:DIR" it returns a plan of the open issues of the Beads
// project in DIR.
func OpenPlan(where string) (*planfile.Plan, planfile.Defects) {
	dir, ok := strings.CutPrefix(where, PlanPrefix)
	if !ok {
		return planfile.Open(where)
	}
	plan := &planfile.Plan{Dir: where, Graph: tasks.NewGraph(nil), Verify: []byte("#!/bin/sh\nexit 0\n")}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return plan, planfile.Defects{{Severity: planfile.Error, File: where, Problem: err.Error(), Fix: "name the directory by its full path"}}
	}
	plan.Name = filepath.Base(dir)
	plan.Repo = tasks.Repo{Kind: tasks.RepoPath, Name: dir}
	f, d := Load(dir)
	if f == nil {
		return plan, planfile.Defects{d}
	}
	all := f.work(time.Now())
	plan.Tasks = f.tasks(all)
	plan.Graph = tasks.NewGraph(plan.Tasks)
	f.cycles(plan.Graph)
	if len(plan.Tasks) == 0 && f.Defects.Errors() == 0 {
		f.Defects = append(f.Defects, planfile.Defect{Severity: planfile.Error, File: Name, Problem: "holds no open issue", Fix: `add one with: bd create "…"`})
	}
	plan.Tasks = plan.Graph.Tasks()
	plan.Ships = plan.Graph.UsefulShips()
	plan.Objective = fmt.Sprintf("Resolve the open issues of %s.", plan.Name)
	plan.Spec = fmt.Appendf(nil, "# %s\n\n## Objective\n\n%s Each task is an issue of Beads; the file %s is written for you: leave it as it is.\n", plan.Name, plan.Objective, Name)
	slices.SortStableFunc(f.Defects, func(a, b planfile.Defect) int { return a.Line - b.Line })
	return plan, f.Defects
}

// Ready returns tasks for the issues that bd ready lists, except issues with parts.
func (f *File) Ready(now time.Time) []tasks.Task {
	all := f.Issues()
	parts := map[string]bool{}
	for _, i := range all {
		parts[i.Parent()] = true
	}
	return f.tasks(slices.DeleteFunc(Ready(all, now), func(i *Issue) bool { return parts[i.ID] }))
}

// Load reads the issues of the project in dir. It follows no link out of dir. A missing file is a defect.
func Load(dir string) (*File, planfile.Defect) {
	bad := func(problem, fix string) (*File, planfile.Defect) {
		return nil, planfile.Defect{Severity: planfile.Error, File: Name, Problem: problem, Fix: fix}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return bad("cannot be read: "+reason(err), "name the directory that holds .beads")
	}
	defer root.Close()
	in, err := root.Open(Name)
	if errors.Is(err, fs.ErrNotExist) {
		return bad("is missing", "name the directory that holds .beads; bd 0.50 and newer write the file with: bd export -o "+Name)
	}
	if err != nil {
		return bad("cannot be read: "+reason(err), "make it a file that you may read")
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxBytes+1))
	switch {
	case err != nil:
		return bad("cannot be read: "+reason(err), "make it a file that you may read")
	case len(data) > maxBytes:
		return bad(fmt.Sprintf("has more than %d bytes", maxBytes), "take closed issues out of it")
	}
	return Read(data), planfile.Defect{}
}

// reason returns what an error of the file system means, without the path.
func reason(err error) string {
	if cause, ok := errors.AsType[*fs.PathError](err); ok {
		err = cause.Err
	}
	return err.Error()
}

// work returns the issues for a plan: open issues, except issues that wait for an issue outside the plan. It warns about every
// other issue that is not closed.
func (f *File) work(now time.Time) []*Issue {
	leave := map[string]string{}
	for _, i := range f.Issues() {
		switch {
		case i.Status == Closed || i.Status == tombstone || !i.isWork():
			leave[i.ID] = ""
		case i.Status != Open:
			leave[i.ID] = "is " + shorten(i.Status)
		case i.DeferUntil.After(now):
			leave[i.ID] = "is deferred until " + i.DeferUntil.Format(time.DateOnly)
		}
	}
	for again := true; again; {
		again = false
		for _, i := range f.Issues() {
			if _, left := leave[i.ID]; left {
				continue
			}
			for _, id := range slices.Concat(i.dependsOn(blocks), i.dependsOn(parentChild)) {
				if why := leave[id]; why != "" && (slices.Contains(i.dependsOn(blocks), id) || strings.HasPrefix(why, "waits") || strings.HasPrefix(why, "is deferred")) {
					leave[i.ID], again = "waits for "+id, true
					break
				}
			}
		}
	}
	var all []*Issue
	for _, i := range f.Issues() {
		why, left := leave[i.ID]
		if !left {
			all = append(all, i)
		} else if why != "" {
			f.defect(planfile.Warning, i.ID, "status", fmt.Sprintf("%s %s, and is left out", shorten(i.ID), why), "leave it so, or have it open: bd update "+shorten(i.ID)+" --status open")
		}
	}
	return all
}
