package voyage

import (
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/issues"
)

// newIssues returns what keeps the tasks as issues of Beads, where the captain wants that.
func (v *Voyage) newIssues() *issues.Issues {
	return issues.New(issues.Options{
		Dir: v.dir, Info: &v.info, Store: v.store, Hub: v.work, Log: v.log, Redact: v.secrets.Redact,
		IsDone: v.kind.IsDone, Moved: v.headMoved, Tell: v.tell, Propose: v.propose, IsTold: blame.IsAway,
		Judge: func(err error) error { return v.orAway("", err) },
		IsOver: func() bool {
			return reads(v, func() bool { return v.fleet.Phase == fleet.Sinking || v.fleet.Phase == fleet.Sunk })
		},
		News: &v.news,
		Unread: func(why string) {
			changes(v, func() {
				v.hinders.Unread.Set(time.Now(), why)
				v.requestBoard()
			})
		},
	})
}
