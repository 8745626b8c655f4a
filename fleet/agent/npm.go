package agent

import "ocaptain/fleet/agent/packages"

// npmAgent completes an agent that takes turns and whose program npm's registry has. Every version is taken that is there:
// these programs are called by flags that they document, and no hook of ours depends on how they work inside.
func npmAgent(a Agent) Agent {
	a.Turns = true
	a.Finishes = true
	a.Packaged = true
	a.Version = []string{a.Name, "--version"}
	a.Tested = packages.Tested(a.Name)
	return a
}

func nothing(Setup) error { return nil }
