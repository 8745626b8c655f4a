// Package core holds what all rooms of a voyage use: its tasks, branch, journal, ships and mail.
package core

import (
	"context"
	"log/slog"
	"sync/atomic"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/guard"
	"ocaptain/fleet/helm/actor"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/helm/hindrance"
	"ocaptain/fleet/helm/kept"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/notes"
	"ocaptain/fleet/helm/offers"
	"ocaptain/fleet/helm/post"
	"ocaptain/fleet/helm/proposals"
	"ocaptain/fleet/helm/records"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/roster"
	"ocaptain/fleet/helm/secrets"
	"ocaptain/fleet/helm/spending"
	"ocaptain/fleet/helm/steering"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/wake"
	"ocaptain/sync/gitflow/hub"
	"ocaptain/tasks/dirstore"
)

// Core is what the rooms of one voyage share. Its fields are set before the first room works, and each is safe for concurrent use.
type Core struct {
	Context context.Context // ends with helm
	Go      func(func())    // runs a goroutine that helm waits for
	Dir     fleet.Dir
	Info    fleet.Voyage
	Guards  fleet.Guards
	Kind    kind.Kind // decides what the rooms carry out
	Log     *slog.Logger

	Store     *dirstore.Store // the tasks; rooms change them through As
	Work      *hub.Hub        // the branch
	Files     kept.Files      // written whole
	Book      *book.Book      // writes records to the journal, except for those of the store
	Roster    *roster.Roster
	Hinders   *hindrance.Hindrances
	Spending  *spending.Spending
	Steering  *steering.Steering
	Proposals *proposals.Proposals
	Secrets   *secrets.Keeper // known to the voyage's agents
	Post      *post.Post
	Notes     *notes.Notes

	Records *records.Records
	Offers  offers.Offers

	News  wake.News          // is sent when tasks, phase or mail change
	Paint wake.Signal        // asks for a new board
	Clock func() guard.Clock // how far this machine's clock can be trusted

	view atomic.Pointer[kind.View] // view of the newest snapshot
}

// Look returns the kind's view of the newest snapshot.
func (c *Core) Look() *kind.View {
	all := c.Store.Snapshot()
	if is := c.view.Load(); is != nil && is.Seq == all.Seq {
		return is
	}
	is := c.Kind.Look(all)
	c.view.Store(is)
	return is
}

// GuardsNow returns the guards that can be judged with the present clock, and why some are left out, "" if none is.
func (c *Core) GuardsNow() (fleet.Guards, string) {
	clock := c.Clock()
	return guard.AsOf(c.Guards, clock), guard.ClockDoubt(c.Guards, clock)
}

// As returns the Actor that changes tasks on behalf of by, as far as by has the right to. Rooms change tasks only
// through it.
func (c *Core) As(by rights.Actor) actor.Actor { return actor.New(c.Store, c.Log, by) }

// AddEvent adds a record to the journal and waits until it is there. The caller must not hold a lock that others wait
// for; under such a lock, add the record to Book.
func (c *Core) AddEvent(kind string, data any) { _ = c.Book.Add(kind, data).Wait() }

// ErrEnds makes a ship repeat its request to the next helm, so that its agent gets no refusal.
var ErrEnds = &wire.Error{Code: proto.CodeAway, Text: "helm is being restarted"}
