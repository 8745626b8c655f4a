package voyage

import (
	"log/slog"
	"time"

	"ocaptain/fleet/guard"
	"ocaptain/fleet/helm/access"
	"ocaptain/fleet/helm/notify"
	"ocaptain/fleet/helm/trees"
	"ocaptain/fleet/mix"
)

// Common is what all voyages of a captain share.
type Common struct {
	*access.Access
	Log     *slog.Logger
	Trees   *trees.Trees
	Calls   *notify.Service
	Awake   func(now time.Time) time.Time           // returns since when the hub has been awake
	Clock   func() guard.Clock                      // returns how far this machine's clock can be trusted
	Orphans func() []string                         // returns the names of machines that no voyage has
	Plan    func(m mix.Mix, add func() error) error // calls add, which plans ships, if their providers allow that many machines
	Sunk    func(*Voyage)                           // is called when a voyage is sunk

	setupTime time.Duration                                // time limit of a repository's setup script, 0 for the default
	paceTicks func() (ticks <-chan time.Time, stop func()) // ticks at which helm looks at the progress of ships, nil for the default
}
