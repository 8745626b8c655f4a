package agent

import "ocaptain/fleet/agent/packages"

// npmAgent completes an agent that takes turns and comes from npm. Any installed version is accepted: ocaptain uses only
// documented flags of these programs, and none of its hooks depends on how they work inside.
func npmAgent(a Agent) Agent {
	a.Turns = true
	a.Finishes = true
	a.Packaged = true
	a.Version = []string{a.Name, "--version"}
	a.Tested = packages.Tested(a.Name)
	return a
}

func nothing(Setup) error { return nil }
