package live

import (
	"context"
	"errors"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/link"
	"ocaptain/ui/attach"
)

// explain returns the state for an error, the reason in words for the captain, and what happens
// next or what to do: commands that work as written, whatever other voyages exist.
func explain(err error, voyage, ship string) (st state, why, next string) {
	const again = "it is tried again by itself; what is wrong: ocaptain doctor"

	voyage, ship = clean.Line(voyage), clean.Line(ship)
	replace := "ocaptain ship replace " + ship + " --voyage " + voyage
	var gone *attach.Absent
	var changed *link.HostKeyError
	switch {
	case err == nil:
		return broken, "its terminal ended", "it is shown again when it is back"
	case errors.As(err, &gone):
		if gone.Coming {
			next = "it appears here when the ship is ready"
		}
		return absent, clean.Line(gone.Why), next
	case errors.As(err, &changed):
		return barred, "its host key changed: another machine may answer in its place",
			"if its machine was rebuilt: " + replace
	case errors.Is(err, link.ErrKey):
		return barred, "it does not accept this hub's key", "give it a new machine: " + replace
	case errors.Is(err, errNoTerminal):
		return broken, errNoTerminal.Error(), "it appears here when it is launched; look around: ocaptain shell " + voyage + " " + ship + " --raw"
	case errors.Is(err, api.ErrDown):
		return broken, "helm is not running", "see: ocaptain helm status"
	case errors.Is(err, errSilent), errors.Is(err, context.DeadlineExceeded):
		return broken, errSilent.Error(), again
	}
	var lost *link.Lost
	if errors.As(err, &lost) {
		err = lost.Err // without the text of lost, which the state already says
	}
	return broken, clean.Line(err.Error()), again
}
