package launch

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ocaptain/fleet/clean"
	"ocaptain/tasks"
	"ocaptain/ui/bring"
	"ocaptain/ui/changes"
	"ocaptain/ui/launch/problem"
	"ocaptain/ui/launch/repository"
	"ocaptain/ui/launch/stage"
	"ocaptain/ui/words"
)

// previewing is how long a preview searches for files.
const previewing = 3 * time.Second

// AsksForFiles reports whether the captain has yet to agree to the files of the checkout that ships get, because a repository or a plan,
// which may be somebody else's, selects them.
func (o *Order) AsksForFiles() bool { return o.Bring.Asks() && !o.BringAgreed }

// refuseFiles refuses an order with files that the captain has not agreed to.
func (o *Order) refuseFiles() *problem.Problem {
	if !o.AsksForFiles() {
		return nil
	}
	return problem.New(problem.Refused, problem.Files, "to agree: --bring; to bring none: --no-bring", "ships would get %s, and you did not agree to that", o.Bring.Summary())
}

// chooseFiles determines which git-ignored files go from the captain's checkout to ships, and notes files that seem to be
// needed.
func (y Yard) chooseFiles(ctx context.Context, d *draft) *problem.Problem {
	o := d.order
	if d.wish.NoBring || d.wish.inPool { // a pool keeps the files with which it was made
		return nil
	}
	if o.Work.Repo.Kind != tasks.RepoPath {
		if o.Plan != nil && len(o.Plan.Bring) > 0 {
			o.Borrowed = append(o.Borrowed, problem.Defect{
				What: "the plan brings files that git ignores, and there is no checkout of the repository: ships get none", Fix: "name a checkout on this machine: --repo PATH",
			})
		}
		return nil
	}
	if in, _ := changes.Output(ctx, o.Work.Source, "rev-parse", "--is-inside-work-tree"); in != "true" {
		return nil // there is no checkout with files
	}
	sources, err := d.sources(o.Work.Source)
	if err == nil {
		o.Bring, err = bring.Find(ctx, o.Work.Source, sources, d.bringLimits())
	}
	if err != nil {
		return stage.FilesProblem(err)
	}
	o.bringLimits, o.BringAgreed = d.bringLimits(), d.wish.Bring
	if needed := bring.Needed(ctx, o.Work.Source, o.Bring); len(needed) > 0 {
		o.Borrowed = append(o.Borrowed, problem.Defect{
			What: clean.Line(o.Work.Source + " has files that git ignores and programs may need, like " + words.Few(needed[:min(len(needed), 3)]) + ", and agents do not get them"),
			Fix:  "to bring them, write in " + y.Hub.ConfigFile() + ": bring: [" + patterns(needed) + "]; see: ocaptain help bring",
		})
	}
	return nil
}

// patterns returns lines of gitignore(5) that name files, for a list in YAML.
func patterns(files []string) string {
	var all []string
	seen := map[string]bool{}
	for _, f := range files {
		if name := clean.Line(filepath.Base(f)); !seen[name] && len(all) < 3 {
			seen[name] = true
			all = append(all, strconv.Quote(name))
		}
	}
	return strings.Join(all, ", ")
}

// sources returns everything that selects files. The captain has agreed to the captain's own.
func (d *draft) sources(dir string) ([]bring.Source, error) {
	var all []bring.Source
	add := func(from string, lines []string, agreed bool) {
		if len(lines) > 0 {
			all = append(all, bring.Source{From: clean.Line(from), Lines: lines, Agreed: agreed})
		}
	}
	add(d.sourceOf("bring"), d.config.Bring, true)
	if file := d.wish.Captain; file != nil {
		add(filepath.Base(file.Path), file.List("bring"), file.Named)
	}
	if d.order.Plan != nil {
		add("the plan", d.order.Plan.Bring, false)
	}
	lines, err := bring.ReadInclude(dir)
	add(bring.IncludeName, lines, false)
	return all, err
}

func (d *draft) bringLimits() bring.Limits {
	return bring.Limits{Files: d.config.BringFiles, Bytes: d.config.BringSize, Config: d.yard.Hub.ConfigFile()}
}

// previewFiles finds the files that would be brought, as far as that is possible soon.
func (y Yard) previewFiles(d *draft) (bring.Chosen, *problem.Problem) {
	if d.order.Work.Repo.Kind != tasks.RepoPath || d.order.Work.Source == "" || d.bad != nil {
		return bring.Chosen{}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), previewing)
	defer cancel()
	d.order.Work.Source = repository.TopLevel(ctx, d.order.Work.Source)
	p := y.chooseFiles(ctx, d)
	if ctx.Err() != nil {
		return bring.Chosen{}, nil // the check of the order has more time
	}
	return d.order.Bring, p
}

// FilesHere returns the git-ignored files that would go to ships from the checkout at the working directory, and notes on what agents
// may need besides.
func (y Yard) FilesHere(ctx context.Context) (bring.Chosen, []problem.Defect, *problem.Problem) {
	d := y.newDraft(Wish{Repo: ".", Captain: y.CaptainFile(ctx, ".", "")})
	for _, step := range []func() *problem.Problem{d.configured, d.checkRepository} {
		if p := step(); p != nil {
			return bring.Chosen{}, nil, p
		}
	}
	d.order.Work.Source = repository.TopLevel(ctx, d.order.Work.Source)
	p := y.chooseFiles(ctx, d)
	return d.order.Bring, d.order.Borrowed, p
}
