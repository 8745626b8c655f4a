package helm

import (
	"fmt"

	"ocaptain/fleet/ledger"
)

// stuck keeps what destroying a doomed machine failed of, nil when it is gone, where sweep and doctor find it.
// The captain is told on the voyages under way: once that it stays, and once that it is gone at last.
func (h *Helm) stuck(e ledger.Entry, why error) {
	at := place{e.Provider, e.Name}
	text := ""
	if why != nil {
		text = clean(why.Error(), maxText)
		if err := h.book.Failed(e.Provider, e.Name, text); err != nil {
			h.log.Error("ledger", "error", err)
		}
	}
	h.mu.Lock()
	told := h.told[at]
	h.told[at] = why != nil
	h.mu.Unlock()
	switch {
	case why != nil && !told:
		h.tellAll(fmt.Sprintf("the machine %s at %s could not be destroyed and may cost you; that is tried again until it is gone: %s", e.Name, e.Provider, text))
	case why == nil && told:
		h.tellAll(fmt.Sprintf("the machine %s at %s is gone at last", e.Name, e.Provider))
	}
}

// doomed are the machines without a voyage that are to be destroyed and are not gone yet.
func (h *Helm) doomed() []Orphan {
	own, err := h.owned()
	if err != nil {
		return nil // who asks for a sweep is told
	}
	entries, err := h.book.All()
	if err != nil {
		return nil
	}
	var all []Orphan
	for _, e := range entries {
		if e.Doomed && !own.has(e.Provider, e.Name, e.Voyage) {
			all = append(all, h.fromBook(e, own, "it is to be destroyed").Orphan)
		}
	}
	return all
}
