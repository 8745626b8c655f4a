package voyage

import (
	"errors"
	"os"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/sync"
)

func (v *Voyage) currentOrders() fleet.Orders {
	return reads(v, func() fleet.Orders { return v.orders })
}

// verifyScript is the plan's verify.sh. When it was changed, all work has to wait, and no task counts as failed.
func (v *Voyage) verifyScript() ([]byte, error) {
	raw, err := v.currentOrders().Read(v.Dir, v.Dir.VerifyFile())
	var changed *fleet.ChangedError
	if errors.As(err, &changed) {
		return nil, &sync.Hindered{Why: changed.Error(), Err: changed}
	}
	return raw, err
}

// acceptOrders takes the orders as they are now, and says so.
func (v *Voyage) acceptOrders() error {
	now, err := v.Dir.ReadOrders()
	if err != nil {
		return err
	}
	if _, err := os.Stat(v.Dir.VerifyFile()); err != nil {
		return api.Refused("%s cannot be accepted: %v", v.Dir.VerifyFile(), err)
	}
	var was fleet.Orders
	changes(v, func() {
		was = v.orders
		v.orders = now
	})
	for name := range now {
		if now[name] != was[name] {
			v.Notes.Add(fleet.Note{Text: name + " is used as the captain has changed it"})
		}
	}
	for name := range was {
		if _, has := now[name]; !has {
			v.Notes.Add(fleet.Note{Text: name + " is not used any more: the captain has removed it"})
		}
	}
	v.AddEvent(fleet.KindOrders, now)
	return nil
}
