package shiplog

import (
	"encoding/json"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/provision"
)

// Provisioning writes to a ship's log how the ship is provisioned. It is the log's only writer until the ship is
// ready.
type Provisioning struct {
	ship   *fleet.Ship
	file   *File       // nil when the log cannot be written, which does not stop the provisioning
	failed func(error) // called with each error of a write
}

// OpenProvisioning opens the log of a ship that is being provisioned. After an error the returned Provisioning can still be used, but
// writes nothing. failed is called with each error of a write.
func OpenProvisioning(d fleet.Dir, ship *fleet.Ship, failed func(error)) (*Provisioning, error) {
	l := &Provisioning{ship: ship, failed: failed}
	var err error
	l.file, err = Open(d.LogFile(ship.Name))
	l.add(provision.Start, "", fmt.Sprintf("is provisioned as %s from %s", ship.MachineName(d.ID()), ship.Provider), 0)
	return l, err
}

// Step writes the progress of a step. The text may come from the ship.
func (l *Provisioning) Step(step, state, text string, took time.Duration) {
	text = clean.Bound(text, clean.MaxText)
	said := ""
	if text != "" {
		said = ": " + text
	}
	switch state {
	case provision.Start:
		text = step + " …"
	case provision.Done:
		text = fmt.Sprintf("%s done in %s", step, Short(took))
	case provision.Failed:
		text = fmt.Sprintf("%s failed after %s%s", step, Short(took), said)
	case provision.Retry:
		text = fmt.Sprintf("%s is tried again in %s%s", step, Short(took), said)
	case provision.Printed:
		text = step + " printed:\n" + text
	default:
		text = step + said
	}
	l.add(state, step, text, took)
}

// Close writes the result of the provisioning, and closes the log. left says that the next helm continues it.
func (l *Provisioning) Close(err error, left bool, took time.Duration) {
	switch {
	case err == nil:
		l.add(provision.Done, "", "ready after "+Short(took), took)
	case left:
		l.add(provision.Note, "", "is left as it is: helm ends", took)
	default:
		l.add(provision.Failed, "", "could not be provisioned", took)
	}
	if l.file != nil {
		l.file.Close()
	}
}

func (l *Provisioning) add(state, step, text string, took time.Duration) {
	if l.file == nil {
		return
	}
	kind := fleet.KindProvision
	if state == provision.Failed {
		kind = fleet.KindUnfit
	}
	data, err := json.Marshal(fleet.FitStep{Build: l.ship.Built, Step: step, State: state, Took: took})
	if err == nil {
		err = l.file.Write([]fleet.LogLine{{At: time.Now(), Ship: l.ship.Name, Role: l.ship.Role, Kind: kind, Text: text, Data: data}})
	}
	if err != nil {
		l.failed(err)
	}
}

// Short formats a duration for texts: to a tenth of a second, without trailing zeros.
func Short(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}
