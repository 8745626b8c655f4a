package helm

import (
	"encoding/json"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/shiplog"
	"ocaptain/fleet/provision"
)

// fitLog writes to a ship's log how it is fitted out, as long as nobody else writes there: before
// it is afloat.
type fitLog struct {
	v    *voyage
	ship *fleet.Ship
	file *shiplog.File // nil when it cannot be written, which keeps no ship from sailing
}

// openFitLog begins to tell of a ship.
func (v *voyage) openFitLog(f *fleet.Ship) *fitLog {
	l := &fitLog{v: v, ship: f}
	var err error
	if l.file, err = shiplog.Open(v.dir.LogFile(f.Name)); err != nil {
		v.addNote(fleet.Note{Ship: f.Name, Text: "how it is fitted out cannot be written down: " + err.Error()})
	}
	l.add(provision.Start, "", fmt.Sprintf("is fitted out as %s from %s", f.MachineName(v.dir.ID()), f.Provider), 0)
	return l
}

// writeStep writes how a step goes. The text may be from the ship.
func (l *fitLog) writeStep(step, state, text string, took time.Duration) {
	text = clean.Bound(text, maxText)
	said := ""
	if text != "" {
		said = ": " + text
	}
	switch state {
	case provision.Start:
		text = step + " …"
	case provision.Done:
		text = fmt.Sprintf("%s done in %s", step, shortDuration(took))
	case provision.Failed:
		text = fmt.Sprintf("%s failed after %s%s", step, shortDuration(took), said)
	case provision.Retry:
		text = fmt.Sprintf("%s is tried again in %s%s", step, shortDuration(took), said)
	case provision.Printed:
		text = step + " printed:\n" + text
	default:
		text = step + said
	}
	l.add(state, step, text, took)
}

// writeResult writes how it came out, and lets go of the log.
func (l *fitLog) writeResult(err error, took time.Duration) {
	switch {
	case err == nil:
		l.add(provision.Done, "", "is afloat after "+shortDuration(took), took)
	case l.v.ctx.Err() != nil:
		l.add(provision.Note, "", "is left as it is: helm ends", took)
	default:
		l.add(provision.Failed, "", "could not be fitted out", took)
	}
	if l.file != nil {
		l.file.Close()
	}
}

func (l *fitLog) add(state, step, text string, took time.Duration) {
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
		l.v.log.Error("log of the fitting out", "ship", l.ship.Name, "error", err)
	}
}

// shortDuration is a time as it is told: to the tenth of a second, and no more than needed.
func shortDuration(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}
