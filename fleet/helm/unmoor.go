package helm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/tailnet"
)

// leaving bounds one attempt to take a machine off the tailnet, in the middle of something that
// the captain waits for.
const leaving = 20 * time.Second

// The pauses between attempts to take machines off the tailnet that are gone.
const (
	unmoorMin = 5 * time.Second
	unmoorMax = 5 * time.Minute
)

// leave notes that a machine is about to be destroyed: what it has on the tailnet goes too, whoever
// has to try how often. It reports whether it has anything there. An error keeps nobody from
// destroying the machine, which costs more.
func (b *harbour) leave(machine string) (bool, error) {
	_, there, err := b.book.Get(machine)
	if err != nil || !there {
		return false, err
	}
	_, err = b.book.Change(machine, func(r *tailnet.Berth) { r.Leaving = true })
	return true, err
}

// clear takes a machine that is gone off the tailnet, and forgets it when that is done: when it was removed, or when
// two looks in vain were far enough apart. One answer that lacks a device may be wrong.
func (b *harbour) clear(ctx context.Context, machine string) (gone bool, err error) {
	r, there, err := b.book.Get(machine)
	if err != nil || !there {
		return err == nil, err
	}
	if r.Key == "" { // nobody could join
		return true, b.book.Drop(r)
	}
	api, err := b.ask()
	if err != nil {
		return false, err
	}
	gone, removed, err := api.Clear(ctx, r)
	switch {
	case !gone && err != nil && !r.Missed.IsZero(): // it was seen, or nobody could look: the looks in vain begin anew
		_, lost := b.book.Change(machine, func(r *tailnet.Berth) { r.Missed = time.Time{} })
		return false, errors.Join(err, lost)
	case !gone:
		return false, err
	case removed || !r.Missed.IsZero() && time.Since(r.Missed) >= b.proof:
		return true, errors.Join(err, b.book.Drop(r))
	case r.Missed.IsZero():
		_, err = b.book.Change(machine, func(r *tailnet.Berth) { r.Missed = time.Now() })
	}
	return false, err
}

// left takes the machine of a ship that was destroyed off the tailnet. What fails is told, and
// tried again by unmoor: an ephemeral device costs nothing, so the ship is gone all the same.
func (v *voyage) left(f *fleet.Ship) {
	b := v.helm.harbour
	machine := f.MachineName(v.dir.ID())
	ctx, cancel := context.WithTimeout(v.ctx, leaving)
	defer cancel()
	there, err := b.leave(machine)
	gone := !there
	if there {
		gone, err = b.clear(ctx, machine)
	}
	if !gone {
		b.poke()
	}
	if err == nil || v.ctx.Err() != nil {
		return
	}
	text := "its device on the tailnet may still be there, and helm goes on trying to remove it: "
	if gone {
		text = "about its device on the tailnet: "
	}
	v.note(fleet.Note{Ship: f.Name, Text: text + clean(err.Error(), maxText)})
}

// leaves has what a machine that is being destroyed has on the tailnet removed, soon and for as long as that
// takes. Machines of other providers join none, whatever they are called.
func (h *Helm) leaves(provider, machine string) {
	if !Joins(provider) {
		return
	}
	there, err := h.harbour.leave(machine)
	if err != nil {
		h.log.Error("its device on the tailnet may stay", "machine", machine, "error", err)
	}
	if there && err == nil {
		h.harbour.poke()
	}
}

// poke has unmoor look whether something else is leaving.
func (b *harbour) poke() {
	select {
	case b.going <- struct{}{}:
	default:
	}
}

// unmoor takes off the tailnet what is leaving it, for as long as it takes, also what an earlier
// helm did not get done. What fails is tried less and less often, until something else is leaving.
func (h *Helm) unmoor() {
	b := h.harbour
	var left map[string]bool
	for pause := unmoorMin; h.ctx.Err() == nil; {
		var timer <-chan time.Time
		if left, _ = h.clearLeaving(nil); len(left) > 0 {
			timer = time.After(pause)
			pause = min(2*pause, unmoorMax)
		}
		for waiting := true; waiting; {
			select {
			case <-h.ctx.Done():
				return
			case <-timer:
				waiting = false
			case <-b.going:
				more, fresh := h.clearLeaving(left)
				if fresh {
					pause = unmoorMin
				}
				if len(more) > 0 {
					timer = time.After(pause)
					maps.Copy(more, left)
					left = more
				}
			}
		}
	}
}

// clearLeaving tries once to clear everything that is leaving, but what was tried already, and tells what is
// left of it, and whether there was anything.
func (h *Helm) clearLeaving(tried map[string]bool) (left map[string]bool, some bool) {
	all, err := h.harbour.book.All()
	if err != nil {
		h.log.Error("tailnet", "error", err)
	}
	left = map[string]bool{}
	for _, r := range all {
		if !r.Leaving || tried[r.Machine] || h.ctx.Err() != nil {
			continue
		}
		some = true
		ctx, cancel := context.WithTimeout(h.ctx, leaving)
		gone, err := h.harbour.clear(ctx, r.Machine)
		cancel()
		if !gone {
			left[r.Machine] = true
		}
		if err != nil && h.ctx.Err() == nil {
			h.log.Warn("a device on the tailnet may be left", "machine", r.Machine, "error", clean(err.Error(), maxText))
		}
	}
	return left, some
}

// strays lists what is on the tailnet that no ship needs: see tailnet.Orphans. There is nothing
// to tell where nobody has ever given a secret.
func (h *Helm) strays(ctx context.Context) ([]tailnet.Orphan, error) {
	b := h.harbour
	api, err := b.ask()
	if errors.Is(err, tailnet.ErrNoSecret) {
		if all, damaged := b.book.All(); len(all) == 0 {
			return nil, damaged
		}
	}
	if err != nil {
		return nil, err
	}
	live, err := h.moorings()
	if err != nil {
		return nil, err
	}
	return tailnet.Orphans(ctx, api, b.book, live)
}

// moorings tells which machines voyages have, or are about to make. One of a voyage that cannot
// be read counts as one that it has.
func (h *Helm) moorings() (func(machine string) bool, error) {
	dirs, err := fleet.Voyages(h.hub.Voyages).List()
	if err != nil {
		return nil, err
	}
	have, unknown := map[string]bool{}, map[string]bool{}
	add := func(d fleet.Dir, f *fleet.Fleet) {
		for _, s := range f.Ships {
			have[s.MachineName(d.ID())] = true
		}
	}
	for _, d := range dirs {
		f, err := fleet.LoadFleet(d)
		if err != nil {
			unknown[d.ID()] = true
			continue
		}
		add(d, &f)
	}
	h.mu.Lock()
	all := make([]*voyage, 0, len(h.voyages))
	for _, v := range h.voyages {
		all = append(all, v)
	}
	h.mu.Unlock()
	for _, v := range all { // as helm knows them, which may be newer
		v.mu.Lock()
		add(v.dir, &v.fleet)
		v.mu.Unlock()
	}
	book := h.harbour.book
	return func(machine string) bool {
		if have[machine] {
			return true
		}
		r, there, err := book.Get(machine)
		return err == nil && there && unknown[r.Voyage]
	}, nil
}

// sweepStray takes off the tailnet what this install recorded of a machine that no ship has. It
// goes on by itself when it cannot be done now.
func (h *Helm) sweepStray(ctx context.Context, machine string) error {
	live, err := h.moorings()
	if err != nil {
		return err
	}
	if live(machine) {
		return api.Refused("%s belongs to a ship", machine)
	}
	there, err := h.harbour.leave(machine)
	if err != nil {
		return err
	}
	if !there {
		return api.NotFound("this install has nothing called %s on the tailnet; remove it in the admin console", word(machine))
	}
	gone, err := h.harbour.clear(ctx, machine)
	if !gone {
		h.harbour.poke()
		if err != nil {
			err = fmt.Errorf("%w; helm goes on trying until it is gone", err)
		}
	}
	return err
}
