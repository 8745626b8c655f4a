package voyages

import (
	"errors"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/voyage"
	"ocaptain/fleet/machines"
)

// proof is the minimum time between two failed lookups that prove that a machine, or its device on the tailnet, is gone: 0 for the
// default, less in tests.
var proof time.Duration

// trouble is the last news for the captain about a machine that is to be destroyed.
type trouble int

const (
	noTrouble     trouble = iota
	stays                 // it could not be destroyed
	deviceRemains         // it is gone, and its device on the tailnet may remain
)

// after returns the trouble after another attempt to destroy the machine.
func (was trouble) after(r machines.Record, err error) trouble {
	var unproven *machines.Unproven
	switch {
	case errors.As(err, &unproven), err != nil && r.Gone: // a further look for it failed
		return was
	case err != nil:
		return stays
	case r.Tailnet == nil:
		return noTrouble
	case r.Trouble != "":
		return deviceRemains
	case was == stays:
		return noTrouble
	}
	return was
}

// noteDestroyed records the result of an attempt to destroy a machine in the machine's ship, if it still exists. It
// tells the captain once that the machine stays, and once that it is gone after all.
func (h *Set) noteDestroyed(r machines.Record, err error) {
	h.mu.Lock()
	v, was := h.voyages[r.Voyage], h.told[r.ID]
	now := was.after(r, err)
	if h.told[r.ID] = now; now == noTrouble {
		delete(h.told, r.ID)
	}
	h.mu.Unlock()
	if err == nil {
		h.Sweeper.Forget(r.ID)
	}
	tell := h.tellAll
	if v != nil && v.Fit.MachineTold(r.ID, err) {
		tell = v.Notes.Tell
	}
	if err != nil {
		h.log.Warn("not destroyed yet", "machine", r.Name, "provider", r.Provider, "error", err)
	}
	switch {
	case now == stays && was != stays:
		tell(fmt.Sprintf("the machine %s at %s could not be destroyed and may cost you; %s: %s", r.Name, r.Provider, fleet.UntilGone, clean.Bound(err.Error(), clean.MaxText)))
	case err == nil && r.Back > 0 && !r.Again.IsZero():
		tell(fmt.Sprintf("the machine %s was there at %s after it was proven to be gone; it was destroyed once more", r.Name, r.Provider))
	case err == nil && was == stays:
		tell(fmt.Sprintf("the machine %s at %s is gone at last", r.Name, r.Provider))
	}
	if err == nil && r.Trouble != "" {
		h.noteDevice(v, r, was == deviceRemains)
	}
}

// noteDevice tells the captain once that the device of a destroyed machine may be left on the tailnet. A device costs nothing: without an open
// voyage only the log has it.
func (h *Set) noteDevice(v *voyage.Voyage, r machines.Record, again bool) {
	h.log.Warn("a device on the tailnet may be left", "machine", r.Name, "error", r.Trouble)
	if v == nil || again {
		return
	}
	text := "the device of " + r.Name + " on the tailnet may still be there; " + fleet.UntilGone + ": "
	if r.Tailnet == nil {
		text = "about the device of " + r.Name + " on the tailnet: "
	}
	v.Notes.Tell(text + clean.Bound(r.Trouble, clean.MaxText))
}
