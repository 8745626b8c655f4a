package launch

import (
	"cmp"
	"context"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/tasks"
	"ocaptain/tasks/planfile"
	"ocaptain/ui/launch/problem"
	"ocaptain/ui/launch/stage"
)

// Join is a session in a Redis in which this hub takes part with ships of its own.
type Join struct {
	URL       string // address of the Redis
	Session   string // name of the session there
	Admission fleet.Admission
	Terms     stage.Terms // what the hub says that began the session
}

// CheckJoin reads and checks everything on which ships for a session of another hub depend, as CheckSession does for a session of its own. Of
// s it takes how many workers and validators there are.
func (y Yard) CheckJoin(ctx context.Context, w Wish, s Session, j Join) (*Order, error) {
	if p := j.check(); p != nil {
		return nil, p
	}
	s.joins, w.Kind, w.session, w.Repo = &j, fleet.Session, &s, j.Terms.Remote
	o, err := y.CheckWish(ctx, w)
	if err != nil {
		return o, err
	}
	o.shared = &fleet.Shared{URL: j.URL, Session: j.Session, Remote: j.Terms.Remote, Lease: j.Terms.Lease, Reviewed: j.Terms.Reviewed}
	o.admission = j.Admission
	o.admission.Token = o.Work.Token
	return o, cmp.Or[error](y.noneBeside(ctx, o), ctx.Err())
}

// check checks what another hub says: a hub that has the secret of a session may be any version of ocaptain.
func (j *Join) check() *problem.Problem {
	t := &j.Terms
	repo, err := tasks.ParseRepo(t.Remote)
	switch {
	case t.Remote == "":
		return problem.New(problem.Refused, problem.None, "watch it and ask for more with: ocaptain join URL SESSION [--add]; for ships, begin it with --repo URL", "only the hub that began session %s has its repository, and other hubs can bring no ships", j.Session)
	case t.Lease < 0 || err != nil || repo.Kind == tasks.RepoPath || repo.Kind == tasks.RepoFresh || !origin.IsBranch(t.Branch) || !git.IsObjectID(t.Base):
		return problem.New(problem.Refused, problem.None, "look whether this is the newest ocaptain", "session %s says of its repository what cannot be used", j.Session)
	}
	return nil
}

// join fills an order for a session of another hub.
func (s *Session) join(o *Order, roles map[string]fleet.RoleSpec) *problem.Problem {
	t := s.joins.Terms
	if s.Validators > 0 && !t.Reviewed {
		return problem.New(problem.Usage, problem.None, "leave --validators out", "session %s merges work without a review", s.joins.Session)
	}
	o.session = fleet.SessionSpec{Planners: s.Planners, MaxQueue: t.MaxQueue, MaxNestedDepth: t.MaxNestedDepth, Unchecked: t.Unchecked, Forgetful: t.Forgetful, Roles: roles}
	o.Plan = &planfile.Plan{Name: clean.Line(t.Name), Objective: t.Objective, Spec: t.Spec, Verify: t.Verify}
	o.Validators, o.askPlan = s.Validators, t.AskPlan
	o.id = fleet.NewID()
	o.Ships, o.branch, o.Work.Base = s.Planners+s.Validators+s.Workers, t.Branch, strings.ToLower(t.Base)
	return s.tooMany(o.Ships)
}
