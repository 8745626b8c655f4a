package voyage

import (
	"errors"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/retry"
	"ocaptain/sync"
)

// How often helm looks whether the hub's repository is free again.
const (
	firstLook = 500 * time.Millisecond
	mostLook  = 15 * time.Second
)

// checkRepository fails while something keeps helm from merging in the hub's repository, such as a lock or the captain in the middle
// of a merge. Ships ask again until that is over, so that no agent is blamed.
func (v *Voyage) checkRepository() error {
	return reads(v, func() error { return v.freeLocked() })
}

func (v *Voyage) freeLocked() error {
	if v.hinders.Repository.IsNone() {
		return nil
	}
	return blame.HubWaits(v.hinders.Repository.Why)
}

// holdMerges holds all merges back until what hinders them is over, and returns that ships shall ask again.
func (v *Voyage) holdMerges(why string) error {
	return reads(v, func() error {
		if v.hinders.Repository.IsNone() {
			v.hinders.Repository.Set(time.Now(), why)
			v.addNote(fleet.Note{Text: fmt.Sprintf("nothing is merged: %s; it goes on by itself", why)})
			v.news.Send()
			v.jobs.Go(v.untilFree)
		}
		return v.freeLocked()
	})
}

// isInTheWay notes what of the captain's keeps the work on a task from the branch, "" for nothing. It is told when it begins.
func (v *Voyage) isInTheWay(task, why string) {
	changes(v, func() {
		if why == "" {
			if v.hinders.Unblock(task) {
				v.requestBoard()
			}
			return
		}
		if v.hinders.Block(time.Now(), task, why) {
			v.addNote(fleet.Note{Task: task, Text: "its work waits: " + why})
		}
		v.requestBoard()
	})
}

// retryIn returns how long it is until blocked work may be tried again, 0 if it is not blocked.
func (v *Voyage) retryIn(task string) time.Duration {
	return reads(v, func() time.Duration { return v.hinders.RetryIn(time.Now(), task) })
}

// untilFree looks again and again whether merges can go on.
func (v *Voyage) untilFree() {
	for pause := firstLook; retry.Sleep(v.ctx, pause) == nil; pause = min(2*pause, mostLook) {
		if v.work.Free(v.ctx) != nil {
			continue
		}
		if _, err := v.verifyScript(); errors.As(err, new(*sync.Hindered)) {
			continue
		}
		changes(v, func() {
			v.hinders.Repository = fleet.Hindrance{}
			v.addNote(fleet.Note{Text: "nothing hinders merges any more, and they go on"})
			v.news.Send()
		})
		return
	}
}
