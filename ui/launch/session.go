package launch

import (
	"cmp"
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"ocaptain/tasks/planfile"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/tasks"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/problem"
	"ocaptain/ui/launch/repository"
	"ocaptain/ui/launch/stage"
	"ocaptain/ui/words"
)

// Session is what the captain asks of planners and workers, and the branch for their work.
type Session struct {
	Text     string   // the first epic, "" when the captain adds it later
	Labels   []string // labels of the epic
	Priority int      // priority of the epic: 0, the most urgent, to 4
	Workers  int
	Planners int // 0 for one
	// Validators is how many ships review work before it is merged; with 0, work is merged without review.
	Validators int
	// AskPlan says that the captain approves the parts of each epic before workers begin.
	AskPlan bool
	Branch  string // "" for feat/ and the first words of Text, or for work- and the voyage's id when Text is ""
	Base    string // branch, tag or commit at which the session begins, "" for the newest commit of the repository's own branch
	Beads   bool   // ready issues of Beads become tasks
	Redis   string // address of a Redis in which other hubs share the tasks, "" for none
	Verify  string // shell command that must succeed on the branch, "" for none
	// FromRepository is how many of the ships are only asked for by the repository's captain.yaml.
	FromRepository int

	joins *Join // the session of another hub in which this one takes part, nil for a session of its own
}

// noVerify is the verification command of a session without one.
const noVerify = "exit 0"

// CheckSession reads and checks everything that a session depends on, as CheckWish does for a voyage.
func (y Yard) CheckSession(ctx context.Context, w Wish, s Session) (*Order, error) {
	w.Kind, w.session, w.Repo = fleet.Session, &s, cmp.Or(w.Repo, ".")
	o, err := y.CheckWish(ctx, w)
	if err != nil {
		return o, err
	}
	if err := y.noneBeside(ctx, o); err != nil {
		return o, err
	}
	notes, err := o.Work.BeginBranch(ctx, o.branch, y.Say)
	o.Borrowed = append(o.Borrowed, notes...)
	if err != nil {
		return o, cmp.Or(ctx.Err(), err)
	}
	if p := y.checkRedis(ctx, o, s.Redis, w.Captain.Duration("redis.lease", fleet.Lease)); p != nil {
		return o, cmp.Or[error](ctx.Err(), p)
	}
	return o, ctx.Err()
}

// maxSlug is how many letters and digits of a branch's name come from words.
const maxSlug = 40

// name returns the name of a session: its text, and its project.
func (s *Session) name(file *config.Captain) string {
	name := cmp.Or(clean.BranchSlug(s.Text, maxSlug), "work")
	if project, _ := file.Text("project.name"); project != "" {
		name = project + ": " + name
	}
	return name
}

// branch returns the branch of the session in the voyage of that id.
func (s *Session) branch(id string) string {
	words := cmp.Or(clean.BranchSlug(s.Text, maxSlug), "work-"+strings.TrimPrefix(id, "voyage-"))
	return cmp.Or(s.Branch, "feat/"+words)
}

// fill fills an order from a session.
func (s *Session) fill(d *draft) *problem.Problem {
	o, file := d.order, d.wish.Captain
	if most := d.config.Repository.MaxShips; s.FromRepository > most {
		return problem.New(problem.Usage, problem.None, "to agree to more: --config "+clean.Line(file.Path)+", --workers N, or write in "+d.yard.Hub.ConfigFile()+": repository: {max_ships: "+strconv.Itoa(s.FromRepository)+"}",
			"%s: planners, workers and validators of it are %d ships, and the %s of a repository may ask for at most %d", clean.Line(file.Path), s.FromRepository, config.CaptainName, most)
	}
	if s.joins != nil {
		return s.join(o, d.config.Roles())
	}
	s.Planners = max(1, s.Planners)
	o.session = fleet.SessionSpec{Planners: s.Planners, MaxQueue: file.Int("validators.maxQueue", 0), Unchecked: s.Verify == "", Forgetful: !file.Says("chunkhound.persistDiscoveries", true)}
	o.Search = file.Says("chunkhound.enabled", true)
	o.issues = stage.IssuesOf(file, s.Beads)
	if n := file.Int("workers.maxNestedDepth", -1); n >= 0 {
		o.session.MaxNestedDepth = &n
	}
	o.session.Roles = d.config.Roles()
	o.Plan = &planfile.Plan{Name: s.name(file), Objective: s.Text, Verify: []byte("#!/bin/sh\n" + cmp.Or(s.Verify, noVerify) + "\n")}
	o.Validators, o.askPlan = s.Validators, s.AskPlan
	o.id = fleet.NewID()
	o.Ships, o.branch, o.Work.Base = s.Planners+s.Validators+s.Workers, s.branch(o.id), s.Base
	if p := s.tooMany(o.Ships); p != nil {
		return p
	}
	if !origin.IsBranch(o.branch) {
		return problem.New(problem.Usage, problem.Branch, "", "branch %q: git takes no such name, or takes it for something else: use letters and digits of any script, dots, dashes and underscores, in parts with / between them, and neither HEAD, @, refs/… nor the name of a commit", clean.Line(o.branch))
	}
	if s.Text == "" {
		return nil
	}
	epic, err := tasks.NewEpic(s.Text, s.Labels, s.Priority)
	if err != nil {
		return &problem.Problem{Kind: problem.Usage, Field: problem.Text, Err: err}
	}
	o.Plan.Tasks = []tasks.Task{epic}
	return nil
}

// tooMany returns a problem when a voyage cannot have so many ships.
func (s *Session) tooMany(ships int) *problem.Problem {
	if ships <= config.MostShips {
		return nil
	}
	return problem.New(problem.Usage, problem.None, "", "%s, %s and %s are %d ships; a voyage has at most %d", words.Counted(s.Planners, "planner"), words.Counted(s.Workers, "worker"), words.Counted(s.Validators, "validator"), ships, config.MostShips)
}

// noneBeside returns an error when another session works on the branch of the repository already.
func (y Yard) noneBeside(ctx context.Context, o *Order) error {
	if o.Work.Repo.Kind == tasks.RepoFresh {
		return nil // every fresh repository is another one
	}
	own := repository.Identity(ctx, o.Work.Repo.String())
	dirs, err := fleet.Voyages(y.Hub.Voyages).List()
	if err != nil {
		return err
	}
	for _, d := range dirs {
		v, err := fleet.LoadVoyage(d)
		if err != nil || !v.Kind.TakesEpics() || v.Branch != o.branch || repository.Identity(ctx, v.Repo) != own {
			continue
		}
		if f, err := fleet.LoadFleet(d); err == nil && (f.Phase == fleet.Sinking || f.Phase == fleet.Sunk) {
			continue
		}
		return problem.New(problem.Refused, problem.Repo, "to ask it for more: ocaptain add --voyage "+d.ID()+" \"…\"\nfor another branch: --branch NAME",
			"session %s works on branch %s of %s already", d.ID(), clean.Line(o.branch), clean.Line(filepath.Base(o.Work.Repo.String())))
	}
	return nil
}
