package stage

import (
	"context"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/tasks/beads"
	"ocaptain/ui/changes"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/problem"
)

// Issues says whether the tasks of a voyage become issues of Beads.
type Issues struct {
	when  issuesIf
	mode  string // the mode, as in fleet.Beads
	atEnd bool   // issues are written only when nothing is left to do
	ready bool   // ready issues become tasks
}

// issuesIf says when tasks become issues.
type issuesIf int

const (
	issuesNever  issuesIf = iota
	issuesIfSome          // when the repository has issues
	issuesAlways
)

// IssuesOfPlan returns what a plan of issues asks for.
func IssuesOfPlan() Issues { return Issues{when: issuesAlways, mode: fleet.BeadsAuto} }

// IssuesOf returns what a captain.yaml asks for. With ready, ready issues become tasks.
func IssuesOf(file *config.Captain, ready bool) Issues {
	o := Issues{when: issuesWhen(file), mode: bdMode(file), atEnd: !file.Says("beads.syncOnComplete", true), ready: ready}
	if ready {
		o.when = issuesAlways
	}
	return o
}

// issuesWhen returns the choice of a captain.yaml.
func issuesWhen(file *config.Captain) issuesIf {
	switch mode, _ := file.Text("beads.mode"); {
	case mode == "off" || !file.Says("beads.enabled", true):
		return issuesNever
	case mode == "jsonl" || mode == "cli" || file.Says("beads.enabled", false):
		return issuesAlways
	}
	return issuesIfSome
}

// bdMode returns when bd reads the issues as well.
func bdMode(file *config.Captain) string {
	switch mode, _ := file.Text("beads.mode"); mode {
	case "jsonl":
		return ""
	case "cli":
		return fleet.BeadsCLI
	}
	return fleet.BeadsAuto
}

// read reads the issues of a repository at a commit, and returns what the voyage keeps of the order, and the tasks of ready issues.
func (o Issues) read(ctx context.Context, repo, commit string) (b fleet.Beads, ready []tasks.Task, err error) {
	if o.when == issuesNever {
		return b, nil, nil
	}
	var there string
	if commit != "" { // a fresh repository has no issues
		if there, err = changes.Output(ctx, repo, "ls-tree", "--name-only", commit, "--", beads.Name); err != nil {
			return b, nil, err
		}
	}
	if there == "" {
		switch {
		case o.ready:
			return b, nil, problem.New(problem.Refused, problem.Repo, "leave --beads out, or commit the issues first", "%s is not in the repository: there is nothing to continue with", beads.Name)
		case o.when == issuesAlways:
			b = fleet.Beads{Prefix: noPrefix, AtEnd: o.atEnd, Mode: o.mode}
		}
		return b, nil, nil
	}
	text, err := changes.Output(ctx, repo, "show", commit+":"+beads.Name)
	if err != nil {
		return b, nil, err
	}
	f := beads.Read([]byte(text + "\n"))
	if o.ready {
		if ready = f.Ready(time.Now()); f.Defects.Errors() > 0 {
			return b, nil, problem.New(problem.Refused, problem.Repo, "see all of it with: ocaptain plan check beads:DIR", "%w", f.Defects.Err())
		}
		if len(ready) == 0 {
			return b, nil, problem.New(problem.Refused, problem.Repo, "see what it waits for with: bd blocked", "no issue in %s is ready", beads.Name)
		}
	}
	return fleet.Beads{Prefix: f.Prefix(noPrefix), AtEnd: o.atEnd, Mode: o.mode}, ready, nil
}

// noPrefix begins the ids of issues in a repository without issues.
const noPrefix = "captain"
