// Package sweep finds machines that no voyage has, and destroys them once the captain agrees. It brings home what work is on them.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	gosync "sync"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider"
)

// Sweeper finds machines that no voyage has, and destroys them.
type Sweeper struct {
	o       Options
	found   orphans
	bundles chan struct{} // places for calls that bring work home
}

// Options are what a Sweeper works with.
type Options struct {
	Context   context.Context // that of helm: what has begun goes on when its caller leaves
	Hub       fleet.Hub
	Install   string
	Machines  *machines.Keeper
	Providers map[string]provider.Provider
	Signers   []ssh.Signer
	Log       *slog.Logger

	// Add adds what helm knows of the voyages that it looks after to those on disk.
	Add func(*machines.Voyages)
	// Hold keeps a voyage from changing its set of ships until release is called. It waits for as long as ctx.
	Hold func(ctx context.Context, voyage string) (release func(), err error)
	// Tell tells the captain something on every voyage that is under way.
	Tell func(text string)
}

// New returns a Sweeper. Look is to be called once.
func New(o Options) *Sweeper {
	return &Sweeper{o: o, found: orphans{done: make(chan struct{})}, bundles: make(chan struct{}, bundles)}
}

// Sweep destroys machines that no voyage has. It checks that again and finds each machine again.
// While it destroys a machine, that machine's voyage, if there is one, makes no other of that name.
func (s *Sweeper) Sweep(ctx context.Context, r api.SweepRequest, report func(api.Progress)) error {
	if unsure, err := s.o.Machines.Unmounted(s.o.Hub.Voyages); err != nil {
		return err
	} else if unsure != "" && !r.Sure {
		return api.Refused("%s Nothing was destroyed; once their voyages are gone for certain, name the machines: ocaptain sweep NAME", unsure)
	}
	var which []string
	for _, t := range r.Machines {
		which = append(which, t.Provider)
	}
	slices.Sort(which)
	which = slices.Compact(which)
	all, unasked, err := s.find(ctx, which, which)
	if err != nil {
		return err
	}
	return each("sweep", r.Machines, func(t api.SweepTarget) string { return clean.Word(t.Name) }, report, func(t api.SweepTarget) error {
		i := slices.IndexFunc(all, func(o machines.Orphan) bool { return is(o, t) })
		switch {
		case i < 0:
			return s.unlisted(t, unasked, report)
		case all[i].Machine.Others && !r.Others:
			return api.Refused("it is not this install's: %s", all[i].Why)
		}
		return s.sweepOne(ctx, all[i], r.Lose, report)
	})
}

// each destroys several machines at the same time. A failure does not stop the others.
func each[T any](step string, all []T, name func(T) string, report func(api.Progress), destroy func(T) error) error {
	var mu gosync.Mutex
	var failed []error
	var ended gosync.WaitGroup
	for _, one := range all {
		ended.Go(func() {
			if err := destroy(one); err != nil {
				report(api.Progress{Ship: name(one), Step: step, State: api.StepFailed, Text: err.Error()})
				mu.Lock()
				defer mu.Unlock()
				failed = append(failed, fmt.Errorf("%s: %w", name(one), err))
			}
		})
	}
	ended.Wait()
	return errors.Join(failed...)
}

// is reports whether a target means this machine: a later machine of the same name is another.
func is(o machines.Orphan, t api.SweepTarget) bool {
	return o.Provider == t.Provider && o.Name == t.Name && (o.ID == t.ID || o.ID == "" || t.ID == "")
}

// unlisted ends the sweep of a machine that is not on the list of orphans. A machine that was destroyed meanwhile is no failure.
func (s *Sweeper) unlisted(t api.SweepTarget, unasked []machines.Answer, report func(api.Progress)) error {
	for _, a := range unasked {
		if a.Provider == t.Provider {
			return errors.New(clean.Bound(a.Err.Error(), maxText))
		}
	}
	voyages, err := s.owners()
	if err != nil {
		return err
	}
	voyage, _ := fleet.VoyageOf(t.Name)
	if voyages.Have(machines.ID{Provider: t.Provider, Name: t.Name}, voyage) {
		return api.Refused("a voyage has it now")
	}
	report(api.Progress{Ship: clean.Word(t.Name), Step: "sweep", State: api.StepNote, Text: t.Provider + " does not list it any more, so nothing was destroyed; to look again: ocaptain sweep --dry-run"})
	return nil
}

// sweepOne destroys one machine, once its work is at home or may be lost. Once begun it goes on when the caller leaves.
func (s *Sweeper) sweepOne(ctx context.Context, o machines.Orphan, lose bool, report func(api.Progress)) error {
	m := o.Machine
	if m.Others {
		return s.sweepOthers(m, report)
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	release, err := s.o.Hold(ctx, o.Voyage)
	if err != nil {
		return api.Refused("its voyage is at work on its ships: try again later")
	}
	defer release()
	voyages, err := s.owners()
	if err != nil {
		return err
	}
	if voyages.Have(m.ID, o.Voyage) {
		return api.Refused("its voyage has it again")
	}
	return s.destroy(m, "sweep", "swept", lose || o.Unwanted, report)
}

// sweepOthers destroys a machine that is not this install's.
func (s *Sweeper) sweepOthers(m machines.Machine, report func(api.Progress)) error {
	report(api.Progress{Ship: clean.Word(m.Name), Step: "sweep", State: api.StepStarted})
	began := time.Now()
	if err := s.o.Machines.DestroyOthers(s.o.Context, m); err != nil {
		return fmt.Errorf("%w; try again with: ocaptain sweep", err)
	}
	report(api.Progress{Ship: clean.Word(m.Name), Step: "sweep", State: api.StepDone, Took: time.Since(began)})
	return nil
}

// destroy destroys a machine whose voyage does not see to it, and brings home its work before, which may be lost
// only if lose says so.
func (s *Sweeper) destroy(m machines.Machine, step, why string, lose bool, report func(api.Progress)) error {
	name := clean.Word(m.Name)
	report(api.Progress{Ship: name, Step: step, State: api.StepStarted})
	began := time.Now()
	if m.Listed != nil {
		if err := s.bringWork(m.Provider, *m.Listed, report); err != nil && !lose {
			return fmt.Errorf("it is not destroyed, as its work could not be brought home: %w; to lose what is only on it: ocaptain sweep %s --force", err, name)
		} else if err != nil {
			report(api.Progress{Ship: name, State: api.StepNote, Lost: true, Text: "what is only on it is lost, as it could not be brought home: " + err.Error()})
		}
	}
	if err := s.o.Machines.Until(s.o.Context, m.ID, why, m.Listed, Waits(name, report)); err != nil {
		return fmt.Errorf("%w; %s", err, fleet.UntilGone)
	}
	report(api.Progress{Ship: name, Step: step, State: api.StepDone, Took: time.Since(began)})
	return nil
}

// Waits reports what it is that a destruction waits for.
func Waits(ship string, report func(api.Progress)) func(string) {
	return func(text string) {
		report(api.Progress{Ship: ship, State: api.StepNote, Text: text + "; ctrl-c leaves, and " + fleet.UntilGone})
	}
}

// maxText bounds the text of an error, in bytes.
const maxText = 8 << 10
