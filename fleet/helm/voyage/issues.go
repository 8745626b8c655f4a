package voyage

import (
	"ocaptain/fleet"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/issues"
)

// newIssues returns what keeps the tasks as issues of Beads, where the captain wants that.
func (v *Voyage) newIssues() *issues.Issues {
	return issues.New(issues.Options{
		Dir: v.dir, Info: &v.info, Store: v.store, Hub: v.work, Log: v.log, Redact: v.secrets.Redact,
		IsDone: v.kind.IsDone, Moved: v.headMoved, Tell: v.notes.Tell, Propose: v.propose, IsTold: blame.IsAway,
		Judge: func(err error) error { return v.hinders.OrAway("", err) },
		IsOver: func() bool {
			return v.roster.Now().Phase == fleet.Sinking || v.roster.Now().Phase == fleet.Sunk
		},
		News:   &v.news,
		Unread: v.hinders.SetUnread,
	})
}
