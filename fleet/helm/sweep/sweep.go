// Package sweep finds machines that belong to no voyage, and destroys them once the captain agrees. It first copies home the work
// on them.
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

// Sweeper finds machines that belong to no voyage, and destroys them.
type Sweeper struct {
	o       Options
	found   orphans
	bundles chan struct{} // a slot for each copy of work home at the same time
}

// Options are what a Sweeper works with.
type Options struct {
	Context   context.Context // helm's context, under which work continues when its caller leaves
	Hub       fleet.Hub
	Install   string
	Machines  *machines.Keeper
	Providers map[string]provider.Provider
	Signers   []ssh.Signer
	Log       *slog.Logger

	// Add adds to the voyages on disk what helm knows of the voyages that it manages.
	Add func(*machines.Voyages)
	// Hold keeps the set of a voyage's ships unchanged until release is called. It fails when ctx ends.
	Hold func(ctx context.Context, voyage string) (release func(), err error)
	// Tell tells the captain something, in a note on every voyage under way.
	Tell func(text string)
}

// New returns a Sweeper. The caller has to call Look once.
func New(o Options) *Sweeper {
	return &Sweeper{o: o, found: orphans{done: make(chan struct{})}, bundles: make(chan struct{}, bundles)}
}

// Sweep destroys machines that belong to no voyage. It first checks that again, and looks each machine up again.
// While it destroys a machine, the machine's voyage, if it exists, makes no other machine of that name.
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

// each calls destroy for several machines at the same time. A failure does not stop the others.
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

// is reports whether a target means this machine. A later machine of the same name has another id.
func is(o machines.Orphan, t api.SweepTarget) bool {
	return o.Provider == t.Provider && o.Name == t.Name && (o.ID == t.ID || o.ID == "" || t.ID == "")
}

// unlisted reports why a machine is not on the list of orphans. It is no error if the machine was destroyed meanwhile.
func (s *Sweeper) unlisted(t api.SweepTarget, unasked []machines.Answer, report func(api.Progress)) error {
	for _, a := range unasked {
		if a.Provider == t.Provider {
			return errors.New(clean.Bound(a.Err.Error(), clean.MaxText))
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

// sweepOne destroys one machine, after its work was copied to the hub or if the work may be lost. It continues when
// ctx ends.
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

// sweepOthers destroys a machine of another install.
func (s *Sweeper) sweepOthers(m machines.Machine, report func(api.Progress)) error {
	report(api.Progress{Ship: clean.Word(m.Name), Step: "sweep", State: api.StepStarted})
	began := time.Now()
	if err := s.o.Machines.DestroyOthers(s.o.Context, m); err != nil {
		return fmt.Errorf("%w; try again with: ocaptain sweep", err)
	}
	report(api.Progress{Ship: clean.Word(m.Name), Step: "sweep", State: api.StepDone, Took: time.Since(began)})
	return nil
}

// destroy destroys a machine that no voyage manages, after it has copied the machine's work home. If that fails, it
// goes on only if lose is set.
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

// Waits returns a function that reports what a destruction waits for.
func Waits(ship string, report func(api.Progress)) func(string) {
	return func(text string) {
		report(api.Progress{Ship: ship, State: api.StepNote, Text: text + "; ctrl-c leaves, and " + fleet.UntilGone})
	}
}
