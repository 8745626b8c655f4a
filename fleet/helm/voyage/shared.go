package voyage

import (
	"errors"
	"io/fs"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/hindrance"
	"ocaptain/fleet/summed"
	"ocaptain/sync/gitflow/upstream"
	"ocaptain/tasks/dirstore"
)

// openShared opens tasks that other hubs share. Until Redis answers, the store has what the journal has; then it has what the journal has lost,
// too. A voyage that is being sunk and has removed the secret of Redis has the journal alone.
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

// upstream returns the repository to which all hubs push the branch.
func (v *Voyage) upstream() upstream.Options {
	if v.Info.Shared == nil || v.Info.Shared.Remote == "" {
		return upstream.Options{}
	}
	var opens fleet.Admission
	if err := summed.Read(v.Dir.Admission(), &opens); err != nil {
		v.Log.Warn("what opens the repository that hubs share", "error", err)
	}
	return upstream.Options{Source: v.Info.Shared.Remote, Token: opens.Token}
}

// leavesTasks reports whether a voyage is sunk although its tasks cannot be requeued: Redis may be gone for good.
func (v *Voyage) leavesTasks(err error) bool {
	return hindrance.IsOfRedis(err) && v.Roster.Now().Phase == fleet.Sinking
}
