package captain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/edits"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/hubs"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
)

// Decide carries out the captain's decision on a plan, on work in review, or on work that steers agents. It counts only for the work that he
// saw.
func (c *Captain) Decide(ctx context.Context, r api.DecideRequest) error {
	t := c.Store.Snapshot().Task(r.Task)
	switch {
	case t == nil:
		return api.NotFound("%v", &tasks.Refusal{Why: tasks.Unknown, Task: r.Task})
	case t.Proposed > 0:
		return c.decidePlan(t, r)
	case t.InReview():
		return c.decideReview(ctx, t, r)
	}
	if err := c.deciding.Lock(ctx); err != nil {
		return err
	}
	defer c.deciding.Unlock()
	is, err := c.Steering.Decide(t, r)
	if err == nil {
		c.Notes.Add(fleet.Note{Ship: is.Ship, Task: t.ID, Text: fmt.Sprintf("%s by the captain: %s", is.Word, is.FilesText())})
	}
	return err
}

// decidePlan adds the tasks of the plan's file as it is now, if the captain approves it. Otherwise the epic is planned
// again.
func (c *Captain) decidePlan(t *tasks.State, r api.DecideRequest) error {
	if !r.Approve {
		back := tasks.Requeue{Task: t.ID, Reason: "the captain rejected the plan" + edits.Because(r.Reason)}
		return c.Hinders.OrAway(t.ID, c.As(rights.Captain).Requeue(c.Context, back))
	}
	raw, err := os.ReadFile(c.Dir.Plan(t.ID))
	if err != nil {
		return api.Refused("the plan of task %s: %v: have it planned again with %s", t.ID, err, c.Dir.Command("reject %s", t.ID))
	}
	parts, err := tasks.Breakdown(raw, t)
	if err != nil {
		return api.Refused("%s: %v", c.Dir.Plan(t.ID), err)
	}
	if _, err := c.As(rights.Captain).Add(c.Context, parts); err != nil {
		return c.Hinders.OrAway(t.ID, err)
	}
	return c.Hinders.OrAway("", c.Coordinate())
}

// decideReview lets the captain decide on work in review in the place of a validator.
func (c *Captain) decideReview(ctx context.Context, t *tasks.State, r api.DecideRequest) error {
	if t.HandIn.Commit != r.Work {
		return api.Refused("the work on task %s is not what you saw: look again with %s", t.ID, c.Dir.Command("diff %s", t.ID))
	}
	if t.Approved() {
		if err := hubs.CheckOwn(c.Info.HubNumber(), t); err != nil {
			return err // another hub may be merging the work
		}
	}
	_, release, err := c.Claims.Seize(ctx, t)
	if err != nil {
		return err
	}
	defer release()
	if t.Approved() {
		return api.Refused("task %s is approved already, and is merged next", t.ID)
	}
	if !r.Approve {
		if t.Status == tasks.InProgress {
			c.Records.Fence(facts.Fence{Task: t.ID, Ship: t.Owner, Epoch: t.Epoch, Why: "the captain has rejected the work"})
		}
		return c.Review.SendBack(rights.Captain, t, fleet.Captain+edits.Because(r.Reason), true)
	}
	if t.Status == tasks.InProgress {
		if err := c.Hinders.OrAway(t.ID, c.Claims.Revoke(rights.Captain, t, "", tasks.Requeue{Reason: "the captain has approved the work"})); err != nil {
			return err
		}
	}
	g, err := c.As(rights.Captain).ClaimReview(ctx, fleet.Captain, t.ID)
	if err == nil {
		err = c.As(rights.Captain).Approve(ctx, t.ID, fleet.Captain, g.Epoch, tasks.Review{
			Approved: true, By: fleet.Captain, At: time.Now().UTC().Round(time.Second), Reasoning: cmp.Or(clean.Bound(r.Reason, clean.MaxText), "approved by the captain"),
		})
	}
	var no *tasks.Refusal
	if errors.As(err, &no) {
		return api.Refused("%v", no)
	}
	return c.Hinders.OrAway(t.ID, err)
}
