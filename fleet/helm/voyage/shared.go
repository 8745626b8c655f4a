package voyage

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/retry"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/redislog"
)

// openShared opens tasks that other hubs share. Redis need not answer: the store has what the journal has until it does. What the journal
// has lost comes back from Redis. A voyage whose sinking has removed what opens Redis has the journal alone.
func (v *Voyage) openShared() (err error) {
	v.redis, err = v.info.Shared.Log(v.dir)
	if errors.Is(err, fs.ErrNotExist) && v.fleet.Phase == fleet.Sinking {
		v.store, err = dirstore.Open(v.dir.TasksDir(), v.journal, v.tampered)
		return err
	}
	if err != nil {
		return err
	}
	v.store, err = dirstore.OpenShared(v.dir.TasksDir(), v.journal, v.tampered, v.redis)
	return err
}

// checkShared fails while the hub has no part in the tasks that hubs share: nothing is handed out, merged or requeued then. Ships ask again
// until it has, so that no agent is blamed.
func (v *Voyage) checkShared() error {
	if h := v.redisTrouble(); !h.IsNone() {
		return blame.HubWaits(h.Why)
	}
	return nil
}

// checkHub fails while the hub can change no task. Ships ask again until it can.
func (v *Voyage) checkHub() error {
	if err := v.checkDisk(); err != nil {
		return err
	}
	return v.checkShared()
}

// redisTrouble is what keeps the hub from the tasks that hubs share.
func (v *Voyage) redisTrouble() fleet.Hindrance {
	since, why := v.store.Apart()
	if why == nil {
		return fleet.Hindrance{}
	}
	return fleet.Hindrance{Why: fmt.Sprintf("%s: %s", clean.Line(v.info.Shared.URL), clean.Bound(why.Error(), maxText)), Since: since}
}

// isOfRedis reports whether an error is that of a Redis in which hubs share the tasks.
func isOfRedis(err error) bool {
	return errors.Is(err, redislog.ErrUnreachable) || errors.Is(err, redislog.ErrLost) || errors.Is(err, redislog.ErrForged)
}

// leavesTasks reports whether a voyage that is being sunk ends without its tasks: Redis, which does not have them requeued, may be gone for good.
func (v *Voyage) leavesTasks(err error) bool {
	return isOfRedis(err) && reads(v, func() bool { return v.fleet.Phase == fleet.Sinking })
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
	if err := v.checkShared(); err != nil {
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
