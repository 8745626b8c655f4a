package helm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	gosync "sync"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/link"
	"ocaptain/fleet/provision"
)

// secrets is the file that keeps what the ships' agents get, so that a ship can be
// added after helm was restarted.
type secrets struct {
	Secrets map[string]string `json:"secrets"`
	Env     map[string]string `json:"env"`
}

// sail fits out the voyage's first ships. When the caller gives up before the voyage
// sails, everything is taken back. A voyage sails with the ships it got.
func (v *voyage) sail(ctx context.Context, r SailRequest, report func(Progress)) error {
	if err := v.busy.Lock(ctx); err != nil {
		return err
	}
	defer v.busy.Unlock()
	v.mu.Lock()
	phase, ships := v.fleet.Phase, len(v.fleet.Ships)
	v.mu.Unlock()
	if phase != fleet.Fitting || ships > 0 {
		return &answerError{"the voyage sails already", ErrRefused}
	}
	if v.helm.providers[v.info.Provider] == nil {
		return &answerError{fmt.Sprintf("there is no provider %q", v.info.Provider), ErrRefused}
	}
	if err := fleet.Save(v.dir.Secrets(), secrets{r.Secrets, r.Env}, 0o600); err != nil {
		return err
	}
	if err := v.planShips(r.Ships); err != nil {
		return err
	}
	err := v.fitAll(ctx, report)
	if ctx.Err() != nil && v.helm.ctx.Err() == nil {
		// The captain gave up. Helm does not: nothing that costs may stay.
		report = func(Progress) {}
		return errors.Join(ctx.Err(), v.sinkAll(v.ctx, report))
	}
	return err
}

// add adds ships to a voyage that sails. Once begun it goes on when the caller leaves.
func (v *voyage) add(ctx context.Context, n int, report func(Progress)) error {
	if err := v.busy.Lock(ctx); err != nil {
		return err
	}
	defer v.busy.Unlock()
	if err := v.afloat(); err != nil {
		return err
	}
	if err := v.planShips(n); err != nil {
		return err
	}
	return v.fitAll(v.ctx, report)
}

// maxShips bounds one order: more are a slip of the keyboard.
const maxShips = 1000

// planShips adds ships that are still to be made.
func (v *voyage) planShips(n int) error {
	if n < 1 || n > maxShips {
		return &answerError{fmt.Sprintf("%d ships: ask for 1 to %d", n, maxShips), ErrRefused}
	}
	return v.change(func(f *fleet.Fleet) {
		for range n {
			f.Ships = append(f.Ships, &fleet.Ship{
				Name: fmt.Sprintf("ship-%d", f.Next), Number: f.Next, Role: "worker",
				Agent: v.info.Agent, Provider: v.info.Provider,
				Built: 1, Phase: fleet.Planned, Created: time.Now(),
			})
			f.Next++
		}
	})
}

// fitAll provisions every ship that is not afloat yet. Where a machine costs money
// or needs a token, the first one goes ahead and proves that all is well. The voyage
// sails when one ship does.
func (v *voyage) fitAll(ctx context.Context, report func(Progress)) error {
	if report == nil {
		report = func(Progress) {}
	}
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	var todo []*fleet.Ship
	afloat := 0
	v.mu.Lock()
	if v.abort = abort; v.fleet.Phase == fleet.Sinking {
		abort(errSinking)
	}
	for _, s := range v.fleet.Ships {
		switch s.Phase {
		case fleet.Planned, fleet.Provisioning:
			todo = append(todo, s)
		case fleet.Afloat:
			afloat++
		}
	}
	v.mu.Unlock()
	if len(todo)+afloat == 0 {
		return nil // nothing to fit out: the captain has not asked for ships yet, or none can be had
	}
	var failed []error
	prove := false
	fit := func(s *fleet.Ship) bool {
		err := v.fit(ctx, s, prove, report)
		v.mu.Lock()
		defer v.mu.Unlock()
		if err != nil {
			failed = append(failed, err)
			return false
		}
		afloat++
		return true
	}
	a, err := agent.Find(v.info.Agent, v.info.Custom)
	if err != nil {
		return err
	}
	if v.info.Provider == "local" && v.info.Custom == nil && len(todo) > 0 { // what installs the captain's own is for ships alone
		report(Progress{State: Say, Text: "looking for " + a.Name})
		if err := Fetch(ctx, v.helm.hub, a); err != nil {
			return v.fitted(ctx, afloat, todo, append(failed, err))
		}
	}
	if len(a.Keys) > 0 && afloat == 0 && len(todo) > 0 {
		if len(todo) > 1 {
			report(Progress{Ship: todo[0].Name, State: Say, Text: "goes ahead to prove that token and agent work"})
		}
		prove = true
		if !fit(todo[0]) {
			return v.fitted(ctx, afloat, todo[1:], failed)
		}
		prove, todo = false, todo[1:]
	}
	limit := len(todo)
	if p := v.helm.providers[v.info.Provider].Limits().Parallel; p > 0 {
		limit = min(limit, p)
	}
	slots := make(chan struct{}, max(1, limit))
	var all gosync.WaitGroup
	for _, s := range todo {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			fit(s)
		})
	}
	all.Wait()
	return v.fitted(ctx, afloat, nil, failed)
}

// fitted draws the conclusion from how the ships came out.
func (v *voyage) fitted(ctx context.Context, afloat int, unborn []*fleet.Ship, failed []error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, s := range unborn {
		if err := v.giveUp(s, fmt.Errorf("not tried: %w", errors.Join(failed...))); err != nil {
			return err
		}
	}
	if afloat == 0 && len(failed) > 0 {
		return fmt.Errorf("no ship could be fitted out: %w", errors.Join(failed...))
	}
	if err := v.change(func(f *fleet.Fleet) {
		if f.Phase == fleet.Fitting {
			f.Phase = fleet.Sailing
		}
	}); err != nil {
		return err
	}
	v.progressed()
	for _, err := range failed {
		v.note(fleet.Note{Text: err.Error() + "; try again with: ocaptain ship replace"})
	}
	return nil
}

// fit provisions one ship. One that fails leaves no machine. A ship that shall prove that
// login and agent work does so before its agent is launched.
func (v *voyage) fit(ctx context.Context, f *fleet.Ship, prove bool, report func(Progress)) error {
	var s secrets
	raw, err := os.ReadFile(v.dir.Secrets())
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("what its agent needs to log in cannot be read: %w", err), v.giveUp(f, err))
	}
	prov := v.helm.providers[f.Provider]
	dial := func(ship *fleet.Ship) func(context.Context) (net.Conn, error) {
		return func(ctx context.Context) (net.Conn, error) { return prov.Dial(ctx, ship.Machine) }
	}
	first, leftover := v.continuation(f)
	_, err = provision.Run(ctx, provision.Job{
		Voyage: v.info, Dir: v.dir, Ship: *f, Provider: prov,
		Labels:    v.helm.labels(v.dir),
		PublicKey: provision.PublicKey(v.helm.key),
		Program:   v.helm.programs,
		Tailnet:   v.joining(ctx, f),
		Secrets:   s.Secrets, Env: s.Env, Prove: prove, First: first, Leftover: leftover,
		Link: func(ship *fleet.Ship) (*link.Link, error) {
			cfg := v.helm.linkTo(ship, dial(ship))
			cfg.LearnHostKey = ship.HostKey == ""
			return link.Open(cfg)
		},
		Checkout: func(ctx context.Context, l *link.Link, ship *fleet.Ship) error {
			half := &bare{l, ship.Home}
			_, err := v.work.Checkout(ctx, half, ship.Name)
			return err
		},
		Keep: func(s fleet.Ship) error { return v.change(func(*fleet.Fleet) { *f = s }) },
		Report: func(step, state, text string, took time.Duration) {
			report(Progress{Ship: f.Name, Step: step, State: state, Text: text, Took: took})
			if (step == "probe" || step == "tailnet") && state == Say {
				v.note(fleet.Note{Ship: f.Name, Text: clean(text, maxText)}) // it may last longer than the fitting out
			}
		},
	})
	if err == nil {
		v.launch(f)
		return nil
	}
	if v.ctx.Err() != nil {
		return err // helm ends; the next one goes on with this ship
	}
	return errors.Join(err, v.giveUp(f, err))
}

// giveUp destroys what there is of a ship that could not be fitted out.
func (v *voyage) giveUp(f *fleet.Ship, why error) error {
	text := why.Error()
	err := v.destroy(v.ctx, f)
	if err != nil {
		err = fmt.Errorf("its machine %s may still be there, as destroying it failed: %w; try again with: ocaptain ship rm %s", f.MachineName(v.dir.ID()), err, f.Name)
		text += "; " + err.Error()
	}
	v.keep(func(*fleet.Fleet) { f.Phase, f.Error = fleet.Failed, clean(text, maxText) })
	return err
}

// signers are the keys with which helm logs in.
func (h *Helm) signers() []ssh.Signer { return []ssh.Signer{h.key} }
