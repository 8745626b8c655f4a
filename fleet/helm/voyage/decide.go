package voyage

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/edits"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/rights"
	"ocaptain/sync/whole"
	"ocaptain/tasks"
)

// proposePlan keeps what a planner hands in in a file, which the captain may edit, and asks him. The claim ends with that.
func (s *Ship) proposePlan(t *tasks.State, plan json.RawMessage, parts int) error {
	v := s.v
	text := jsontext.Value(plan).Clone()
	if err := text.Format(jsontext.WithIndent("  "), jsontext.EscapeForHTML(false), jsontext.AllowDuplicateNames(true)); err != nil {
		return err
	}
	if err := v.hinders.OrAway(t.ID, whole.Write(v.dir.Plan(t.ID), append(text, '\n'), 0o600)); err != nil {
		return err
	}
	ask := tasks.Requeue{Task: t.ID, Owner: s.name, Epoch: t.Epoch, Reason: s.name + " has broken it down, and waits for the captain's word", Hold: true, Proposed: parts}
	if err := v.hinders.OrAway(t.ID, v.as(s.actor()).Requeue(context.WithoutCancel(v.ctx), ask)); err != nil {
		return err
	}
	changes(v, func() {
		v.failures.Forget(facts.Plan, t.ID)
		s.fitAgain()
	})
	v.notes.Add(fleet.Note{Ship: s.name, Task: t.ID, Text: fmt.Sprintf("has broken it down into %d tasks: look with %s, edit %s if you like, then %s, or %s",
		parts, v.dir.Command("diff %s", t.ID), v.dir.Plan(t.ID), v.dir.Command("approve %s", t.ID), v.dir.Command("reject %s --why \"…\"", t.ID))})
	return nil
}

// decidePlan adds the tasks of the plan's file, as it is now, when the captain approves it. Otherwise the epic is planned
// again.
func (v *Voyage) decidePlan(t *tasks.State, r api.DecideRequest) error {
	if !r.Approve {
		back := tasks.Requeue{Task: t.ID, Reason: "the captain rejected the plan" + edits.Because(r.Reason)}
		return v.hinders.OrAway(t.ID, v.as(rights.Captain).Requeue(v.ctx, back))
	}
	raw, err := os.ReadFile(v.dir.Plan(t.ID))
	if err != nil {
		return api.Refused("the plan of task %s: %v: have it planned again with %s", t.ID, err, v.dir.Command("reject %s", t.ID))
	}
	parts, err := tasks.Breakdown(raw, t)
	if err != nil {
		return api.Refused("%s: %v", v.dir.Plan(t.ID), err)
	}
	if _, err := v.as(rights.Captain).Add(v.ctx, parts); err != nil {
		return v.hinders.OrAway(t.ID, err)
	}
	return v.hinders.OrAway("", v.coordinate())
}

// decideReview takes the captain's word on work in review in the place of a validator's.
func (v *Voyage) decideReview(ctx context.Context, t *tasks.State, r api.DecideRequest) error {
	if t.HandIn.Commit != r.Work {
		return api.Refused("the work on task %s is not what you saw: look again with %s", t.ID, v.dir.Command("diff %s", t.ID))
	}
	_, release, err := v.seize(ctx, t)
	if err != nil {
		return err
	}
	defer release()
	if t.Approved() {
		return api.Refused("task %s is approved already, and is merged next", t.ID)
	}
	if !r.Approve {
		if t.Status == tasks.InProgress {
			v.addFence(facts.Fence{Task: t.ID, Ship: t.Owner, Epoch: t.Epoch, Why: "the captain has rejected the work"})
		}
		return v.sendBack(rights.Captain, t, fleet.Captain+edits.Because(r.Reason), true)
	}
	if t.Status == tasks.InProgress {
		if err := v.hinders.OrAway(t.ID, v.takeAway(rights.Captain, t, "", tasks.Requeue{Reason: "the captain has approved the work"})); err != nil {
			return err
		}
	}
	g, err := v.as(rights.Captain).ClaimReview(ctx, fleet.Captain, t.ID)
	if err == nil {
		err = v.as(rights.Captain).Approve(ctx, t.ID, fleet.Captain, g.Epoch, tasks.Review{
			Approved: true, By: fleet.Captain, At: time.Now().UTC().Round(time.Second), Reasoning: cmp.Or(clean.Bound(r.Reason, maxText), "approved by the captain"),
		})
	}
	var no *tasks.Refusal
	if errors.As(err, &no) {
		return api.Refused("%v", no)
	}
	return v.hinders.OrAway(t.ID, err)
}
