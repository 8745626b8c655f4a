package helm

import (
	"context"
	"fmt"
	"slices"
	gosync "sync"
	"time"

	"ocaptain/fleet"
)

// lookout is what helm knows by itself of machines that no voyage has.
type lookout struct {
	mu   gosync.Mutex
	done chan struct{} // closed when helm has looked once
	all  []Orphan
}

// lookOut looks for orphans once, after all voyages are taken up. It asks the services that cost; of hosts
// it believes the ledger, as asking would mean to log in to each. It destroys nothing and complains of
// nothing: what cannot be asked is told to who asks for a sweep.
func (h *Helm) lookOut() {
	ctx, cancel := context.WithTimeout(h.ctx, 2*surveying)
	defer cancel()
	which := h.configured()
	quiet := append(slices.DeleteFunc(slices.Clone(which), func(name string) bool { return name == "hosts" }), onTailnet)
	all, unasked, err := h.find(ctx, quiet, nil)
	if slices.Contains(which, "hosts") && err == nil {
		var kept []found
		kept, err = h.onBook("hosts")
		all = append(all, kept...)
	}
	if h.ctx.Err() != nil {
		return
	}
	if err != nil {
		h.log.Warn("no look for orphans", "error", err)
	}
	for _, u := range unasked {
		h.log.Info("not asked for orphans", "provider", u.Provider, "why", u.Why)
	}
	orphans := sweepable(all, nil).Orphans
	h.remember(orphans)
	close(h.orphans.done)
	if n := waiting(orphans); n > 0 {
		h.log.Warn("machines that no voyage has", "count", n)
		text := fmt.Sprintf("%s that no voyage has may cost you: see and destroy with: ocaptain sweep", machines(n))
		if doubt, err := Doubt(h.hub); err == nil && doubt != "" {
			text = fmt.Sprintf("%s may cost you, and no voyage is seen to have them: %s", machines(n), doubt)
		}
		h.tellAll(text)
	}
}

// onBook are the orphans of a provider as far as the ledger tells.
func (h *Helm) onBook(name string) ([]found, error) {
	own, err := h.owned()
	if err != nil {
		return nil, err
	}
	entries, err := h.book.All()
	if err != nil {
		return nil, err
	}
	var all []found
	for _, e := range entries {
		if e.Provider == name && !own.has(e.Provider, e.Name, e.Voyage) {
			all = append(all, h.fromBook(e, own, h.absent(e, "", false)))
		}
	}
	return all, nil
}

// machines counts them in words.
func machines(n int) string {
	if n == 1 {
		return "1 machine"
	}
	return fmt.Sprintf("%d machines", n)
}

// waiting counts the orphans that wait for the captain's word.
func waiting(all []Orphan) int {
	n := 0
	for _, o := range all {
		if !o.Doomed {
			n++
		}
	}
	return n
}

// remember keeps what was found last.
func (h *Helm) remember(all []Orphan) {
	h.orphans.mu.Lock()
	defer h.orphans.mu.Unlock()
	h.orphans.all = all
}

// forgetOrphan drops one that is gone. Without an ID all of that name are meant.
func (h *Helm) forgetOrphan(t SweepTarget) {
	h.orphans.mu.Lock()
	defer h.orphans.mu.Unlock()
	h.orphans.all = slices.DeleteFunc(slices.Clone(h.orphans.all), func(o Orphan) bool {
		return o.Provider == t.Provider && o.Name == t.Name && (o.ID == t.ID || t.ID == "" || o.ID == "")
	})
}

// known returns what was found last and waits for the captain's word.
func (l *lookout) known() []Orphan {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := []Orphan{}
	for _, o := range l.all {
		if !o.Doomed {
			all = append(all, o)
		}
	}
	return all
}

// tellAll tells the captain something on every voyage that is under way.
func (h *Helm) tellAll(text string) {
	h.mu.Lock()
	var all []*voyage
	for _, v := range h.voyages {
		all = append(all, v)
	}
	h.mu.Unlock()
	for _, v := range all {
		v.note(fleet.Note{At: time.Now(), Text: text})
	}
}
