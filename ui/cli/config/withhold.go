package config

import "os"

// Withhold removes secrets from this process's own environment, so that the programs that ocaptain starts, such as
// git and npm, do not get them. Code that read the environment before, as Sources does, still has the secrets, and
// passes them to the programs that need them.
func (c Config) Withhold() {
	for _, v := range Variables() {
		if v.Secret {
			_ = os.Unsetenv(v.Name) // never fails for a name that is set
		}
	}
	for _, a := range c.agents {
		for _, name := range a.Env {
			_ = os.Unsetenv(name)
		}
	}
}
