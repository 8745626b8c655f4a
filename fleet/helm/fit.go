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
	Words   string            `json:"words"`
}

// sail fits out the voyage's first ships. When the caller gives up before the voyage
// sails, everything is taken back. A voyage sails with the ships it got.
func (v *voyage) sail(ctx context.Context, r SailRequest, report func(Progress)) error {
	v.busy.Lock()
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
	if err := fleet.Save(v.dir.Secrets(), secrets{r.Secrets, r.Env, r.Prompt}, 0o600); err != nil {
		return err
	}
	if err := v.plan(max(1, r.Ships)); err != nil {
		return err
	}
	err := v.fitAll(ctx, report)
	if ctx.Err() != nil && v.ctx.Err() == nil {
		// The captain gave up. Helm does not: nothing that costs may stay.
		report = func(Progress) {}
		return errors.Join(ctx.Err(), v.sinkAll(v.ctx, report))
	}
	return err
}

// add adds ships to a voyage that sails.
func (v *voyage) add(ctx context.Context, n int, report func(Progress)) error {
	v.busy.Lock()
	defer v.busy.Unlock()
	v.mu.Lock()
	phase := v.fleet.Phase
	v.mu.Unlock()
	if phase == fleet.Sinking || phase == fleet.Sunk {
		return &answerError{"the voyage is " + string(phase), ErrRefused}
	}
	if err := v.plan(max(1, n)); err != nil {
		return err
	}
	return v.fitAll(context.WithoutCancel(ctx), report)
}

// plan adds ships that are still to be made.
func (v *voyage) plan(n int) error {
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
	var todo []*fleet.Ship
	afloat := 0
	v.mu.Lock()
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
	fit := func(s *fleet.Ship) bool {
		err := v.fit(ctx, s, report)
		v.mu.Lock()
		defer v.mu.Unlock()
		if err != nil {
			failed = append(failed, err)
			return false
		}
		afloat++
		return true
	}
	a, err := agent.Lookup(v.info.Agent)
	if err != nil {
		return err
	}
	if v.info.Provider == "local" && len(todo) > 0 {
		report(Progress{State: Say, Text: "looking for " + a.Name})
		if err := fetch(ctx, v.helm.hub, a); err != nil {
			return v.fitted(ctx, afloat, todo, append(failed, err))
		}
	}
	if len(a.Keys) > 0 && afloat == 0 && len(todo) > 1 {
		report(Progress{Ship: todo[0].Name, State: Say, Text: "goes ahead to prove that token and agent work"})
		if !fit(todo[0]) {
			return v.fitted(ctx, afloat, todo[1:], failed)
		}
		todo = todo[1:]
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
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, s := range unborn {
		if err := v.change(func(*fleet.Fleet) { s.Phase, s.Error = fleet.Failed, "not tried, as the first ship failed" }); err != nil {
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

// fit provisions one ship. One that fails leaves no machine.
func (v *voyage) fit(ctx context.Context, f *fleet.Ship, report func(Progress)) error {
	var s secrets
	if raw, err := os.ReadFile(v.dir.Secrets()); err == nil {
		if err := json.Unmarshal(raw, &s); err != nil {
			return fmt.Errorf("%s: %w", v.dir.Secrets(), err)
		}
	}
	prov := v.helm.providers[f.Provider]
	dial := func(ship *fleet.Ship) func(context.Context) (net.Conn, error) {
		return func(ctx context.Context) (net.Conn, error) { return prov.Dial(ctx, ship.Machine) }
	}
	_, err := provision.Run(ctx, provision.Job{
		Voyage: v.info, Dir: v.dir, Ship: *f, Provider: prov,
		Labels:    map[string]string{"ocaptain": v.helm.install, "voyage": v.dir.ID()},
		PublicKey: provision.PublicKey(v.helm.key),
		Program:   v.helm.bin.Path, Digest: v.helm.bin.Digest,
		Secrets: s.Secrets, Env: s.Env, Words: s.Words,
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
		},
	})
	if err == nil {
		v.launch(f)
		return nil
	}
	if v.ctx.Err() != nil {
		return err // helm ends; the next one goes on with this ship
	}
	clear, cancel := context.WithTimeout(v.ctx, 5*time.Minute)
	defer cancel()
	if e := prov.Destroy(clear, f.MachineName(v.dir.ID())); e != nil {
		return errors.Join(err, fmt.Errorf("its machine %s could not be destroyed: %w", f.MachineName(v.dir.ID()), e))
	}
	return errors.Join(err, v.change(func(*fleet.Fleet) { f.Phase = fleet.Failed }))
}

// launchRunner starts the runner on a ship.
func (v *voyage) launchRunner(ctx context.Context, l *link.Link, home string) error {
	return provision.Launch(ctx, l, home)
}

// signers are the keys with which helm logs in.
func (h *Helm) signers() []ssh.Signer { return []ssh.Signer{h.key} }
