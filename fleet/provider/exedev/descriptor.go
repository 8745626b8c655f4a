package exedev

import "ocaptain/fleet/provider"

// Descriptor tells what this provider is.
var Descriptor = provider.Descriptor{Name: "exedev", Tailnet: true, Arch: "amd64"}
