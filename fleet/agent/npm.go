package agent

import (
	"fmt"
	"regexp"
)

// npmAgent completes an agent that takes turns and whose program npm's registry has.
func npmAgent(a Agent) Agent {
	a.Turns = true
	a.Finishes = true
	a.Packaged = true
	a.Version = []string{a.Name, "--version"}
	a.Check = func(output string) error { return checkAny(a.Name, output) }
	return a
}

func nothing(Setup) error { return nil }

var someVersion = regexp.MustCompile(`\d+\.\d+`)

// checkAny takes every version: these programs are called by flags that they document,
// and no hook of ours depends on how they work inside.
func checkAny(name, output string) error {
	if !someVersion.MatchString(output) {
		return fmt.Errorf("%s does not tell its version but %.80q", name, output)
	}
	return nil
}
