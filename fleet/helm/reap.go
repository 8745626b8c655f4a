package helm

import (
	"context"
	"errors"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/ledger"
	"ocaptain/fleet/provider"
)

// doom has a machine destroyed however often that must be tried, by the next helm if need be; why is what
// an attempt failed of. Machines of a voyage that sinks need no such thing: it does so itself.
func (h *Helm) doom(provider, name string, why error) error {
	err := h.book.Doom(provider, name, clean(why.Error(), maxText))
	select {
	case h.reaping <- struct{}{}:
	default:
	}
	return err
}

// reap destroys what is doomed, trying for as long as it takes.
func (h *Helm) reap() {
	const least, most = time.Second, time.Minute
	pause := least
	for h.ctx.Err() == nil {
		left, err := h.reapOnce()
		if err != nil {
			h.log.Error("machines that are to be destroyed", "error", err)
		}
		if left == 0 && err == nil {
			pause = least
			select {
			case <-h.reaping:
			case <-h.ctx.Done():
			}
			continue
		}
		if sleep(h.ctx, pause) != nil {
			return
		}
		pause = min(most, 2*pause)
	}
}

// reapOnce tries each doomed machine once, and returns how many are left.
func (h *Helm) reapOnce() (left int, err error) {
	all, err := h.book.All()
	if err != nil {
		return 0, err
	}
	var mu gosync.Mutex
	var tried gosync.WaitGroup
	slots := make(chan struct{}, sweepers)
	for _, e := range all {
		if !e.Doomed {
			continue
		}
		tried.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if err := h.reapOne(e); err != nil {
				h.log.Warn("not destroyed yet", "machine", e.Name, "provider", e.Provider, "error", err)
				mu.Lock()
				left++
				mu.Unlock()
			}
		})
	}
	tried.Wait()
	return left, nil
}

func (h *Helm) reapOne(e ledger.Entry) error {
	p := h.providers[e.Provider]
	if p == nil {
		err := errors.New("this ocaptain does not know its provider")
		h.stuck(e, err)
		return err
	}
	ctx, cancel := context.WithTimeout(h.ctx, destroying)
	defer cancel()
	h.leaves(e.Provider, e.Name)
	err := p.Destroy(ctx, e.Name)
	if errors.Is(err, provider.ErrTaken) {
		err = nil
	}
	if h.ctx.Err() == nil {
		h.stuck(e, err)
		h.reaped(e, err)
	}
	return err
}

// reaped tells the ship that the machine was, if there is one still, what became of it.
func (h *Helm) reaped(e ledger.Entry, err error) {
	h.mu.Lock()
	v := h.voyages[e.Voyage]
	h.mu.Unlock()
	if v == nil {
		return
	}
	stays := ""
	if err != nil {
		stays = clean(err.Error(), maxText)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.fleet.Ships {
		if s.Phase == fleet.Failed && s.Provider == e.Provider && s.MachineName(e.Voyage) == e.Name && s.Stays != stays {
			if err := v.changeLocked(func(all *fleet.Fleet) {
				if s.Stays = stays; stays == "" {
					all.Lasted(time.Now(), s)
				}
			}); err != nil {
				v.log.Error("fleet.json", "error", err)
			}
		}
	}
}
