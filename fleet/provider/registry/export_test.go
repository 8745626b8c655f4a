package registry

import "ocaptain/fleet/provider/describe"

// Add adds the provider of a test, as a line in the list does.
func Add(d describe.Provider) { all = append(all, d) }
