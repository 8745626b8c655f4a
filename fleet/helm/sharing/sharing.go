// Package sharing is a hub's part in a session that several hubs share: which work it may review and merge, what becomes of the tasks of hubs
// that are gone, and what it settles after a crash or when Redis has lost entries.
package sharing

import (
	"ocaptain/fleet/helm/claims"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/livetree"
	"ocaptain/fleet/helm/sharedwork"
	"ocaptain/tasks"
	"ocaptain/tasks/redislog"
)

// Options say what a Sharing needs from its voyage besides the Core.
type Options struct {
	*core.Core
	Claims *claims.Claims
	Redis  *redislog.Log                  // nil for a voyage of one hub, and for a session that is sunk without its secret
	Tree   *livetree.Tree                 // that hub and ships share
	Issues func() ([]*tasks.State, error) // the tasks that Beads has
}

// Sharing is the part of a hub in one session. The methods that are about reviews and merges also serve a voyage of one hub. Its methods are safe
// for concurrent use, except for SettleForgotten.
type Sharing struct {
	Options
	Refs *sharedwork.Work // unmerged work in the repository that hubs share

	forgot int // number of changes that Redis has forgotten and that SettleForgotten has handled
}

// New returns the part of this hub.
func New(o Options) *Sharing {
	s := &Sharing{Options: o}
	work := sharedwork.Options{Core: o.Core, Redis: o.Redis}
	if shared := o.Info.Shared; shared != nil && shared.Lease > 0 {
		work.Drafts = s.drafts
	}
	s.Refs = sharedwork.New(work)
	return s
}

// drafts calls draft for each claim of a ship whose tree is not in use.
func (s *Sharing) drafts(draft func(ship string, t *tasks.State)) {
	if s.Tree.IsShared() {
		return
	}
	for _, is := range s.Claims.Ships() {
		if !is.Busy.TryLock() {
			continue
		}
		if t := is.Held(); t != nil && !t.InReview() && s.Records.IsCheckedOut(t) {
			draft(is.Name, t)
		}
		is.Busy.Unlock()
	}
}
