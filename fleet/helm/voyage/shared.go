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
	v.redis, err = v.Info.Shared.Log(v.Dir)
	if errors.Is(err, fs.ErrNotExist) && v.Roster.Now().Phase == fleet.Sinking {
		v.Store, err = dirstore.Open(v.Dir.TasksDir(), v.journal, v.tampered)
		return err
	}
	if err != nil {
		return err
	}
	v.Store, err = dirstore.OpenShared(v.Dir.TasksDir(), v.journal, v.tampered, v.redis, v.Info.Shared.Hub)
	return err
}

// upstream returns the repository where other hubs bring their work to the branch.
func (v *Voyage) upstream() upstream.Options {
	if v.Info.Shared == nil || v.Info.Shared.Remote == "" {
		return upstream.Options{}
	}
	var opens fleet.Admission
	if err := fleet.Load(v.Dir.Admission(), &opens); err != nil {
		v.Log.Warn("what opens the repository that hubs share", "error", err)
	}
	return upstream.Options{Source: v.Info.Shared.Remote, Token: opens.Token}
}

// isOwn reports whether a task is in the hands of this hub: a ship of its has it, had it last, or has handed in the work.
func (v *Voyage) isOwn(t *tasks.State) bool {
	return hubs.Of(t) == v.Info.HubNumber()
}

// leavesTasks reports whether a voyage that is being sunk ends without its tasks: Redis, which does not have them requeued, may be gone for good.
func (v *Voyage) leavesTasks(err error) bool {
	return hindrance.IsOfRedis(err) && v.Roster.Now().Phase == fleet.Sinking
}

// settleShared settles what a crash left open, once Redis answers.
func (v *Voyage) settleShared() {
	for pause := time.Second; ; pause = min(2*pause, time.Minute) {
		err := v.settleCrash()
		if err == nil {
			return
		}
		v.Log.Error("settle", "error", err)
		if retry.Sleep(v.Context, pause) != nil {
			return
		}
	}
}

// settleForgotten settles what follows when Redis has forgotten what this hub did last, and other hubs have gone on without it. Only
// followStore calls it.
func (v *Voyage) settleForgotten() {
	n := v.Store.Forgot() - v.forgot
	if n == 0 {
		return
	}
	v.forgot += n
	v.Notes.Tell(fmt.Sprintf("Redis has forgotten the last %d changes of this hub's, and other hubs have gone on without them: it is to save every write (appendfsync always)", n))
	v.Go(v.settleShared)
}

// settleCrash settles what a crash of this hub left open of its claims, merges and reverts.
func (v *Voyage) settleCrash() error {
	if err := v.Hinders.CheckRedis(); err != nil {
		return err
	}
	if err := v.Work.Refresh(v.Context); err != nil {
		return v.Hinders.OrAway("", err)
	}
	v.claims.NameDropped()
	history, err := v.claims.History()
	if err != nil {
		return err
	}
	if err := v.claims.ReopenReverted(kind.Reverted(v.Info.SessionID(), history)); err != nil {
		return err
	}
	return v.claims.Settle()
}
