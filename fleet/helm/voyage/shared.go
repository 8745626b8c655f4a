package voyage

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/hindrance"
	"ocaptain/fleet/helm/hubs"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/retry"
	"ocaptain/sync/gitflow/upstream"
	"ocaptain/tasks"
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
	v.store, err = dirstore.OpenShared(v.dir.TasksDir(), v.journal, v.tampered, v.redis, v.info.Shared.Hub)
	return err
}

// upstream returns the repository where other hubs bring their work to the branch.
func (v *Voyage) upstream() upstream.Options {
	if v.info.Shared == nil || v.info.Shared.Remote == "" {
		return upstream.Options{}
	}
	var opens fleet.Admission
	if err := fleet.Load(v.dir.Admission(), &opens); err != nil {
		v.log.Warn("what opens the repository that hubs share", "error", err)
	}
	return upstream.Options{Source: v.info.Shared.Remote, Token: opens.Token}
}

// isOwn reports whether a task is in the hands of this hub: a ship of its has it, had it last, or has handed in the work.
func (v *Voyage) isOwn(t *tasks.State) bool {
	return hubs.Of(t) == v.info.HubNumber()
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

// settleForgotten settles what follows when Redis has forgotten what this hub did last, and other hubs have gone on without it. Only
// followStore calls it.
func (v *Voyage) settleForgotten() {
	n := v.store.Forgot() - v.forgot
	if n == 0 {
		return
	}
	v.forgot += n
	v.notes.Tell(fmt.Sprintf("Redis has forgotten the last %d changes of this hub's, and other hubs have gone on without them: it is to save every write (appendfsync always)", n))
	v.jobs.Go(v.settleShared)
}

// settleCrash settles what a crash of this hub left open of its claims, merges and reverts.
func (v *Voyage) settleCrash() error {
	if err := v.hinders.CheckRedis(); err != nil {
		return err
	}
	if err := v.work.Refresh(v.ctx); err != nil {
		return v.hinders.OrAway("", err)
	}
	history, err := v.history()
	if err != nil {
		return err
	}
	if err := v.reopenReverted(kind.Reverted(v.info.SessionID(), history)); err != nil {
		return err
	}
	return v.settle()
}
