package voyage

import (
	"fmt"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/access"
	"ocaptain/fleet/provider/registry"
	"ocaptain/tasks/pattern"
)

// maxLacks bounds the programs that are looked for on one voyage: ships name them.
const maxLacks = 100

// lackPattern is what shells say of a program that they do not find.
var lackPattern = pattern.New(`(?m)(?:^|[: ])(\w[\w.+-]{0,63}): (?:command )?not found\s*$|command not found: (\w[\w.+-]{0,63})\s*$`)

// tellLacks tells the captain, once for each program, how a ship on this machine gets a program that he has and the ship lacks. The
// caller holds v.mu.
func (s *Ship) tellLacks(said string) {
	here := s.v.set.Here
	if here == nil || !registry.Of(s.known.Ship.Provider).Here || !strings.Contains(said, "not found") {
		return
	}
	for _, m := range lackPattern().FindAllStringSubmatch(said, maxLacks) {
		program := m[1] + m[2]
		if len(s.v.lacks) == maxLacks || s.v.lacks[program] {
			continue
		}
		s.v.lacks[program] = true
		s.v.jobs.Go(func() { s.tellLack(here, program) })
	}
}

func (s *Ship) tellLack(here access.Shower, program string) {
	dirs, err := here.Unshown(program)
	if err != nil || len(dirs) == 0 {
		return
	}
	s.v.notes.Add(fleet.Note{Ship: s.name, Text: fmt.Sprintf("it does not see %s, which you have: local.bind with %s in %s shows it to ships made from then on",
		program, strings.Join(dirs, " and "), s.v.set.Hub.ConfigFile())})
}
