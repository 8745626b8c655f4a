package local

import "ocaptain/fleet/provider"

// Descriptor tells what this provider is.
var Descriptor = provider.Descriptor{Name: "local"}
