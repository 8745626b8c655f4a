package launch

import (
	"context"

	"ocaptain/fleet"
	"ocaptain/tasks/beads"
	"ocaptain/ui/changes"
	"ocaptain/ui/cli/config"
)

// issueOrder says whether the tasks of a voyage become issues of Beads.
type issueOrder struct {
	when  issuesIf
	atEnd bool // they are written only when nothing is left to do
}

// issuesIf is when tasks become issues.
type issuesIf int

const (
	issuesNever  issuesIf = iota
	issuesIfSome          // where the repository has some
	issuesAlways
)

// issuesWhen is what a captain.yaml says.
func issuesWhen(file *config.Captain) issuesIf {
	switch mode, _ := file.Text("beads.mode"); {
	case mode == "off" || !file.Says("beads.enabled", true):
		return issuesNever
	case mode == "jsonl" || file.Says("beads.enabled", false):
		return issuesAlways
	}
	return issuesIfSome
}

// beads looks at the issues that a repository has at a commit, and returns what is kept of the order.
func (o issueOrder) beads(ctx context.Context, repo, commit string) (fleet.Beads, error) {
	if o.when == issuesNever || commit == "" {
		return fleet.Beads{}, nil
	}
	there, err := changes.Output(ctx, repo, "ls-tree", "--name-only", commit, "--", beads.Name)
	if err != nil || there == "" && o.when == issuesIfSome {
		return fleet.Beads{}, err
	}
	b := fleet.Beads{Prefix: "captain", AtEnd: o.atEnd}
	if there != "" {
		text, err := changes.Output(ctx, repo, "show", commit+":"+beads.Name)
		if err != nil {
			return fleet.Beads{}, err
		}
		b.Prefix = beads.Read([]byte(text)).Prefix(b.Prefix)
	}
	return b, nil
}
