package voyage

import (
	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/pace"
)

// beginPace looks from now on whether the provisioning of ships gets on that wait for the same, until end. Once per silence it reports it of the
// first.
func (v *Voyage) beginPace(ships []*fleet.Ship, report func(api.Progress)) (p *pace.Pace, end func()) {
	var names []string
	for _, f := range ships {
		names = append(names, f.Name)
	}
	return v.paces.Begin(names, func(text string) {
		report(api.Progress{Ship: names[0], Step: v.roster.Ship(names[0]).Step, State: api.StepNote, Text: text})
	})
}
