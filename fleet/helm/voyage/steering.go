package voyage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/proto"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// maxSteering bounds how many paths of files that steer agents are written down of a piece of work.
const maxSteering = 50

// steers judges the work on a claim when it changes files that steer agents, as it is completed or handed in, and once more as it lands
// on what was merged meanwhile. What is let in is written down before it is merged, so that no crash hides it.
func (v *Voyage) steers(t *tasks.State, lands bool) func(sync.Steering) error {
	return func(now sync.Steering) error {
		is := fleet.Steering{Steering: now, Task: t.ID, Ship: t.Owner, Epoch: t.Epoch, Word: fleet.Flagged, At: time.Now()}
		is.Paths, is.More = nil, max(0, len(now.Paths)-maxSteering)
		for _, path := range now.Paths[:min(len(now.Paths), maxSteering)] {
			is.Paths = append(is.Paths, strings.ReplaceAll(v.secrets.Redact(clean.Bound(path, 200)), "\n", " "))
		}
		last := reads(v, func() fleet.Steering { return v.facts.Steering[t.ID] })
		known := last.IsAbout(t) && (last.Work == now.Work || lands && last.Files == now.Files)
		switch v.guards.Steering {
		case fleet.SteeringDeny:
			return &blame.NotLetIn{Steering: is}
		case fleet.SteeringAsk:
			if known && last.Word == fleet.Approved {
				return nil
			}
			if known && last.Word == fleet.Rejected {
				return &blame.NotLetIn{Steering: last}
			}
			return &blame.NotLetIn{Steering: is, Waits: true}
		}
		if known {
			return nil
		}
		return v.recordSteering(is)
	}
}

// recordSteering writes down what became of work that steers agents, and keeps it.
func (v *Voyage) recordSteering(is fleet.Steering) error {
	if err := v.book.Add(facts.KindSteering, is).Wait(); err != nil {
		return err
	}
	return reads(v, func() error {
		v.facts.SetSteering(is)
		v.requestBoard()
		return nil
	})
}

// notLetIn asks the captain about work, or tells the agent no. The caller holds the ship's tree.
func (s *Ship) notLetIn(t *tasks.State, n *blame.NotLetIn) error {
	if !n.Waits {
		s.refused(t, "it changes files that steer agents")
		return s.refuse(t.ID, &wire.Error{Code: proto.CodeCheck, Text: n.Error()})
	}
	n.Word = fleet.Waits
	if err := s.v.recordSteering(n.Steering); err != nil {
		return s.v.hinders.OrAway(t.ID, err)
	}
	s.v.addNote(fleet.Note{Ship: s.name, Task: t.ID, Text: fmt.Sprintf("changes files that steer agents and is not merged until you approve it: %s; look with %s, then %s, or %s",
		n.FilesText(), s.v.command("diff %s", t.ID), s.v.command("approve %s", t.ID), s.v.command("reject %s", t.ID))})
	return errAsked
}

// errAsked says that the captain was asked about the work.
var errAsked = errors.New("the captain was asked")

// flagged tells the captain of merged work that steers agents. t is the task as under the claim of who did the work.
func (v *Voyage) flagged(t *tasks.State, m sync.Merged) {
	is := reads(v, func() fleet.Steering { return v.facts.Steering[t.ID] })
	if m.Steering != nil && is.IsAbout(t) && is.Word == fleet.Flagged {
		v.addNote(fleet.Note{Ship: t.Owner, Task: t.ID, Text: fmt.Sprintf("changed files that steer agents: %s; look with %s", is.FilesText(), v.command("diff %s", t.ID))})
	}
}

// decided waits until the captain has decided on the work that was last shown to him, if he was asked, or the claim ends.
// Nothing of the ship's is held meanwhile.
func (s *Ship) decided(ctx context.Context, task string) error {
	v := s.v
	for {
		news := v.news.Next()
		asked := reads(v, func() bool {
			t := v.store.Snapshot().Task(task)
			return t != nil && v.asksOf(t) != nil
		})
		if !asked {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
		case <-s.ctx.Done():
		}
		if s.ctx.Err() != nil {
			return errHelmEnds
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// asksOf returns the work on a task that waits for the captain, or nil. The caller holds v.mu.
func (v *Voyage) asksOf(t *tasks.State) *fleet.Steering {
	if is, ok := v.facts.Steering[t.ID]; ok && t.Status == tasks.InProgress && is.IsAbout(t) && is.Word == fleet.Waits {
		return &is
	}
	return nil
}

// steeringView lists what is known of tasks whose work steers agents. The caller holds v.mu.
func (v *Voyage) steeringView(all []tasks.State) []fleet.Steering {
	var list []fleet.Steering
	for i := range all {
		if is, ok := v.facts.Steering[all[i].ID]; ok && all[i].Status != tasks.Pending && is.IsAbout(&all[i]) {
			list = append(list, is)
		}
	}
	return list
}

// Decide takes the captain's word on a plan, on work in review, or on work that steers agents. It counts for the work that he saw
// and for no other.
func (v *Voyage) Decide(ctx context.Context, r api.DecideRequest) error {
	t := v.store.Snapshot().Task(r.Task)
	switch {
	case t == nil:
		return api.NotFound("%v", &tasks.Refusal{Why: tasks.Unknown, Task: r.Task})
	case t.Proposed > 0:
		return v.decidePlan(t, r)
	case t.InReview():
		return v.decideReview(ctx, t, r)
	}
	if err := v.deciding.Lock(ctx); err != nil {
		return err
	}
	defer v.deciding.Unlock()
	is := reads(v, func() *fleet.Steering { return v.asksOf(t) })
	if is == nil {
		return api.Refused("task %s does not wait for you to approve anything", t.ID)
	}
	if is.Work != r.Work {
		return api.Refused("the work on task %s is not what you saw: look again with %s", t.ID, v.command("diff %s", t.ID))
	}
	is.Word, is.At, is.Why = fleet.Rejected, time.Now(), clean.Bound(r.Reason, maxText)
	if r.Approve {
		is.Word, is.Why = fleet.Approved, ""
	}
	if err := v.recordSteering(*is); err != nil {
		return err
	}
	v.addNote(fleet.Note{Ship: is.Ship, Task: t.ID, Text: fmt.Sprintf("%s by the captain: %s", is.Word, is.FilesText())})
	v.news.Send()
	return nil
}
