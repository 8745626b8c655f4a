package serve

import (
	"context"
	"errors"
	"os"
	"slices"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// fromShip returns the handlers for requests of the ship's hooks and commands.
func (s *server) fromShip() wire.Handlers {
	return wire.Handlers{
		proto.MethodClaim:    wire.Handle(s.claimTask),
		proto.MethodComplete: wire.Handle(s.completeTask),
		proto.MethodRelease:  wire.Handle(s.releaseTask),
		proto.MethodPlan:     wire.Handle(s.planTask),
		proto.MethodReview:   wire.Handle(s.reviewTask),
		proto.MethodWait:     wire.Handle(s.waitForWork),
		proto.MethodMeaning: wire.Handle(func(ctx context.Context, r proto.MeaningRequest) (m proto.Meanings, err error) {
			return m, s.askHelm(ctx, proto.MethodMeaning, r, &m)
		}),
		shipdir.MethodHeld: wire.Handle(s.list.held),
		shipdir.MethodNext: wire.Handle(s.beginNext),
		shipdir.MethodHeard: wire.Handle(func(_ context.Context, h shipdir.Heard) (any, error) {
			s.typist.Hear(h)
			if h.Sum != "" {
				s.messages.announce() // also if the captain typed the message in the terminal
			}
			return nil, nil
		}),
		shipdir.MethodRetire: wire.Handle(func(context.Context, struct{}) (any, error) {
			s.retire(errRetired)
			return nil, nil
		}),
	}
}

// askHelm passes a request on to helm. A lost connection gives another error than an answer of helm.
func (s *server) askHelm(ctx context.Context, method string, params, result any) error {
	err := s.helm.Call(ctx, method, params, result)
	if wire.Gone(err) {
		return &wire.Error{Code: proto.CodeAway, Text: "helm is not connected"}
	}
	return err
}

func (s *server) claimTask(ctx context.Context, r proto.ClaimRequest) (proto.Grant, error) {
	if err := s.talk.check(r.Task); err != nil {
		return proto.Grant{}, err
	}
	var g proto.Grant
	if err := s.askHelm(ctx, proto.MethodClaim, r, &g); err != nil {
		return proto.Grant{}, err
	}
	if g.Task.ID == "" || g.Task.Owner != s.ship.Name {
		return proto.Grant{}, errors.New("helm granted something else: try again")
	}
	s.list.putTask(g.Task)
	s.keepClaim(proto.Claim{Task: g.Task.ID, Epoch: g.Epoch})
	s.talk.note(g.Task.ID)
	s.allowTask(g.Task)
	return g, nil
}

func (s *server) completeTask(ctx context.Context, r proto.CompleteRequest) (proto.Completed, error) {
	if r.Summary == "" {
		r.Summary = s.list.summary(r.Task)
	}
	var c proto.Completed
	if err := s.askHelm(ctx, proto.MethodComplete, r, &c); shipdir.Away(err) {
		return proto.Completed{}, err
	} else if err != nil {
		return proto.Completed{}, s.explainRefusal(ctx, r.Task, err)
	}
	s.forgetClaim(r.Task)
	if !c.Open {
		s.change(r.Task, func(t *tasks.Task) { t.Status = tasks.Completed })
	} else if t, ok := s.list.task(r.Task); ok { // the task is in review, and the agent's tool marks it as completed
		t.Status, t.Owner = tasks.Completed, s.ship.Name
		s.view.Excuse(s.list.shown([]tasks.Task{t})[0]) // in the form that the agent sees
	}
	return c, nil
}

func (s *server) planTask(ctx context.Context, r proto.PlanRequest) (proto.Planned, error) {
	var p proto.Planned
	if err := s.askHelm(ctx, proto.MethodPlan, r, &p); err != nil {
		return proto.Planned{}, err
	}
	s.forgetClaim(p.Task)
	return p, nil
}

func (s *server) reviewTask(ctx context.Context, r proto.ReviewRequest) (proto.Reviewed, error) {
	var done proto.Reviewed
	if err := s.askHelm(ctx, proto.MethodReview, r, &done); err != nil {
		return proto.Reviewed{}, err
	}
	s.forgetClaim(done.Task)
	return done, nil
}

func (s *server) releaseTask(ctx context.Context, r proto.ReleaseRequest) (any, error) {
	r.Trouble = trouble(s.home.Path(""), s.ship.Workspace)
	if err := s.askHelm(ctx, proto.MethodRelease, r, nil); err != nil {
		return nil, err
	}
	s.forgetClaim(r.Task)
	s.change(r.Task, func(t *tasks.Task) { t.Status, t.Owner = tasks.Pending, "" })
	return nil, nil
}

// trouble says why nothing can be written to one of the directories, "" when it can. If it cannot, a failed task may not be to blame.
func trouble(dirs ...string) string {
	for _, dir := range dirs {
		if err := tryWrite(dir); err != nil {
			return "nothing can be written on it: " + err.Error()
		}
	}
	return ""
}

// tryWrite writes a file to a directory and removes it.
func tryWrite(dir string) error {
	f, err := os.CreateTemp(dir, ".ocaptain-room-")
	if err != nil {
		return errors.Unwrap(err)
	}
	defer f.Close()
	defer os.Remove(f.Name())
	var at *os.PathError
	if _, err = f.Write(make([]byte, 64<<10)); errors.As(err, &at) {
		return at.Err
	}
	return err
}

// change makes the change to a task that helm has just accepted, and that the agent is going to make too.
func (s *server) change(id string, fn func(*tasks.Task)) {
	if t, ok := s.list.change(id, fn); ok {
		s.allowTask(t)
	}
}

// waitForWork asks helm what to do next. A message to the agent ends the wait at once, since the agent reads it only
// after its turn.
func (s *server) waitForWork(ctx context.Context, r proto.WaitRequest) (proto.Verdict, error) {
	s.waits.Add(1)
	defer s.waits.Add(-1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	message := s.messages.nextMessage()
	if given := s.given.Load(); given != nil && slices.Contains(r.Queued, *given) {
		return proto.Verdict{Act: proto.ActListen}, nil // the turn that has ended was not the turn of the dispatch
	}
	if s.agent.Turns {
		if _, ok := shipdir.NextMail(s.home); ok { // the message came before this wait began
			return proto.Verdict{Act: proto.ActListen}, nil
		}
	}
	unread := make(chan struct{})
	go func() {
		select {
		case <-message:
			cancel()
		case <-ctx.Done():
		}
	}()
	go func() {
		if s.typist.Unread(ctx) {
			close(unread)
			cancel()
		}
	}()
	var v proto.Verdict
	err := s.askHelm(ctx, proto.MethodWait, r, &v)
	select {
	case <-message:
		return proto.Verdict{Act: proto.ActListen}, nil
	case <-unread:
		return proto.Verdict{Act: proto.ActListen}, nil
	default:
		return v, err
	}
}
