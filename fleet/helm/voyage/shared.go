package voyage

import (
	"errors"
	"io/fs"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/hindrance"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/retry"
	"ocaptain/tasks/dirstore"
)

// openShared opens tasks that other hubs share. Redis need not answer: the store has what the journal has until it does. What the journal
// has lost comes back from Redis. A voyage whose sinking has removed what opens Redis has the journal alone.
func (v *Voyage) openShared() (err error) {
	v.redis, err = v.info.Shared.Log(v.dir)
	if errors.Is(err, fs.ErrNotExist) && v.roster.Now().Phase == fleet.Sinking {
		v.store, err = dirstore.Open(v.dir.TasksDir(), v.journal, v.tampered)
		return err
	}
	if err != nil {
		return err
	}
	v.store, err = dirstore.OpenShared(v.dir.TasksDir(), v.journal, v.tampered, v.redis)
	return err
}

// leavesTasks reports whether a voyage that is being sunk ends without its tasks: Redis, which does not have them requeued, may be gone for good.
func (v *Voyage) leavesTasks(err error) bool {
	return hindrance.IsOfRedis(err) && v.roster.Now().Phase == fleet.Sinking
}

// settleShared settles what a crash left open, once Redis answers.
func (v *Voyage) settleShared() {
	for pause := time.Second; ; pause = min(2*pause, time.Minute) {
		err := v.settleCrash()
		if err == nil {
			return
		}
		v.log.Error("settle", "error", err)
		if retry.Sleep(v.ctx, pause) != nil {
			return
		}
	}
}

// settleCrash settles what a crash of this hub left open of its claims, merges and reverts.
func (v *Voyage) settleCrash() error {
	if err := v.hinders.CheckRedis(); err != nil {
		return err
	}
	history, err := v.history()
	if err != nil {
		return err
	}
	if err := v.reopenReverted(kind.Reverted(v.dir.ID(), history)); err != nil {
		return err
	}
	return v.settle()
}
