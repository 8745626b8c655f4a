package voyage

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// progressed looks whether the phase must change because of the tasks.
func (v *Voyage) progressed() {
	next := func(p fleet.Phase) fleet.Phase { return v.Kind.Next(p, v.Store.Snapshot(), nil).Phase }
	if now := v.Roster.Now().Phase; next(now) != now {
		v.Roster.ChangeAnyway(func(f *fleet.Fleet) { f.Phase = next(f.Phase) })
	}
}

// verifier verifies the voyage whenever all its tasks are done, trying until a ship can.
func (v *Voyage) verifier() {
	pauses := retry.Doubling(time.Second, time.Minute)
	for v.Context.Err() == nil {
		news := v.News.Next()
		wanted := v.Roster.Now().Phase == fleet.Verifying
		if !wanted {
			pauses.Reset()
			select {
			case <-news:
			case <-v.Context.Done():
			}
			continue
		}
		result, err := v.verify(v.Context, nil)
		if err == nil {
			err = v.verified(result)
			pauses.Reset()
		}
		v.Hinders.SetVerify(err)
		if err == nil || v.Context.Err() != nil {
			continue
		}
		v.Notes.Add(fleet.Note{Text: "verification could not run: " + clean.Bound(err.Error(), maxText)})
		_ = retry.Sleep(v.Context, pauses.NextBackOff())
	}
}

// verified carries out what follows from a run of verify.sh.
func (v *Voyage) verified(r fleet.Verify) error {
	v.AddEvent(facts.KindVerified, r)
	head, err := v.Work.Head(v.Context)
	if err != nil {
		return err
	}
	fix, err := v.conclude(kind.Result{Verify: r, Head: head})
	if err != nil {
		v.Log.Error("fleet.json", "error", err)
	}
	if fix == nil {
		return nil
	}
	if _, err = v.As(rights.Clock).Add(v.Context, []tasks.Task{*fix}); err != nil {
		return err
	}
	v.progressed() // sails again
	return nil
}

// conclude takes down a run of verify.sh, and returns the task that is to mend what failed, nil for none.
func (v *Voyage) conclude(r kind.Result) (fix *tasks.Task, err error) {
	err = v.Roster.Change(func(f *fleet.Fleet) {
		r.Runs, r.Fixes = f.Verify.Runs+1, f.Verify.Fixes
		next := v.Kind.Next(f.Phase, v.Store.Snapshot(), &r)
		if fix = next.Fix; fix != nil {
			r.Fixes++ // before the task: a crash in between costs a fix, not an endless loop
		}
		f.Phase, f.Verify = next.Phase, r.Verify
	})
	return fix, err
}

// VerifyNow runs verify.sh at the captain's word, whatever the phase.
func (v *Voyage) VerifyNow(ctx context.Context, r api.VerifyRequest, report func(api.Progress)) error {
	if v.Info.Kind.TakesDispatches() {
		return api.Refused("%s is a pool, and has no verify.sh", v.Info.Name)
	}
	if r.Accept {
		if err := v.acceptOrders(); err != nil {
			return err
		}
	}
	is, err := v.verify(ctx, report)
	if err != nil {
		return err
	}
	head, err := v.Work.Head(ctx)
	if err != nil {
		return err
	}
	if _, err := v.conclude(kind.Result{Verify: is, Head: head, Asked: true}); err != nil {
		return err
	}
	phase := v.Roster.Now().Phase
	switch {
	case !is.Passed:
		return fmt.Errorf("verify.sh failed at %.12s on %s", is.Commit, is.Ship)
	case phase == fleet.VerifyFailed:
		return fmt.Errorf("verify.sh passed at %.12s on %s, but the branch is at %.12s since: verify again", is.Commit, is.Ship, head)
	}
	return nil
}

// verify runs the hub's own verify.sh on a ship, in a clean checkout of the branch.
func (v *Voyage) verify(ctx context.Context, report func(api.Progress)) (fleet.Verify, error) {
	ctx, cancel := context.WithTimeout(ctx, ship.VerifyTime+2*ship.TreeTime)
	defer cancel()
	script, err := v.verifyScript()
	if err != nil {
		return fleet.Verify{}, err
	}
	head, err := v.Work.Head(ctx)
	if err != nil {
		return fleet.Verify{}, err
	}
	s := v.connected()
	if s == nil {
		return fleet.Verify{}, api.Refused("no ship can be reached to verify on")
	}
	if err := s.Lock(ctx); err != nil {
		return fleet.Verify{}, err
	}
	defer s.Busy.Unlock()
	s.Change(func(is *ship.State) { is.Quit = cancel })
	changes(v, func() { v.runs++ })
	v.requestBoard()
	defer func() { changes(v, func() { v.runs-- }) }()
	if report != nil {
		report(api.Progress{Ship: s.Name, Step: "verify", State: api.StepStarted, Text: "commit " + head})
	}
	result, err := s.RunVerify(ctx, head, script)
	if report != nil && err == nil {
		for line := range strings.Lines(result.Output) {
			report(api.Progress{Ship: s.Name, Step: "verify", State: api.StepNote, Text: strings.TrimRight(line, "\n")})
		}
	}
	return result, err
}

// connected returns a ship that can be reached, one without trouble of its own and not at work if possible.
func (v *Voyage) connected() *Ship {
	snap := v.Store.Snapshot()
	return reads(v, func() *Ship {
		var best *Ship
		lack := 4
		for _, f := range v.Roster.Now().Ships {
			s := v.ships[f.Name]
			if s == nil || !s.Reach.IsConnected() {
				continue
			}
			now := 0
			if s.State().Trouble.Why != "" {
				now = 2
			}
			if snap.Held(s.Name) != nil {
				now++
			}
			if now < lack {
				best, lack = s, now
			}
		}
		return best
	})
}
