package voyage

import (
	"errors"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/machines"
)

// proof is how far apart two looks in vain must be to prove that a machine, or its device on the tailnet, is gone: 0 for what is
// usual, and less in tests of this package.
var proof time.Duration

// trouble is what the captain was told of a machine that is to be destroyed.
type trouble int

const (
	noTrouble     trouble = iota
	stays                 // it could not be destroyed
	deviceRemains         // it is gone, and its device on the tailnet may not be
)

// after is what it is after another attempt to destroy the machine.
func (was trouble) after(r machines.Record, err error) trouble {
	var unproven *machines.Unproven
	switch {
	case errors.As(err, &unproven), err != nil && r.Gone: // it could not be looked for once more
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

// machineTold tells the captain how an attempt to destroy a machine ended: its ship, if there is one still, and
// once that it stays and that it is gone at last.
func (h *Set) machineTold(r machines.Record, err error) {
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
		tell = v.notes.Tell
	}
	if err != nil {
		h.log.Warn("not destroyed yet", "machine", r.Name, "provider", r.Provider, "error", err)
	}
	switch {
	case now == stays && was != stays:
		tell(fmt.Sprintf("the machine %s at %s could not be destroyed and may cost you; %s: %s", r.Name, r.Provider, fleet.UntilGone, clean.Bound(err.Error(), maxText)))
	case err == nil && r.Back > 0 && !r.Again.IsZero():
		tell(fmt.Sprintf("the machine %s was there at %s after it was proven to be gone; it was destroyed once more", r.Name, r.Provider))
	case err == nil && was == stays:
		tell(fmt.Sprintf("the machine %s at %s is gone at last", r.Name, r.Provider))
	}
	if err == nil && r.Trouble != "" {
		h.deviceTold(v, r, was == deviceRemains)
	}
}

// deviceTold tells the captain once of a device on the tailnet whose machine is gone. It costs nothing: where there
// is no voyage, it is in the log alone.
func (h *Set) deviceTold(v *Voyage, r machines.Record, again bool) {
	h.log.Warn("a device on the tailnet may be left", "machine", r.Name, "error", r.Trouble)
	if v == nil || again {
		return
	}
	text := "the device of " + r.Name + " on the tailnet may still be there; " + fleet.UntilGone + ": "
	if r.Tailnet == nil {
		text = "about the device of " + r.Name + " on the tailnet: "
	}
	v.notes.Add(fleet.Note{Text: text + clean.Bound(r.Trouble, maxText)})
}
