// Package planfile reads plans from disk and checks them: spec.md, tasks, verify.sh and voyage.json. It makes
// new plans, and holds the examples.
package planfile

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ocaptain/tasks"
)

// Plan is the work of a voyage: a directory with voyage.json, spec.md, verify.sh and tasks/*.json.
type Plan struct {
	Dir       string // absolute path, or example:NAME
	Name      string
	Repo      tasks.Repo
	Ships     int          // the recommended number, from voyage.json or else from the graph
	Created   string       // as written in the file
	Fix       int          // how many times a failed verification adds a task with its output (verify.fix)
	Sync      string       // "git" or "live": how work travels, "" for the default
	Artifacts []string     // directories outside git that are copied home from each ship
	Bring     []string     // patterns of git-ignored files that ships get
	Objective string       // a paragraph of at most 500 characters
	Spec      []byte       // spec.md
	Verify    []byte       // verify.sh
	Tasks     []tasks.Task // in the order of CompareIDs, all pending; each dependency is named on both sides
	Graph     *tasks.Graph // graph of the tasks

	// Extra holds the fields of voyage.json that ocaptain does not know, as they were read.
	Extra map[string]json.RawMessage
}

// Open reads the plan in a directory, or the example for "example:NAME", and returns all defects at once. The plan is
// never nil and holds all that was readable. If Err of the defects is not nil, the plan must not sail. Open follows
// no link out of the directory.
func Open(where string) (*Plan, Defects) {
	if name, ok := strings.CutPrefix(where, examplePrefix); ok {
		files, err := example(name)
		if err != nil {
			return unreadable(where, "there is no example "+name, "the examples are "+strings.Join(Examples(), " and "))
		}
		return read(files, where)
	}
	if where == "" {
		where = "."
	}
	info, err := os.Stat(where)
	if err == nil && !info.IsDir() {
		return unreadable(where, "is not a directory", "name the directory that holds voyage.json")
	}
	if err != nil {
		return unreadable(where, reason(err), "name a plan directory or "+examplePrefix+"tiny; ocaptain plan new makes one")
	}
	dir, err := filepath.Abs(where)
	if err != nil {
		return unreadable(where, reason(err), "name the directory by its full path")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return unreadable(where, reason(err), "make the directory readable")
	}
	defer root.Close()
	return read(root.FS(), dir)
}

// unreadable returns an empty plan with one defect.
func unreadable(where, problem, fix string) (*Plan, Defects) {
	return &Plan{Dir: where, Graph: tasks.NewGraph(nil)}, Defects{{Severity: Error, File: where, Problem: problem, Fix: fix}}
}

// reader builds a plan and its defects.
type reader struct {
	files   fs.FS
	plan    *Plan
	defects Defects
}

func (r *reader) report(d Defect) { r.defects = append(r.defects, d) }

// read reads and checks a whole plan.
func read(files fs.FS, dir string) (*Plan, Defects) {
	r := &reader{files: files, plan: &Plan{Dir: dir, Name: filepath.Base(dir)}}
	told := r.voyage()
	r.readSpec()
	r.script()
	found := r.readTasks()
	r.plan.Tasks = tasks.LinkBothWays(found.unique())
	r.plan.Graph = tasks.NewGraph(r.plan.Tasks)
	r.checkIDs(found)
	r.checkReferences(found)
	r.checkCycles(found)
	r.checkGroups(found)
	r.checkCounts(told, found)
	if r.plan.Ships == 0 {
		r.plan.Ships = r.plan.Graph.UsefulShips()
	}
	r.plan.Tasks = r.plan.Graph.Tasks()
	r.defects.sortByFile()
	return r.plan, r.defects
}
