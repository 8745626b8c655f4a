package sprites

import "ocaptain/fleet/provider"

// Descriptor tells what this provider is.
var Descriptor = provider.Descriptor{Name: "sprites", Tailnet: true, Arch: "amd64"}
