package voyage

import (
	"cmp"
	"context"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/copies"
	"ocaptain/fleet/helm/dispatcher"
	"ocaptain/fleet/helm/pool"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
	"ocaptain/tasks"
)

// newDispatcher returns what gives dispatches to the workers of a pool.
func newDispatcher(v *Voyage) *dispatcher.Dispatcher {
	return dispatcher.New(dispatcher.Options{
		Core: v.Core, Watch: newWatch(v), Fit: v.Fit, Providers: v.common.Providers,
		SetupTime: cmp.Or(v.common.setupTime, 30*time.Minute), Grants: v.claims.Grants.RLocker(), Workers: func(now time.Time) []dispatcher.Worker { return workers(v, now) },
		Ship: func(name string) *dispatcher.Ship {
			return reads(v, func() *dispatcher.Ship {
				if s := v.ships[name]; s != nil {
					return s.gifts
				}
				return nil
			})
		},
		Leave: func(name string) bool {
			return reads(v, func() bool {
				s := v.ships[name]
				if s == nil || s.State().Leaves || v.Look().Held(name) != nil {
					return false
				}
				s.Change(func(is *ship.State) { is.Leaves = true })
				return true
			})
		},
	})
}

// newGifts returns the dispatcher.Ship that makes the ship take up the tasks that it is given.
func newGifts(s *Ship) *dispatcher.Ship {
	return s.v.Dispatcher.NewShip(dispatcher.ShipOptions{
		Name: s.Name, Agent: s.Agent, Context: s.Context, Reached: func() bool { return s.Reach.Conn() != nil }, Link: s.Reach.Link, Home: func() string { return s.Record().Home }, Claim: s.grantClaim,
		Hold: func(task string, epoch uint64, why string) error {
			if err := s.Lock(s.Context); err != nil {
				return err
			}
			defer s.Busy.Unlock()
			if !s.Holds(task, epoch) {
				return nil // it was requeued meanwhile
			}
			return s.v.Hinders.OrAway(task, s.v.claims.Requeue(rights.Clock, s.v.Store.Snapshot().Task(task), tasks.Requeue{Reason: why, Hold: true}))
		},
	})
}

// workers returns the ships as the dispatcher knows them.
func workers(v *Voyage, now time.Time) []dispatcher.Worker {
	return reads(v, func() (all []dispatcher.Worker) {
		for _, f := range v.Roster.Now().Ships {
			w := dispatcher.Worker{Worker: pool.Worker{
				Name: f.Name, Provider: f.Provider, Phase: f.Phase, Draining: f.Draining, Paused: v.Spending.PausedShip(f.Name, now),
			}}
			if s := v.ships[f.Name]; s != nil {
				is, rested := s.activity(), s.State().Trouble.Rest(now) <= 0
				unread, _ := v.Post.Unread(f.Name)
				w.Gone, w.Heard = s.Reach.IsGone(), !s.known.StateAt.IsZero()
				w.Soon = rested && is.SoonFree() && v.Look().Held(f.Name) == nil
				w.Free = rested && is.Free() && unread == 0 && w.Paused == "" && s.Barred(now) == nil
			}
			all = append(all, w)
		}
		return all
	})
}

// finish completes the task that the ship was given, once its agent has ended the turn that began with the task.
func (s *Ship) finish(ctx context.Context, said string) (proto.Verdict, error) {
	v := s.v
	t := v.Store.Snapshot().Held(s.Name)
	if t == nil || !s.v.Kind.Gives() || !s.Agent.TakesMessages() || !s.gifts.KnowsOf(t) {
		return proto.Verdict{}, nil
	}
	_, err := v.Requests.Complete(ctx, s.Ship, proto.CompleteRequest{Claim: proto.Claim{Task: t.ID, Epoch: t.Epoch}, Summary: clean.Bound(said, clean.MaxText)})
	if err == nil || blame.IsAway(err) || s.Context.Err() != nil {
		return proto.Verdict{}, err
	}
	if now := v.Store.Snapshot().Task(t.ID); now.Status != tasks.InProgress || now.Owner != s.Name {
		return proto.Verdict{}, nil // it was requeued meanwhile
	}
	return reads2(v, func() (proto.Verdict, error) {
		verdict, _ := s.verdict(time.Now())
		if verdict.Act == proto.ActContinue {
			verdict.Why = "Its work could not be brought home: " + clean.Bound(err.Error(), clean.MaxText)
		}
		return verdict, nil
	})
}

// newWatch returns what looks at the workers of a pool.
func newWatch(v *Voyage) *dispatcher.Watch {
	return dispatcher.NewWatch(dispatcher.WatchOptions{
		Core: v.Core, Awake: v.common.Awake,
		Seen: func(now time.Time) []pool.Seen { return reads(v, func() []pool.Seen { return seenWorkers(v, now) }) },
		Tell: func(worker string) {
			s, err := v.ShipNamed(worker)
			if err == nil && s.Agent.Hooks && s.Agent.Talks { // for another agent a message would begin another turn
				v.Go(s.tellToCommit)
			}
		},
	})
}

// seenWorkers returns what helm sees of the workers that have a machine. The caller holds v.mu.
func seenWorkers(v *Voyage, now time.Time) (all []pool.Seen) {
	for _, f := range v.Roster.Now().Ships {
		is := pool.Seen{Name: f.Name, Status: resolve.Status(now, v.knownOf(f)).Word}
		if t := v.Look().Held(f.Name); t != nil {
			is.Task = t.ID
		}
		if s := v.ships[f.Name]; s != nil {
			is.Works = s.Reach.Conn() != nil && s.known.State.State == proto.StateWorking && is.Status == fleet.Working
			is.Copied = now.Sub(s.Copies.Now().Copied) <= copies.Rest
		}
		all = append(all, is)
	}
	return all
}

func (s *Ship) tellToCommit() {
	ctx, cancel := context.WithTimeout(s.Context, time.Minute)
	defer cancel()
	if _, err := s.sendMessage(ctx, pool.Nudge); err != nil && s.Context.Err() == nil {
		s.v.Log.Warn("worker could not be told to commit", "ship", s.Name, "error", err)
	}
}
