package voyage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/dispatch"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/link"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/provision"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// giver gives tasks to ships that are free, where they do not claim by themselves.
func (v *Voyage) giver() {
	if !v.kind.Gives() {
		return
	}
	look := time.NewTicker(restGrace)
	defer look.Stop()
	for {
		news := v.news.Next()
		if err := v.give(); err != nil && v.ctx.Err() == nil {
			v.log.Warn("tasks could not be given", "error", err)
		}
		v.removeDrained()
		select {
		case <-news:
		case <-v.given:
		case <-look.C:
		case <-v.ctx.Done():
			return
		}
	}
}

// giveSoon asks the giver for a look.
func (v *Voyage) giveSoon() {
	v.given.Send()
}

// give reserves tasks as the kind decides, and has ships take up what they were given.
func (v *Voyage) give() error {
	v.gifts.Lock()
	defer v.gifts.Unlock()
	if err := v.takeGiftsBack(); err != nil {
		return err
	}
	if err := v.holdForsaken(); err != nil {
		return err
	}
	free, closed := reads2(v, func() ([]kind.Ship, error) {
		return v.idleLocked(time.Now()), v.kind.Closed(v.roster.Now().Phase)
	})
	if closed != nil || v.hinders.Check() != nil {
		return nil
	}
	for _, g := range v.kind.Give(time.Now(), v.store.Snapshot(), free) {
		if err := v.hinders.OrAway(g.Task, v.as(rights.Clock).Reserve(v.ctx, g.Task, g.Ship)); err != nil {
			return err
		}
	}
	return reads(v, func() error {
		for _, t := range v.store.Snapshot().Open() {
			s := v.ships[t.ReservedFor]
			if t.Status == tasks.InProgress {
				s = v.ships[t.Owner]
			}
			if s == nil || s.taking || s.reach.Conn() == nil || t.Status == tasks.InProgress && s.knowsOf(t) {
				continue
			}
			s.taking = true
			v.jobs.Go(func() { s.takeUp(t) })
		}
		return nil
	})
}

// takeGiftsBack frees what is reserved for ships that cannot be reached: another may begin sooner.
func (v *Voyage) takeGiftsBack() error {
	for _, t := range v.store.Snapshot().Open() {
		if t.Status != tasks.Pending || t.ReservedFor == "" {
			continue
		}
		away := reads(v, func() bool {
			s := v.ships[t.ReservedFor]
			away := s == nil || s.reach.Conn() == nil && !s.taking
			return away
		})
		if !away {
			continue
		}
		if err := v.hinders.OrAway(t.ID, v.as(rights.Clock).Reserve(v.ctx, t.ID, "")); err != nil {
			return err
		}
	}
	return nil
}

// holdForsaken puts on hold the tasks that wait for a ship that is gone or goes: no other ship may
// take them.
func (v *Voyage) holdForsaken() error {
	open := v.store.Snapshot().Open() // before the ships, as none waits for a ship that is yet to come
	drains := map[string]bool{}
	changes(v, func() {
		for _, f := range v.roster.Now().Ships {
			drains[f.Name] = f.Draining
		}
	})
	for _, t := range open {
		worker := t.Worker()
		if worker == "" || t.Status != tasks.Pending || t.OnHold {
			continue
		}
		if leaves, there := drains[worker]; there && (!leaves || t.ReservedFor != "") {
			continue
		}
		why := worker + " is gone, and it was for that worker alone: dispatch it again"
		if err := v.hinders.OrAway(t.ID, v.as(rights.Clock).Requeue(v.ctx, tasks.Requeue{Task: t.ID, Reason: why, Hold: true})); err != nil {
			return err
		}
	}
	return nil
}

// idleLocked lists the ships that could begin a task at once, in their order. The caller holds v.mu.
func (v *Voyage) idleLocked(now time.Time) []kind.Ship {
	var free []kind.Ship
	for _, f := range v.roster.Now().Ships {
		if s := v.ships[f.Name]; s != nil && !f.Draining && s.isFree(now) {
			free = append(free, kind.Ship{Name: f.Name, Provider: f.Provider})
		}
	}
	return free
}

// isFree reports whether a ship is there and its agent waits to be told something. The caller holds v.mu.
func (s *Ship) isFree(now time.Time) bool {
	if s.reach.Conn() == nil || s.taking || s.mail > 0 || s.trouble.Rest(now) > 0 || s.paused(now) != "" || s.barred(now) != nil {
		return false
	}
	if n, _ := s.v.post.Unread(s.name); n > 0 {
		return false
	}
	if s.waits > 0 {
		return true
	}
	k := s.known
	switch k.State.State {
	case proto.StateIdle, proto.StateResting, proto.StateStarting:
		return s.agent.Talks && k.Exit == nil && k.Pulse.Agent
	}
	return false
}

// takeUp has the ship take up a task that it was given: it claims it, and the agent is told. What was done before
// is left as it is.
func (s *Ship) takeUp(t *tasks.State) {
	if err := s.takeUpNow(t); err != nil {
		s.cannotBegin(t.ID, err)
		_ = s.v.as(rights.Clock).Reserve(s.v.ctx, t.ID, "") // another may begin it; refused when it was claimed
		_ = retry.Sleep(s.ctx, restGrace)
	}
	changes(s.v, func() { s.taking = false })
	s.v.giveSoon()
}

// cannotBegin tells the captain why a ship does not begin what it was given, each reason once in a row.
func (s *Ship) cannotBegin(task string, err error) {
	var no *tasks.Refusal
	if s.ctx.Err() != nil || blame.IsAway(err) || errors.As(err, &no) {
		return
	}
	why := "could not begin it: " + clean.Bound(err.Error(), maxText)
	var known bool
	changes(s.v, func() {
		known = s.unbegun == why
		s.unbegun = why
	})
	if !known {
		s.v.notes.Add(fleet.Note{Ship: s.name, Task: task, Text: why})
	}
}

func (s *Ship) takeUpNow(t *tasks.State) error {
	g, err := s.grantClaim(s.ctx, proto.ClaimRequest{Task: t.ID})
	if err != nil {
		return err
	}
	if stopped, err := s.setUp(t.ID, g.Epoch); stopped || err != nil {
		return err
	}
	changes(s.v, func() {
		s.ready, s.unbegun = tasks.ClaimID(t.ID, g.Epoch), ""
		s.v.news.Send()
	})
	if !s.agent.TakesMessages() { // it goes on with what its ship holds
		return nil
	}
	s.v.grants.RLock() // a claim that is taken back now finds the message, and withdraws it
	defer s.v.grants.RUnlock()
	b, err := s.v.post.Box(s.name)
	if err != nil || !s.holds(t.ID, g.Epoch) {
		return err
	}
	text := s.v.kind.Tell(t)
	if !s.agent.Turns && !s.agent.Hooks { // nothing tells when its turn ends
		text += fmt.Sprintf("\n\nWhen that is done: ocaptain task complete %s --summary \"what you did\"", t.ID)
	}
	return b.Add(mailbox.Message{
		ID: giftID(t.ID, g.Epoch), At: time.Now(), Text: text, Claim: proto.Claim{Task: t.ID, Epoch: g.Epoch},
	})
}

// giftID is the id of the message that tells an agent of a claim that it was given.
func giftID(task string, epoch uint64) string { return fmt.Sprintf("task-%s-%d", task, epoch) }

// setUp has the ship run the repository's own setup script, where there is one. When that fails the dispatch is put on hold.
func (s *Ship) setUp(task string, epoch uint64) (stopped bool, err error) {
	limit := cmp.Or(s.v.common.setupTime, 30*time.Minute)
	ctx, cancel := context.WithTimeout(s.ctx, limit)
	defer cancel()
	s.v.jobs.Go(func() { s.whileHeld(ctx, task, epoch, cancel) })
	var said link.Tail
	_, err = s.reach.Link().BulkLane().Run(ctx, link.Command{Argv: []string{path.Join(s.home(), provision.Binary), "aboard", "setup"}, Stdout: &said})
	var why string
	var exit *link.ExitError
	switch {
	case err == nil:
		return false, nil
	case !s.holds(task, epoch):
		return true, nil // it was taken back
	case errors.As(err, &exit) && said.String() == "":
		why = "scripts/dev-setup.sh could not be run: " + exit.Error()
	case errors.As(err, &exit):
		why = s.v.secrets.Redact(clean.Bound(said.String(), maxText))
	case ctx.Err() != nil && s.ctx.Err() == nil:
		why = fmt.Sprintf("scripts/dev-setup.sh did not end within %s", fleet.FormatSpan(limit))
	default:
		return false, err // the connection was lost: it is tried again
	}
	why += fmt.Sprintf("\nLook at it with: %s; try again with: %s", "ocaptain shell "+s.v.dir.ID()+" "+s.name, s.v.dir.Command("requeue %s", task))
	s.v.notes.Add(fleet.Note{Ship: s.name, Task: task, Text: why})
	if err := s.lockTree(s.ctx); err != nil {
		return false, err
	}
	defer s.tree.Unlock()
	if !s.holds(task, epoch) {
		return true, nil // it was taken back
	}
	return true, s.v.hinders.OrAway(task, s.v.takeBack(rights.Clock, s.v.store.Snapshot().Task(task), tasks.Requeue{Reason: why, Hold: true}))
}

// holds reports whether the ship has a claim still.
func (s *Ship) holds(task string, epoch uint64) bool {
	t := s.v.store.Snapshot().Task(task)
	return t != nil && t.Status == tasks.InProgress && t.Owner == s.name && t.Epoch == epoch
}

// whileHeld cancels what is done for a claim when that is taken back.
func (s *Ship) whileHeld(ctx context.Context, task string, epoch uint64, cancel func()) {
	for ctx.Err() == nil {
		news := s.v.news.Next()
		if !s.holds(task, epoch) {
			cancel()
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
		}
	}
}

// home is the home directory of the ship's user.
func (s *Ship) home() string {
	return reads(s.v, func() string { return s.known.Ship.Home })
}

// knowsOf reports whether the agent has been told of the claim that its ship was given, or may take it up.
func (s *Ship) knowsOf(t *tasks.State) bool {
	if !s.agent.TakesMessages() {
		return s.ready == tasks.ClaimID(t.ID, t.Epoch)
	}
	b, err := s.v.post.Box(s.name)
	return err == nil && b.WasDone(giftID(t.ID, t.Epoch))
}

// finish completes the task that the ship was given, when its agent has ended the turn in which it was told of it.
func (s *Ship) finish(ctx context.Context, said string) (proto.Verdict, error) {
	v := s.v
	t := v.store.Snapshot().Held(s.name)
	if t == nil || !s.isGiven() || !s.agent.TakesMessages() || !s.knowsOf(t) {
		return proto.Verdict{}, nil
	}
	_, err := s.complete(ctx, proto.CompleteRequest{Claim: proto.Claim{Task: t.ID, Epoch: t.Epoch}, Summary: clean.Bound(said, maxText)})
	if err == nil || blame.IsAway(err) || s.ctx.Err() != nil {
		return proto.Verdict{}, err
	}
	if now := v.store.Snapshot().Task(t.ID); now.Status != tasks.InProgress || now.Owner != s.name {
		return proto.Verdict{}, nil // it was taken back
	}
	return reads2(v, func() (proto.Verdict, error) {
		verdict, _ := s.verdict(time.Now())
		if verdict.Act == proto.ActContinue {
			verdict.Why = "Its work could not be brought home: " + clean.Bound(err.Error(), maxText)
		}
		return verdict, nil
	})
}

// removeDrained removes ships that the captain has drained, once they hold nothing.
func (v *Voyage) removeDrained() {
	changes(v, func() {
		for _, f := range v.roster.Now().Ships {
			s := v.ships[f.Name]
			if !f.Draining || s == nil || s.leaving || s.taking || v.look().Held(f.Name) != nil {
				continue
			}
			s.leaving = true
			v.jobs.Go(func() {
				if err := v.Fit.Remove(v.ctx, f.Name, func(api.Progress) {}); err != nil && v.ctx.Err() == nil {
					v.notes.Add(fleet.Note{Ship: f.Name, Text: fmt.Sprintf("was drained, and could not be removed: %s", clean.Bound(err.Error(), maxText))})
				}
			})
		}
	})
}

// addMark notes in the journal how a dispatch stands, with what its ship has used so far.
func (v *Voyage) addMark(kind string, m dispatch.Mark) {
	m.Usage = v.spending.Used(m.Ship)
	changes(v, func() { v.facts.Marks.Add(time.Now(), kind, m) })
	v.addEvent(kind, m)
}
