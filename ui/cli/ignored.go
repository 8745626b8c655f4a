package cli

import (
	"ocaptain/ui/cli/config"
)

// tellIgnored warns of variables in .env files in which they do not count.
func (b *bridge) tellIgnored(c config.Config) {
	for _, i := range c.Ignored() {
		writeWarning(b.err, i.String()+"; "+i.Advice(), 0)
	}
}

// ignoredFindings reports the same variables to the doctor.
func ignoredFindings(c config.Config) []finding {
	var found []finding
	for _, i := range c.Ignored() {
		found = append(found, finding{What: "variable", Found: i.String(), Need: "nothing, as it does not count there", State: doubt, Fix: i.Advice()})
	}
	return found
}
