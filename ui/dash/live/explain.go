package live

import (
	"context"
	"errors"
	"strings"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/link"
	"ocaptain/ui/attach"
)

// explain turns an error into a state, a reason that a captain understands, and what comes
// next or what to do.
func explain(err error, ship string) (st state, why, next string) {
	const again = "it is tried again by itself; what is wrong: ocaptain doctor"

	var gone *attach.Absent
	var changed *link.HostKeyError
	switch {
	case err == nil:
		return broken, "its terminal ended", "it is shown again when it is back"
	case errors.As(err, &gone):
		if gone.Coming {
			next = "it appears here when it is afloat"
		}
		return absent, clean.Line(gone.Why), next
	case errors.As(err, &changed):
		return barred, "its host key changed: another machine may answer in its place",
			"if its machine was rebuilt: ocaptain ship replace " + clean.Line(ship)
	case strings.Contains(err.Error(), "unable to authenticate"):
		return barred, "it does not accept this hub's key", "give it a new machine: ocaptain ship replace " + clean.Line(ship)
	case errors.Is(err, errNoTerminal):
		return broken, errNoTerminal.Error(), "it appears here when it is launched; look around: ocaptain shell " + clean.Line(ship) + " --raw"
	case errors.Is(err, api.ErrDown):
		return broken, "helm is not running", "see: ocaptain helm status"
	case errors.Is(err, errSilent), errors.Is(err, context.DeadlineExceeded):
		return broken, errSilent.Error(), again
	}
	why = err.Error()
	if _, after, ok := strings.Cut(why, link.ErrDown.Error()); ok && errors.Is(err, link.ErrDown) {
		if _, after, ok = strings.Cut(after, ": "); ok {
			why = after // without what the state says already
		}
	}
	return broken, clean.Line(why), again
}
