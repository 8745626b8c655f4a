package registry

import "ocaptain/fleet/provider/describe"

// Add adds the provider of a test to the list.
func Add(d describe.Provider) { all = append(all, d) }
