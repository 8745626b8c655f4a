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
	runs   int          // number of runs under way
}

// New returns a Verifier. ship returns a ship that has a machine, nil for none.
func New(c *core.Core, orders fleet.Orders, ship func(name string) *ship.Ship) *Verifier {
	return &Verifier{Core: c, ship: ship, orders: orders}
}

// Orders returns the plan's files as the captain last agreed to them.
func (vr *Verifier) Orders() fleet.Orders {
	vr.mu.Lock()
	defer vr.mu.Unlock()
	return vr.orders
}

// Script returns the plan's verify.sh. When it was changed, all work has to wait, and no task counts as failed.
func (vr *Verifier) Script() ([]byte, error) {
	raw, err := vr.Orders().Read(vr.Dir, vr.Dir.VerifyFile())
	var changed *fleet.ChangedError
	if errors.As(err, &changed) {
		return nil, &tree.Hindered{Why: changed.Error(), Err: changed}
	}
	return raw, err
}

// accept takes the orders as they are now, and tells the captain which files have changed.
func (vr *Verifier) accept() error {
	now, err := vr.Dir.ReadOrders()
	if err != nil {
		return err
	}
	if _, err := os.Stat(vr.Dir.VerifyFile()); err != nil {
		return api.Refused("%s cannot be accepted: %v", vr.Dir.VerifyFile(), err)
	}
	vr.mu.Lock()
	was := vr.orders
	vr.orders = now
	written := vr.Book.Add(fleet.KindOrders, now)
	vr.mu.Unlock()
	for name := range now {
		if now[name] != was[name] {
			vr.Notes.Add(fleet.Note{Text: name + " is used as the captain has changed it"})
		}
	}
	for name := range was {
		if _, has := now[name]; !has {
			vr.Notes.Add(fleet.Note{Text: name + " is not used any more: the captain has removed it"})
		}
	}
	_ = written.Wait()
	return nil
}

// Restate adds the orders to the journal again, which has lost them.
func (vr *Verifier) Restate() {
	vr.mu.Lock()
	defer vr.mu.Unlock()
	vr.Book.Add(fleet.KindOrders, vr.orders)
}

// Runs reports whether a verification is under way.
func (vr *Verifier) Runs() bool {
	vr.mu.Lock()
	defer vr.mu.Unlock()
	return vr.runs > 0
}

// Progressed changes the voyage's phase when its tasks call for that.
func (vr *Verifier) Progressed() {
	next := func(p fleet.Phase) fleet.Phase { return vr.Kind.Next(p, vr.Store.Snapshot(), nil).Phase }
	if now := vr.Roster.Now().Phase; next(now) != now {
		vr.Roster.ChangeAnyway(func(f *fleet.Fleet) { f.Phase = next(f.Phase) })
	}
}

// Run verifies the voyage whenever all its tasks are done. It tries until a ship can.
func (vr *Verifier) Run() {
	pauses := retry.Doubling(time.Second, time.Minute)
	for vr.Context.Err() == nil {
		news := vr.News.Next()
		if vr.Roster.Now().Phase != fleet.Verifying {
			pauses.Reset()
			select {
			case <-news:
			case <-vr.Context.Done():
			}
			continue
		}
		result, err := vr.run(vr.Context, nil)
		if err == nil {
			err = vr.follow(result)
			pauses.Reset()
		}
		vr.Hinders.SetVerify(err)
		if err == nil || vr.Context.Err() != nil {
			continue
		}
		vr.Notes.Add(fleet.Note{Text: "verification could not run: " + clean.Bound(err.Error(), clean.MaxText)})
		_ = retry.Sleep(vr.Context, pauses.NextBackOff())
	}
}

// follow carries out what follows from a run of verify.sh.
func (vr *Verifier) follow(r fleet.Verify) error {
	vr.AddEvent(facts.KindVerified, r)
	head, err := vr.Work.Head(vr.Context)
	if err != nil {
		return err
	}
	fix, err := vr.conclude(kind.Result{Verify: r, Head: head})
	if err != nil {
		vr.Log.Error("fleet.json", "error", err)
	}
	if fix == nil {
		return nil
	}
	if _, err = vr.As(rights.Clock).Add(vr.Context, []tasks.Task{*fix}); err != nil {
		return err
	}
	vr.Progressed() // sails again
	return nil
}

// conclude records a run of verify.sh, and returns the task that is to mend what failed, nil for none.
func (vr *Verifier) conclude(r kind.Result) (fix *tasks.Task, err error) {
	err = vr.Roster.Change(func(f *fleet.Fleet) {
		r.Runs, r.Fixes = f.Verify.Runs+1, f.Verify.Fixes
		next := vr.Kind.Next(f.Phase, vr.Store.Snapshot(), &r)
		if fix = next.Fix; fix != nil {
			r.Fixes++ // before the task: a crash in between costs a fix, not an endless loop
		}
		f.Phase, f.Verify = next.Phase, r.Verify
	})
	return fix, err
}

// Now runs verify.sh because the captain wants it, in any phase.
func (vr *Verifier) Now(ctx context.Context, r api.VerifyRequest, report func(api.Progress)) error {
	if vr.Info.Kind.TakesDispatches() {
		return api.Refused("%s is a pool, and has no verify.sh", vr.Info.Name)
	}
	if r.Accept {
		if err := vr.accept(); err != nil {
			return err
		}
	}
	is, err := vr.run(ctx, report)
	if err != nil {
		return err
	}
	head, err := vr.Work.Head(ctx)
	if err != nil {
		return err
	}
	if _, err := vr.conclude(kind.Result{Verify: is, Head: head, Asked: true}); err != nil {
		return err
	}
	phase := vr.Roster.Now().Phase
	switch {
	case !is.Passed:
		return fmt.Errorf("verify.sh failed at %.12s on %s", is.Commit, is.Ship)
	case phase == fleet.VerifyFailed:
		return fmt.Errorf("verify.sh passed at %.12s on %s, but the branch is at %.12s since: verify again", is.Commit, is.Ship, head)
	}
	return nil
}

// run runs the hub's own verify.sh on a ship, in a clean checkout of the branch.
func (vr *Verifier) run(ctx context.Context, report func(api.Progress)) (fleet.Verify, error) {
	ctx, cancel := context.WithTimeout(ctx, ship.VerifyTime+2*ship.TreeTime)
	defer cancel()
	script, err := vr.Script()
	if err != nil {
		return fleet.Verify{}, err
	}
	head, err := vr.Work.Head(ctx)
	if err != nil {
		return fleet.Verify{}, err
	}
	s := vr.choose()
	if s == nil {
		return fleet.Verify{}, api.Refused("no ship can be reached to verify on")
	}
	if err := s.Lock(ctx); err != nil {
		return fleet.Verify{}, err
	}
	defer s.Busy.Unlock()
	s.Change(func(is *ship.State) { is.Quit = cancel })
	vr.count(1)
	defer vr.count(-1)
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

func (vr *Verifier) count(runs int) {
	vr.mu.Lock()
	vr.runs += runs
	vr.mu.Unlock()
	vr.Paint.Send()
}

// choose returns a ship that can be reached, nil for none. It prefers ships without trouble of their own, and among these ships without a task.
func (vr *Verifier) choose() (best *ship.Ship) {
	snap := vr.Store.Snapshot()
	lack := 4
	for _, f := range vr.Roster.Now().Ships {
		s := vr.ship(f.Name)
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
