package config

import "os"

// Withhold takes what is secret out of this process's own environment, so that the programs that
// ocaptain starts do not have it, git and npm among them. What has read the environment before, as Sources
// does, still has it; whoever needs a secret is given it from there.
func (c Config) Withhold() {
	for _, v := range Variables() {
		if v.Secret {
			_ = os.Unsetenv(v.Name) // fails for no name that there is
		}
	}
	for _, a := range c.agents {
		for _, name := range a.Env {
			_ = os.Unsetenv(name)
		}
	}
}
