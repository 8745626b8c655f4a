// Package verify runs a voyage's verify.sh on a ship: when all tasks are done, when the captain asks for it, and on work in review.
package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/retry"
	tree "ocaptain/sync"
	"ocaptain/tasks"
)

// Verifier runs the verify.sh of one voyage. Its methods are safe for concurrent use.
type Verifier struct {
	*core.Core
	ship func(name string) *ship.Ship

	mu     sync.Mutex
	orders fleet.Orders // as the captain last agreed to them
	runs   int          // that are under way
}

// New returns a Verifier. ship returns a ship that has a machine, nil for none.
func New(c *core.Core, orders fleet.Orders, ship func(name string) *ship.Ship) *Verifier {
	return &Verifier{Core: c, ship: ship, orders: orders}
}

// Orders returns the plan's files as the captain last agreed to them.
func (v *Verifier) Orders() fleet.Orders {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.orders
}

// Script returns the plan's verify.sh. When it was changed, all work has to wait, and no task counts as failed.
func (v *Verifier) Script() ([]byte, error) {
	raw, err := v.Orders().Read(v.Dir, v.Dir.VerifyFile())
	var changed *fleet.ChangedError
	if errors.As(err, &changed) {
		return nil, &tree.Hindered{Why: changed.Error(), Err: changed}
	}
	return raw, err
}

// accept takes the orders as they are now, and tells the captain which.
func (v *Verifier) accept() error {
	now, err := v.Dir.ReadOrders()
	if err != nil {
		return err
	}
	if _, err := os.Stat(v.Dir.VerifyFile()); err != nil {
		return api.Refused("%s cannot be accepted: %v", v.Dir.VerifyFile(), err)
	}
	v.mu.Lock()
	was := v.orders
	v.orders = now
	written := v.Book.Add(fleet.KindOrders, now)
	v.mu.Unlock()
	for name := range now {
		if now[name] != was[name] {
			v.Notes.Add(fleet.Note{Text: name + " is used as the captain has changed it"})
		}
	}
	for name := range was {
		if _, has := now[name]; !has {
			v.Notes.Add(fleet.Note{Text: name + " is not used any more: the captain has removed it"})
		}
	}
	_ = written.Wait()
	return nil
}

// Restate adds the orders to the journal again, which has lost them.
func (v *Verifier) Restate() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.Book.Add(fleet.KindOrders, v.orders)
}

// Runs reports whether a verification is under way.
func (v *Verifier) Runs() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.runs > 0
}

// Progressed changes the voyage's phase when its tasks call for that.
func (v *Verifier) Progressed() {
	next := func(p fleet.Phase) fleet.Phase { return v.Kind.Next(p, v.Store.Snapshot(), nil).Phase }
	if now := v.Roster.Now().Phase; next(now) != now {
		v.Roster.ChangeAnyway(func(f *fleet.Fleet) { f.Phase = next(f.Phase) })
	}
}

// Run verifies the voyage whenever all its tasks are done. It tries until a ship can.
func (v *Verifier) Run() {
	pauses := retry.Doubling(time.Second, time.Minute)
	for v.Context.Err() == nil {
		news := v.News.Next()
		if v.Roster.Now().Phase != fleet.Verifying {
			pauses.Reset()
			select {
			case <-news:
			case <-v.Context.Done():
			}
			continue
		}
		result, err := v.run(v.Context, nil)
		if err == nil {
			err = v.follow(result)
			pauses.Reset()
		}
		v.Hinders.SetVerify(err)
		if err == nil || v.Context.Err() != nil {
			continue
		}
		v.Notes.Add(fleet.Note{Text: "verification could not run: " + clean.Bound(err.Error(), clean.MaxText)})
		_ = retry.Sleep(v.Context, pauses.NextBackOff())
	}
}

// follow carries out what follows from a run of verify.sh.
func (v *Verifier) follow(r fleet.Verify) error {
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
	v.Progressed() // sails again
	return nil
}

// conclude records a run of verify.sh, and returns the task that is to mend what failed, nil for none.
func (v *Verifier) conclude(r kind.Result) (fix *tasks.Task, err error) {
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

// Now runs verify.sh at the captain's word, whatever the phase.
func (v *Verifier) Now(ctx context.Context, r api.VerifyRequest, report func(api.Progress)) error {
	if v.Info.Kind.TakesDispatches() {
		return api.Refused("%s is a pool, and has no verify.sh", v.Info.Name)
	}
	if r.Accept {
		if err := v.accept(); err != nil {
			return err
		}
	}
	is, err := v.run(ctx, report)
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

// run runs the hub's own verify.sh on a ship, in a clean checkout of the branch.
func (v *Verifier) run(ctx context.Context, report func(api.Progress)) (fleet.Verify, error) {
	ctx, cancel := context.WithTimeout(ctx, ship.VerifyTime+2*ship.TreeTime)
	defer cancel()
	script, err := v.Script()
	if err != nil {
		return fleet.Verify{}, err
	}
	head, err := v.Work.Head(ctx)
	if err != nil {
		return fleet.Verify{}, err
	}
	s := v.choose()
	if s == nil {
		return fleet.Verify{}, api.Refused("no ship can be reached to verify on")
	}
	if err := s.Lock(ctx); err != nil {
		return fleet.Verify{}, err
	}
	defer s.Busy.Unlock()
	s.Change(func(is *ship.State) { is.Quit = cancel })
	v.count(1)
	defer v.count(-1)
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

func (v *Verifier) count(runs int) {
	v.mu.Lock()
	v.runs += runs
	v.mu.Unlock()
	v.Paint.Send()
}

// choose returns a ship that can be reached, nil for none. It prefers ships without trouble of their own, and among these ships without a task.
func (v *Verifier) choose() (best *ship.Ship) {
	snap := v.Store.Snapshot()
	lack := 4
	for _, f := range v.Roster.Now().Ships {
		s := v.ship(f.Name)
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
}
