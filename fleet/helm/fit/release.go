package fit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/packages"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/install"
)

// ChooseRelease chooses the release of an agent that new ships get. It refuses a release that was not tried on this machine, or
// that failed a necessary clause.
func (f *Fit) ChooseRelease(r api.ReleaseRequest) error {
	a, err := f.o.Info.FindAgent(&fleet.Ship{Role: fleet.Worker, Agent: r.Agent, Release: r.Release})
	if err != nil {
		return api.Refused("%v", err)
	}
	if r.Release.Version != "" {
		if tried, ok := install.Tried(f.o.Access.Hub, a); !ok || !tried.Sails() {
			return api.Refused("%s %s may not sail: try it with ocaptain doctor --agent %s@%s", a.Name, a.Gets(), a.Name, a.Gets())
		}
	}
	return f.o.Roster.Change(func(all *fleet.Fleet) {
		all.Releases = maps.Clone(all.Releases)
		if all.Releases == nil {
			all.Releases = map[string]packages.Release{}
		}
		all.Releases[r.Agent] = r.Release
	})
}

// mixed returns a text if a provisioned ship has another version of its agent than other ships, else "".
func mixed(s *fleet.Ship, all *fleet.Fleet) string {
	others := map[string][]string{}
	for _, o := range all.Ships {
		if o.Name != s.Name && o.Agent == s.Agent && o.Phase == fleet.Afloat && o.Version != "" && o.Version != s.Version {
			others[o.Version] = append(others[o.Version], o.Name)
		}
	}
	if s.Version == "" || len(others) == 0 {
		return ""
	}
	var words []string
	for _, version := range slices.Sorted(maps.Keys(others)) {
		words = append(words, version+" on "+strings.Join(others[version], ", "))
	}
	return fmt.Sprintf("has %s %s, and there is %s", s.Agent, s.Version, strings.Join(words, ", "))
}
