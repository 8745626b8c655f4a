package voyage

import (
	"context"
	"fmt"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/ignored"
	"ocaptain/fleet/proto"
)

func (s *Ship) ignoredClone() ignored.Clone {
	return ignored.Clone{Ship: s.name, Home: s.home(), Link: s.reach.Link(), Artifacts: s.v.Dir.Artifacts()}
}

// countIgnored counts the files in the ship's clone that git ignores.
func (s *Ship) countIgnored(ctx context.Context) (proto.Ignored, error) {
	return s.ignores.Count(ctx, s.ignoredClone())
}

// KeepIgnored copies the files in the ship's clone that git ignores to a new directory below artifacts/.
func (s *Ship) KeepIgnored(ctx context.Context) (api.KeptIgnored, error) {
	k, err := s.ignores.Keep(ctx, s.name, func(ctx context.Context) (ignored.Clone, bool) {
		if !s.reach.Connects(ctx) {
			return ignored.Clone{}, false
		}
		return s.ignoredClone(), true
	})
	if err == nil && k.Dir != "" {
		s.v.Notes.Add(fleet.Note{Ship: s.name, Text: fmt.Sprintf("%d of %s: copied to %s", k.Kept.Files, k.Found.ListText(), k.Dir)})
	}
	return k, err
}

// reportIgnored reports the files that git ignores and that go with the machine.
func (s *Ship) reportIgnored(report func(api.Progress)) {
	text := s.ignores.Lost()
	if text == "" {
		return
	}
	s.v.Notes.Add(fleet.Note{Ship: s.name, Text: text})
	report(api.Progress{Ship: s.name, Step: "sink", State: api.StepNote, Text: text})
}
