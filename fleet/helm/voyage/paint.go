package voyage

import (
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/watchman"
	"ocaptain/fleet/resolve"
	"ocaptain/tasks"
)

// paintBoard returns the board at a time, from what helm remembers, the tasks, and since when the hub has been awake. It depends on nothing
// else. The caller holds v.mu.
func (v *Voyage) paintBoard(now, awake time.Time, snap tasks.Snapshot, view *kind.View) fleet.Board {
	all := v.Roster.Now()
	b := fleet.Board{
		At: now, Voyage: v.Info, Phase: all.Phase, Since: all.Since,
		Verify: all.Verify, Head: v.claims.Head(), Problems: snap.Problems,
		Bill: v.Guards.AddUp(now, all), Guard: v.watchman.Why(""),
		AwakeAt: awake, Proposals: v.Proposals.Waiting(),
		Ships: []fleet.ShipView{}, Tasks: make([]tasks.State, 0, len(snap.Tasks)),
	}
	merged := map[string]int{}
	for _, t := range snap.Tasks {
		if t.Internal() {
			continue
		}
		b.Tasks = append(b.Tasks, *t)
		if t.Status == tasks.Completed {
			merged[t.Owner]++
		}
	}
	v.Spending.Show(&b)
	if v.Hinders.Show(&b); v.Verifier.Runs() {
		b.Unverified = fleet.Hindrance{}
	}
	v.Steering.Show(&b)
	done := v.Kind.IsDone(snap)
	for _, f := range all.Ships {
		ship, known := v.paintShip(now, f, view)
		ship.Completed = merged[f.Name]
		known.AllDone, known.AwakeAt = done, awake
		ship.Status = resolve.Status(now, known)
		b.Ships = append(b.Ships, ship)
	}
	return b
}

// paintShip returns what the board shows of a ship, and what its status is resolved from. The caller holds v.mu.
func (v *Voyage) paintShip(now time.Time, f *fleet.Ship, view *kind.View) (fleet.ShipView, resolve.Known) {
	held := view.Held(f.Name)
	ship := fleet.ShipView{Ship: *f, Charge: fleet.Charge{Costs: watchman.HasCosts(v.Guards, f), Price: v.Guards.Prices[f.Provider], Guard: v.watchman.Why(f.Name)}}
	known := resolve.Known{Ship: *f, Paused: v.Spending.PausedShip(f.Name, now)}
	if s := v.ships[f.Name]; s != nil {
		known = s.knownNow(f)
		s.paint(now, held, view, &ship, &known)
	}
	if held != nil {
		ship.Task = held.ID
		known.Held, known.HeldAt = held.ID, held.ClaimedAt
	}
	v.Spending.ShowShip(now, held, v.Info.MaxTurns(f.Role), &ship)
	known.Awaits, known.Quiet = v.Fit.Paces.Of(f.Name)
	return ship, known
}

// paint adds what helm remembers of a ship that has a machine. held is its task, nil for none. The caller holds v.mu.
func (s *Ship) paint(now time.Time, held *tasks.State, view *kind.View, ship *fleet.ShipView, known *resolve.Known) {
	if !s.Agent.Turns { // other agents try by themselves
		known.TryAt, known.Tries, known.TryBy = s.v.limits.Standing(&s.limit)
	}
	is, neglected := s.idleNow(now, view)
	known.FreeAt, known.Ready, known.ReadyAt = is.Free, neglected, is.Neglects
	if held != nil {
		claim, refusals := tasks.ClaimID(held.ID, held.Epoch), s.State().Refusals
		known.Veto = refusals.VetoOf(claim)
		ship.Clash, _ = refusals.ClashOf(claim)
		if is := s.v.Steering.Waiting(held); is != nil {
			known.Asks, known.AsksAt = "you approve or reject changes of files that steer agents: "+is.FilesText(), is.At
		}
		work := s.v.Dispatcher.Watch.Of(s.Name)
		ship.Committed, ship.Nudges = work.Since, work.Nudges
	}
	ship.Refused = s.v.limits.RefusedSince(&s.limit, now)
	ship.Via, ship.UsualGap = s.Reach.Way()
	ship.Index = s.known.Pulse.Index
	ship.State, ship.Conflicts = s.known.State, s.v.Records.Conflicts(s.Name)
	tree := s.Copies.Now()
	ship.Live, ship.Unmerged, ship.Copied, ship.Uncopied = tree.Live, tree.Unmerged, tree.Copied, tree.Uncopied
	ship.Ignored, _ = s.Ignores.Known()
	ship.Slowed, ship.SlowedAt = s.State().Budgets.Slowed(now)
	ship.Tree = s.v.Tree.Of(s.Name)
}
